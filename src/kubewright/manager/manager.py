"""`Manager`: starts what it was given stage by stage, and stops it in the reverse order."""

import asyncio
import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, closing, contextmanager, suppress
from enum import IntEnum
from functools import partial
from typing import TYPE_CHECKING, Protocol, Self

from kubewright._aio import Clock, TaskSet
from kubewright._loop import watchdog_of
from kubewright.client.witness import as_operator
from kubewright.errors import ConfigError, LeaderElectionLostError, LifecycleError
from kubewright.log import get_logger
from kubewright.manager.address import bind_address
from kubewright.manager.elected import CHECK, Elected
from kubewright.manager.member import Member, name_of
from kubewright.manager.probes import Probes
from kubewright.manager.problems import ProblemLog
from kubewright.manager.settling import wait_settled
from kubewright.manager.signals import stopping_on_signals
from kubewright.manager.stages import Stages
from kubewright.runnable import Releasing, Runnable, Stage, stage_of
from kubewright.runs.runs import Recorded, Runs

if TYPE_CHECKING:
    from kubewright._pki.files import PathLike
    from kubewright._serve.messages import Handler
    from kubewright.client.client import Client
    from kubewright.manager.leaderelection import LeaderElection, LeaderElector
    from kubewright.manager.lifeline import Lifeline
    from kubewright.manager.metrics_server import PageServers, Protection

_log = get_logger(__name__)

_KILL_FOR = 1.0
"""Seconds to end for what was cancelled a second time, or has lost the lease."""
_RELEASE_FOR = 3.0
"""Seconds to give the lease up after the end of the grace period."""
_METRICS, _HEALTH = "metrics_bind_address", "health_probe_bind_address"
_BEFORE_LEADER = (Stage.SERVERS, Stage.CACHES, Stage.ALWAYS)


class _Phase(IntEnum):
    NEW = 0
    STARTING = 1
    RUNNING = 2
    STOPPING = 3
    STOPPED = 4


class RunnableCluster(Runnable, Protocol):
    """A cluster, as far as a manager looks at it: it runs, and it has a client."""

    @property
    def client(self) -> "Client":
        """What talks to its API server."""
        ...


class Manager:
    """Runs clusters, controllers, servers and anything else with an ``async def run()``.

    Stages start in order, each when the one before is ready. They stop in the reverse order, all
    within the grace period. An error of a runnable stops everything and comes out of `run`.

    Args:
        clusters: Their caches run in stage ``CACHES``; the lease is on the first one.
        leader_election: How to elect one of many replicas; without, this process leads.
        metrics_bind_address: Where ``/metrics`` is served, such as ``":8080"``; ``"0"`` for off.
        metrics_secure: Whether ``/metrics`` is served by HTTPS, and only to callers whom the first
            cluster allows: by a bearer token with the right to ``get`` the nonResourceURL
            ``/metrics``. The operator needs the right to create TokenReviews and
            SubjectAccessReviews then.
        metrics_cert_path: The folder of the certificate for that; without, one is made in memory.
        metrics_cert_name: The file of the certificate there.
        metrics_cert_key: The file of its key.
        health_probe_bind_address: The same for ``/healthz`` and ``/readyz``, plain and for all.
        grace_period: Seconds that all may take to stop; ``None`` for as long as it takes. With 0,
            everything is cancelled at once instead of stage by stage.
        runs: Where the runs of its controllers are recorded, if other bounds are wanted, or
            several managers are to share one.
        clock: Where time comes from; that of the first cluster unless given.

    Example:
        manager = Manager(cluster, leader_election=LeaderElection("shop-operator"))
        manager.add(controller)
        asyncio.run(manager.run_until_signal())
    """

    def __init__(  # noqa: PLR0913  # each by keyword, with a default
        self,
        *clusters: RunnableCluster,
        leader_election: "LeaderElection | None" = None,
        metrics_bind_address: str = "0",
        metrics_secure: bool = False,
        metrics_cert_path: "PathLike | None" = None,
        metrics_cert_name: str = "tls.crt",
        metrics_cert_key: str = "tls.key",
        health_probe_bind_address: str = "0",
        grace_period: float | None = 30.0,
        runs: Runs | None = None,
        clock: Clock | None = None,
    ) -> None:
        if grace_period is not None and grace_period < 0:
            raise ConfigError(
                f"grace_period is {grace_period:g}, but no time is shorter than none: give seconds,"
                " 0 to cancel everything at once, or None to wait as long as it takes"
            )
        self.elected: Elected = Elected()
        """Awaitable: returns once this process leads and its last stage starts."""
        self.runs: Runs = Runs() if runs is None else runs
        """What its controllers did; nothing is recorded before `Runs.record`, or a listener."""
        self._grace = grace_period
        self.clusters: tuple[RunnableCluster, ...] = ()
        """The clusters that it runs."""
        self._clock = clock or _clock_of(clusters) or Clock()
        self._phase = _Phase.NEW
        self._stages = Stages(self._failed)
        self._owner: object | None = None
        self._owned: dict[int, tuple[object, list[Runnable]]] = {}
        self._leaving: dict[int, Runnable] = {}
        self._errors: list[Exception] = []
        self._ended = asyncio.Event()
        self._started = asyncio.Event()
        self._lifeline: Lifeline | None = None
        self._twin: Client | None = None  # what the lease is held with, if not by the cluster's
        self._elector = self._make_elector(leader_election, clusters)
        if self._elector is not None:
            self._stages[Stage.LEADER].fence = self._elector.fence
        self._election: asyncio.Task[None] | None = None
        self._background: asyncio.Task[None] | None = None
        self._block = self._clock.timeout(None)
        self._probes = Probes(self._stages, self._elector)
        files = (metrics_cert_path, metrics_cert_name, metrics_cert_key)
        self._pages = self._make_pages(
            metrics_bind_address,
            health_probe_bind_address,
            _protection(files, secure=metrics_secure, clusters=clusters, clock=self._clock),
        )
        for cluster in clusters:
            self.add_cluster(cluster)

    # --- What users ask for ---

    @property
    def leading(self) -> bool:
        """Whether this process leads at this moment: by the clock, so right after a pause, too."""
        if self._elector is not None:
            return self._elector.leading
        return bool(self.elected) and self._phase < _Phase.STOPPED

    @property
    def metrics_url(self) -> str | None:
        """Where ``/metrics`` is, as ``http://127.0.0.1:8080``; ``None`` if it is not served.

        It begins with ``https`` if ``metrics_secure`` is set.
        """
        return self._pages.url(_METRICS) if self._pages else None

    @property
    def health_url(self) -> str | None:
        """Where ``/healthz`` and ``/readyz`` are; ``None`` if they are not served."""
        return self._pages.url(_HEALTH) if self._pages else None

    @property
    def hanging(self) -> list[str]:
        """What still runs although the manager has stopped: only the end of the process ends it."""
        if self._phase < _Phase.STOPPED:
            return []
        return [member.name for member in self._stages.running]

    def add_cluster(self, cluster: RunnableCluster) -> None:
        """Run one more cluster, before what reads from it."""
        self.add(cluster, stage=Stage.CACHES)
        self.clusters = (*self.clusters, cluster)

    def add(self, runnable: Runnable, *, stage: Stage | None = None) -> None:
        """Run *runnable* with the others of its stage; at once, if they run already.

        Args:
            runnable: Anything with ``async def run()``; what else is read from it is said in
                `kubewright.runnable`.
            stage: When it starts; as it says itself unless given, otherwise ``ALWAYS``.

        Raises:
            LifecycleError: The manager is stopping, or has it already.
            TypeError: It cannot be run.
        """
        given: object = runnable
        if inspect.isclass(given) or not isinstance(given, Runnable):
            raise TypeError(
                f"cannot add {runnable!r}: a manager runs objects with `async def run(self)`"
            )
        name = name_of(runnable)
        if self._phase >= _Phase.STOPPING:
            raise LifecycleError(f"cannot add {name}: the manager is stopping. Make a new one.")
        if any(member.runnable is runnable for member in self._stages.members):
            raise LifecycleError(f"cannot add {name} a second time: it would run twice")
        if isinstance(runnable, Recorded):
            runnable.record_to(self.runs)
        member = Member(runnable, stage_of(runnable) if stage is None else Stage(stage))
        self._stages[member.stage].add(member)
        if self._owner is not None:
            _, owned = self._owned.setdefault(id(self._owner), (self._owner, []))
            owned.append(runnable)

    @contextmanager
    def adding_for(self, owner: object) -> Iterator[None]:
        """Let everything that is added in this block belong to *owner*, for `remove` to find."""
        before, self._owner = self._owner, owner
        try:
            yield
        finally:
            self._owner = before

    async def remove(self, runnable: object) -> None:
        """End *runnable* while all others go on, and return once it has ended.

        A controller begins no further reconcile, and finishes those under way within its
        ``stop_grace``. Informers that nobody else uses end with it, and so do its metrics.

        Args:
            runnable: What was added; or an application, for all that its ``add_to`` has added.

        Raises:
            LookupError: The manager does not run it.
        """
        _, owned = self._owned.get(id(runnable), (None, ()))
        members = [one for one in self._stages.members if one.runnable is runnable]
        if not owned and not members:
            raise LookupError(f"cannot remove {name_of(runnable)}: the manager does not run it")
        ending = (*owned, *(one.runnable for one in members))
        self._leaving.update((id(one), one) for one in ending)
        try:
            await self._stages.remove(ending)
        finally:
            for one in ending:
                self._forget(one)
        self._owned.pop(id(runnable), None)

    def _forget(self, runnable: Runnable) -> None:
        """Let go of *runnable* once it has ended, unless another call of `remove` has done so."""
        if id(runnable) not in self._leaving:
            return
        running = (one.task for one in self._stages.running if one.runnable is runnable)
        if (task := next(running, None)) is not None:  # whoever removes it does not wait for that
            task.add_done_callback(lambda _: self._forget(runnable))
            return
        del self._leaving[id(runnable)]
        self.clusters = tuple(one for one in self.clusters if one is not runnable)
        for owner, (_, owned) in tuple(self._owned.items()):
            owned[:] = [one for one in owned if one is not runnable]
            if not owned:
                del self._owned[owner]
        if isinstance(runnable, Releasing):
            runnable.release()

    async def settled(self, *, timeout: float | None = None) -> None:
        """Return once there is nothing to do for now; for tests, above all.

        That is: each controller has no reconcile under way and none that is due, no source, map
        function or async handler is at work, and what this process has written through the clients
        of its clusters has come back through their watches. Not waited for are retries and
        ``requeue_after`` whose time has not come, daemons, events on their way to the server,
        controllers that wait to lead or for a kind that the server does not have, and what others
        have changed and no watch has shown yet.

        Nothing is polled. In virtual time it waits without letting time pass; where a reconcile
        needs some, write ``await clock.run(manager.settled())``.

        Args:
            timeout: How many seconds to wait at most.

        Raises:
            TimeoutError: It took longer; the message names what is still busy.
            LifecycleError: The manager has stopped.
        """
        await wait_settled(
            self._stages, started=self._started, ended=self._ended, timeout=timeout,
            clock=self._clock,
        )  # fmt: skip

    async def run(self, *, own_process: bool = False) -> None:
        """Start everything, work until `stop` or cancellation, and stop everything.

        Args:
            own_process: Whether the process is there for this manager alone. Then, on Linux, the
                kernel ends it with SIGALRM if the lease ends while work that needs it may still
                run: a process that was stopped in the middle of a request never finishes that.

        Raises:
            ConfigError: A port cannot be had; nothing has been started then.
            LifecycleError: It ran before: a manager runs once.
            LeaderElectionLostError: Another process may lead now.
            StopTimeoutError: Something did not end within the grace period.
            Exception: What a runnable raised. Further errors are notes of the first one.
        """
        if self._phase is not _Phase.NEW:
            raise LifecycleError("cannot run the manager again: it runs once. Make a new one.")
        self._phase = _Phase.STARTING
        try:
            async with AsyncExitStack() as stack:
                if own_process and self._elector is not None:
                    stack.enter_context(self._end_with_lease(self._elector))
                if type(self._clock) is Clock:  # in virtual time no second is too long
                    await self._serve_apart(stack)
                elif self._pages is not None:
                    await self._pages.start(stack)  # before anything that would have to be stopped
                with as_operator():
                    await self._live()
        except asyncio.CancelledError:
            for error in self._errors:  # nobody else will hear of them
                _log.error("manager failed", error=str(error))
            raise
        finally:
            self._phase = _Phase.STOPPED
            self.elected.close()
        self._raise_first()

    async def run_until_signal(self, *, exit: Callable[[int], object] = os._exit) -> None:  # noqa: A002
        """Run until SIGTERM or SIGINT; a second one ends the process at once, with status 1.

        The process ends in the same way if something still runs when the manager has stopped. It
        could not be ended otherwise, and it may be work that another process has taken over.
        """
        with stopping_on_signals(self.stop, exit=exit):
            try:
                await self.run(own_process=True)
            finally:
                if self.hanging:
                    _log.exception("exiting at once, since not everything stops")
                    exit(1)

    def stop(self) -> None:
        """Begin a graceful stop; `run` returns when it is done."""
        self._ended.set()

    async def __aenter__(self) -> Self:
        """Run in the background; return when all stages that do not wait for leadership run."""
        await self._block.__aenter__()
        self._background = asyncio.create_task(self.run(), name="manager")
        started = asyncio.ensure_future(self._started.wait())
        try:
            await asyncio.wait({started, self._background}, return_when=asyncio.FIRST_COMPLETED)
        except BaseException:
            await self._end_background()
            raise
        finally:
            started.cancel()
        if self._background.done():
            await self._background  # raises what went wrong
        self._background.add_done_callback(self._end_block)
        return self

    async def __aexit__(self, *exc: object) -> None:
        """Stop; an error of the manager has ended the block, and comes out of it."""
        with suppress(TimeoutError):  # the error of the manager is raised below, instead
            await self._block.__aexit__(*exc)  # type: ignore[arg-type]  # as it was given to us
        await self._end_background()

    def _end_block(self, done: asyncio.Task[None]) -> None:
        if done.cancelled() or done.exception() is not None:
            self._block.expire()

    async def _end_background(self) -> None:
        self.stop()
        assert self._background is not None
        await self._background

    # --- Life ---

    async def _live(self) -> None:
        _log.info("manager starting")
        async with TaskSet() as own:
            starting = own.start(self._start(own), name="manager start")
            problems = ProblemLog(lambda: self._probes.problems, clock=self._clock)
            looking = own.start(problems.run(), name="problem log")
            try:
                await self._ended.wait()
            finally:
                self._phase = _Phase.STOPPING
                self._probes.stopping = True
                _log.info("manager stopping")
                starting.cancel()
                looking.cancel()
                await self._stop_all()
        _log.info("manager stopped")

    async def _start(self, own: TaskSet) -> None:
        for stage in _BEFORE_LEADER:
            await self._stages.start(stage)
        if self._elector is None:
            self._lead()
            await self._stages[Stage.LEADER].wait_ready()
        else:
            self._election = own.start(self._elect(self._elector), name="leader election")
        self._phase = _Phase.RUNNING
        self._probes.started = True
        self._started.set()

    async def _elect(self, elector: "LeaderElector") -> None:
        try:
            if self._twin is None:
                await elector.run(self._lead, self._lose)
            else:
                await self._elect_apart(elector, self._twin)
        except LeaderElectionLostError:
            pass  # heard of already
        except Exception as error:  # noqa: BLE001  # `run` raises it when all has stopped
            self._failed(CHECK, error)

    async def _elect_apart(self, elector: "LeaderElector", client: "Client") -> None:
        """Hold the lease in a thread, where no code of the user can hold it up."""
        assert self._lifeline is not None
        tell = asyncio.get_running_loop().call_soon_threadsafe

        async def compete() -> None:
            async with client:
                await elector.run(lambda: tell(self._lead), lambda: tell(self._lose))

        await self._lifeline.run(compete)

    async def _serve_apart(self, stack: AsyncExitStack) -> None:
        """Watch the event loop, and let what must not wait for it run in a thread."""
        here = asyncio.get_running_loop()
        watchdog = stack.enter_context(watchdog_of(here))
        if self._twin is None and self._pages is None:
            return
        from kubewright.manager.lifeline import Lifeline
        from kubewright.manager.relay import DEAD_AFTER, PrivateRelay, Relay

        self._lifeline = stack.enter_context(Lifeline())
        if self._elector is not None:
            self._elector.alive = lambda: watchdog.silence < DEAD_AFTER
        if self._pages is not None:
            served = AsyncExitStack()

            def front(pages: "Handler", *, private: bool) -> "Handler":
                if private:
                    return PrivateRelay(pages, home=here)
                return Relay(pages, home=here, silence=lambda: watchdog.silence)

            stack.push_async_callback(self._lifeline.run, served.aclose)
            await self._lifeline.run(partial(self._pages.start, served, front))

    def _lose(self) -> None:
        """End the last stage here and now: not later, in some task."""
        self._stages[Stage.LEADER].cancel()
        assert self._elector is not None
        assert self._elector.lost is not None
        self._failed(CHECK, self._elector.lost)

    def _lead(self) -> None:
        self._stages[Stage.LEADER].open()
        self.elected.win()

    def _failed(self, name: str, error: Exception) -> None:
        """Hear of an error: it ends everything, and `run` raises it then."""
        error.add_note(f"(from {name} of the manager)")
        self._errors.append(error)
        self._ended.set()

    # --- The end ---

    async def _stop_all(self) -> None:
        grace = self._grace_left()
        try:
            if self._is_lost:
                await self._stages[Stage.LEADER].kill()
                self._spare_process()
            if grace != 0:
                async with self._clock.timeout(grace):
                    await self._stages.stop(self._after)
        except TimeoutError:
            pass  # what is late is known when everything was cancelled a second time
        finally:
            # Also when we are cancelled once more ourselves: then nobody waits any longer.
            self._stages.cancel()
            self._keep_what_is_needed()
        await self._bury()
        await self._end_election()
        if any(self._stages.running):
            self._errors.append(self._stages.overrun(grace or _KILL_FOR))

    @contextmanager
    def _end_with_lease(self, elector: "LeaderElector") -> Iterator[None]:
        """Let the kernel end the process with its lease, during the block."""
        from kubewright.manager.alarm import Alarm

        with closing(Alarm(self._clock)) as alarm:
            elector.alarm = alarm
            yield

    def _spare_process(self) -> None:
        """Let the process end in its own time if nothing is left that needed the lease."""
        alarm = None if self._elector is None else self._elector.alarm
        if alarm is not None and not self._stages[Stage.LEADER].running:
            alarm.cancel()

    def _grace_left(self) -> float | None:
        """Return how long all may take to stop; after losing the lease, only a moment."""
        return _KILL_FOR if self._is_lost and self._grace != 0 else self._grace

    @property
    def _is_lost(self) -> bool:
        return self._elector is not None and self._elector.lost is not None

    async def _after(self, stage: Stage) -> None:
        """Give the lease up once nothing needs it; until then it is renewed."""
        if stage is Stage.LEADER and self._election is not None:
            if not self._is_lost and not self._election.cancelling():
                self._election.cancel()
            await asyncio.wait({self._election})

    def _keep_what_is_needed(self) -> None:
        """Have the lease given up, unless something runs that needs it: then it has to expire."""
        if self._elector is not None:
            needed = bool(self._stages[Stage.LEADER].running)
            self._elector.release = self._elector.election.release_on_cancel and not needed

    async def _bury(self) -> None:
        """Wait a last moment for what was cancelled twice; then leave it behind."""
        await self._stages.kill()
        with suppress(TimeoutError):
            async with self._clock.timeout(_KILL_FOR):
                await self._stages.wait()

    async def _end_election(self) -> None:
        """Give the lease up if that is not done yet: what needed it may have ended by now."""
        self._keep_what_is_needed()
        with suppress(TimeoutError):
            async with self._clock.timeout(_RELEASE_FOR):
                await self._after(Stage.LEADER)
        if self._election is not None:
            self._election.cancel()  # and is waited for by its parent

    def _raise_first(self) -> None:
        if not self._errors:
            return
        first, *others = self._errors
        for other in others:
            first.add_note(f"also: {type(other).__name__}: {other}")
        raise first

    # --- What it is made of ---

    def _make_pages(
        self, metrics: str, health: str, protect: "Callable[[], Protection] | None"
    ) -> "PageServers | None":
        metrics_at = bind_address(metrics, option=_METRICS)
        health_at = bind_address(health, option=_HEALTH)
        if metrics_at is None and health_at is None:
            return None
        from kubewright.manager.metrics_server import PageServers, metrics_page
        from kubewright.manager.probe_pages import ProbePages

        pages = PageServers(clock=self._clock)
        protection = protect() if protect and metrics_at else None
        pages.add(_METRICS, metrics_at, {"metrics": metrics_page}, protection=protection)
        pages.add(_HEALTH, health_at, ProbePages(self._probes).pages)
        return pages

    def _make_elector(
        self, election: "LeaderElection | None", clusters: tuple[RunnableCluster, ...]
    ) -> "LeaderElector | None":
        if election is None:
            return None
        client = election.client
        if client is None:
            if not clusters:
                raise ConfigError(
                    "cannot elect a leader without a cluster that has the lease: give the manager"
                    " one, or LeaderElection a client"
                )
            client = clusters[0].client
        from kubewright.manager.leaderelection import LeaderElector

        if type(self._clock) is Clock:  # in virtual time there are no threads
            self._twin = client.find_twin()
        return LeaderElector(self._twin or client, election, clock=self._clock)


def _clock_of(clusters: tuple[RunnableCluster, ...]) -> Clock | None:
    """Return the clock of the first cluster: in a test, all must keep the same time."""
    clock = getattr(clusters[0], "clock", None) if clusters else None
    return clock if isinstance(clock, Clock) else None


def _protection(
    files: "tuple[PathLike | None, str, str]",
    *,
    secure: bool,
    clusters: tuple[RunnableCluster, ...],
    clock: Clock,
) -> "Callable[[], Protection] | None":
    """Return what makes the protection of the metrics page, which is loaded if there is one."""
    if not secure:
        if files[0] is not None:
            raise ConfigError(
                f"metrics_cert_path: {str(files[0])!r} would not be used, since the metrics page is"
                " plain HTTP. Make the page secure, or leave the path out."
            )
        return None

    def protect() -> "Protection":
        from kubewright.manager.metrics_protection import protect_metrics

        return protect_metrics(clusters[0].client if clusters else None, *files, clock=clock)

    return protect
