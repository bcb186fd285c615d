"""`HelmOperator`: charts as operators; each custom object is a release of one."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack

from msgspec.structs import replace

from kubewright.api.definition import plural_of
from kubewright.api.kind import ObjectKey
from kubewright.api.kind_reference import Kind
from kubewright.api.unstructured import Unstructured
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
from kubewright.controller.watches import For, Watches
from kubewright.crd.rbac import merged_rules
from kubewright.errors import ConfigError
from kubewright.helm.access import kinds_of, rules_for_charts, rules_for_kind, rules_for_objects
from kubewright.helm.manifest import RenderError
from kubewright.helm.reconciler import ReleaseReconciler
from kubewright.helm.renderer import HelmRenderer, Renderer, Wish
from kubewright.helm.storage import LABELS, SECRET
from kubewright.helm.values import overridden
from kubewright.helm.watches import Watch, load_watches
from kubewright.webhook.serving import WebhookServing

if TYPE_CHECKING:
    from kubewright.application.application import RuleOptions
    from kubewright.client import Client
    from kubewright.cluster import Cluster
    from kubewright.crd.rbac import PolicyRule
    from kubewright.manager import Manager

__all__ = ["HelmOperator"]

DEADLINE: float = 3600.0
"""Seconds that one reconcile may take: hooks are waited for, five minutes each."""


class HelmOperator(Application):
    """An operator without code: objects of a kind are releases of a chart.

    What it installs, helm can list, show, roll back and uninstall.

    Args:
        watches: The kinds and their charts.
        name: Its name, which is also the owner of the fields that it applies.
        renderer: Makes manifests; by default the program ``helm``.
        rules: RBAC rules besides those for the kinds that are seen in the charts.
        definitions: The CRDs of the kinds; for a kind without one, one that takes any values.

    Raises:
        ConfigError: Two watches are of one kind.

    Example:
        operator = HelmOperator.load(Path("watches.yaml"))
        operator.add_to(manager)
    """

    def __init__(
        self,
        watches: Iterable[Watch],
        *,
        name: str = "helm-operator",
        renderer: Renderer | None = None,
        rules: "Iterable[PolicyRule]" = (),
        definitions: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        self.watches: tuple[Watch, ...] = tuple(watches)
        """The kinds and their charts."""
        if twice := find_twice(one.kind for one in self.watches):
            raise ConfigError(f"the watches of {name}: {twice}")
        super().__init__(name, rules=rules)
        self._renderer = renderer
        self._definitions = [dict(one) for one in definitions]
        self._declared = tuple(self._declare(watch) for watch in self.watches)

    @classmethod
    def load(cls, path: Path, *, name: str = "", renderer: Renderer | None = None) -> Self:
        """Return the operator that a ``watches.yaml`` describes.

        Args:
            path: The file, or its folder. CRDs in ``config/crd/bases`` beside it are used.
            name: The name of the operator; by default that of the folder.
            renderer: Makes manifests; by default the program ``helm``.

        Raises:
            ConfigError: The file or a chart cannot be read; the message says where and why.
        """
        file = path / "watches.yaml" if path.is_dir() else path
        folder = file.resolve().parent
        return cls(
            load_watches(file),
            name=name or name_of_folder(folder, "helm-operator"),
            renderer=renderer,
            definitions=definitions_below(folder),
        )

    @property
    def declarations(self) -> tuple[Declaration, ...]:
        """One reconciler for each watch."""
        return self._declared

    def populate(
        self, manager: "Manager", clusters: "Sequence[Cluster]", *, workers: int
    ) -> tuple[Controller, ...]:
        """Add a controller for each watch to *manager*; called by `add_to`."""
        renderer = self._renderer or HelmRenderer()
        made = [
            self._controller(watch, declaration, cluster, renderer, workers)
            for cluster in clusters
            for watch, declaration in zip(self.watches, self._declared, strict=True)
        ]
        for controller in made:
            manager.add(controller)
        return tuple(made)

    def rules(self, **options: "Unpack[RuleOptions]") -> "list[PolicyRule]":
        """Return the RBAC rules for the kinds, and for all that the templates of the charts name.

        Args:
            options: As for any `Application`.
        """
        where = options["namespaces"] = namespace_set(options.get("namespaces"))
        found = rules_for_charts([one.chart for one in self.watches], namespaces=where)
        return merged_rules([*self._rules_without_charts(options), *found])

    async def certain_rules(self, **options: "Unpack[RuleOptions]") -> "list[PolicyRule]":
        """Return the rules for what the charts make of their default values.

        Of a chart that cannot be rendered with them, no objects are known.
        """
        where = options["namespaces"] = namespace_set(options.get("namespaces"))
        found = self._rules_without_charts(options)
        for watch in self.watches:
            kinds = await self._kinds_of(watch)
            found += rules_for_objects(watch.chart, kinds, namespaces=where)
        return merged_rules(found)

    def _rules_without_charts(self, options: "RuleOptions") -> "list[PolicyRule]":
        found = super().rules(**options)
        for watch in self.watches:
            found += rules_for_kind(watch.kind, namespaces=options.get("namespaces"))
        return found

    async def _kinds_of(self, watch: Watch) -> set[tuple[str, str]]:
        renderer = self._renderer or HelmRenderer()
        try:
            values = overridden({}, watch.override_values)
            return kinds_of(await renderer.render(Wish(watch.chart, "check", "default", values)))
        except (ConfigError, RenderError):
            return set()

    def crds(self, *, serve_webhooks: WebhookServing = SERVED) -> list[dict[str, Any]]:
        """Return the CRDs of the kinds: those that were given, and simple ones for the others."""
        given = {_kind_of(one): one for one in self._definitions}
        # The core group has no CRDs.
        kinds = [one.kind for one in self.watches if one.kind.group]
        return [given.get((one.group, one.kind)) or _definition_for(one) for one in kinds]

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
            watches=[Watches(SECRET, _release_of, labels=LABELS)],
            deadline=DEADLINE,
            **options,
        )

    def _controller(
        self,
        watch: Watch,
        declaration: Declaration,
        cluster: "Cluster",
        renderer: Renderer,
        workers: int,
    ) -> Controller:
        (secrets,) = declaration.watches
        reconciler = ReleaseReconciler(
            watch,
            cluster,
            renderer,
            name=self.name,
            primary=declaration.primary.informer(cluster),
            secrets=secrets.informer(cluster),
        )
        name = f"{declaration.name}-{cluster.name}" if cluster.name else declaration.name
        declared = replace(declaration, name=name, workers=declaration.workers or workers)
        controller = Controller(declared, reconciler, cluster=cluster, clock=cluster.clock)
        reconciler.dependents.tell(controller)
        return controller


def _release_of(secret: Unstructured) -> list[ObjectKey]:
    """Return the release that *secret* is a revision of, as the key of its object."""
    name = secret.metadata.labels.get("name")
    if not name:
        return []
    # The second is for kinds without namespaces; there is no object of the other name then.
    return [ObjectKey(secret.namespace, name), ObjectKey("", name)]


def _kind_of(definition: Mapping[str, Any]) -> tuple[str, str]:
    spec = definition.get("spec") or {}
    return str(spec.get("group") or ""), str((spec.get("names") or {}).get("kind") or "")


def _definition_for(kind: Kind) -> dict[str, Any]:
    return definition_for(
        kind,
        about=f"{kind.kind} is a release of a Helm chart",
        spec="The values of the chart",
        status="What is installed",
    )
