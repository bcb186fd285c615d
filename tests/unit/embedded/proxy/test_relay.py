import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from kubewright.embedded.node.access import PodConnection
from kubewright.embedded.proxy.relay import SocketConnection, dial, relay
from kubewright.errors import TransportError
from tests.unit.embedded.kubelet.containers import Containers

Serve = Callable[[SocketConnection], Awaitable[None]]


@asynccontextmanager
async def listening(serve: Serve) -> AsyncIterator[int]:
    """Serve each connection to a free port of loopback."""
    tasks: set[asyncio.Task[None]] = set()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = SocketConnection(reader, writer)
        try:
            await serve(connection)
        finally:
            await connection.close()

    def accepted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(accept(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(accepted, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        if tasks:
            await asyncio.wait(tasks, timeout=5)


async def read_all(connection: PodConnection) -> bytes:
    return b"".join([data async for data in pieces(connection)])


async def pieces(connection: PodConnection) -> AsyncIterator[bytes]:
    while data := await connection.read():
        yield data


async def test_each_direction_goes_to_its_own_end() -> None:
    """A client may end its question and still wait for the answer."""
    containers = Containers()

    async def through(client: SocketConnection) -> None:
        await relay(client, await containers.connect("default", "web", 7))

    async with listening(through) as port:
        connection = await dial("127.0.0.1", port)
        await connection.write(b"question" * 10000)
        await connection.end()
        got = await read_all(connection)
        await connection.close()

    assert got == b"question" * 10000
    assert containers.connections[0].closed
    await containers.stop()


class Broken:
    """An endpoint that says something and breaks."""

    def __init__(self) -> None:
        self.said = False
        self.closed = False

    async def read(self) -> bytes:
        if self.said:
            raise TransportError("reset")
        self.said = True
        return b"some"

    async def write(self, data: bytes) -> None:
        """Take it."""

    async def end(self) -> None:
        """Take it."""

    async def close(self) -> None:
        self.closed = True


async def test_what_breaks_on_one_side_is_broken_on_the_other() -> None:
    """An orderly end would make half of an answer look like all of it."""
    endpoint = Broken()

    async def through(client: SocketConnection) -> None:
        await relay(client, endpoint)

    async with listening(through) as port:
        connection = await dial("127.0.0.1", port)

        with pytest.raises(ConnectionResetError):
            await read_all(connection)
        await connection.close()

    assert endpoint.closed


async def test_a_client_that_is_gone_closes_the_endpoint() -> None:
    """Nothing is read for nobody."""
    containers = Containers()
    done = asyncio.Event()

    async def through(client: SocketConnection) -> None:
        await relay(client, await containers.connect("default", "web", 7))
        done.set()

    async with listening(through) as port:
        connection = await dial("127.0.0.1", port)
        await connection.write(b"hello")
        assert await connection.read() == b"hello"
        connection.reset()
        await done.wait()

    assert containers.connections[0].closed
    await containers.stop()
