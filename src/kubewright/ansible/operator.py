"""`AnsibleOperator`: roles as operators; one is run for each custom object."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack

from msgspec.structs import replace

from kubewright._aio import Clock
from kubewright.ansible.access import rules_for_kind, rules_for_playbook
from kubewright.ansible.settings import Settings
from kubewright.ansible.watches import Watch, load_watches
from kubewright.api.definition import plural_of
from kubewright.application import Application
from kubewright.application.application import SERVED
from kubewright.application.definitions import (
    definition_for,
    definitions_below,
    install_definitions,
)
from kubewright.application.watchfile import find_twice, name_of_folder
from kubewright.cache.selection import namespace_set
from kubewright.controller.controller import Controller
from kubewright.controller.declaration import Declaration, declare
from kubewright.controller.watches import For
from kubewright.crd.rbac import merged_rules
from kubewright.errors import ConfigError
from kubewright.webhook.serving import WebhookServing

if TYPE_CHECKING:
    from kubewright.ansible.workshop import Workshop
    from kubewright.application.application import RuleOptions
    from kubewright.client import Client
    from kubewright.cluster import Cluster
    from kubewright.crd.rbac import PolicyRule
    from kubewright.manager import Manager

__all__ = ["AnsibleOperator"]


class AnsibleOperator(Application):
    """An operator without code: a role or playbook is run for each object of a kind.

    Args:
        watches: The kinds, and what is run for them.
        name: Its name.
        settings: How runs are made.
        rules: RBAC rules for what the roles do, besides what can be read in them.
        definitions: The CRDs of the kinds; for a kind without one, one that takes any values.

    Raises:
        ConfigError: Two watches are of one kind.

    Example:
        operator = AnsibleOperator.load(Path("watches.yaml"))
        operator.add_to(manager)
    """

    def __init__(
        self,
        watches: Iterable[Watch],
        *,
        name: str = "ansible-operator",
        settings: Settings = Settings(),  # noqa: B008  # frozen
        rules: "Iterable[PolicyRule]" = (),
        definitions: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        self.watches: tuple[Watch, ...] = tuple(watches)
        """The kinds, and what is run for them."""
        if twice := find_twice(one.kind for one in self.watches):
            raise ConfigError(f"the watches of {name}: {twice}")
        super().__init__(name, rules=rules)
        self.settings: Settings = settings
        """How runs are made."""
        self._definitions = [dict(one) for one in definitions]
        self._declared = tuple(self._declare(watch) for watch in self.watches)

    @classmethod
    def load(
        cls,
        path: Path,
        *,
        name: str = "",
        settings: Settings = Settings(),  # noqa: B008  # frozen
    ) -> Self:
        """Return the operator that a ``watches.yaml`` describes.

        Args:
            path: The file, or its folder. CRDs in ``config/crd/bases`` beside it are used, and the
                rules in ``config/rbac/role.yaml``.
            name: The name of the operator; by default that of the folder.
            settings: How runs are made.

        Raises:
            ConfigError: The file, a role or a playbook cannot be read; the message says where and
                why.
        """
        file = path / "watches.yaml" if path.is_dir() else path
        folder = file.resolve().parent
        return cls(
            load_watches(file),
            name=name or name_of_folder(folder, "ansible-operator"),
            settings=settings,
            definitions=definitions_below(folder),
        )

    @property
    def declarations(self) -> tuple[Declaration, ...]:
        """One reconciler for each watch."""
        return self._declared

    def populate(
        self, manager: "Manager", clusters: "Sequence[Cluster]", *, workers: int
    ) -> tuple[Controller, ...]:
        """Add a controller for each watch to *manager*, and their way to it; called by `add_to`."""
        made: list[Controller] = []
        most = max(workers, self.settings.most_runs)
        for cluster in clusters:
            workshop = self._workshop(manager, cluster)
            for watch, declaration in zip(self.watches, self._declared, strict=True):
                declared = replace(declaration, workers=declaration.workers or most)
                made.append(self._controller(watch, declared, cluster, workshop))
        for controller in made:
            manager.add(controller)
        return tuple(made)

    def rules(self, **options: "Unpack[RuleOptions]") -> "list[PolicyRule]":
        """Return the RBAC rules for the kinds, and for the objects that tasks of the roles name.

        Args:
            options: As for any `Application`.
        """
        where = options["namespaces"] = namespace_set(options.get("namespaces"))
        found = super().rules(**options)
        for watch in self.watches:
            found += rules_for_kind(watch, namespaces=where)
            for playbook in watch.playbooks:
                found += rules_for_playbook(playbook, namespaces=where)
        return merged_rules(found)

    async def certain_rules(self, **options: "Unpack[RuleOptions]") -> "list[PolicyRule]":
        """Return the rules for the kinds alone: a task may be there that is never run."""
        where = options["namespaces"] = namespace_set(options.get("namespaces"))
        found = super().rules(**options)
        for watch in self.watches:
            found += rules_for_kind(watch, namespaces=where)
        return merged_rules(found)

    def crds(self, *, serve_webhooks: WebhookServing = SERVED) -> list[dict[str, Any]]:
        """Return the CRDs of the kinds: those that were given, and simple ones for the others."""
        given = {_kind_of(one): one for one in self._definitions}
        # The core group has no CRDs.
        kinds = [one.kind for one in self.watches if one.kind.group]
        return [given.get((one.group, one.kind)) or definition_for(one) for one in kinds]

    async def install_crds(
        self,
        client: "Client",
        *,
        timeout: float = 30.0,
        serve_webhooks: WebhookServing = SERVED,
    ) -> list[str]:
        """Install the CRDs of the kinds, and wait until they are served."""
        return await install_definitions(client, self.crds(), timeout=timeout)

    def _declare(self, watch: Watch) -> Declaration:
        kinds = [one.kind.kind for one in self.watches]
        name = watch.kind.kind.lower()
        if kinds.count(watch.kind.kind) > 1:
            name = f"{plural_of(watch.kind.kind)}.{watch.kind.group}"
        options: dict[str, Any] = {}
        if watch.max_concurrent_reconciles is not None:
            options["workers"] = watch.max_concurrent_reconciles
        return declare(
            name,
            # Not by the selector: what leaves it may be deleted later, and has our finalizer.
            For(watch.kind),
            # A run has its own, which begins when there is a place for it.
            deadline=None,
            **options,
        )

    def _workshop(self, manager: "Manager", cluster: "Cluster") -> "Workshop":
        from kubewright.ansible.execution.process import Runner, ansible_python
        from kubewright.ansible.folder import default_folder
        from kubewright.ansible.proxy.proxy import Proxy
        from kubewright.ansible.workshop import Workshop

        settings = self.settings
        runner = Runner(ansible_python(), settings.most_runs)
        root = settings.folder or default_folder(self.name, cluster.live.config.url)
        proxy = Proxy(Clock())  # its clients are processes, which live in real time
        manager.add(proxy)
        return Workshop(settings, runner, proxy, root)

    def _controller(
        self, watch: Watch, declaration: Declaration, cluster: "Cluster", workshop: "Workshop"
    ) -> Controller:
        from kubewright.ansible.reconciler import RoleReconciler

        reconciler = RoleReconciler(
            watch,
            cluster,
            workshop,
            name=self.name,
            primary=declaration.primary.informer(cluster),
        )
        name = f"{declaration.name}-{cluster.name}" if cluster.name else declaration.name
        controller = Controller(
            replace(declaration, name=name), reconciler, cluster=cluster, clock=cluster.clock
        )
        reconciler.dependents.tell(controller)
        return controller


def _kind_of(definition: Mapping[str, Any]) -> tuple[str, str]:
    spec = definition.get("spec") or {}
    return str(spec.get("group") or ""), str((spec.get("names") or {}).get("kind") or "")
