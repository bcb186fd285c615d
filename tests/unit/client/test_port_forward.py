"""Port-forward: connections to a pod's port, and a local port for others."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from kubewright._aio import VirtualClock
from kubewright.errors import LifecycleError, TransportError
from tests.unit.client.websocket_server import (
    V4,
    Play,
    client_of,
    leaving_no_task,
    passes,
    until,
    websockets_at,
)

PORT = (8080).to_bytes(2, "little")
OPENING = (b"\x00" + PORT, b"\x01" + PORT)
REFUSED = b"dial tcp4 127.0.0.1:8080: connect: connection refused"


@pytest.fixture(autouse=True)
async def no_task_is_left() -> AsyncIterator[None]:
    """Fail if the test leaves a task behind."""
    async with leaving_no_task():
        yield


def saying(*messages: bytes) -> Play:
    """Return a script that sends *messages* and closes."""

    async def play(socket: ServerConnection) -> None:
        for message in messages:
            await socket.send(message)

    return play


async def echo(socket: ServerConnection) -> None:
    """Stand in for a pod that sends back what it is sent."""
    await saying(*OPENING)(socket)
    async for message in socket:
        await socket.send(message)


async def ignore(socket: ServerConnection) -> None:
    """Take what comes, until the end."""
    with suppress(ConnectionClosed):
        async for _ in socket:
            pass


async def hang(socket: ServerConnection) -> None:
    """Stand in for a pod that takes the connection and says nothing."""
    await saying(*OPENING)(socket)
    await socket.wait_closed()


async def test_a_connection_carries_bytes_both_ways() -> None:
    """What the pod sees and says is exactly what was written; the framing stays hidden."""
    async with (
        websockets_at(echo, subprotocols=(V4,)) as server,
        client_of(server) as client,
        client.port_forward("web", 8080, namespace="other") as forward,
        await forward.connect() as connection,
    ):
        await connection.write(b"\x00\x01binary\xff")
        received = await connection.read()

    assert received == b"\x00\x01binary\xff"
    assert server.targets == ["/api/v1/namespaces/other/pods/web/portforward?ports=8080"]


async def test_much_data_passes_in_pieces() -> None:
    """One task reads while another writes, as an HTTP client does with a large upload."""
    data = bytes(range(256)) * 8000
    received = bytearray()

    async with (
        websockets_at(echo) as server,
        client_of(server) as client,
        client.port_forward("web", 8080) as forward,
        await forward.connect() as connection,
    ):
        writing = asyncio.create_task(connection.write(data))
        while len(received) < len(data):
            received += await connection.read()
        await writing

    assert received == data
    assert connection.received == len(data)


@pytest.mark.parametrize(
    "messages",
    [
        [*OPENING, b"\x00hi"],
        [b"\x00" + PORT + b"hi", b"\x01" + PORT],
        [b"\x00" + PORT[:1], b"\x00", b"\x00" + PORT[1:] + b"h", b"\x00i"],
        [b"", b"\x07what", *OPENING, b"\x00hi"],
    ],
    ids=["apart", "together", "cut", "noise"],
)
async def test_the_port_number_before_the_data_is_taken_off(messages: list[bytes]) -> None:
    """Where messages are cut means nothing."""
    received = b""
    async with (
        websockets_at(saying(*messages)) as server,
        client_of(server) as client,
        client.port_forward("web", 8080) as forward,
        await forward.connect() as connection,
    ):
        while data := await connection.read():
            received += data

    assert received == b"hi"


async def test_another_port_than_ours_is_an_error() -> None:
    """Data of another service must not pass for that of this one."""
    async with (
        websockets_at(saying(b"\x00\x50\x00data")) as server,
        client_of(server) as client,
        client.port_forward("web", 8080) as forward,
        await forward.connect() as connection,
    ):
        with pytest.raises(TransportError, match="port 80, and 8080 was asked for"):
            await connection.read()


async def test_a_port_that_nobody_listens_at_is_an_error_that_says_so() -> None:
    """The kubelet's words come through."""
    async with (
        websockets_at(saying(*OPENING, b"\x01" + REFUSED)) as server,
        client_of(server) as client,
        client.port_forward("web", 8080) as forward,
        await forward.connect() as connection,
    ):
        with pytest.raises(TransportError) as caught:
            await connection.read()

    assert str(caught.value) == (
        "cannot create pods/portforward 'web' in namespace 'shop': port 8080 of the pod could not"
        f" be reached: {REFUSED.decode()}"
    )


async def test_each_connection_has_a_websocket_of_its_own() -> None:
    """The protocol has one stream for each port, so two connections cannot share one."""
    async with (
        websockets_at(echo) as server,
        client_of(server) as client,
        client.port_forward("web", 8080) as forward,
    ):
        connections = [await forward.connect() for _ in range(3)]
        for number, connection in enumerate(connections):
            await connection.write(b"%d" % number)
        received = [await connection.read() for connection in connections]

    assert received == [b"0", b"1", b"2"]
    assert len(server.sockets) == 3


async def test_leaving_the_block_closes_every_connection() -> None:
    """Also those that nobody closed, and those that a task still reads from."""
    async with websockets_at(hang) as server, client_of(server) as client:
        async with client.port_forward("web", 8080) as forward:
            await forward.connect()
            reading = asyncio.create_task((await forward.connect()).read())
            await passes(5)
        await server.empty()
        await asyncio.wait([reading])

    assert reading.done()


async def test_a_closed_connection_is_forgotten() -> None:
    """A forward may live for days and serve thousands of them."""
    async with (
        websockets_at(echo) as server,
        client_of(server) as client,
        client.port_forward("web", 8080) as forward,
    ):
        connection = await forward.connect()
        await connection.close()
        await connection.close()

        assert not forward._connections
        with pytest.raises(TransportError):
            await connection.write(b"x")


async def test_it_works_only_inside_of_its_block() -> None:
    """Outside of it nobody would close what was opened."""
    async with websockets_at(echo) as server, client_of(server) as client:
        forward = client.port_forward("web", 8080)
        with pytest.raises(LifecycleError, match="async with"):
            await forward.connect()
        async with forward:
            with pytest.raises(LifecycleError, match="open already"):
                await forward.__aenter__()
        with pytest.raises(LifecycleError, match="async with"):
            await forward.listen()


@pytest.mark.parametrize("port", [0, -1, 65536])
async def test_a_number_that_is_no_port_is_refused(port: int) -> None:
    """Before anything is asked of a server."""
    async with websockets_at(echo) as server, client_of(server) as client:
        with pytest.raises(ValueError, match="not a port"):
            client.port_forward("web", port)


async def test_a_local_port_reaches_the_pod() -> None:
    """Any program can connect to it, several at once."""
    data = bytes(range(256)) * 4000

    async def exchange(port: int) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(data)
        received = await reader.readexactly(len(data))
        writer.close()
        await writer.wait_closed()
        return received

    async with (
        websockets_at(echo) as server,
        client_of(server) as client,
        client.port_forward("web", 8080) as forward,
    ):
        port = await forward.listen()
        both = await asyncio.gather(exchange(port), exchange(port))

    assert list(both) == [data, data]
    assert len(server.sockets) == 2


async def test_a_client_that_has_sent_all_still_gets_its_answer() -> None:
    """`echo hello | nc` closes its sending side before the answer comes."""
    asked = asyncio.Event()

    async def play(socket: ServerConnection) -> None:
        await saying(*OPENING)(socket)
        assert await socket.recv() == b"\x00hello"
        asked.set()
        await passes()
        await saying(b"\x00an", b"\x00swer")(socket)

    async with (
        websockets_at(play) as server,
        client_of(server) as client,
        client.port_forward("web", 8080) as forward,
    ):
        reader, writer = await asyncio.open_connection("127.0.0.1", await forward.listen())
        writer.write(b"hello")
        writer.write_eof()
        await asked.wait()
        answer = await reader.read()
        writer.close()
        await writer.wait_closed()

    assert answer == b"answer"


async def test_an_answer_that_comes_before_the_request_is_complete_is_not_cut() -> None:
    """A web server may refuse a large upload and close while the client still sends."""
    answer = bytes(range(256)) * 32_000

    async def play(socket: ServerConnection) -> None:
        await saying(*OPENING)(socket)
        await socket.recv()
        ignoring = asyncio.create_task(ignore(socket))
        for start in range(0, len(answer), 16384):
            await socket.send(b"\x00" + answer[start : start + 16384])
        await socket.close()
        await asyncio.wait([ignoring])

    async with (
        websockets_at(play) as server,
        client_of(server) as client,
        client.port_forward("web", 8080) as forward,
    ):
        port = await forward.listen()
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=4096)
        received = bytearray()
        while len(received) < len(answer):
            writer.write(b"x")
            await asyncio.sleep(0)
            data = await reader.read(8192)  # slowly, so that the end comes while we still send
            assert data
            received += data
        writer.transport.abort()

    assert received == answer


async def test_a_client_that_went_away_is_given_up_after_a_while() -> None:
    """The pod cannot be told that nobody sends any more, so its silence has to end somewhere."""
    clock = VirtualClock()
    async with (
        websockets_at(hang) as server,
        client_of(server, clock) as client,
        client.port_forward("web", 8080) as forward,
    ):
        _, writer = await asyncio.open_connection("127.0.0.1", await forward.listen())
        writer.close()
        await writer.wait_closed()
        await until(lambda: clock.sleepers >= 2)  # the keep-alive, and the wait for the pod
        await clock.advance(10)
        await server.empty()

        assert not forward._connections


async def test_a_failed_connection_is_reset_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    """An orderly end would look to the client like an empty answer."""
    async with (
        websockets_at(saying(*OPENING, b"\x01" + REFUSED)) as server,
        client_of(server) as client,
        client.port_forward("web", 8080) as forward,
    ):
        reader, writer = await asyncio.open_connection("127.0.0.1", await forward.listen())
        with pytest.raises(ConnectionResetError):
            await reader.read()
        await server.empty()
        writer.close()

    assert "connection refused" in caplog.text


async def test_leaving_the_block_ends_what_is_being_forwarded() -> None:
    """The local port is free again, and its clients see the end."""
    async with websockets_at(hang) as server, client_of(server) as client:
        async with client.port_forward("web", 8080) as forward:
            port = await forward.listen()
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            await until(lambda: server.open > 0)
        await server.empty()
        try:
            rest = await reader.read()
        except ConnectionError:
            rest = b""
        writer.close()
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", port)

    assert rest == b""


async def test_cancelling_closes_everything() -> None:
    """Cancellation is how reconcilers and managers stop."""
    opened = asyncio.Event()

    async with websockets_at(hang) as server, client_of(server) as client:

        async def work() -> None:
            async with client.port_forward("web", 8080) as forward:
                await forward.listen()
                connection = await forward.connect()
                opened.set()
                await connection.read()

        working = asyncio.create_task(work())
        await opened.wait()
        working.cancel()
        await asyncio.wait([working])
        await server.empty()

    assert working.cancelled()
