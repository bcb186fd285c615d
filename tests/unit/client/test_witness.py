"""Who hears of requests, and whose they are."""

import asyncio
from collections.abc import Iterator

import pytest

import kubewright as kw
from kubewright.client.transport import Transport
from kubewright.client.witness import OPERATOR, WITNESSES, as_operator, witnessed
from kubewright.testing import EmbeddedServer


@pytest.fixture
def heard() -> Iterator[list[Transport]]:
    """Keep the transports that are wrapped."""
    found: list[Transport] = []

    def wrap(transport: Transport) -> Transport:
        found.append(transport)
        return transport

    WITNESSES.append(wrap)
    yield found
    WITNESSES.remove(wrap)


async def test_the_transport_of_each_client_is_wrapped(heard: list[Transport]) -> None:
    """Nothing that a program sends goes past who wants to hear of it."""
    async with EmbeddedServer() as server:
        before = len(heard)
        async with server.client():
            assert len(heard) == before + 1


async def test_without_a_witness_nothing_is_wrapped() -> None:
    """All other programs pay nothing."""
    async with EmbeddedServer() as server, server.client() as client:
        assert witnessed(client.rest.transport) is client.rest.transport


async def test_tasks_that_begin_in_the_block_work_for_the_operator() -> None:
    """Also after it has ended; and the test itself does not."""

    async def ask() -> bool:
        return OPERATOR.get()

    with as_operator():
        task = asyncio.create_task(ask())

    assert await task
    assert not OPERATOR.get()


async def test_what_a_manager_runs_works_for_the_operator() -> None:
    """Whoever has added it, and whenever."""
    seen: list[bool] = []

    class Part:
        async def run(self) -> None:
            seen.append(OPERATOR.get())

    async with EmbeddedServer() as server, server.client() as client:
        manager = kw.Manager(kw.Cluster(client))
        manager.add(Part())
        async with manager:
            manager.add(Part())
            await manager.settled()
            mine = OPERATOR.get()

    assert seen == [True, True]
    assert not mine
