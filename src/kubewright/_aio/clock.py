"""The one source of time: everything that waits or reads the time uses a `Clock`."""

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Protocol

from kubewright._aio.timeout import Timeout

# CLOCK_MONOTONIC stops while the machine sleeps on Linux, but not on macOS.
_SLEEPLESS = partial(time.clock_gettime, getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class Timer(Protocol):
    """A scheduled call that can be cancelled until it is made."""

    def cancel(self) -> None:
        """Cancel the call; does nothing once it was made."""
        ...


def stopwatch(clock: "Clock") -> Callable[[], float]:
    """Return `Clock.monotonic` of *clock* for code that calls it all the time.

    The real clock only calls `time.monotonic`: without it in between, a call takes half the time.
    """
    return time.monotonic if type(clock) is Clock else clock.monotonic


def sleepless_stopwatch(clock: "Clock") -> Callable[[], float]:
    """Return `Clock.sleepless` of *clock*, as `stopwatch` does for `Clock.monotonic`."""
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
        """Return seconds as `monotonic` does, but include the time that the machine sleeps.

        For deadlines that other machines watch, such as a lease. Do not compare the two.
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
