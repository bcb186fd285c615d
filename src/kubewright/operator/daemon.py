"""Daemons: a function for each object that runs as long as the object is there."""

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

_QUIET = 300.0  # after so many seconds without a failure, the next delay is the first again
_BRIEF = 1.0  # who gets another spec in fewer seconds after its start may have changed it itself
_POLICIES = Policies()


class _Daemon:
    """The daemon of one object, in the generation that it was started for."""

    def __init__(self, obj: Resource | Unstructured, work: Work, run: Run) -> None:
        self.began_for: tuple[str, int] = obj.metadata.uid, obj.metadata.generation
        self.work: Work = work
        self.run: Run = run
        self.variables: Variables = copy_context()  # its log lines say which object they are about
        self.task: asyncio.Task[None] | None = None
        self.brief: int = 0  # how many in a row before it had another spec at once
        self.began: float | None = None

    @property
    def wait(self) -> float:
        """The seconds that it waits before it begins."""
        over = self.brief - LIMIT
        return 0.0 if over <= 0 else min(LONGEST, SOON * 2.0 ** min(over - 1, 30))

    def follow(self, before: "_Daemon", now: float) -> None:
        """Take the place of the one *before* it, which had another spec."""
        if before.began_for[0] != self.began_for[0]:
            return
        if before.began is None:  # it was still waiting
            self.brief = before.brief
        elif now - before.began < _BRIEF:
            self.brief = before.brief + 1


class Daemons:
    """Keeps a function running for each object, beside the workers of its controller.

    A manager runs this in the stage of leaders: when the lease is lost or the program stops, every
    daemon is cancelled and waited for.

    Args:
        report: Hears of each failure, besides the log.
        clock: Where time comes from.
    """

    stage: ClassVar[Stage] = Stage.LEADER

    def __init__(self, report: OnFailure | None, *, clock: Clock) -> None:
        self._report = report
        self._clock = clock
        self._daemons: dict[Request, _Daemon] = {}
        self._tasks: TaskSet | None = None

    def __len__(self) -> int:
        """Return how many objects have a daemon, also if its function has returned."""
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
        """See to it that *work* runs for *obj*; it is started anew when the generation has changed.

        Args:
            obj: The object.
            work: The function, ready to be called with the object as it is then.
            run: The run that found the object; its log is that of the daemon.
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
        """Cancel the daemon of *request* and wait for its end; nothing if there is none."""
        daemon = self._daemons.get(request)
        if daemon is None:
            return
        if daemon.task is not None:
            daemon.task.cancel()
            await asyncio.wait([daemon.task])
        # Not before: a wait that is cut short by a deadline has to be waited for again.
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
                # Apart, so that a function that cancels itself is started again like any other.
                delay = _delay_for(await apart(daemon.work()), backoff)
            except Exception as error:  # noqa: BLE001  # theirs may fail in any way
                delay = self._delay_after(error, daemon.run, backoff)
            if delay is None:
                return
            await self._clock.sleep(delay)

    def _delay_after(self, error: Exception, run: Run, backoff: Backoff) -> float | None:
        """Tell of *error*; return when the daemon is started again, ``None`` for not at all."""
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
        except Exception:  # a failure to tell of one must not end the daemons of all objects
            run.log.exception("a daemon that failed could not be reported")


def _delay_for(result: Result | None, backoff: Backoff) -> float | None:
    """Return in how many seconds a daemon that has returned is started again, if at all."""
    if result is None or (result.delay is None and not result.requeue):
        return None
    # Who asks for it at once does so again and again.
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
