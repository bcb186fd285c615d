"""The one source of time: everything that waits or looks at the hour asks a `Clock`."""

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Protocol

from kubewright._aio.timeout import Timeout

# Linux' CLOCK_MONOTONIC stands still while the machine sleeps; that of macOS does not.
_SLEEPLESS = partial(time.clock_gettime, getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class Timer(Protocol):
    """A call that is due at some time, and can be taken back until then."""

    def cancel(self) -> None:
        """Take the call back; does nothing once it was made."""
        ...


def stopwatch(clock: "Clock") -> Callable[[], float]:
    """Return `Clock.monotonic` of *clock* for code that asks all the time.

    The real one only passes the question on, which takes as long as the answer.
    """
    return time.monotonic if type(clock) is Clock else clock.monotonic


def sleepless_stopwatch(clock: "Clock") -> Callable[[], float]:
    """Return `Clock.sleepless` of *clock*, as `stopwatch` does it for `Clock.monotonic`."""
    return _SLEEPLESS if type(clock) is Clock else clock.sleepless


class Clock:
    """Real time, and the type of every ``clock`` parameter.

    Tests pass a `VirtualClock` instead, which only moves when the test says so.

    Example:
        >>> async def ring(clock: Clock) -> None:
        ...     await clock.sleep(3600)
        ...     print("it is", clock.now())
    """

    def now(self) -> datetime:
        """Return the time of day, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return seconds since some fixed moment; never goes back, unlike `now`."""
        return time.monotonic()

    def sleepless(self) -> float:
        """Return seconds as `monotonic` does, also counted while the machine sleeps.

        For what others do not wait with, such as a lease. The two cannot be compared.
        """
        return _SLEEPLESS()

    async def sleep(self, seconds: float) -> None:
        """Wait for *seconds*; zero or less lets other tasks run once."""
        await asyncio.sleep(seconds)

    def call_later(self, seconds: float, callback: Callable[[], object]) -> Timer:
        """Call *callback* once, *seconds* from now, unless the timer is cancelled first."""
        return asyncio.get_running_loop().call_later(seconds, callback)

    def timeout(self, seconds: float | None) -> Timeout:
        """Bound a block: ``async with clock.timeout(5):`` raises `TimeoutError` after 5 seconds.

        Args:
            seconds: How long the block may take; ``None`` sets no bound.
        """
        return Timeout(seconds, self.call_later)
