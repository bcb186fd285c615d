"""`Waiters`: tasks that wait for a condition."""

import asyncio
from collections.abc import Callable


class Waiters:
    """Tasks that wait for a condition; call `wake` after each change that may affect it."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Future[None]] = set()

    def wake(self) -> None:
        """Let all waiters check their condition again."""
        for waiter in self._waiting:
            if not waiter.done():
                waiter.set_result(None)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Return once *condition* holds."""
        while not condition():
            waiter = asyncio.get_running_loop().create_future()
            self._waiting.add(waiter)
            try:
                await waiter
            finally:
                self._waiting.discard(waiter)
