"""How long to wait, as plain numbers: the caller passes the time, and does the waiting."""

import random
from typing import Protocol

_LONGEST_PATIENCE = 60.0  # seconds: a broken proxy may ask for a year


class RandomSource(Protocol):
    """Where jitter comes from; `random.Random(seed)` in tests."""

    def random(self) -> float:
        """Return a number from 0 up to, not including, 1."""
        ...


class Delays:
    """A growing series of delays, which starts over after a quiet time.

    The defaults are those of client-go's reflector: 0.8 s, doubled up to 30 s, each made longer by
    up to its own length, and from the start again after two minutes without a failure.

    Example:
        >>> delays = Delays(base=1.0, factor=2.0, cap=3.0, jitter=0.0)
        >>> [delays.next(now=0.0) for _ in range(4)]
        [1.0, 2.0, 3.0, 3.0]

    Attributes:
        given: How many delays were returned since the start of the series.
    """

    given: int
    _next: float

    def __init__(  # noqa: PLR0913  # each is a number of the series, by keyword, with a default
        self,
        *,
        base: float = 0.8,
        factor: float = 2.0,
        cap: float = 30.0,
        jitter: float = 1.0,
        reset_after: float | None = 120.0,
        source: RandomSource | None = None,
        now: float = 0.0,
    ) -> None:
        """Make a series; the first delay has the length *base*.

        Args:
            base: The first delay, in seconds.
            factor: How much longer each delay is than the one before it.
            cap: No delay is longer than this, jitter aside.
            jitter: The share of a delay that is added at random: 0.1 makes 1 s up to 1.1 s.
            reset_after: The seconds without a call after which the series starts over.
            source: Where jitter comes from.
            now: What time it is.
        """
        if base < 0 or factor < 1 or jitter < 0 or cap < 0:
            raise ValueError(
                "a backoff needs base, cap and jitter of at least 0 and a factor of at least 1,"
                f" not base={base}, factor={factor}, cap={cap}, jitter={jitter}"
            )
        self._base, self._factor, self._cap, self._jitter = base, factor, cap, jitter
        self._reset_after = reset_after
        self._source = source or random
        self._last = now
        self.reset()

    def next(self, now: float) -> float:
        """Return the seconds to wait from *now* on, and make the next delay longer."""
        self.reset_if_quiet(now)
        self._last = now
        self.given += 1
        delay = self._next
        self._next = min(delay * self._factor, self._cap)
        return delay * (1.0 + self._jitter * self._source.random())

    def reset_if_quiet(self, now: float) -> None:
        """Start over if `next` was not called for `reset_after` seconds before *now*."""
        if self._reset_after is not None and now - self._last >= self._reset_after:
            self.reset()

    def reset(self) -> None:
        """Start over with the first delay."""
        self.given = 0
        self._next = min(self._base, self._cap)


def patience(asked: float) -> float:
    """Return the seconds that a server *asked* us to wait, bounded by a minute."""
    return min(asked, _LONGEST_PATIENCE)
