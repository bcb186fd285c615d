import asyncio

import pytest

from kubewright._aio import Clock
from kubewright._http.dial import dial
from kubewright._http.duplex import RawConnection
from kubewright._http.endpoint import Limits
from kubewright.errors import TransportError
from tests.unit._http.servers import Peer, Server, route_to, serving


async def connected(server: Server, *, buffer: int = 1 << 20) -> RawConnection:
    raw = RawConnection(tried="exec", host=f"127.0.0.1:{server.port}", buffer=buffer)
    return await dial(route_to(server), raw, clock=Clock(), limits=Limits(), tried="exec")


async def echo(peer: Peer) -> None:
    while data := await peer.reader.read(65536):
        await peer.send(data)


async def test_bytes_go_both_ways() -> None:
    """A shell in a container is nothing else."""
    async with serving(echo) as server:
        raw = await connected(server)
        await raw.write(b"hello")
        answer = await raw.read()
        raw.close()
        await server.empty()

    assert answer == b"hello"


async def test_the_end_of_the_other_side_is_an_empty_read() -> None:
    """What had arrived comes first."""

    async def script(peer: Peer) -> None:
        await peer.send(b"bye")

    async with serving(script) as server:
        raw = await connected(server)
        await server.empty()
        reads = [await raw.read(), await raw.read(), await raw.read()]

    assert reads == [b"bye", b"", b""]


async def test_writing_to_a_closed_connection_is_an_error() -> None:
    """Otherwise what the user types would vanish without a word."""
    async with serving(echo) as server:
        raw = await connected(server)
        raw.close()

        with pytest.raises(TransportError, match="cannot exec"):
            await raw.write(b"x")
        await server.empty()


async def test_a_reader_is_told_when_we_close() -> None:
    """A task that reads must not hang after the other task has closed."""
    async with serving(echo) as server:
        raw = await connected(server)
        reader = asyncio.create_task(raw.read())
        await asyncio.sleep(0)
        raw.close()

        assert await reader == b""
        await server.empty()


async def test_a_slow_peer_holds_up_the_writer() -> None:
    """Copying a file into a container must not load all of it into memory."""
    go_on = asyncio.Event()
    total = 0

    async def slow(peer: Peer) -> None:
        nonlocal total
        await go_on.wait()
        while data := await peer.reader.read(1 << 20):
            total += len(data)

    async with serving(slow) as server:
        raw = await connected(server)

        async def copy() -> None:
            for _ in range(64):
                await raw.write(b"x" * (1 << 18))
            raw._transport.close()  # type: ignore[union-attr]  # in good order, unlike `close`

        copier = asyncio.create_task(copy())
        await asyncio.sleep(0.01)
        held = not copier.done()
        go_on.set()
        await copier
        await server.empty()

    assert held
    assert total == 64 << 18
