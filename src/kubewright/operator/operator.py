"""`Operator`: reconcilers as decorated functions, and all that they need declared in one place."""

import inspect
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

import msgspec

from kubewright.api.names import check_dns_subdomain
from kubewright.api.resource import Resource, mapping_of
from kubewright.controller import Channel, Controller, For, Owns, RetryLike, Source, Watches
from kubewright.controller.arguments import (
    check_deadline,
    check_workers,
    owned_kinds,
    sources_of,
    watched_kinds,
)
from kubewright.controller.predicates import Filter
from kubewright.controller.request import Result
from kubewright.controller.retry import Policies
from kubewright.errors import ConfigError, SchemeError
from kubewright.operator.apply import Applier
from kubewright.operator.children import Family
from kubewright.operator.context import Context, Means
from kubewright.operator.declaration import (
    Declaration,
    Declarations,
    Function,
    name_for,
    primary_of,
)
from kubewright.operator.reconciler import ObjectReconciler
from kubewright.runnable import Runnable, Stage

if TYPE_CHECKING:
    from kubewright.cache.informer import Informer
    from kubewright.client import Client
    from kubewright.cluster import Cluster
    from kubewright.controller.watches import KindWatch
    from kubewright.crd.rbac import PolicyRule
    from kubewright.manager import Manager
    from kubewright.operator.sync_context import SyncContext

R = TypeVar("R", bound=Resource)

__all__ = ["Operator"]


class _Index(msgspec.Struct, frozen=True):
    kind: type[Resource]
    name: str
    function: Callable[[Any], Iterable[str]]


class _Extra(msgspec.Struct, frozen=True):
    made: "Runnable | Callable[[Cluster], Runnable]"
    stage: Stage | None

    def runnables(self, clusters: "Sequence[Cluster]") -> "list[Runnable]":
        """Return what is to run: the runnable itself, or one that is made for each cluster."""
        # A class with a `run` of its own looks like a runnable, but is what makes one.
        if isinstance(self.made, Runnable) and not isinstance(self.made, type):
            return [self.made]
        return [self.made(cluster) for cluster in clusters]


class Declaring(Generic[R]):
    """A decorator for functions of an object and a context; it gives the function back."""

    def __init__(self, declare: Callable[[Function[R]], None]) -> None:
        self._declare = declare

    @overload
    def __call__(
        self, function: Callable[[R, Context], Coroutine[Any, Any, Result | None]]
    ) -> Callable[[R, Context], Coroutine[Any, Any, Result | None]]: ...
    @overload
    def __call__(
        self, function: "Callable[[R, SyncContext], Result | None]"
    ) -> "Callable[[R, SyncContext], Result | None]": ...
    def __call__(self, function: Any) -> Any:
        """Declare *function* and return it unchanged.

        Raises:
            TypeError: It cannot be called with an object and a context.
        """
        _check_callable(function)
        self._declare(function)
        return function


class Operator:
    """A program that looks after objects of some kinds.

    Nothing happens when functions are declared. ``kubewright run`` runs them, or a manager that
    the operator is added to with `add_to`.

    Args:
        name: What it is called: the owner of the fields that it applies, the source of its events,
            part of its finalizers.
        failure_events: Whether a reconcile that failed leaves a Warning on its object, for
            ``kubectl describe`` to show. Conflicts and lost connections to the server leave none.

    Example:
        >>> operator = Operator("shops")
        >>> operator.kinds
        ()
    """

    def __init__(self, name: str, *, failure_events: bool = True) -> None:
        try:
            check_dns_subdomain(name)
        except ValueError as error:
            raise ValueError(f"an operator cannot be called {name!r}: {error}") from None
        self.name: str = name
        self._failure_events = failure_events
        self._declarations = Declarations(name)
        self._indexes: list[_Index] = []
        self._extras: list[_Extra] = []

    def reconciler(  # noqa: PLR0913  # one for each thing that can be declared
        self,
        kind: type[R] | For[R],
        *,
        name: str = "",
        owns: Sequence[type[Resource] | Owns[Any]] = (),
        watches: Sequence[Watches[Any]] = (),
        sources: Sequence[Source] = (),
        predicate: Filter[Any] | None = None,
        workers: int | None = None,
        deadline: float | None = 300.0,
        retry: RetryLike = None,
    ) -> Declaring[R]:
        """Declare a function that reconciles objects of *kind*.

        It is called with a fresh object and a `Context`, when the object, something it owns or
        something else that is watched has changed. What it changes in the status of the object is
        written when it returns. A plain ``def`` gets a `SyncContext` and runs in a thread.

        Args:
            kind: The class; or `For` to watch only some of its objects.
            name: What to call it in logs and metrics; the kind in lower case unless given.
            owns: The kinds of its children: a change of one leads to a run for its parent.
            watches: Other kinds, each with a function from an object to what to reconcile.
            sources: What else leads to a run: a `Channel`, an `Interval`.
            predicate: Which changes of the object itself count.
            workers: How many objects are reconciled at the same time.
            deadline: Seconds after which a run is cancelled; ``None`` for never.
            retry: When to try again after which failure.

        Raises:
            SchemeError: There is a reconciler of *kind*, and this one has no other name.
            TypeError: An argument is not what it should be.
            ValueError: As above.
        """
        _check_parentheses(kind, "reconciler")
        primary = primary_of(kind, predicate)
        mapping_of(primary.kind)  # raises for what is no kind
        called = name or name_for(primary.kind)
        if workers is not None:
            check_workers(called, workers)
        check_deadline(called, deadline)
        Policies(retry)  # raises for what is no policy
        kinds, others, more = owned_kinds(owns), watched_kinds(watches), sources_of(sources)

        def declare(function: Function[R]) -> None:
            self._declarations.add(
                Declaration(
                    name=called,
                    primary=primary,
                    function=function,
                    owns=kinds,
                    watches=others,
                    sources=more,
                    workers=workers,
                    deadline=deadline,
                    retry=retry,
                )
            )

        return Declaring(declare)

    def cleanup(self, kind: type[R], *, name: str = "", finalizer: str = "") -> Declaring[R]:
        """Declare a function that cleans up after an object of *kind* before it is gone.

        Each object gets a finalizer before it is first reconciled. When the function has returned
        ``None``, the finalizer is removed, and the server lets the object go; a `Result` that asks
        to be called again means that it is not done yet.

        Args:
            kind: The class.
            name: Which reconciler it belongs to, if that has a name.
            finalizer: The name of the finalizer; ``<group>/<operator>`` unless given.

        Raises:
            SchemeError: There is one already.
        """
        _check_parentheses(kind, "cleanup")
        mapping_of(kind)

        def declare(function: Function[R]) -> None:
            self._declarations.add_cleanup(
                kind, function, name=name or name_for(kind), finalizer=finalizer
            )

        return Declaring(declare)

    def index(self, kind: type[R], name: str, function: Callable[[R], Iterable[str]]) -> None:
        """Keep an index of the objects of *kind*: ``ctx.cache.list(kind, index=name, value=…)``.

        Args:
            kind: The class.
            name: What to call the index.
            function: Returns the values by which an object is found.
        """
        mapping_of(kind)
        self._indexes.append(_Index(kind, name, function))

    def add(
        self, runnable: "Runnable | Callable[[Cluster], Runnable]", *, stage: Stage | None = None
    ) -> None:
        """Run *runnable* beside the reconcilers: anything with an ``async def run()``.

        Args:
            runnable: What to run; or a function or class that makes it from the cluster, if it
                needs the cache or the client. With several clusters, there is one for each then.
            stage: When it starts; as it says itself unless given.

        Example:
            >>> class Endpoint:
            ...     def __init__(self, cluster: "Cluster") -> None:
            ...         self.cache = cluster.cache
            ...     async def run(self) -> None: ...
            >>> Operator("shops").add(Endpoint)
        """
        self._extras.append(_Extra(runnable, stage))

    @property
    def declarations(self) -> tuple[Declaration, ...]:
        """Every reconciler that was declared.

        Raises:
            SchemeError: A clean-up belongs to no reconciler.
        """
        return tuple(self._declarations.all())

    @property
    def kinds(self) -> tuple[type[Resource], ...]:
        """Every kind that was declared, in any part; roles and CRDs are made from these."""
        found = [kind for one in self.declarations for kind in one.kinds]
        return tuple(dict.fromkeys([*found, *(index.kind for index in self._indexes)]))

    def add_to(
        self, manager: "Manager", *clusters: "Cluster", workers: int = 1
    ) -> tuple[Controller, ...]:
        """Let *manager* run all that was declared here, once for each of *clusters*.

        Args:
            manager: What runs it.
            clusters: Where the objects are; those of the manager unless given. The manager runs
                them, too. Several need names.
            workers: How many objects a reconciler that does not say so works on at a time.

        Returns:
            The controllers, for those who want to pause them or add sources.

        Raises:
            SchemeError: What was declared does not fit together.
            ConfigError: There is no cluster.
        """
        clusters = clusters or _clusters_of(manager, self.name)
        self._check_sources(clusters)
        for cluster in clusters:
            if cluster not in manager.clusters:
                manager.add_cluster(cluster)
        controllers = [
            self._controller(one, one.primary.cluster or cluster, workers=workers)
            for cluster in clusters
            for one in self.declarations
        ]
        for cluster in clusters:
            self._add_indexes(cluster)
        for controller in controllers:
            manager.add(controller)
        for extra in self._extras:
            for runnable in extra.runnables(clusters):
                manager.add(runnable, stage=extra.stage)
        return tuple(controllers)

    async def install_crds(self, client: "Client", *, timeout: float = 30.0) -> list[str]:
        """Install the CRDs of the custom kinds that were declared, and wait until they are served.

        For development and tests; a release brings its CRDs as manifests.

        Args:
            client: Where to.
            timeout: Seconds within which the server must have established each.

        Returns:
            The names of the CRDs.

        Raises:
            ConfigError: The server did not establish one, and why.
        """
        from kubewright.operator.install import install_crds  # noqa: PLC0415  # not in production

        return await install_crds(client, self.kinds, timeout=timeout)

    def rules(
        self, *, namespaces: Iterable[str] | None = None, leader_election: str = ""
    ) -> "list[PolicyRule]":
        """Return the RBAC rules for all that was declared; `kubewright.crd.roles` makes roles.

        What a function does with ``ctx.client`` is not known here, nor what it applies of kinds
        that are not in ``owns=``. Kinds in a cluster of their own are left out.

        Args:
            namespaces: Where the operator looks, each a Role; everywhere unless given, a
                ClusterRole. Kinds that are in no namespace need one in any case.
            leader_election: The namespace of the Lease, if one of several replicas leads.
        """
        from kubewright.operator.rights import rules_of  # noqa: PLC0415  # 20 ms, few need it

        return rules_of(
            self.declarations,
            indexed=[self._watch_of(index.kind) for index in self._indexes],
            namespaces=namespaces,
            leader_election=leader_election,
        )

    def _check_sources(self, clusters: "Sequence[Cluster]") -> None:
        """Refuse what only one controller can read where there would be several."""
        channels = [s for one in self.declarations for s in one.sources if isinstance(s, Channel)]
        if channels and len(clusters) > 1:
            raise SchemeError(
                f"the operator {self.name!r} cannot run in {len(clusters)} clusters: its channel"
                f" {channels[0].name!r} can be read by one controller only. Make an operator for"
                " each cluster, or use another source."
            )

    def _add_indexes(self, cluster: "Cluster") -> None:
        for index in self._indexes:
            informer = self._watch_of(index.kind).informer(cluster)
            informer.store.add_index(index.name, index.function)

    def _watch_of(self, kind: type[Resource]) -> "KindWatch[Any]":
        """Return how *kind* is watched, so that the index is kept where it is read."""
        watched = [w for one in self.declarations for w in (one.primary, *one.owns, *one.watches)]
        return next((one for one in watched if one.kind is kind), For(kind))

    def _controller(
        self, declaration: Declaration, cluster: "Cluster", *, workers: int
    ) -> Controller:
        reconciler = self._reconciler(declaration, cluster)
        name = f"{declaration.name}-{cluster.name}" if cluster.name else declaration.name
        return Controller(
            name,
            reconciler,
            cluster=cluster,
            for_=declaration.primary,
            owns=declaration.owns,
            watches=declaration.watches,
            sources=declaration.sources,
            workers=declaration.workers or workers,
            deadline=declaration.deadline,
            retry=declaration.retry,
            on_failure=reconciler.report if self._failure_events else None,
            clock=cluster.clock,
        )

    def _reconciler(self, declaration: Declaration, cluster: "Cluster") -> ObjectReconciler[Any]:
        primary = declaration.primary.informer(cluster)
        family = Family(
            cluster.client,
            _informers(declaration.owns, cluster),
            _informers(declaration.watches, cluster),
        )
        means = Means(
            self.name,
            cluster,
            family,
            Applier(cluster.client, family, field_owner=self.name, clock=cluster.clock),
            cluster.clock,
        )
        return ObjectReconciler(declaration, means, primary)


def _informers(
    watches: Iterable["KindWatch[Any]"], cluster: "Cluster"
) -> dict[type[Resource], "Informer[Any]"]:
    """Return the informers of those kinds that are watched in this very cluster."""
    here = [one for one in watches if one.cluster is None or one.cluster is cluster]
    return {one.kind: one.informer(cluster) for one in here}


def _check_parentheses(kind: object, decorator: str) -> None:
    """Tell whoever writes ``@operator.reconciler`` bare what is missing."""
    if not isinstance(kind, (type, For)) and callable(kind):
        name = getattr(kind, "__name__", repr(kind))
        raise TypeError(
            f"{name} stands alone in operator.{decorator}: write @operator.{decorator}(Kind)"
        )


def _check_callable(function: Any) -> None:
    name = getattr(function, "__name__", repr(function))
    if not callable(function):
        raise TypeError(f"a reconciler is a function of an object and a context, not {name}")
    try:
        inspect.signature(function).bind(None, None)
    except TypeError as error:
        raise TypeError(
            f"{name} cannot be called with an object and a context: {error}."
            f" Write `async def {name}(obj, ctx)`."
        ) from None
    except ValueError:
        return  # nothing is known of its parameters


def _clusters_of(manager: "Manager", operator: str) -> "tuple[Cluster, ...]":
    from kubewright.cluster import Cluster  # noqa: PLC0415  # loaded by whoever made one

    found = tuple(one for one in manager.clusters if isinstance(one, Cluster))
    if not found:
        raise ConfigError(
            f"the operator {operator!r} has no cluster to run in: write Manager(Cluster(...)), or"
            " give the cluster to add_to"
        )
    return found
