"""Answers of webhooks, kept for a while."""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

from kubewright._aio import Clock

T = TypeVar("T")


class ExpiringCache(Generic[T]):
    """Keeps values, each for its own time; the oldest goes when there are too many.

    Args:
        most: How many values are kept.
        clock: Where time comes from.
    """

    def __init__(self, most: int, clock: Clock) -> None:
        self._most = most
        self._clock = clock
        self._values: OrderedDict[Hashable, tuple[T, float]] = OrderedDict()

    def find(self, key: Hashable) -> T | None:
        """Return the value of *key*; ``None`` if there is none, or it is too old."""
        found = self._values.get(key)
        if found is None:
            return None
        value, until = found
        if self._clock.monotonic() >= until:
            del self._values[key]
            return None
        return value

    def put(self, key: Hashable, value: T, *, seconds: float) -> None:
        """Keep *value* for *seconds*; not at all if that is 0."""
        if seconds <= 0:
            return
        self._values[key] = value, self._clock.monotonic() + seconds
        self._values.move_to_end(key)
        if len(self._values) > self._most:
            self._values.popitem(last=False)
