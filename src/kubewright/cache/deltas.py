"""`DeltaQueue`: changes that wait for a handler that may be slower than the stream."""

import asyncio
from collections import deque
from typing import Generic, TypeVar

from kubewright.api.kind import ObjectKey
from kubewright.cache.entry import Event

R = TypeVar("R")

LIMIT: int = 1000
"""How many objects may wait before the producer is made to wait."""


def merged(first: Event[R], second: Event[R]) -> Event[R]:
    """Return one change that covers both *first* and *second*.

    An object that was added and then deleted counts as deleted: the handler may know another object
    by that name. One that was deleted and added again counts as modified.
    """
    if second.new is None:
        return Event(first.old or first.new or second.old, None, unseen=second.unseen)
    return Event(first.old, second.new, initial=first.initial)


class DeltaQueue(Generic[R]):
    """A queue of changes with one consumer, at most one change for each object.

    Objects come out in the order in which they first changed. Further changes of a waiting object
    are merged, so the queue holds at most one entry per object; `wait_for_room` makes the producer
    wait long before that.

    Args:
        limit: How many objects may wait before the queue is `full`.
    """

    def __init__(self, *, limit: int = LIMIT) -> None:
        self._limit = limit
        self._order: deque[ObjectKey] = deque()
        self._events: dict[ObjectKey, Event[R]] = {}
        self._taken = 0
        self._closed = False
        self._arrival: asyncio.Future[None] | None = None
        self._departures: list[asyncio.Future[None]] = []

    def __len__(self) -> int:
        return len(self._order)

    @property
    def full(self) -> bool:
        """Whether the producer should call `wait_for_room`."""
        return len(self._order) >= self._limit and not self._closed

    @property
    def taken(self) -> int:
        """How many changes have been taken so far."""
        return self._taken

    def push(self, event: Event[R]) -> None:
        """Add a change; a closed queue drops it."""
        if self._closed:
            return
        key = event.key
        waiting = self._events.get(key)
        if waiting is None:
            self._events[key] = event
            self._order.append(key)
            _wake(self._arrival)
        else:
            self._events[key] = merged(waiting, event)

    async def take(self) -> Event[R] | None:
        """Wait for a change and take it; ``None`` once the queue is closed."""
        while not self._order and not self._closed:
            self._arrival = asyncio.get_running_loop().create_future()
            try:
                await self._arrival
            finally:
                self._arrival = None
        if self._closed:
            return None
        self._taken += 1
        event = self._events.pop(self._order.popleft())
        self._tell_departure()
        return event

    async def wait_for_room(self) -> None:
        """Wait until the consumer has caught up enough to take more."""
        while self.full:
            departure = asyncio.get_running_loop().create_future()
            self._departures.append(departure)
            await departure

    def close(self) -> None:
        """Drop everything that waits, and wake the consumer and the producers."""
        self._closed = True
        self._order.clear()
        self._events.clear()
        _wake(self._arrival)
        self._tell_departure()

    def _tell_departure(self) -> None:
        if self._departures and not self.full:
            for departure in self._departures:
                _wake(departure)
            self._departures.clear()


def _wake(waiter: "asyncio.Future[None] | None") -> None:
    if waiter is not None and not waiter.done():
        waiter.set_result(None)
