"""`Pace`: the first change is written at once, and what follows closely is written together."""

from typing import Generic, TypeVar

from kubewright._aio import Clock

__all__ = ["Pace"]

K = TypeVar("K")


class Pace(Generic[K]):
    """Says how long to wait with the next write of each key.

    When hundreds of pods become ready within a second, the list of their addresses is written a
    few times, and not hundreds of times.

    Args:
        period: Seconds between two writes of one key.
        clock: Where time comes from.
    """

    def __init__(self, period: float, clock: Clock) -> None:
        self._period = period
        self._clock = clock
        self._last: dict[K, float] = {}

    def wait(self, key: K) -> float:
        """Return how many seconds to wait with *key*; 0 if it may be written now."""
        last = self._last.get(key)
        left = 0.0 if last is None else last + self._period - self._clock.monotonic()
        return max(0.0, left)

    def note_write(self, key: K) -> None:
        """Note that *key* was written."""
        self._last[key] = self._clock.monotonic()

    def forget(self, key: K) -> None:
        """Forget *key*."""
        self._last.pop(key, None)
