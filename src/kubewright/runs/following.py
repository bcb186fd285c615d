"""`Following`: new records as an async iterator, for a reader that may be slow."""

import asyncio
import weakref
from collections import deque
from collections.abc import Callable
from typing import Self

from kubewright.runs.record import RunRecord

__all__ = ["Following"]


class _Buffer:
    """What was recorded and not read yet; apart, so that `Runs` does not keep its reader alive."""

    __slots__ = ("arrival", "lost", "records")

    def __init__(self, size: int) -> None:
        self.records: deque[RunRecord] = deque(maxlen=size)
        self.lost = 0
        self.arrival: asyncio.Future[None] | None = None

    def put(self, record: RunRecord) -> None:
        if len(self.records) == self.records.maxlen:
            self.lost += 1
        self.records.append(record)
        self.wake()

    def wake(self) -> None:
        if self.arrival is not None and not self.arrival.done():
            self.arrival.set_result(None)


class Following:
    """New records, from the moment it was made until `close`; made by `Runs.follow`.

    Records wait for its reader, up to a bound; then the oldest are dropped, and `lost` counts them.
    It has one reader. One that nobody refers to any more is closed.
    """

    def __init__(
        self, subscribe: Callable[[Callable[[RunRecord], None]], Callable[[], None]], size: int
    ) -> None:
        self._buffer = _Buffer(size)
        self._finalizer = weakref.finalize(self, subscribe(self._buffer.put))

    @property
    def lost(self) -> int:
        """How many records were dropped so far because the reader was too slow."""
        return self._buffer.lost

    def close(self) -> None:
        """Stop listening; the iteration ends once the buffered records were read."""
        self._finalizer()
        self._buffer.wake()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> RunRecord:
        buffer = self._buffer
        while not buffer.records:
            if not self._finalizer.alive:
                raise StopAsyncIteration
            buffer.arrival = asyncio.get_running_loop().create_future()
            try:
                await buffer.arrival
            finally:
                buffer.arrival = None
        return buffer.records.popleft()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        self.close()
