"""`Controller`: watches kinds, queues requests for what changed, and calls a reconciler."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, Unpack

from kubewright._aio import Backoff, Clock, TaskSet, apart
from kubewright.api.kind import RESTMapping
from kubewright.api.kind_reference import KindLike
from kubewright.controller.arguments import checked_source
from kubewright.controller.declaration import Declaration, Options, declare
from kubewright.controller.input import Input
from kubewright.controller.kind_source import KindSource
from kubewright.controller.mapping import Target, is_async, request_for
from kubewright.controller.request import Reason, Request
from kubewright.controller.sources import Source
from kubewright.controller.watches import For, KindWatch, Watches
from kubewright.controller.worker import Reconciler, Workers
from kubewright.errors import LifecycleError
from kubewright.log import get_logger
from kubewright.runnable import Problem, Stage
from kubewright.runs.runs import Runs
from kubewright.workqueue import WorkQueue

if TYPE_CHECKING:
    from kubewright.cache.informer import Informer
    from kubewright.cluster import Cluster

__all__ = ["Controller"]

CLEAN_UP: float = 60.0
"""How long a reconcile may take to end after its deadline before only a restart can help; as long
as the deadline itself if that is longer."""

_State: TypeAlias = Literal["new", "starting", "running", "stopped"]

_log = get_logger(__name__)


class Controller:
    """Calls *reconcile* for each object that needs it: now, after a change, after a failure.

    It never runs twice at a time for one object, and changes in the meantime lead to exactly one
    more call. Each exception is logged, counted and followed by a retry, with growing delays.

    Workers start when all existing objects of all kinds are known. A secondary kind that the server
    does not have does not hold them up; one that we may not list does, and `health` says so.

    When `run` is cancelled, workers begin no further request. Those under way get *stop_grace*
    seconds to finish and are then cancelled; a second cancel does so at once.

    Args:
        name: What it is called in logs and metrics, and two may have the same name; or all that is
            said of it, as a `Declaration`.
        reconcile: Brings one object to where it should be.
        for_: The kind that is reconciled.
        cluster: Where the kinds are; each may also name a cluster of its own.
        clock: Where time comes from; the cluster's unless given.
        options: A ``predicate`` that says which changes of the reconciled kind count, all but its
            status unless given; and the fields of `Declaration`: ``owns``, ``watches``,
            ``sources``, ``workers``, ``deadline``, ``retry``, ``queue``, ``rate_limiter``,
            ``on_failure``, ``stop_grace``.

    Example:
        Controller("shop", reconcile, cluster=cluster, for_=Shop, owns=[Pod], workers=4)
    """

    stage: ClassVar[Stage] = Stage.LEADER
    """When a manager starts it: once this process leads."""

    def __init__(
        self,
        name: str | Declaration,
        reconcile: Reconciler,
        *,
        for_: KindLike[Any] | For[Any] | None = None,
        cluster: "Cluster | None" = None,
        clock: Clock | None = None,
        **options: Unpack[Options],
    ) -> None:
        declaration = _declaration(name, for_, options)
        _check(declaration.name, reconcile)
        self.declaration: Declaration = declaration
        """What was declared."""
        self.name: str = declaration.name
        self.cluster: Cluster | None = cluster
        self.clock: Clock = clock or (cluster.clock if cluster else Clock())
        """Where its time comes from."""
        first = declaration.for_
        self.primary: RESTMapping | None = first.mapping if first else None
        """The kind that is reconciled, if it is one."""
        self._count = declaration.workers or 1
        self._workers = Workers(declaration, reconcile, clock=self.clock)
        self._workers.numbers.most.set(self._count)
        self._inputs: list[Input] = []
        self._tasks: TaskSet | None = None
        self._crew: TaskSet | None = None
        self._numbers = itertools.count()
        self._state: _State = "new"
        self._news = asyncio.Event()
        inputs: list[KindWatch[Any] | Source] = [*declaration.watched, *declaration.sources]
        for one in inputs:
            self._declare(one)
        if not self._inputs:
            raise ValueError(
                f"the controller {self.name!r} would never do anything: give it a kind with for_=,"
                " or something in watches= or sources="
            )

    def __repr__(self) -> str:
        return f"<Controller {self.name}: {self._state}, {self.queue!r}>"

    # --- What it is told, and tells ---

    @property
    def queue(self) -> WorkQueue[Request]:
        """What waits to be reconciled."""
        return self._workers.queue

    @property
    def is_paused(self) -> bool:
        """Whether it is paused, and begins no reconciles."""
        return self._workers.is_paused

    def pause(self) -> None:
        """Begin no more reconciles; those under way finish, new requests wait in the queue."""
        self._workers.pause()

    def resume(self) -> None:
        """Begin reconciles again after `pause`."""
        self._workers.resume()

    def enqueue(
        self, target: Target, *, priority: int = 0, after: float = 0.0, reason: str = ""
    ) -> None:
        """Queue *target*, in *after* seconds, independently of the sources.

        Args:
            target: What to reconcile.
            priority: In which order among others.
            after: In how many seconds.
            reason: What the reconcile names as its reason, besides ``enqueue``.
        """
        why = Reason("enqueue", detail=reason)
        self.add(request_for(target), why, priority=priority, after=after)

    def record_to(self, runs: Runs) -> None:
        """Add the records of its runs to *runs*, while that is active; called by `Manager.add`.

        Raises:
            LifecycleError: It has stopped. Found here, the caller who adds it gets the error; found
                by `run`, it would end the manager.
        """
        if self._state == "stopped":
            raise LifecycleError(
                f"cannot add the controller {self.name!r} again: it has stopped. Make a new one."
            )
        self._workers.runs = runs

    def add(
        self,
        request: Request,
        reason: Reason,
        *,
        priority: int = 0,
        after: float = 0.0,
        mark: str = "",
    ) -> None:
        """Queue *request* for *reason*, in *after* seconds; called by sources."""
        self._workers.add(request, reason, priority=priority, after=after, mark=mark)

    def known(self) -> Iterator[Request]:
        """Yield a request for every known object of the reconciled kind."""
        for one in self._inputs:
            if isinstance(one.source, KindSource) and one.source.is_primary:
                yield from one.source.keys()

    def watch(self, source: KindWatch[Any] | Source) -> None:
        """Listen to one more kind or source from now on, also while running.

        Raises:
            LifecycleError: The controller has stopped, or listens to it already.
        """
        if self._state == "stopped":
            raise LifecycleError(f"the controller {self.name!r} has stopped: make a new one")
        if any(one.declared is source for one in self._inputs):
            raise LifecycleError(f"the controller {self.name!r} listens to {source} already")
        added = self._declare(source)
        if self._tasks is not None:
            self._start(added, self._tasks)

    def unwatch(self, source: KindWatch[Any] | Source) -> None:
        """Stop listening to *source*, the same object that was given; queued requests stay.

        Objects of the kind leave the cache, unless another controller watches them in the same way,
        or they were declared with ``cluster.cache.informer``.

        Raises:
            LookupError: The controller does not listen to it.
        """
        found = next((one for one in self._inputs if one.declared is source), None)
        if found is None:
            raise LookupError(f"the controller {self.name!r} does not listen to {source}")
        self._inputs.remove(found)
        found.stop()
        self._news.set()

    def release(self) -> None:
        """Release informers and metrics, after `run` has ended; called by a manager.

        Raises:
            LifecycleError: It runs.
        """
        if self._state in {"starting", "running"}:
            raise LifecycleError(f"the controller {self.name!r} still runs: stop it first")
        self._state = "stopped"
        inputs, self._inputs = self._inputs, []
        for one in inputs:
            one.stop()
        self._workers.release()

    def health(self) -> Iterator[Problem]:
        """Yield what is wrong: workers that have not started or are gone, reconciles that hang."""
        check = f"controller/{self.name}"
        if self._state == "starting":
            for one in self._inputs:
                if one.waits_for:
                    yield Problem(check, f"workers have not started: waiting for {one.waits_for}")
        if self._state == "running" and self._crew is not None and len(self._crew) < self._count:
            yield Problem(check, _too_few(len(self._crew), self._count), fatal=True)
        if self.declaration.deadline is not None:
            longest = self.declaration.deadline + max(self.declaration.deadline, CLEAN_UP)
            stuck = self._workers.deadlines.overdue(longest)
            for request, age in stuck.items():
                yield Problem(check, _stuck(request, age, self.declaration.deadline), fatal=True)

    def busy(self) -> Iterator[str]:
        """Yield what it has to do now: reconciles that are under way or due, sources at work."""
        if self._state == "stopped":
            return
        who = f"controller/{self.name}"
        for one in self._inputs:
            if what := one.busy():
                yield f"{who}: {what}"
            elif self._state == "running" and self._is_getting_ready(one):
                yield f"{who}: waits for {one.waits_for}"
        if self._state != "running" and not self._cannot_start:
            yield f"{who}: its workers have not started"
        if not self.queue.is_idle:
            paused = ", and it is paused" if self.is_paused else ""
            calls = ", ".join(map(str, itertools.islice(self._workers.deadlines.calls, 3)))
            under_way = f" ({calls})" if calls else ""
            yield (
                f"{who}: {len(self.queue)} reconciles are due, {self.queue.processing} under"
                f" way{under_way}{paused}"
            )

    async def wait_idle(self) -> None:
        """Wait for what `busy` names; there may be something else to do by then."""
        for one in list(self._inputs):
            if one.busy():
                await one.wait_idle()
            while self._state == "running" and self._is_getting_ready(one):
                await self._wait_for_news()
        if self._state in {"new", "starting"} and not self._cannot_start:
            await self._wait_for_news()
        await self.queue.wait_idle()

    @property
    def _cannot_start(self) -> bool:
        """Whether workers wait for a kind that is missing or refused, and nobody knows how long."""
        return any(not one.is_ready and not self._is_getting_ready(one) for one in self._inputs)

    def _is_getting_ready(self, one: Input) -> bool:
        """Say whether *one* is heard of soon: nothing outside of this process is missing."""
        if one.is_ready or one not in self._inputs:
            return False
        return not isinstance(one.source, KindSource) or one.source.informer.synced

    # --- Life ---

    async def run(self) -> None:
        """Work until cancelled.

        Raises:
            LifecycleError: It ran before.
        """
        if self._state != "new":
            raise LifecycleError(f"cannot run the controller {self.name!r}: it is {self._state}")
        self._state = "starting"
        async with TaskSet() as workers:
            try:
                async with TaskSet(own_context=True) as sources:
                    try:
                        await self._serve(sources, workers)
                    finally:
                        self._stop_taking()
            finally:
                await self._finish(workers)

    async def wait_started(self) -> None:
        """Return once the workers have started, or the controller has stopped."""
        while self._state in {"new", "starting"}:
            await self._wait_for_news()

    async def _serve(self, sources: TaskSet, workers: TaskSet) -> None:
        self._tasks = sources
        for one in list(self._inputs):
            self._start(one, sources)
        while not all(one.is_ready for one in self._inputs):
            await self._wait_for_news()
        self._enter("running")
        _log.info("workers started", controller=self.name, workers=self._count)
        self._crew = workers
        while True:
            self._hire(workers)
            await self._wait_for_news()

    def _hire(self, workers: TaskSet) -> None:
        """Start the workers that are missing."""
        for _ in range(self._count - len(workers)):
            name = f"{self.name} worker {next(self._numbers)}"
            workers.start(self._workers.work(), name=name).add_done_callback(self._note_end_of)

    def _note_end_of(self, worker: "asyncio.Task[None]") -> None:
        if self._state == "running":
            if worker.cancelled():
                _log.warning(
                    "worker was cancelled by other code, another takes its place",
                    controller=self.name,
                )
            self._news.set()

    def _stop_taking(self) -> None:
        self._tasks = None
        self._workers.stop()
        self._enter("stopped")

    async def _finish(self, workers: TaskSet) -> None:
        try:
            async with self.clock.timeout(self.declaration.stop_grace):
                await workers.wait()
                await self._workers.wait_idle()
        except TimeoutError:
            left = ", ".join(map(str, self._workers.deadlines.calls))
            _log.warning(
                "reconciles did not finish in time and are cancelled",
                controller=self.name,
                deadline=self.declaration.stop_grace,
                key=left,
            )

    def _enter(self, state: _State) -> None:
        self._state = state
        self._news.set()

    async def _wait_for_news(self) -> None:
        await self._news.wait()
        self._news.clear()

    # --- Sources ---

    def _declare(self, declared: KindWatch[Any] | Source) -> Input:
        source: Source
        if isinstance(declared, KindWatch):
            source = self._kind_source(declared)
        else:
            source = checked_source(declared)
        added = Input(declared, source)
        self._inputs.append(added)
        return added

    def _kind_source(self, watch: KindWatch[Any]) -> KindSource[Any]:
        cluster = watch.cluster or self.cluster
        if cluster is None:
            raise ValueError(f"{watch} of the controller {self.name!r} needs a cluster=")
        if not isinstance(watch, Watches) and self.primary is None:
            raise ValueError(
                f"{watch} of the controller {self.name!r} needs a kind that is reconciled: give it"
                " as for_="
            )
        if isinstance(watch, For) and watch.mapping != self.primary:
            raise ValueError(
                f"{watch} cannot be watched by the controller {self.name!r}, which reconciles"
                f" another kind: {self.primary and self.primary.gvk}. Make another controller"
            )
        return KindSource(
            watch,
            cluster=cluster,
            primary=self._informer_of_primary(),
            errors=self._workers.numbers.map_errors,
            concerns=self._concerns,
            home=self.cluster,
        )

    def _informer_of_primary(self) -> "Informer[Any] | None":
        sources = (one.source for one in self._inputs)
        kinds = (one for one in sources if isinstance(one, KindSource) and one.is_primary)
        return next((one.informer for one in kinds), None)

    def _concerns(self, request: Request) -> bool:
        """Say whether *request* is about an object of our shard."""
        return any(
            isinstance(one.source, KindSource) and one.source.is_primary and one.source.has(request)
            for one in self._inputs
        )

    def _start(self, one: Input, tasks: TaskSet) -> None:
        one.keep(tasks.start(self._keep_running(one), name=f"{self.name} source {one.source.name}"))
        if hasattr(one.source, "wait_ready"):
            one.keep(tasks.start(self._await_ready(one)))
        else:
            one.is_ready = True

    async def _keep_running(self, one: Input) -> None:
        await self._persist(one, lambda: one.source.run(self))

    async def _await_ready(self, one: Input) -> None:
        source: Any = one.source
        await self._persist(one, source.wait_ready)
        one.is_ready = True
        self._news.set()

    async def _persist(self, one: Input, work: Callable[[], Awaitable[None]]) -> None:
        """Repeat *work* of a source, with a growing delay, until it succeeds."""
        backoff = Backoff(base=1.0, cap=60.0, clock=self.clock)
        while True:
            try:
                await apart(work())  # one that cancels its task must not end ours
            except Exception:  # noqa: BLE001  # theirs may fail in any way; the others go on
                _log.exception(
                    "source failed, will retry", controller=self.name, source=one.source.name
                )
            else:
                return
            await backoff.wait()


def _declaration(
    declared: str | Declaration, for_: KindLike[Any] | For[Any] | None, options: Options
) -> Declaration:
    if not isinstance(declared, Declaration):
        return declare(declared, for_, **options)
    if for_ is not None or options:
        raise TypeError(
            f"what the controller {declared.name!r} is like belongs into its declaration, not"
            f" beside it: {', '.join(options) or 'for_'}"
        )
    return declared


def _check(name: str, reconcile: object) -> None:
    """Refuse what cannot be called, before anything runs."""
    if not callable(reconcile) or not is_async(reconcile):
        raise TypeError(
            f"the reconciler of {name!r} must be an async function of a Request and a Run, not"
            f" {reconcile!r:.80}: write `async def reconcile(request, run)`"
        )


def _too_few(there: int, wanted: int) -> str:
    return (
        f"only {there} of {wanted} workers are left. Those that other code cancels are replaced at"
        " once: if this stays, only a restart helps"
    )


def _stuck(request: Request, age: float, deadline: float) -> str:
    return (
        f"the reconcile of {request} has run for {age:.0f} s, its deadline is {deadline:.0f} s. It"
        " does not react to being cancelled: look for blocking calls, or for an except that"
        " catches everything"
    )
