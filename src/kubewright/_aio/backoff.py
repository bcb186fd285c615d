"""Delays that grow while things go wrong."""

import random
from typing import Protocol

from kubewright._aio.clock import Clock
from kubewright.errors import LifecycleError


class RandomSource(Protocol):
    """Where jitter comes from; `random.Random(seed)` in tests."""

    def random(self) -> float:
        """Return a number from 0 up to, not including, 1."""
        ...


class Backoff:
    """A growing series of delays, which starts over after a quiet time.

    The defaults are those of client-go's reflector: 0.8 s, doubled up to 30 s, each made longer by
    up to its own length, and from the start again after two minutes without a failure.

    Example:
        >>> backoff = Backoff(base=1.0, factor=2.0, cap=3.0, jitter=0.0)
        >>> [backoff.next_delay() for _ in range(4)]
        [1.0, 2.0, 3.0, 3.0]
    """

    def __init__(  # noqa: PLR0913  # each is a number of the series, by keyword, with a default
        self,
        *,
        base: float = 0.8,
        factor: float = 2.0,
        cap: float = 30.0,
        jitter: float = 1.0,
        steps: int | None = None,
        reset_after: float | None = 120.0,
        clock: Clock | None = None,
        source: RandomSource | None = None,
    ) -> None:
        """Make a series; the first delay has the length *base*.

        Args:
            base: The first delay, in seconds.
            factor: How much longer each delay is than the one before it.
            cap: No delay is longer than this, jitter aside.
            jitter: The share of a delay that is added at random: 0.1 makes 1 s up to 1.1 s.
            steps: How many delays there are before `exhausted`; ``None`` for no end.
            reset_after: The seconds without a call after which the series starts over.
            clock: Tells how much time has passed.
            source: Where jitter comes from.
        """
        if base < 0 or factor < 1 or jitter < 0 or cap < 0:
            raise ValueError(
                "a backoff needs base, cap and jitter of at least 0 and a factor of at least 1,"
                f" not base={base}, factor={factor}, cap={cap}, jitter={jitter}"
            )
        self._base, self._factor, self._cap, self._jitter = base, factor, cap, jitter
        self._steps, self._reset_after = steps, reset_after
        self._clock = clock or Clock()
        self._source = source or random
        self._given = 0
        self._next = min(base, cap)
        self._last = self._clock.monotonic()

    @property
    def exhausted(self) -> bool:
        """Whether all steps were taken: give up instead of waiting again."""
        return self._steps is not None and self._given >= self._steps

    def next_delay(self) -> float:
        """Return the seconds to wait now, and make the next answer longer.

        Raises:
            LifecycleError: The series is `exhausted`.
        """
        self._reset_if_quiet()
        if self.exhausted:
            raise LifecycleError(f"all {self._steps} steps were taken; check `exhausted` first")
        delay = self._next
        self._given += 1
        self._next = min(delay * self._factor, self._cap)
        return delay * (1.0 + self._jitter * self._source.random())

    async def wait(self) -> None:
        """Sleep for the next delay."""
        await self._clock.sleep(self.next_delay())

    def reset(self) -> None:
        """Start over with the first delay."""
        self._given = 0
        self._next = min(self._base, self._cap)

    def _reset_if_quiet(self) -> None:
        now = self._clock.monotonic()
        if self._reset_after is not None and now - self._last >= self._reset_after:
            self.reset()
        self._last = now
