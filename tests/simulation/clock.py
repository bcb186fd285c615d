"""The time of one machine in a simulation: it can be set wrong, or stand still for a while."""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta

from kubewright._aio import Clock, Timer, VirtualClock


class ProcessClock(Clock):
    """The time of one process: it can be set wrong, and calls nothing while that is paused.

    After a pause, whatever is due is called before anything else happens: that is what event loops
    do with their timers.
    """

    def __init__(self, world: VirtualClock) -> None:
        self.wrong_by: float = 0.0
        """Seconds by which the wall clock is ahead."""
        self._world = world
        self.paused: bool = False
        self.due: list[_Alarm] = []

    def now(self) -> datetime:
        """Return the time of day, as this machine sees it."""
        return self._world.now() + timedelta(seconds=self.wrong_by)

    def monotonic(self) -> float:
        """Return seconds; they pass during a pause, too."""
        return self._world.monotonic()

    def sleepless(self) -> float:
        """Return the same."""
        return self._world.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait for *seconds*."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        awake = asyncio.Event()
        timer = self.call_later(seconds, awake.set)
        try:
            await awake.wait()
        finally:
            timer.cancel()

    def call_later(self, seconds: float, callback: Callable[[], object]) -> Timer:
        """Call *callback* in *seconds*, or at the end of a pause."""
        alarm = _Alarm(self, callback)
        alarm.timer = self._world.call_later(seconds, alarm.ring)
        return alarm

    def pause(self) -> None:
        """Call nothing from now on."""
        self.paused = True

    def resume(self) -> None:
        """Call what is due, in the order in which it was."""
        self.paused = False
        due, self.due = self.due, []
        for alarm in due:
            alarm.ring()


class _Alarm:
    """A call that is due at some time, or at the end of a pause."""

    __slots__ = ("_callback", "_clock", "timer")

    def __init__(self, clock: ProcessClock, callback: Callable[[], object]) -> None:
        self.timer: Timer | None = None
        self._clock = clock
        self._callback: Callable[[], object] | None = callback

    def ring(self) -> None:
        if self._clock.paused:
            self._clock.due.append(self)
        elif self._callback is not None:
            self._callback()

    def cancel(self) -> None:
        self._callback = None
        if self.timer is not None:
            self.timer.cancel()
