import asyncio

from kubewright._aio import VirtualClock
from kubewright.embedded.kubelet.probe import EVERY, wait_until_gone
from kubewright.errors import TransportError


async def test_it_pings_until_nobody_is_there() -> None:
    """Once in a while, and no more after that."""
    clock = VirtualClock()
    pings: list[float] = []

    async def ping() -> None:
        pings.append(clock.monotonic())
        if len(pings) == 3:
            raise TransportError("gone")

    began = clock.monotonic()
    probing = asyncio.create_task(wait_until_gone(ping, clock))
    await clock.advance(10 * EVERY)
    await probing

    assert [at - began for at in pings] == [EVERY, 2 * EVERY, 3 * EVERY]
