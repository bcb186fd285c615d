"""How many requests may be under way at once."""

import asyncio
from collections import deque
from contextlib import suppress


class Slots:
    """A number of slots, and a queue of those who wait for one, served in their order.

    It does what `asyncio.Semaphore` does. But here a free slot is taken by a comparison and a
    subtraction in the caller, which is all that most requests ever see of it.
    """

    __slots__ = ("_waiters", "free")

    def __init__(self, most: int | None) -> None:
        """Offer *most* slots; without a number, as many as anyone wants."""
        self.free: float = most or float("inf")  # above 0 only while nobody waits
        self._waiters: deque[asyncio.Future[None]] = deque()

    async def wait(self) -> None:
        """Take a slot once it is our turn."""
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        try:
            await waiter
        except BaseException:
            if waiter.cancelled():
                with suppress(ValueError):  # it was passed over in the same moment
                    self._waiters.remove(waiter)
            else:
                self.give_back()  # it was ours already when somebody cancelled us
            raise

    def give_back(self) -> None:
        """Pass a slot on to whoever waits longest, or keep it for the next who comes."""
        waiters = self._waiters
        while waiters:
            waiter = waiters.popleft()
            if not waiter.done():
                waiter.set_result(None)
                return
        self.free += 1
