import asyncio
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from kubewright._aio import VirtualClock
from kubewright._pki.authority import Authority
from kubewright._serve.messages import Duplex, Request, Response, Stream, Upgrade
from kubewright._serve.server import HTTPServer
from kubewright._serve.tls import ServerTLS
from kubewright.errors import ConfigError, LifecycleError
from tests.unit._serve.clients import GET, Scripted, connected, echo, serving


async def test_a_port_that_is_taken_is_said() -> None:
    """The one who typed it learns what to do."""
    async with serving() as (server, _):
        other = HTTPServer(Scripted(echo), port=server.address[1])

        with pytest.raises(ConfigError, match=r"in use\. Choose another port"):
            await other.start()


@pytest.mark.parametrize("host", ["no.such.host.invalid", "203.0.113.1"])
async def test_an_address_that_is_not_ours_is_said(host: str) -> None:
    """Not with a stack trace."""
    with pytest.raises(ConfigError, match=f"cannot listen on {host}:0: "):
        await HTTPServer(Scripted(echo), host=host).start()


@pytest.mark.parametrize(
    ("host", "begins"),
    [("127.0.0.1", "http://127.0.0.1:"), ("0.0.0.0", "http://127.0.0.1:")],
)
async def test_the_url_is_one_that_clients_can_use(host: str, begins: str) -> None:
    """Nobody can connect to "everywhere"."""
    async with HTTPServer(Scripted(echo), host=host) as server:
        assert server.url.startswith(begins)
        assert not server.url.endswith(":0")


async def test_there_is_no_url_before_the_start() -> None:
    """The port is not known yet."""
    with pytest.raises(LifecycleError, match="start it first"):
        _ = HTTPServer(Scripted(echo)).url


async def test_an_idle_client_gives_way_where_that_is_wanted() -> None:
    """Whoever can open connections could have a process restarted by its liveness probe."""
    async with (
        serving(connections=1, gives_way=True) as (server, _),
        connected(server) as idle,
    ):
        await idle.send(GET)
        await idle.answer()
        async with connected(server) as prober:
            await prober.send(GET)

            assert (await prober.answer())[0].startswith(b"HTTP/1.1 200")
            assert await idle.rest() == b""


async def test_too_many_clients_are_told_so() -> None:
    """And those who are there go on."""
    async with serving(connections=1) as (server, _), connected(server) as first:
        await first.send(GET)
        await first.answer()
        async with connected(server) as second:
            refused, _ = await second.answer()
            second.writer.write_eof()
            await second.rest()
        await first.send(GET)

        assert refused.startswith(b"HTTP/1.1 503")
        assert (await first.answer())[0].startswith(b"HTTP/1.1 200")


async def test_while_it_drains_each_client_is_answered_once_more_and_told_to_go() -> None:
    """One that keeps its connection would send a request just when that is closed."""
    async with serving() as (server, _), connected(server) as known:
        await known.send(GET)
        assert b"connection: close" not in (await known.answer())[0].lower()

        server.drain()

        async with connected(server) as newcomer:
            for client in (known, newcomer):
                await client.send(GET)
                head, _ = await client.answer()
                assert head.startswith(b"HTTP/1.1 200")
                assert b"connection: close" in head.lower()
                assert await client.rest() == b""


async def test_a_stop_finishes_requests_and_closes_idle_connections() -> None:
    """A rolling restart loses nothing."""
    started, release = asyncio.Event(), asyncio.Event()

    async def wait(request: Request) -> Response:
        started.set()
        await release.wait()
        return Response(200, b"done")

    async with serving(wait) as (server, _), connected(server) as idle, connected(server) as busy:
        await busy.send(GET * 3)
        await started.wait()
        stopping = asyncio.create_task(server.stop(grace=60))
        assert await idle.rest() == b""
        release.set()
        answer = await busy.rest()
        await stopping

    assert answer.endswith(b"done")
    assert answer.count(b"Connection: close") == answer.count(b"HTTP/1.1") == 1


async def test_a_stop_ends_watches_in_good_order() -> None:
    """The watcher connects again, and does not report an error."""
    closed = asyncio.Event()

    async def chunks() -> AsyncIterator[bytes]:
        try:
            yield b"one"
            await asyncio.Event().wait()
        finally:
            closed.set()

    async with serving(Stream(chunks())) as (server, _), connected(server) as peer:
        await peer.send(GET)
        await peer.head()
        await peer.chunk()
        await server.stop(grace=60)

        assert closed.is_set()
        assert await peer.rest() == b"0\r\n\r\n"


async def test_a_stop_does_not_wait_for_those_who_left_http() -> None:
    """A forwarded port that somebody left open would delay every restart."""
    talks, closed = asyncio.Event(), asyncio.Event()

    async def talk(duplex: Duplex) -> None:
        talks.set()
        try:
            await duplex.read()
        finally:
            closed.set()

    async with serving(Upgrade(talk)) as (server, _), connected(server) as peer:
        await peer.send(
            b"GET / HTTP/1.1\r\nHost: t\r\nConnection: Upgrade\r\nUpgrade: words\r\n\r\n"
        )
        await talks.wait()
        await server.stop(grace=60)

    assert closed.is_set()


async def test_a_stop_does_not_wait_longer_than_the_grace() -> None:
    """A request that hangs must not keep the process alive."""
    clock = VirtualClock()
    started, cancelled = asyncio.Event(), asyncio.Event()

    async def hang(request: Request) -> Response:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()
        raise AssertionError

    async with serving(hang, clock=clock) as (server, _), connected(server) as peer:
        await peer.send(GET)
        await started.wait()
        stopping = asyncio.create_task(server.stop(grace=5))
        await clock.advance(4.9)
        assert not cancelled.is_set()
        await clock.advance(0.2)
        await stopping

    assert cancelled.is_set()


def client_context(authority: Authority, folder: Path, user: str = "") -> ssl.SSLContext:
    """Return the context of a client that trusts *authority*, and shows a certificate of it."""
    context = ssl.create_default_context(cadata=authority.certificate.decode())
    if user:
        pair = authority.client(user)
        (folder / "client.pem").write_bytes(pair.certificate + pair.key)
        context.load_cert_chain(folder / "client.pem")
    return context


def server_tls(authority: Authority) -> ServerTLS:
    """Return TLS for a server under *authority*."""
    pair = authority.serving("127.0.0.1")
    return ServerTLS(pair.certificate, pair.key, authority.certificate)


@pytest.mark.parametrize("user", ["", "jane"])
async def test_a_client_certificate_reaches_the_handler(user: str, tmp_path: Path) -> None:
    """It says who asks; a client without one may have a token."""
    authority = Authority()
    context = client_context(authority, tmp_path, user)
    async with (
        serving(tls=server_tls(authority)) as (server, handler),
        connected(server, context) as peer,
    ):
        await peer.send(GET)
        head, _ = await peer.answer()

    assert head.startswith(b"HTTP/1.1 200")
    shown = handler.requests[0].certificate
    assert (shown is not None and b"jane" in shown) is bool(user)


async def ask(server: HTTPServer, context: ssl.SSLContext) -> None:
    """Send one request over TLS."""
    async with connected(server, context) as peer:
        await peer.send(GET)
        await peer.answer()


async def test_a_certificate_of_strangers_reaches_nobody(tmp_path: Path) -> None:
    """And the server goes on for others, whatever came instead of a handshake."""
    authority, stranger = Authority(), Authority()
    wrong = client_context(authority, tmp_path)
    pair = stranger.client("admin", ("system:masters",))
    (tmp_path / "client.pem").write_bytes(pair.certificate + pair.key)
    wrong.load_cert_chain(tmp_path / "client.pem")

    async with serving(tls=server_tls(authority)) as (server, handler):
        with pytest.raises((OSError, EOFError)):
            await ask(server, wrong)
        async with connected(server) as peer:
            await peer.send(GET)
            await peer.rest()
        async with connected(server, client_context(authority, tmp_path)) as peer:
            await peer.send(GET)
            head, _ = await peer.answer()

    assert head.startswith(b"HTTP/1.1 200")
    assert len(handler.requests) == 1
