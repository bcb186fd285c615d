"""`Turns`: lets the event loop do an iteration between reconciles that block it for long."""

import asyncio
from collections.abc import Callable
from weakref import WeakKeyDictionary

__all__ = ["SLICE", "Turns", "turns_of"]

SLICE: float = 0.005
"""After so many seconds of work, the next reconcile waits for an iteration of the loop."""


class Turns:
    """Decides whether a worker may begin a reconcile, or must let the event loop run first.

    In one iteration, the loop runs all tasks that can run before it looks at sockets and timers
    again. Ten workers that each block for a moment would add up, so all workers of a loop share one
    instance: if the reconciles that began in this iteration have taken too long, the next one waits
    for the next iteration. Whether they have ended does not matter: by then, most wait for an
    answer of the server.
    """

    __slots__ = ("_began",)

    def __init__(self) -> None:
        self._began: float | None = None  # when the first reconcile of this round did

    def may_begin(self, now: float) -> bool:
        """Say whether a reconcile may begin in this iteration; if so, it counts as begun."""
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
    """Return the instance that all workers in *loop* share."""
    return _all.setdefault(loop, Turns())
