"""Keys that are due later, and one timer for the first of them."""

import heapq
import itertools
from collections.abc import Callable, Iterator
from typing import Generic, NamedTuple, TypeVar

from kubewright._aio import Clock, Timer

K = TypeVar("K")

_FEW = 64
# Timers may fire a little early: by the resolution of the loop's clock, or by the rounding of
# ``now + (at - now)``. Without this tolerance they would find nothing and be set again.
_EARLY = 1e-6


class Delay(NamedTuple):
    """When a key is due, and at which priority."""

    at: float
    order: int
    priority: int


class Delays(Generic[K]):
    """Keys with the time at which each is due; the earlier of two times wins.

    Only the timer refers to the queue, so that an unused queue is freed at once: with a frozen
    garbage collector, a reference cycle would never be freed.

    Attributes:
        keys: When each key is due; a key is taken out by deleting it here.
    """

    __slots__ = ("_clock", "_heap", "_order", "_timer", "_timer_at", "keys")

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._heap: list[tuple[float, int, K]] = []
        self._order = itertools.count()
        self._timer: Timer | None = None
        self._timer_at = 0.0
        self.keys: dict[K, Delay] = {}

    def add(self, key: K, seconds: float, *, priority: int, ring: Callable[[], object]) -> None:
        r"""Make *key* due in *seconds*, unless it is due earlier already.

        Args:
            key: The key.
            seconds: The delay.
            priority: Its priority; the higher of two counts.
            ring: Called when the key is due; it calls `pop_due`, and `arm`\ s the timer again.
        """
        at = self._clock.monotonic() + seconds
        known = self.keys.get(key)
        if known is not None:
            priority = max(priority, known.priority)
            if known.at <= at:
                self.keys[key] = known._replace(priority=priority)
                return
        order = next(self._order)
        self.keys[key] = Delay(at, order, priority)
        heapq.heappush(self._heap, (at, order, key))
        self._trim()
        self.arm(ring)

    def clear(self) -> None:
        """Remove all keys, and stop the timer."""
        self.keys.clear()
        self._heap.clear()
        self.disarm()

    def pop_due(self) -> Iterator[tuple[K, int]]:
        """Remove and return the keys that are due with their priorities, the earliest first."""
        now = self._clock.monotonic() + _EARLY
        heap = self._heap
        while heap and heap[0][0] <= now:
            _, order, key = heapq.heappop(heap)
            if self._is_live(key, order):
                yield key, self.keys.pop(key).priority

    def arm(self, ring: Callable[[], object]) -> None:
        """Set the timer for the first key."""
        heap = self._heap
        while heap and not self._is_live(heap[0][2], heap[0][1]):
            heapq.heappop(heap)
        if not heap:
            self.disarm()
            return
        at = heap[0][0]
        if self._timer is not None and self._timer_at <= at:
            return  # it fires early and is set again: cheaper than one timer for each key
        self.disarm()
        self._timer_at = at
        self._timer = self._clock.call_later(max(0.0, at - self._clock.monotonic()), ring)

    def disarm(self) -> None:
        """Stop the timer, if it is set."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _trim(self) -> None:
        """Drop heap entries of removed keys, once they are the majority."""
        if len(self._heap) > 2 * len(self.keys) + _FEW:
            self._heap = [item for item in self._heap if self._is_live(item[2], item[1])]
            heapq.heapify(self._heap)

    def _is_live(self, key: K, order: int) -> bool:
        delay = self.keys.get(key)
        return delay is not None and delay.order == order
