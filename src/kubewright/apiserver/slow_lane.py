"""Work that takes long is done in threads, so that everybody else is still served.

A thread that computes gives way every few milliseconds; the event loop would not. What is small is
done at once, since going to a thread and back takes longer than most requests.
"""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from kubewright.apiserver.effort import Effort, TooMuchError

LARGE: int = 64 * 1024
"""Bytes of a document from which on reading, merging or checking it is not done at once."""
ROOM: int = 4
"""How many such works go on at a time: each makes the loop wait for its turn a little longer."""

T = TypeVar("T")


class SlowLane:
    """Runs functions at once or in a thread. They must not touch what the loop changes."""

    def __init__(self) -> None:
        self._room = asyncio.Semaphore(ROOM)

    async def run(self, size: int, work: Callable[[], T]) -> T:
        """Return what *work* returns; *size* is how many bytes it works on."""
        if size < LARGE:
            return work()
        return await self.run_in_thread(work)

    async def judge(self, size: int, check: Callable[[Effort], T]) -> T:
        """Return what *check* returns; it goes to a thread also if it turns out to be much work."""
        if size < LARGE:
            try:
                return check(Effort(light=True))
            except TooMuchError:
                pass
        return await self.run_in_thread(lambda: check(Effort()))

    async def run_in_thread(self, work: Callable[[], T]) -> T:
        """Return what *work* returns."""
        async with self._room:
            return await asyncio.to_thread(work)
