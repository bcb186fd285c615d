"""Daemons: a function for each object that runs while the object exists."""

import asyncio
from collections.abc import Callable, Coroutine
from contextvars import Context as Variables
from contextvars import copy_context
from typing import Any, ClassVar, TypeAlias

from kubewright._aio import Backoff, Clock, TaskSet, apart
from kubewright.api.resource import Resource
from kubewright.api.unstructured import Unstructured
from kubewright.controller.instruments import LOOPS
from kubewright.controller.lines import described
from kubewright.controller.loops import LIMIT, LONGEST, SOON
from kubewright.controller.request import Request, Result
from kubewright.controller.retry import Policies, Retry, carried_delay, postponement
from kubewright.controller.run import Run
from kubewright.controller.worker import OnFailure
from kubewright.runnable import Stage

__all__ = ["Daemons"]

Work: TypeAlias = Callable[[], Coroutine[Any, Any, Result | None]]

_QUIET = 300.0  # after this many seconds without a failure, delays start over
_BRIEF = 1.0  # seconds; a spec that changes sooner after the start may be the daemon's own doing
_POLICIES = Policies()


class _Daemon:
    """The daemon of one object, for one generation of it."""

    def __init__(self, obj: Resource | Unstructured, work: Work, run: Run) -> None:
        self.began_for: tuple[str, int] = obj.metadata.uid, obj.metadata.generation
        self.work: Work = work
        self.run: Run = run
        self.variables: Variables = copy_context()  # with the log fields of the object
        self.task: asyncio.Task[None] | None = None
        self.brief: int = 0  # how many before it, in a row, had their spec changed at once
        self.began: float | None = None

    @property
    def wait(self) -> float:
        """Seconds to wait before it starts."""
        over = self.brief - LIMIT
        return 0.0 if over <= 0 else min(LONGEST, SOON * 2.0 ** min(over - 1, 30))

    def follow(self, before: "_Daemon", now: float) -> None:
        """Note that this one replaces the one *before* it, which had another spec."""
        if before.began_for[0] != self.began_for[0]:
            return
        if before.began is None:  # it was still waiting
            self.brief = before.brief
        elif now - before.began < _BRIEF:
            self.brief = before.brief + 1


class Daemons:
    """Keeps a function running for each object, beside the workers of its controller.

    A manager runs this in the stage LEADER: when the lease is lost or the program stops, it cancels
    every daemon and waits for its end.

    Args:
        report: Called for each failure, which is also logged.
        clock: Where time comes from.
    """

    stage: ClassVar[Stage] = Stage.LEADER

    def __init__(self, report: OnFailure | None, *, clock: Clock) -> None:
        self._report = report
        self._clock = clock
        self._daemons: dict[Request, _Daemon] = {}
        self._tasks: TaskSet | None = None

    def __len__(self) -> int:
        """Return how many objects have a daemon, including those whose function has returned."""
        return len(self._daemons)

    async def run(self) -> None:
        """Run the daemons of all objects until cancelled."""
        async with TaskSet() as tasks:
            self._tasks = tasks
            try:
                for daemon in self._daemons.values():
                    self._start(daemon, tasks)
                await asyncio.Event().wait()
            finally:
                self._tasks = None

    async def keep(self, obj: Resource | Unstructured, work: Work, run: Run) -> None:
        """Make sure that *work* runs for *obj*; restart it if the generation has changed.

        Args:
            obj: The object.
            work: Calls the function with the object as it is by then.
            run: The run that found the object; the daemon uses its log.
        """
        daemon = _Daemon(obj, work, run)
        known = self._daemons.get(run.request)
        if known is not None:
            if known.began_for == daemon.began_for:
                return
            now = self._clock.monotonic()
            await self.stop(run.request)
            daemon.follow(known, now)
            if daemon.brief == LIMIT + 1 > known.brief:
                _warn(daemon)
        self._daemons[run.request] = daemon
        if self._tasks is not None:
            self._start(daemon, self._tasks)

    async def stop(self, request: Request) -> None:
        """Cancel the daemon of *request* and wait for its end; do nothing if there is none."""
        daemon = self._daemons.get(request)
        if daemon is None:
            return
        if daemon.task is not None:
            daemon.task.cancel()
            await asyncio.wait([daemon.task])
        # Only now: if a deadline cuts the wait short, the next run has to wait again.
        self._daemons.pop(request, None)

    def _start(self, daemon: _Daemon, tasks: TaskSet) -> None:
        name = f"daemon {daemon.run.controller} {daemon.run.request}"
        daemon.task = tasks.start(self._live(daemon), name=name, context=daemon.variables)

    async def _live(self, daemon: _Daemon) -> None:
        if daemon.wait:
            await self._clock.sleep(daemon.wait)
        daemon.began = self._clock.monotonic()
        backoff = Backoff(base=1.0, cap=60.0, reset_after=_QUIET, clock=self._clock)
        while True:
            try:
                # In a task of its own, so that a function that cancels itself is started again.
                delay = _delay_for(await apart(daemon.work()), backoff)
            except Exception as error:  # noqa: BLE001  # user code may raise anything
                delay = self._delay_after(error, daemon.run, backoff)
            if delay is None:
                return
            await self._clock.sleep(delay)

    def _delay_after(self, error: Exception, run: Run, backoff: Backoff) -> float | None:
        """Log and report *error*; return the delay until the next start, ``None`` for never."""
        delay = postponement(error)
        if delay is not None:
            run.log.info("daemon waits, is started again", delay=delay, error=described(error))
            return delay
        if _POLICIES.find(error) is Retry.NEVER:
            run.log.error("daemon failed, is started again when the spec changes", exc_info=error)
        else:
            carried = carried_delay(error)
            delay = backoff.next_delay() if carried is None else carried
            run.log.error("daemon failed, is started again", delay=delay, exc_info=error)
        self._tell(run, error)
        return delay

    def _tell(self, run: Run, error: Exception) -> None:
        if self._report is None:
            return
        try:
            self._report(run, error)
        except Exception:  # this must not end the daemons of all objects
            run.log.exception("a daemon that failed could not be reported")


def _delay_for(result: Result | None, backoff: Backoff) -> float | None:
    """Return the delay until a daemon that has returned is started again; ``None`` for never."""
    if result is None or (result.delay is None and not result.requeue):
        return None
    # One that asks to start at once would do so again and again.
    soon = result.delay is None or result.delay < SOON
    return backoff.next_delay() if soon else result.delay


def _warn(daemon: _Daemon) -> None:
    LOOPS.labels(daemon.run.controller).inc()
    daemon.run.log.warning(
        "daemon is started over and over, slowed down",
        problem=f"{daemon.brief} times in a row its spec was changed as soon as it had begun",
        delay=daemon.wait,
        hint="write only what differs, and not into the spec of its own object",
    )
