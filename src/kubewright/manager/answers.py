"""`Answers`: remembers what a server said for a while, and asks it once at a time."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, NamedTuple, TypeVar

from kubewright._aio import Clock

__all__ = ["Answers"]

V = TypeVar("V")


class _Kept(NamedTuple, Generic[V]):
    answer: V
    until: float


class Answers(Generic[V]):
    """Answers by their question's key, each for a time of its own.

    No task is started: the first who asks does so for all who ask the same meanwhile, and if that
    one is cancelled, the next takes over. A failure goes to all of them, and is not kept.

    Args:
        clock: Measures their time.
        keep_for: Returns for how many seconds an answer is good.
        most: How many are kept. Beyond it, the one that would end first goes first.
    """

    def __init__(self, clock: Clock, *, keep_for: Callable[[V], float], most: int = 1024) -> None:
        self._clock = clock
        self._keep_for = keep_for
        self._most = most
        self._kept: dict[bytes, _Kept[V]] = {}
        self._asking: dict[bytes, asyncio.Future[V]] = {}

    def __len__(self) -> int:
        return len(self._kept)

    async def get(self, key: bytes, ask: Callable[[], Awaitable[V]]) -> V:
        """Return the answer for *key*: the one that is kept, or what *ask* returns.

        Raises:
            Exception: What *ask* raised.
        """
        while True:
            kept = self._kept.get(key)
            if kept is not None and self._clock.monotonic() < kept.until:
                return kept.answer
            asking = self._asking.get(key)
            if asking is None:
                return await self._ask(key, ask)
            await asyncio.wait({asking})
            if not asking.cancelled():
                return asking.result()

    async def _ask(self, key: bytes, ask: Callable[[], Awaitable[V]]) -> V:
        asking = self._asking[key] = asyncio.get_running_loop().create_future()
        try:
            answer = await ask()
        except Exception as error:
            asking.set_exception(error)
            asking.exception()  # maybe nobody else waits for it, and that is no mistake
            raise
        else:
            asking.set_result(answer)
            self._keep(key, answer)
            return answer
        finally:
            asking.cancel()  # of no effect unless we are cancelled ourselves
            del self._asking[key]

    def _keep(self, key: bytes, answer: V) -> None:
        self._kept.pop(key, None)
        if len(self._kept) >= self._most:
            del self._kept[min(self._kept, key=lambda one: self._kept[one].until)]
        self._kept[key] = _Kept(answer, self._clock.monotonic() + self._keep_for(answer))
