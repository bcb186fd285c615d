import asyncio
import errno
import logging
import resource
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import pytest

from kubewright._aio import VirtualClock
from kubewright._pki.authority import Authority
from kubewright._serve.listener import Listener, room
from kubewright._serve.tls import ServerTLS
from tests.unit._serve.clients import GET, connected, serving


class Exhausted:
    """A listening socket whose process has no descriptors left, until `refusals` are used up."""

    def __init__(self, real: socket.socket, refusals: int) -> None:
        self._real = real
        self.refusals = refusals
        self.asked = 0
        self.was_asked = asyncio.Event()

    def accept(self) -> tuple[socket.socket, Any]:
        self.asked += 1
        self.was_asked.set()
        if self.asked <= self.refusals:
            raise OSError(errno.EMFILE, "Too many open files")
        return self._real.accept()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


@contextmanager
def descriptors(most: int) -> Iterator[None]:
    """Let this process have *most* descriptors."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def tls() -> ServerTLS:
    pair = Authority().serving("127.0.0.1")
    return ServerTLS(pair.certificate, pair.key)


async def until_closed(client: socket.socket) -> bytes:
    """Wait for the end of what the server sends."""
    try:
        return await asyncio.get_running_loop().sock_recv(client, 1)
    except ConnectionError:
        return b""


async def silent(address: tuple[str, int]) -> socket.socket:
    """Connect, and say nothing."""
    client = socket.socket()
    client.setblocking(False)
    await asyncio.get_running_loop().sock_connect(client, address)
    return client


def test_clients_get_only_a_part_of_the_descriptors() -> None:
    """The server opens files and connections of its own, and a client must not prevent that."""
    with descriptors(400):
        assert room(10_000) == 300
        assert room(200) == 200


async def test_a_server_with_few_descriptors_refuses_before_they_run_out() -> None:
    """The limit that was asked for is not the one that the process has."""
    with descriptors(400):
        async with serving() as (server, _):
            assert server._room == 300


async def test_no_descriptors_left_is_a_pause_and_one_line(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The loop neither spins nor writes, and clients that waited are served in the end."""
    clock = VirtualClock()
    real = socket.create_server(("127.0.0.1", 0))
    without = Exhausted(real, refusals=3)
    made = asyncio.Event()

    def client() -> asyncio.Protocol:
        made.set()
        return asyncio.Protocol()

    listener = Listener(
        cast("socket.socket", without),
        client,
        context=None,
        is_full=lambda arriving: False,
        handshakes=1,
        clock=clock,
    )
    waiting = await silent(real.getsockname())
    with caplog.at_level(logging.WARNING), waiting:
        for asked in (1, 2, 3):
            await without.was_asked.wait()
            for _ in range(10):
                await asyncio.sleep(0)
            assert without.asked == asked
            without.was_asked.clear()
            await clock.advance(1)

        await made.wait()
        listener.close()
        await listener.wait_closed()

    assert [record.message.split(" error")[0] for record in caplog.records] == [
        "cannot accept clients"
    ]


async def test_the_oldest_of_too_many_handshakes_gives_way() -> None:
    """Clients that connect and say nothing keep nobody out, and are closed."""
    async with serving(tls=tls(), handshakes=3) as (server, _):
        clients = [await silent(server.address) for _ in range(5)]

        assert [await until_closed(client) for client in clients[:2]] == [b"", b""]
        assert server._listener is not None
        assert len(server._listener._arriving) == 3
        for client in clients:
            client.close()


async def test_handshakes_count_as_connections() -> None:
    """Together they stay within the limit, and a few that are told so."""
    async with serving(tls=tls(), connections=2) as (server, _):
        clients = [await silent(server.address) for _ in range(20)]

        assert [await until_closed(client) for client in clients[:2]] == [b"", b""]
        for client in clients:
            client.close()


async def test_far_too_many_clients_are_let_go_without_a_word() -> None:
    """Telling each of them would take as many descriptors as serving them."""
    async with serving(connections=1) as (server, _):
        clients = [await silent(server.address) for _ in range(30)]
        loop = asyncio.get_running_loop()

        said = [await loop.sock_recv(client, 12) for client in clients[1:17]]
        rest = [await until_closed(client) for client in clients[17:]]

        assert said == [b"HTTP/1.1 503"] * 16
        assert rest == [b""] * 13
        for client in clients:
            client.close()


async def test_a_failed_handshake_writes_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """Anybody can fail as often as they like."""
    async with serving(tls=tls()) as (server, _):
        for _ in range(3):
            async with connected(server) as peer:
                await peer.send(GET)
                await peer.rest()

    assert not caplog.records


async def test_a_client_without_tls_is_told_so() -> None:
    """As by Go's servers: who forgets the s of https should not have to guess."""
    async with serving(tls=tls()) as (server, handler):
        reader, writer = await asyncio.open_connection(*server.address)
        writer.write(GET)

        answer = await reader.read()

        assert answer.startswith(b"HTTP/1.0 400 Bad Request\r\n")
        assert answer.endswith(b"Client sent an HTTP request to an HTTPS server.\n")
        assert not handler.requests
        writer.close()
