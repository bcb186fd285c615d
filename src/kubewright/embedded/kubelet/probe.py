"""Finds out that a client is gone while nobody reads what it sends."""

from collections.abc import Awaitable, Callable

from kubewright._aio import Clock
from kubewright.errors import TransportError

EVERY: float = 15.0
"""Seconds between two pings."""


async def wait_until_gone(ping: Callable[[], Awaitable[None]], clock: Clock) -> None:
    """Send pings, and return once they cannot be sent any more.

    The end of a connection is seen by reading from it. Where a command does not take its input we
    read no further, and would keep the command for a client that left long ago.
    """
    while True:
        await clock.sleep(EVERY)
        try:
            await ping()
        except TransportError:
            return
