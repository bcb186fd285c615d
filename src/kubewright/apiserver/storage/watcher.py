"""One reader of the changes of a collection, at its own pace."""

import asyncio
from collections import deque

from kubewright.apiserver.storage.event import Event

LIMIT: int = 20_000
BYTES: int = 16 * 1024 * 1024
AT_ONCE: int = 256 * 1024
"""How many bytes of events `take` returns at a time; the others still count as unread."""


class Watcher:
    """Receives every event of a collection from now on, until it is closed or falls behind.

    A watcher that does not read is ended: it must not slow anybody else down, and its client lists
    again.
    """

    __slots__ = ("_pending", "_size", "_waiter", "ended", "limit")

    def __init__(self, *, limit: int = LIMIT) -> None:
        self.limit: int = limit
        self.ended: bool = False
        self._pending: deque[Event] = deque()
        self._size = 0
        self._waiter: asyncio.Future[None] | None = None

    def push(self, event: Event) -> None:
        """Queue an event for the reader; called by the collection during a write."""
        if self.ended:
            return
        self._size += event.current.size
        if len(self._pending) >= self.limit or self._size > BYTES:
            self.end()
            return
        self._pending.append(event)
        self.wake()

    def end(self) -> None:
        """End it; events that were not read are dropped."""
        self.ended = True
        self._pending.clear()
        self._size = 0
        self.wake()

    async def wait(self) -> None:
        """Wait until there is something to `take`, the watcher has ended, or `wake` is called."""
        if self._pending or self.ended:
            return
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None

    def take(self) -> list[Event]:
        """Return the events since the last call, or the first of them if there are very many."""
        pending, taken, size = self._pending, list[Event](), 0
        while pending and size < AT_ONCE:
            taken.append(pending.popleft())
            size += taken[-1].current.size
        self._size -= size
        return taken

    def wake(self) -> None:
        """End `wait`, even if there is nothing to take."""
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
