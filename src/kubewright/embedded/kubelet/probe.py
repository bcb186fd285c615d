"""Finds out that a client is gone while we do not read what it sends."""

from collections.abc import Awaitable, Callable

from kubewright._aio import Clock
from kubewright.errors import TransportError

EVERY: float = 15.0
"""Seconds between two pings."""


async def wait_until_gone(ping: Callable[[], Awaitable[None]], clock: Clock) -> None:
    """Send pings, and return once they cannot be sent any more.

    Only a read shows the end of a connection. While a command does not take its input, we stop
    reading, and would keep the command running for a client that left long ago.
    """
    while True:
        await clock.sleep(EVERY)
        try:
            await ping()
        except TransportError:
            return
