"""`Turns`: lets the event loop come round between two reconciles that take long."""

import asyncio
from collections.abc import Callable
from weakref import WeakKeyDictionary

__all__ = ["SLICE", "Turns", "turns_of"]

SLICE: float = 0.005
"""After so many seconds of work, the loop comes round before the next reconcile begins."""


class Turns:
    """Whose turn it is: a worker's, or that of all others in the loop.

    A loop runs all tasks that can run before it looks at sockets and timers again. Ten workers that
    each block for a moment would add up, so all workers of a loop share one of these: when those
    that began in this round have taken long, none begins another before the loop has been round.
    It does not matter whether they have ended: most wait for an answer of the server by then.
    """

    __slots__ = ("_began",)

    def __init__(self) -> None:
        self._began: float | None = None  # when the first reconcile of this round did

    def may_begin(self, now: float) -> bool:
        """Say whether a reconcile may begin in this round of the loop; it counts as begun then."""
        if self._began is None:
            self._began = now
            # What is called soon is called in the next round.
            asyncio.get_running_loop().call_soon(self._come_round)
            return True
        return now - self._began < SLICE

    async def wait(self, time: Callable[[], float]) -> None:
        """Return once a reconcile may begin."""
        while not self.may_begin(time()):  # noqa: ASYNC110  # it is the loop that is waited for
            await asyncio.sleep(0)

    def _come_round(self) -> None:
        self._began = None


_all: "WeakKeyDictionary[asyncio.AbstractEventLoop, Turns]" = WeakKeyDictionary()


def turns_of(loop: asyncio.AbstractEventLoop) -> Turns:
    """Return what all workers in *loop* share."""
    return _all.setdefault(loop, Turns())
