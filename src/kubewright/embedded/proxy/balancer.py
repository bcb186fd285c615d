"""Which endpoint gets the next connection."""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress

from kubewright._aio import Clock
from kubewright.embedded.proxy.table import Endpoint

_REMEMBERED = 1024  # clients of a service with session affinity


class Balancer:
    """Takes the endpoints in turn; with session affinity, a client stays at one of them.

    Args:
        clock: Where time comes from.
    """

    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock
        self._endpoints: tuple[Endpoint, ...] = ()
        self._turn = 0
        self._affinity = 0.0
        self._changed = asyncio.Event()
        self._clients: OrderedDict[str, tuple[Endpoint, float]] = OrderedDict()

    def update(self, endpoints: Sequence[Endpoint], *, affinity: float = 0.0) -> None:
        """Use *endpoints* from now on; a client stays at one of them for *affinity* seconds."""
        self._endpoints = tuple(endpoints)
        self._affinity = affinity
        self._changed.set()
        self._changed = asyncio.Event()
        if not affinity:
            self._clients.clear()

    async def wait_changed(self, at_most: float) -> None:
        """Return at the next update, or after *at_most* seconds."""
        with suppress(TimeoutError):
            async with self._clock.timeout(at_most):
                await self._changed.wait()

    def order(self, client: str) -> list[Endpoint]:
        """Return where a connection of *client* may go: the first choice first, then the others."""
        endpoints = self._endpoints
        if not endpoints:
            return []
        first = self._turn % len(endpoints)
        self._turn += 1
        order = [*endpoints[first:], *endpoints[:first]]
        known, until = self._clients.get(client, (None, 0.0))
        if known in endpoints and until > self._clock.monotonic():
            assert known is not None
            order.remove(known)
            order.insert(0, known)
        return order

    def note_choice(self, client: str, endpoint: Endpoint) -> None:
        """Remember where a connection of *client* went."""
        if not self._affinity:
            return
        self._clients[client] = endpoint, self._clock.monotonic() + self._affinity
        self._clients.move_to_end(client)
        while len(self._clients) > _REMEMBERED:
            self._clients.popitem(last=False)
