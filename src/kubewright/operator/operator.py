"""`Operator`: reconcilers as decorated functions, and all that they need declared in one place."""

import inspect
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Unpack, overload

import msgspec
from msgspec.structs import replace

from kubewright.api.kind_reference import Kind, KindLike, likely_mapping
from kubewright.api.resource import Resource
from kubewright.api.unstructured import Unstructured
from kubewright.application import Application
from kubewright.controller import Channel, Controller, For, RetryLike
from kubewright.controller.arguments import (
    check_queue,
)
from kubewright.controller.declaration import (
    DEADLINE,
    Declaration,
    OnFailure,
    Options,
    declare,
)
from kubewright.controller.mapping import is_async
from kubewright.controller.request import Result
from kubewright.controller.retry import Retry
from kubewright.controller.run import Run
from kubewright.errors import SchemeError
from kubewright.operator.apply import Applier
from kubewright.operator.children import Family
from kubewright.operator.context import Context, Means
from kubewright.operator.daemon import Daemons
from kubewright.operator.declaration import Declarations, Function, name_for, primary_of
from kubewright.operator.departed import Departed
from kubewright.operator.indexes import HeldIndexes
from kubewright.operator.observed import Observers
from kubewright.operator.reconciler import ObjectReconciler
from kubewright.operator.timer import CHANGES, Every, Schedule, check_every, timed
from kubewright.runnable import Runnable, Stage

if TYPE_CHECKING:
    from kubewright.cache.informer import Informer
    from kubewright.cluster import Cluster
    from kubewright.controller.watches import KindWatch
    from kubewright.crd.rbac import PolicyRule
    from kubewright.manager import Manager
    from kubewright.operator.sync_context import SyncContext

R = TypeVar("R", bound=Resource | Unstructured)

_ENDING_AT_ONCE = 8  # how many daemons of one kind are waited for at a time
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


class Operator(Application):
    """A program that looks after objects of some kinds.

    Nothing happens when functions are declared. ``kubewright run`` runs them, or a manager that
    the operator is added to with `add_to`.

    Args:
        name: What it is called: the owner of the fields that it applies, the source of its events,
            part of its finalizers.
        failure_events: Whether a reconcile that failed leaves a Warning on its object, for
            ``kubectl describe`` to show. Conflicts and lost connections to the server leave none.
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

    def reconciler(
        self, kind: KindLike[R] | For[R], *, name: str = "", **options: Unpack[Options]
    ) -> Declaring[R]:
        """Declare a function that reconciles objects of *kind*.

        It is called with a fresh object and a `Context`, when the object, something it owns or
        something else that is watched has changed. What it changes in the status of the object is
        written when it returns. A plain ``def`` gets a `SyncContext` and runs in a thread.

        Args:
            kind: The class, or a `Kind`; or `For` to watch only some of its objects.
            name: What to call it in logs and metrics; the kind in lower case unless given.
            options: What `Declaration` knows, with its defaults. ``owns``: the kinds of its
                children, a change of one leads to a run for its parent. ``watches``: other kinds,
                each with a function from an object to what to reconcile. ``sources``: what else
                leads to a run, a `Channel` or an `Interval`. ``predicate``: which changes of the
                object itself count. ``workers``: how many objects are reconciled at a time.
                ``deadline``: seconds after which a run is cancelled. ``retry``: when to try again
                after which failure. ``queue`` makes the queue from a name and a clock, once for
                each cluster, and ``rate_limiter`` from a clock what decides how long failures wait
                that *retry* does not cover. ``on_failure`` is called with the run and the error of
                each failure, besides the event that the object gets. ``stop_grace``: seconds that
                runs may take to finish when the process stops.

        Raises:
            SchemeError: There is a reconciler of *kind*, and this one has no other name.
            TypeError: An argument is not what it should be.
            ValueError: As above.
        """
        _check_parentheses(kind, "reconciler")
        primary = primary_of(kind, options.pop("predicate", None))
        called = name or name_for(primary.kind)  # raises for what is no kind
        # Each cluster has a controller, and each controller a queue.
        check_queue(called, options.get("queue"), options.get("rate_limiter"))
        declaration = declare(called, primary, **options)

        def add(function: Function[R]) -> None:
            self._declarations.add(replace(declaration, function=function))

        return Declaring(add)

    def daemon(self, kind: KindLike[R] | For[R], *, name: str = "") -> Declaring[R]:
        """Declare an ``async`` function that runs for each object of *kind* while that is there.

        It is cancelled when the object is deleted, when its spec changes (it is started again with
        the new one then), when this process leads no more, and when it stops; each time its end is
        waited for. When it fails it is started again, after a second, twice as long each time, up
        to a minute; `RetryAfter` and `TerminalError` mean what they mean in a reconciler. When it
        returns ``None`` it is done with this spec; a `Result` asks to be started again.

        The object is as it was at the start. Nothing of it is written: use
        ``ctx.client.status.patch``.

        Args:
            kind: The class, or a `Kind`; or `For` to take only some of its objects.
            name: What to call it in logs; the kind and ``-daemon`` unless given. A `cleanup` of
                that name is called after the daemon has ended, before the object goes.

        Raises:
            SchemeError: There is one of that name.
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
        """Declare a function that is called for each object of *kind* again and again.

        It is called when the object is first seen, and then after each *interval*, whatever
        changes; one that has given up, with a `TerminalError`, waits for a new spec. Otherwise it
        is a reconciler: its status is written, a failure is tried again, and it never runs twice
        at a time for one object.

        Args:
            kind: The class, or a `Kind`; or `For` to take only some of its objects.
            interval: Seconds from the end of a call to the next; or a function of the object.
            jitter: The share of it that is added at random: 0.1 makes 60 s up to 66 s.
            name: What to call it; the kind and ``-timer`` unless given.
            deadline: Seconds after which a call is cancelled; ``None`` for never.
            retry: When to try again after which failure; after a second, twice as long each time,
                up to a minute, unless given.

        Raises:
            SchemeError: There is one of that name.
            TypeError: An argument is not what it should be.
            ValueError: As above.
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
        """Declare a function that cleans up after an object of *kind* before it is gone.

        Each object gets a finalizer before it is first reconciled. When the function has returned
        ``None``, the finalizer is removed, and the server lets the object go; a `Result` that asks
        to be called again means that it is not done yet.

        Args:
            kind: The class, or a `Kind`.
            name: Which reconciler it belongs to, if that has a name.
            finalizer: The name of the finalizer; ``<group>/<operator>`` unless given.

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

        Unlike a `cleanup` it needs no finalizer and holds nobody up: the object is gone already,
        and the function gets it as it was last seen. It is called at least once for what goes while
        this process leads, and for what went in the last minute before that; it is tried again
        until it succeeds. It is not called for what goes while no process runs: where that matters,
        use a `cleanup`, or compare with an `Interval` source. Nothing of the object is written.

        Args:
            kind: The class, or a `Kind`.
            name: Which reconciler it belongs to, if that has a name.

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
            name: What to call the index.
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
    def indexed(self) -> "tuple[KindWatch[Any], ...]":
        """What has an index, and how it is watched."""
        return tuple(self._watch_of(index.kind) for index in self._indexes)

    def add_to(
        self, manager: "Manager", *clusters: "Cluster", workers: int = 1
    ) -> tuple[Controller, ...]:
        """Let *manager* run all that was declared here, once for each of *clusters*.

        ``await manager.remove(operator)`` ends all of it, while the manager goes on.

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
        joined = self._join(manager, clusters)
        with manager.adding_for(self):
            return self.populate(manager, joined, workers=workers)

    def populate(
        self, manager: "Manager", clusters: "Sequence[Cluster]", *, workers: int
    ) -> tuple[Controller, ...]:
        """Add to *manager* what was declared here; what `add_to` calls."""
        self._check_sources(clusters)
        observers, daemons = Observers(), list[Daemons]()
        controllers: list[Controller] = []
        for cluster in clusters:
            indexes = HeldIndexes(cluster)
            for one in self.declarations:
                reconciler = self._make_reconciler(one, one.primary.cluster or cluster, observers)
                reconciler.indexes = indexes
                indexes.join()
                if reconciler.daemons is not None:
                    daemons.append(reconciler.daemons)
                controllers.append(self._make_controller(one, reconciler, workers=workers))
            for index in self._indexes:
                indexes.hold(self._watch_of(index.kind), index.name, index.function)
            if self._indexes and not self.declarations:
                manager.add(indexes)
        for controller in controllers:
            manager.add(controller)
        for kept in daemons:
            manager.add(kept)
        for extra in self._extras:
            for runnable in extra.runnables(clusters):
                manager.add(runnable, stage=extra.stage)
        return tuple(controllers)

    def _check_sources(self, clusters: "Sequence[Cluster]") -> None:
        """Refuse what only one controller can read where there would be several."""
        channels = [s for one in self.declarations for s in one.sources if isinstance(s, Channel)]
        if channels and len(clusters) > 1:
            raise SchemeError(
                f"the operator {self.name!r} cannot run in {len(clusters)} clusters: its channel"
                f" {channels[0].name!r} can be read by one controller only. Make an operator for"
                " each cluster, or use another source."
            )

    def _watch_of(self, kind: KindLike[Any]) -> "KindWatch[Any]":
        """Return how *kind* is watched, so that the index is kept where it is read."""
        watched = [watch for one in self.declarations for watch in one.watched]
        return next((one for one in watched if one.kind == kind), For(kind))

    def _make_controller(
        self, declaration: Declaration, reconciler: ObjectReconciler[Any], *, workers: int
    ) -> Controller:
        cluster = reconciler.cluster
        name = f"{declaration.name}-{cluster.name}" if cluster.name else declaration.name
        declared = replace(
            declaration,
            name=name,
            sources=(*declaration.sources, *reconciler.sources),
            workers=declaration.workers or workers,
            on_failure=_failure_handler(
                reconciler.report if self._failure_events else None, declaration
            ),
        )
        return Controller(declared, reconciler, cluster=cluster, clock=cluster.clock)

    def _make_reconciler(
        self, declaration: Declaration, cluster: "Cluster", observers: Observers
    ) -> ObjectReconciler[Any]:
        primary = declaration.primary.informer(cluster)
        family = Family(
            cluster.client,
            _declare_informers(declaration.owns, cluster),
            _declare_informers(declaration.watches, cluster),
        )
        means = Means(
            self.name,
            cluster,
            family,
            Applier(cluster.client, family, field_owner=self.name, clock=cluster.clock),
            cluster.clock,
            observers.join_wishes(declaration, cluster, primary),
        )
        if not declaration.daemon:
            observer = observers.join(declaration, cluster, primary)
            made = ObjectReconciler(declaration, means, primary, observer)
            if declaration.gone is not None:
                made.departed = Departed(primary, cluster=cluster.name, clock=cluster.clock)
            if declaration.timer:
                made.schedule = Schedule(cluster.clock)
            return made
        # A daemon acts all the time, and never says that it is done with a generation.
        alone = Observers().join(declaration, cluster, primary)
        made = ObjectReconciler(declaration, means, primary, alone)
        report = made.report if self._failure_events else None
        made.daemons = Daemons(report, clock=cluster.clock)
        return made


def _failure_handler(report: OnFailure | None, declaration: Declaration) -> OnFailure | None:
    """Return what hears of failures: our own report, and whoever was declared."""
    theirs = declaration.on_failure
    if report is None or theirs is None:
        return report or theirs

    def tell(run: Run, error: Exception) -> None:
        report(run, error)
        theirs(run, error)

    return tell


def _declare_informers(
    watches: Iterable["KindWatch[Any]"], cluster: "Cluster"
) -> dict[KindLike[Any], "Informer[Any]"]:
    """Return the informers of those kinds that are watched in this very cluster."""
    here = [one for one in watches if one.cluster is None or one.cluster is cluster]
    return {one.kind: one.informer(cluster) for one in here}


def _check_parentheses(kind: object, decorator: str) -> None:
    """Tell whoever writes ``@operator.reconciler`` bare what is missing."""
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
        return  # nothing is known of its parameters
