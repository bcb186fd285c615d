"""Time that stands still until a test moves it."""

import asyncio
import heapq
import itertools
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from types import TracebackType
from typing import Any, Self, TypeVar

from kubewright._aio.clock import Clock, Timer
from kubewright._aio.virtual_loop import VirtualLoop, outside_of

T = TypeVar("T")

_START = datetime(2026, 1, 1, tzinfo=UTC)
_PASSES_WHEN_BLIND = 100
_FEW = 64
"""So many alarms are kept without looking which of them were cancelled."""


class _Alarm:
    """One call in the future of a `VirtualClock`; ordered by time, then by age."""

    __slots__ = ("_callback", "_order", "at")

    def __init__(self, at: float, order: int, callback: Callable[[], object]) -> None:
        self.at = at
        self._order = order
        self._callback: Callable[[], object] | None = callback

    def __lt__(self, other: "_Alarm") -> bool:
        return (self.at, self._order) < (other.at, other._order)

    @property
    def pending(self) -> bool:
        return self._callback is not None

    def cancel(self) -> None:
        self._callback = None

    def ring(self) -> None:
        callback, self._callback = self._callback, None
        if callback is not None:
            callback()


class VirtualClock(Clock):
    """A clock for tests: hours pass in no time, and always in the same order.

    Between two alarms everything that can run is run to the end, so a test sees the same order of
    events each time. As a context manager it also gives its time to the event loop, so that
    ``asyncio.sleep`` and ``asyncio.timeout`` use it everywhere, and waits for work in threads;
    `EmbeddedServer` and `operator_test` do that by themselves. Sockets stay in real time.

    Example:
        >>> async def nap(clock):
        ...     napper = asyncio.create_task(clock.sleep(3600))
        ...     await clock.advance(3600)
        ...     return napper.done()
        >>> asyncio.run(nap(VirtualClock()))
        True
    """

    def __init__(self, start: datetime = _START, *, wait_for_threads: bool = True) -> None:
        self.wait_for_threads: bool = wait_for_threads
        """Whether time stands still while threads work; False lets a thread hang in a test."""
        self._start = start
        self._elapsed = 0.0
        self._alarms: list[_Alarm] = []
        self._sweep_above = _FEW
        self._order = itertools.count()
        self._loop: VirtualLoop | None = None

    async def __aenter__(self) -> Self:
        """Give the running event loop the time of this clock."""
        loop = VirtualLoop.of(asyncio.get_running_loop(), self)
        loop.begin()
        self._loop = loop
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Go back to real time."""
        if self._loop is not None:
            self._loop.end()

    def now(self) -> datetime:
        """Return the virtual time of day."""
        return self._start + timedelta(seconds=self._elapsed)

    def monotonic(self) -> float:
        """Return the virtual seconds since the clock was made."""
        return self._elapsed

    def sleepless(self) -> float:
        """Return the same: in virtual time nothing sleeps."""
        return self._elapsed

    async def sleep(self, seconds: float) -> None:
        """Wait until the clock has moved by *seconds*."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        awake: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        alarm = self.call_later(seconds, partial(_wake, awake))
        try:
            await awake
        finally:
            alarm.cancel()

    def call_later(self, seconds: float, callback: Callable[[], object]) -> Timer:
        """Call *callback* once the clock has moved by *seconds*."""
        alarm = _Alarm(self._elapsed + max(0.0, seconds), next(self._order), callback)
        heapq.heappush(self._alarms, alarm)
        if len(self._alarms) > self._sweep_above:
            self._sweep()
        return alarm

    def _sweep(self) -> None:
        """Drop the alarms that were cancelled: their time may be far away, or never come."""
        self._alarms = [alarm for alarm in self._alarms if alarm.pending]
        heapq.heapify(self._alarms)
        self._sweep_above = max(_FEW, 2 * len(self._alarms))

    @property
    def sleepers(self) -> int:
        """How many sleeps, timeouts and timers are under way."""
        return sum(alarm.pending for alarm in self._alarms)

    def next_alarm(self) -> float | None:
        """Return the seconds until the next sleeper wakes, or ``None`` if nothing sleeps."""
        while self._alarms and not self._alarms[0].pending:
            heapq.heappop(self._alarms)
        return max(0.0, self._alarms[0].at - self._elapsed) if self._alarms else None

    async def advance(self, seconds: float) -> None:
        """Move by *seconds*, waking each sleeper on the way at its own time."""
        if seconds < 0:
            raise ValueError(f"cannot move a clock back, by {seconds} seconds")
        end = self._elapsed + seconds
        await self.settle()
        while (wait := self.next_alarm()) is not None and self._elapsed + wait <= end:
            await self.advance_to_next()
        self._elapsed = end
        await self.settle()

    async def advance_to_next(self) -> bool:
        """Move to the next alarm, ring it and run what it wakes; return whether there was one."""
        await self.settle()
        if self.next_alarm() is None:
            return False
        alarm = heapq.heappop(self._alarms)
        self._elapsed = max(self._elapsed, alarm.at)
        alarm.ring()
        await self.settle()
        return True

    async def run(self, work: Awaitable[T]) -> T:
        """Run *work* to its end, moving the clock whenever everything sleeps.

        Raises:
            RuntimeError: The work waits for something that no clock will bring.
        """
        task = asyncio.ensure_future(work)
        try:
            await self.settle()
            while not task.done():
                if not await self.advance_to_next() and not task.done():
                    raise RuntimeError("the work waits for ever: nobody sleeps and nothing can run")
        finally:
            task.cancel()
            await asyncio.wait([task])
        return task.result()

    async def settle(self) -> None:
        """Run everything that can run without time passing."""
        loop: Any = asyncio.get_running_loop()
        ready = getattr(loop, "_ready", None)  # only asyncio's own loop shows its queue
        await asyncio.sleep(0)
        if ready is None:
            for _ in range(_PASSES_WHEN_BLIND):
                await asyncio.sleep(0)
            return
        outside = outside_of(loop)
        while True:
            while ready:  # noqa: ASYNC110  # the queue of the loop has no event to wait for
                await asyncio.sleep(0)
            if outside is None or not outside.is_busy:
                return
            await outside.wait()


def _wake(sleeper: asyncio.Future[None]) -> None:
    if not sleeper.done():
        sleeper.set_result(None)
