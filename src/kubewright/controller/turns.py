"""`Turns`: lets the event loop come round between two reconciles that take long."""

import asyncio
from weakref import WeakKeyDictionary

__all__ = ["SLICE", "Turns", "turns_of"]

SLICE: float = 0.005
"""After so many seconds of work, the loop comes round before the next reconcile begins."""


class Turns:
    """Whose turn it is: a worker's, or that of all others in the loop.

    A loop runs all tasks that can run before it looks at sockets and timers again. Ten workers that
    each block for a moment would add up, so all workers of a loop share one of these: after a long
    reconcile none of them begins another before the loop has been round.

    Attributes:
        is_due: Whether it has yet to come round.
    """

    __slots__ = ("is_due",)

    def __init__(self) -> None:
        self.is_due: bool = False

    def spend(self) -> None:
        """Note that a worker has used its time."""
        if not self.is_due:
            self.is_due = True
            # What is called soon is called in the next round.
            asyncio.get_running_loop().call_soon(self._come_round)

    async def wait(self) -> None:
        """Return once the loop has been round, and nobody else was faster."""
        while self.is_due:  # noqa: ASYNC110  # it is the loop itself that is waited for
            await asyncio.sleep(0)

    def _come_round(self) -> None:
        self.is_due = False


_all: "WeakKeyDictionary[asyncio.AbstractEventLoop, Turns]" = WeakKeyDictionary()


def turns_of(loop: asyncio.AbstractEventLoop) -> Turns:
    """Return what all workers in *loop* share."""
    return _all.setdefault(loop, Turns())
