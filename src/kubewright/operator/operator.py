"""`Operator`: reconcilers as decorated functions, and all their declarations."""

import inspect
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Unpack, overload

import msgspec
from msgspec.structs import replace

from kubewright.api.kind_reference import Kind, KindLike, likely_mapping
from kubewright.api.resource import Resource
from kubewright.api.unstructured import Unstructured
from kubewright.application.application import SERVED
from kubewright.controller import Channel, Controller, For, RetryLike
from kubewright.controller.arguments import (
    check_queue,
)
from kubewright.controller.declaration import (
    DEADLINE,
    Declaration,
    Options,
    declare,
)
from kubewright.controller.mapping import is_async
from kubewright.controller.request import Result
from kubewright.controller.retry import Retry
from kubewright.errors import SchemeError
from kubewright.operator.assembly import Assembly
from kubewright.operator.context import Context
from kubewright.operator.declaration import Declarations, Function, name_for, primary_of
from kubewright.operator.including import classes_in, import_modules
from kubewright.operator.indexes import HeldIndexes
from kubewright.operator.timer import CHANGES, Every, check_every, timed
from kubewright.operator.webhooks import WebhookDeclarations
from kubewright.runnable import Runnable, Stage
from kubewright.webhook.serving import WebhookServing

if TYPE_CHECKING:
    from kubewright.cluster import Cluster
    from kubewright.controller.watches import KindWatch
    from kubewright.crd.rbac import PolicyRule
    from kubewright.manager import Manager
    from kubewright.operator.sync_context import SyncContext

R = TypeVar("R", bound=Resource | Unstructured)

_ENDING_AT_ONCE = 8  # how many ending daemons of one kind are waited for at a time
_TIMER_RETRY = Retry(base=1.0, cap=60.0)

__all__ = ["Operator"]


class _Index(msgspec.Struct, frozen=True):
    kind: KindLike[Any]
    name: str
    function: Callable[[Any], Iterable[str]]


class _Extra(msgspec.Struct, frozen=True):
    made: "Runnable | Callable[[Cluster], Runnable]"
    stage: Stage | None

    def runnables(self, clusters: "Sequence[Cluster]") -> "list[Runnable]":
        """Return what to run: the runnable itself, or one made for each cluster."""
        # A class with a `run` method looks like a runnable, but makes one.
        if isinstance(self.made, Runnable) and not isinstance(self.made, type):
            return [self.made]
        return [self.made(cluster) for cluster in clusters]


class Declaring(Generic[R]):
    """A decorator for functions of an object and a context; it returns the function unchanged."""

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


class Operator(WebhookDeclarations):
    """A set of reconcilers and related functions, declared with decorators.

    Declaring functions does not run them. ``kubewright run`` does, or a manager that the operator
    is added to with `add_to`.

    Args:
        name: Its name, which is also the owner of the fields that it applies, the source of its
            events, and part of its finalizers.
        failure_events: Whether a failed reconcile records a Warning event on its object, for
            ``kubectl describe`` to show. Conflicts and lost connections do not.
        rules: RBAC rules for what the functions do beyond what is declared, such as
            ``kubewright.crd.rules_for({Secret: ["get"]})``; `rules` returns them with the others.

    Example:
        >>> operator = Operator("shops")
        >>> operator.kinds
        ()
    """

    def __init__(
        self, name: str, *, failure_events: bool = True, rules: "Iterable[PolicyRule]" = ()
    ) -> None:
        super().__init__(name, rules=rules)
        self._failure_events = failure_events
        self._declarations = Declarations(name)
        self._indexes: list[_Index] = []
        self._extras: list[_Extra] = []
        self._controllers: tuple[Controller, ...] = ()
        self._classes: list[type[Resource]] = []

    def reconciler(
        self, kind: KindLike[R] | For[R], *, name: str = "", **options: Unpack[Options]
    ) -> Declaring[R]:
        """Declare a function that reconciles objects of *kind*.

        It is called with a fresh object and a `Context` when the object, one of its children or
        something else that is watched has changed. Its changes to the status of the object are
        written when it returns. A plain ``def`` gets a `SyncContext` and runs in a thread.

        Args:
            kind: The class, or a `Kind`; or `For` to watch only some of its objects.
            name: Its name in logs and metrics; by default the kind in lower case.
            options: The fields of `Declaration`, with its defaults. ``owns``: the kinds of its
                children; a change of a child queues its parent. ``watches``: other kinds, each with
                a function from an object to what to reconcile. ``sources``: what else queues
                objects, such as a `Channel` or an `Interval`. ``predicate``: which changes of the
                object itself count. ``workers``: how many objects are reconciled at a time.
                ``deadline``: seconds after which a run is cancelled. ``retry``: when to try again
                after which failure. ``queue``: makes the queue from a name and a clock, once for
                each cluster. ``rate_limiter``: makes, from a clock, what delays failures that
                *retry* does not cover. ``on_failure``: called with the run and the error of each
                failure, in addition to the event. ``stop_grace``: seconds that runs may take to
                finish when the process stops.

        Raises:
            SchemeError: There is a reconciler of *kind* already, and this one has no other name.
            TypeError: An argument has the wrong type.
            ValueError: An argument has an invalid value.
        """
        _check_parentheses(kind, "reconciler")
        primary = primary_of(kind, options.pop("predicate", None))
        called = name or name_for(primary.kind)  # raises an error for what is not a kind
        # Each cluster has a controller, and each controller a queue.
        check_queue(called, options.get("queue"), options.get("rate_limiter"))
        declaration = declare(called, primary, **options)

        def add(function: Function[R]) -> None:
            self._declarations.add(replace(declaration, function=function))

        return Declaring(add)

    def daemon(self, kind: KindLike[R] | For[R], *, name: str = "") -> Declaring[R]:
        """Declare an ``async`` function that runs for each object of *kind* while it exists.

        It is cancelled when the object is deleted, when its spec changes (then it is started again
        with the new spec), and when this process stops or no longer leads; its end is waited for
        each time. If it fails it is started again after a second, twice as long each time, up to a
        minute; `RetryAfter` and `TerminalError` work as in a reconciler. If it returns ``None`` it
        is done with this spec; a `Result` asks to be started again.

        The object is a copy from the start of the call. Changes to it are not written: use
        ``ctx.client.status.patch``.

        Args:
            kind: The class, or a `Kind`; or `For` to take only some of its objects.
            name: Its name in logs; by default the kind and ``-daemon``. A `cleanup` of that name is
                called after the daemon has ended, before the object is removed.

        Raises:
            SchemeError: The name is taken.
        """
        _check_parentheses(kind, "daemon")
        primary = primary_of(kind, None)
        likely_mapping(primary.kind)
        called = name or f"{name_for(primary.kind)}-daemon"

        def add(function: Function[R]) -> None:
            if not is_async(function):
                raise TypeError(
                    f"the daemon {called!r} would need a thread for each object: write `async def`"
                )
            self._declarations.add(
                Declaration(called, primary, function, workers=_ENDING_AT_ONCE, daemon=True)
            )

        return Declaring(add)

    def timer(
        self,
        kind: KindLike[R] | For[R],
        *,
        interval: Every[R],
        jitter: float = 0.0,
        name: str = "",
        deadline: float | None = DEADLINE,
        retry: RetryLike = None,
    ) -> Declaring[R]:
        """Declare a function that is called for each object of *kind* at intervals.

        It is called when the object is first seen, and then after each *interval*, whatever
        changes; after a `TerminalError` it waits for a new spec. Otherwise it works like a
        reconciler: the status is written, failures are retried, and there is at most one call at a
        time for each object.

        Args:
            kind: The class, or a `Kind`; or `For` to take only some of its objects.
            interval: Seconds from the end of a call to the next; or a function of the object.
            jitter: The share of the interval to add at random: 0.1 makes 60 s up to 66 s.
            name: Its name; by default the kind and ``-timer``.
            deadline: Seconds after which a call is cancelled; ``None`` for never.
            retry: When to try again after which failure; by default after a second, twice as long
                each time, up to a minute.

        Raises:
            SchemeError: The name is taken.
            TypeError: An argument has the wrong type.
            ValueError: An argument has an invalid value.
        """
        _check_parentheses(kind, "timer")
        primary = primary_of(kind, CHANGES)
        likely_mapping(primary.kind)
        called = name or f"{name_for(primary.kind)}-timer"
        check_every(called, interval, jitter)
        again = _TIMER_RETRY if retry is None else retry
        declaration = Declaration(called, primary, deadline=deadline, retry=again, timer=True)

        def add(function: Function[R]) -> None:
            timer = timed(function, interval, jitter)
            self._declarations.add(replace(declaration, function=timer))

        return Declaring(add)

    def cleanup(self, kind: KindLike[R], *, name: str = "", finalizer: str = "") -> Declaring[R]:
        """Declare a function that cleans up after an object of *kind* before it is removed.

        Each object gets a finalizer before it is first reconciled. When the function has returned
        ``None``, the finalizer is taken off, and the server removes the object. A `Result` that
        asks to be called again means that the clean-up is not done yet.

        Args:
            kind: The class, or a `Kind`.
            name: The name of its reconciler, if that was given one.
            finalizer: The name of the finalizer; by default ``<group>/<operator>``.

        Raises:
            SchemeError: There is one already.
        """
        _check_parentheses(kind, "cleanup")
        likely_mapping(kind)

        def add(function: Function[R]) -> None:
            self._declarations.add_cleanup(
                kind, function, name=name or name_for(kind), finalizer=finalizer
            )

        return Declaring(add)

    def gone(self, kind: KindLike[R], *, name: str = "") -> Declaring[R]:
        """Declare a function that is called for each object of *kind* that is gone.

        Unlike a `cleanup` it needs no finalizer and does not delay the deletion: the object is gone
        already, and the function gets its last known state. It is called at least once for objects
        that go while this process leads or in the minute before, and is retried until it succeeds.
        It is not called for objects that go while no process runs: if that matters, use a
        `cleanup`, or compare with an `Interval` source. Changes to the object are not written.

        Args:
            kind: The class, or a `Kind`.
            name: The name of its reconciler, if that was given one.

        Raises:
            SchemeError: There is one already.
        """
        _check_parentheses(kind, "gone")
        likely_mapping(kind)

        def add(function: Function[R]) -> None:
            self._declarations.add_gone(kind, function, name=name or name_for(kind))

        return Declaring(add)

    def index(self, kind: KindLike[R], name: str, function: Callable[[R], Iterable[str]]) -> None:
        """Keep an index of the objects of *kind*: ``ctx.cache.list(kind, index=name, value=…)``.

        Args:
            kind: The class, or a `Kind`.
            name: The name of the index.
            function: Returns the values by which an object is found.
        """
        likely_mapping(kind)
        self._indexes.append(_Index(kind, name, function))

    def add(
        self, runnable: "Runnable | Callable[[Cluster], Runnable]", *, stage: Stage | None = None
    ) -> None:
        """Run *runnable* beside the reconcilers: anything with an ``async def run()``.

        Args:
            runnable: What to run; or a function or class that makes it from the cluster, if it
                needs the cache or the client. With several clusters, one is made for each.
            stage: When it starts; by default as it says itself.

        Example:
            >>> class Endpoint:
            ...     def __init__(self, cluster: "Cluster") -> None:
            ...         self.cache = cluster.cache
            ...     async def run(self) -> None: ...
            >>> Operator("shops").add(Endpoint)
        """
        self._extras.append(_Extra(runnable, stage))

    def include(self, *packages: str) -> None:
        """Import every module of *packages*, so that what they declare here is declared.

        With that, the main module of an operator need not list the others. Classes of custom kinds
        in them are kinds of the operator, with CRDs, also those without a reconciler: another
        version of a kind, or one that others only read.

        Args:
            packages: Their full names, such as ``"shop.controller"``.

        Raises:
            TypeError: What was given is not the name of a package.
            ModuleNotFoundError: There is no such package.
        """
        for package in packages:
            if not isinstance(package, str):
                raise TypeError(
                    f"operator.include takes names of packages, such as 'shop.controller', and"
                    f" not {package!r:.80}"
                )
            self._classes += classes_in(import_modules(package))

    @property
    def kinds(self) -> tuple[KindLike[Any], ...]:
        """Every kind that was declared anywhere; roles and CRDs are made from these."""
        return tuple(dict.fromkeys([*super().kinds, *self._classes]))

    @property
    def declarations(self) -> tuple[Declaration, ...]:
        """Every reconciler that was declared.

        Raises:
            SchemeError: A clean-up does not belong to any reconciler.
        """
        return tuple(self._declarations.all())

    @property
    def indexed(self) -> "tuple[KindWatch[Any], ...]":
        """How the kinds with an index are watched."""
        return tuple(self._watch_of(index.kind) for index in self._indexes)

    def add_to(
        self,
        manager: "Manager",
        *clusters: "Cluster",
        workers: int = 1,
        serve_webhooks: WebhookServing | None = SERVED,
    ) -> tuple[Controller, ...]:
        """Let *manager* run all that was declared here, once for each of *clusters*.

        ``await manager.remove(operator)`` ends all of it, while the manager goes on.

        Args:
            manager: What runs it.
            clusters: Where the objects are; by default the clusters of the manager. The manager
                runs them, too. Several clusters need names.
            workers: How many objects a reconciler works on at a time, unless it says so itself.
            serve_webhooks: How webhooks are served, if any were declared; ``None`` for not at all.
                They belong to the first cluster.

        Returns:
            The controllers, to pause them or to add sources.

        Raises:
            SchemeError: What was declared does not fit together.
            ConfigError: There is no cluster.
        """
        super().add_to(manager, *clusters, workers=workers, serve_webhooks=serve_webhooks)
        return self._controllers

    def populate(
        self, manager: "Manager", clusters: "Sequence[Cluster]", *, workers: int
    ) -> tuple[Controller, ...]:
        """Add everything that was declared here to *manager*; called by `add_to`."""
        self._check_sources(clusters)
        assembly = Assembly(self.name, failure_events=self._failure_events, workers=workers)
        held = [HeldIndexes(cluster) for cluster in clusters]
        try:
            for cluster, indexes in zip(clusters, held, strict=True):
                self._assemble(assembly, cluster, indexes)
            extras = [
                (one, each.stage) for each in self._extras for one in each.runnables(clusters)
            ]
        except BaseException:
            # Nothing runs yet, and nobody else will let go of informers and metrics.
            for controller in assembly.controllers:
                controller.release()
            for indexes in held:
                indexes.release()
            raise
        if self._indexes and not self.declarations:
            for indexes in held:
                manager.add(indexes)
        for controller in assembly.controllers:
            manager.add(controller)
        for daemons in assembly.daemons:
            manager.add(daemons)
        for runnable, stage in extras:
            manager.add(runnable, stage=stage)
        self._controllers = tuple(assembly.controllers)
        return self._controllers

    def _assemble(self, assembly: Assembly, cluster: "Cluster", indexes: HeldIndexes) -> None:
        for one in self.declarations:
            assembly.add(one, one.primary.cluster or cluster, indexes)
        for index in self._indexes:
            indexes.hold(self._watch_of(index.kind), index.name, index.function)

    def _check_sources(self, clusters: "Sequence[Cluster]") -> None:
        """Refuse a channel if there are several clusters: only one controller can read it."""
        channels = [s for one in self.declarations for s in one.sources if isinstance(s, Channel)]
        if channels and len(clusters) > 1:
            raise SchemeError(
                f"the operator {self.name!r} cannot run in {len(clusters)} clusters: its channel"
                f" {channels[0].name!r} can be read by one controller only. Make an operator for"
                " each cluster, or use another source."
            )

    def _watch_of(self, kind: KindLike[Any]) -> "KindWatch[Any]":
        """Return how *kind* is watched, so that the index is on the informer that is read."""
        watched = [watch for one in self.declarations for watch in one.watched]
        return next((one for one in watched if one.kind == kind), For(kind))


def _check_parentheses(kind: object, decorator: str) -> None:
    """Refuse a bare ``@operator.reconciler``, which takes the function for a kind."""
    if not isinstance(kind, (type, For, Kind)) and callable(kind):
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
        return  # its parameters are not known
