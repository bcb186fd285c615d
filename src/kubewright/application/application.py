"""`Application`: what is declared about an operator, by whichever front end."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from kubewright.api.kind_reference import KindLike
from kubewright.api.names import check_dns_subdomain
from kubewright.cluster import Cluster
from kubewright.controller.declaration import Declaration
from kubewright.controller.watches import KindWatch
from kubewright.errors import ConfigError
from kubewright.webhook.serving import WebhookServing
from kubewright.webhook.webhooks import Webhooks

if TYPE_CHECKING:
    from kubewright.client import Client
    from kubewright.crd.rbac import PolicyRule
    from kubewright.manager import Manager
    from kubewright.runnable import Runnable

__all__ = ["Application"]

SERVED: WebhookServing = WebhookServing()
"""How webhooks are served unless somebody says otherwise: on port 9443, behind a Service."""


class RuleOptions(TypedDict, total=False):
    """The arguments of `Application.rules`, which are explained there."""

    namespaces: Iterable[str] | None
    leader_election: str
    metrics_secure: bool
    webhook_secret: str


class Application(ABC):
    """An operator in the form that ``kubewright run`` and other commands use.

    `kubewright.Operator` is the one for decorated functions. Write a subclass if you make the
    controllers in another way: return what is watched from `declarations`, and add the controllers
    in `populate`.

    Args:
        name: Its name, which is also the owner of the fields that it applies and the source of its
            events.
        rules: RBAC rules for what it does beyond its declarations, such as
            ``kubewright.crd.rules_for({Secret: ["get"]})``; `rules` returns them with the others.

    Example:
        class Registry(kw.Application):
            def populate(self, manager, clusters, *, workers):
                for one in clusters:
                    manager.add(kw.Controller("registry", reconcile, cluster=one, for_=Service))

        application = Registry("registry")
    """

    def __init__(self, name: str, *, rules: "Iterable[PolicyRule]" = ()) -> None:
        try:
            check_dns_subdomain(name)
        except ValueError as error:
            raise ValueError(f"an operator cannot be called {name!r}: {error}") from None
        self.name: str = name
        self._rules = tuple(rules)

    @property
    def declarations(self) -> tuple[Declaration, ...]:
        """Every reconciler that was declared; none unless a subclass says so.

        Raises:
            SchemeError: The declarations do not fit together.
        """
        return ()

    @property
    def indexed(self) -> tuple[KindWatch[Any], ...]:
        """The kinds that are watched only for reading."""
        return ()

    @property
    def kinds(self) -> tuple[KindLike[Any], ...]:
        """Every kind that was declared anywhere; roles and CRDs are made from these."""
        found = [kind for one in self.declarations for kind in one.kinds]
        indexed = (one.kind for one in self.indexed)
        return tuple(dict.fromkeys([*found, *indexed, *self.webhooks.kinds]))

    @property
    def webhooks(self) -> Webhooks:
        """What API servers ask before they store an object; nothing unless a subclass says so."""
        return Webhooks(self.name)

    @abstractmethod
    def populate(
        self, manager: "Manager", clusters: "Sequence[Cluster]", *, workers: int
    ) -> object:
        """Add controllers and other runnables for *clusters* to *manager*.

        Args:
            manager: What runs it.
            clusters: Where the objects are; at least one. The manager runs them already.
            workers: How many objects a reconciler works on at a time, unless it says so itself.
        """

    def add_to(
        self,
        manager: "Manager",
        *clusters: "Cluster",
        workers: int = 1,
        serve_webhooks: WebhookServing | None = SERVED,
    ) -> object:
        """Let *manager* run it, once for each of *clusters*.

        ``await manager.remove(application)`` ends all that was added, while the manager goes on.

        Args:
            manager: What runs it.
            clusters: Where the objects are; by default the clusters of the manager. The manager
                runs them, too. Several clusters need names.
            workers: How many objects a reconciler works on at a time, unless it says so itself.
            serve_webhooks: How webhooks are served, if any were declared; ``None`` for not at all.
                They belong to the first cluster.

        Returns:
            What `populate` returns; for an `Operator`, its controllers.

        Raises:
            ConfigError: There is no cluster, or a file for webhooks cannot be read.
        """
        joined = self._join(manager, clusters)
        with manager.adding_for(self):
            servers = self._webhook_runnables(joined[0], serve_webhooks)
            added = self.populate(manager, joined, workers=workers)
            for one in servers:
                manager.add(one)
        return added

    def _webhook_runnables(
        self, cluster: "Cluster", serving: WebhookServing | None
    ) -> "list[Runnable]":
        webhooks = self.webhooks
        if serving is None or not (webhooks or serving.install):
            return []  # without loading what serves them
        from kubewright.webhook.running import runnables

        return runnables(webhooks, cluster, serving, name=self.name)

    def _join(self, manager: "Manager", clusters: "tuple[Cluster, ...]") -> "tuple[Cluster, ...]":
        """Return the clusters to run in, after adding them to *manager*."""
        found = clusters or tuple(one for one in manager.clusters if isinstance(one, Cluster))
        if not found:
            raise ConfigError(
                f"the operator {self.name!r} has no cluster to run in: write Manager(Cluster(...)),"
                " or give the cluster to add_to"
            )
        for cluster in found:
            if cluster not in manager.clusters:
                manager.add_cluster(cluster)
        return found

    def crds(self, *, serve_webhooks: WebhookServing = SERVED) -> list[dict[str, Any]]:
        """Return the CRDs of the custom kinds that were declared as classes.

        Args:
            serve_webhooks: Where API servers find what converts between versions.
        """
        from kubewright.application.install import crds_of

        return crds_of(self.kinds, conversions=self.webhooks.crd_conversions(serve_webhooks))

    async def install_crds(
        self,
        client: "Client",
        *,
        timeout: float = 30.0,
        serve_webhooks: WebhookServing = SERVED,
    ) -> list[str]:
        """Install the CRDs of the custom kinds that were declared, and wait until they are served.

        For development and tests; a release ships its CRDs as manifests.

        Args:
            client: Where to install them.
            timeout: Seconds within which the server must establish each.
            serve_webhooks: Where API servers find what converts between versions.

        Returns:
            The names of the CRDs.

        Raises:
            ConfigError: The server did not establish one; the message says why.
        """
        from kubewright.application.install import install_crds

        place = serve_webhooks.named(self.name, client.namespace)
        conversions = self.webhooks.crd_conversions(place)
        return await install_crds(client, self.kinds, timeout=timeout, conversions=conversions)

    def rules(
        self,
        *,
        namespaces: Iterable[str] | None = None,
        leader_election: str = "",
        metrics_secure: bool = False,
        webhook_secret: str = "",
    ) -> "list[PolicyRule]":
        """Return the RBAC rules for all declarations; `kubewright.crd.roles` makes roles of them.

        What a function does with ``ctx.client``, and which kinds it applies besides those in
        ``owns=``, is not known here: give rules for that as ``rules=`` to the constructor. Kinds in
        other clusters are left out.

        Args:
            namespaces: Where the operator looks: a Role for each. By default everywhere: a
                ClusterRole. Kinds without namespaces need a ClusterRole in any case.
            leader_election: The namespace of the Lease, if there is leader election.
            metrics_secure: Whether the manager asks the server who may read its metrics.
            webhook_secret: The namespace of the Secret with the certificate of the webhooks, if the
                operator makes that itself.
        """
        from kubewright.application.rights import rules_of

        more = list(self._rules)
        if webhook_secret and self.webhooks:
            from kubewright.webhook.certificates.targets import rules

            place = SERVED.named(self.name, webhook_secret)
            targets = self.webhooks.targets()
            more += rules(secret=place.secret, namespace=webhook_secret, targets=targets)

        return rules_of(
            self.declarations,
            indexed=self.indexed,
            namespaces=namespaces,
            leader_election=leader_election,
            metrics_secure=metrics_secure,
            more=more,
        )

    async def certain_rules(self, **options: Unpack[RuleOptions]) -> "list[PolicyRule]":
        """Return those of the `rules` that are used whatever the objects say: by default, all.

        At the start, ``kubewright run`` warns if one of them is missing.

        Args:
            options: As for `rules`.
        """
        return self.rules(**options)
