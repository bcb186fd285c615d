import asyncio
import socket
import ssl
import sys
from contextlib import suppress

import pytest

from kubewright._aio import Clock, VirtualClock
from kubewright._http.dial import dial
from kubewright._http.duplex import RawConnection
from kubewright._http.endpoint import Limits, Route, endpoint_of, proxy_of
from kubewright.errors import TransportError, TransportTimeoutError
from tests.unit._http.certificates import Authority
from tests.unit._http.servers import OK, Peer, no_tls, say_nothing, say_ok, serving


def free_port() -> int:
    """Return a port of loopback that nobody listens on."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


def tls_route(
    authority: Authority | None,
    port: int,
    *,
    host: str = "127.0.0.1",
    name: str | None = None,
    proxy: str | None = None,
) -> Route:
    context = authority.client() if authority else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    endpoint, _ = endpoint_of(f"https://{host}:{port}")
    return Route(endpoint, lambda: context, name, proxy_of(proxy) if proxy else None)


async def connect(route: Route, *, clock: Clock | None = None) -> RawConnection:
    tried = f"GET {route}"
    raw = RawConnection(tried=tried, host=route.endpoint.host_port, buffer=1 << 20)
    return await dial(route, raw, clock=clock or Clock(), limits=Limits(), tried=tried)


async def ask(route: Route) -> bytes:
    """Send a request by hand and return the answer."""
    raw = await connect(route)
    try:
        await raw.write(b"GET / HTTP/1.1\r\n\r\n")
        return await raw.read()
    finally:
        raw.close()


async def test_tls_with_the_right_name_connects(authority: Authority) -> None:
    """The usual case: an address in the certificate."""
    async with serving(say_ok, context=authority.server("127.0.0.1")) as server:
        assert await ask(tls_route(authority, server.port)) == OK


async def test_a_host_may_be_a_name(authority: Authority) -> None:
    """Its addresses are tried one after another, the next while the first is still silent."""
    async with serving(say_ok, context=authority.server("localhost")) as server:
        assert await ask(tls_route(authority, server.port, host="localhost")) == OK


async def test_tls_server_name_stands_in_for_the_host(authority: Authority) -> None:
    """Through a tunnel the address is 127.0.0.1, and the certificate knows the real name."""
    async with serving(say_ok, context=authority.server("k8s.example")) as server:
        assert await ask(tls_route(authority, server.port, name="k8s.example")) == OK


async def test_a_wrong_name_is_refused_and_says_which_names_are_right(authority: Authority) -> None:
    """The fix is to use one of the names, so they stand in the message."""
    async with serving(say_ok, context=authority.server("k8s.example", "10.0.0.1")) as server:
        with pytest.raises(TransportError) as caught:
            await connect(tls_route(authority, server.port))

    assert "is for another name" in str(caught.value)
    assert "k8s.example, 10.0.0.1" in str(caught.value)
    assert "tls-server-name" in str(caught.value)


async def test_an_unknown_authority_is_refused(authority: Authority) -> None:
    """Verification is on by default, and the message says what to set."""
    async with serving(say_ok, context=authority.server("127.0.0.1")) as server:
        with pytest.raises(TransportError, match="Set certificate-authority"):
            await connect(tls_route(None, server.port))


async def test_an_expired_certificate_is_refused(authority: Authority) -> None:
    """Clusters that nobody renewed for a year are common."""
    async with serving(say_ok, context=authority.server("127.0.0.1", days=-1)) as server:
        with pytest.raises(TransportError, match="has expired"):
            await connect(tls_route(authority, server.port))


async def test_a_server_without_tls_is_named_as_such(authority: Authority) -> None:
    """OpenSSL says WRONG_VERSION_NUMBER, which sends people looking at versions."""

    async def speak_http(peer: Peer) -> None:
        await peer.reader.read(1)
        await peer.send(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    async with serving(speak_http) as server:
        with pytest.raises(TransportError, match="does not speak TLS"):
            await connect(tls_route(authority, server.port))


async def test_a_refused_connection_asks_whether_the_server_runs() -> None:
    """The text is pinned: it is the first error that most people meet."""
    port = free_port()
    route = Route(endpoint_of(f"http://127.0.0.1:{port}")[0], no_tls)

    with pytest.raises(TransportError) as caught:
        await connect(route)

    assert not caught.value.lost
    assert str(caught.value) == (
        f"cannot GET http://127.0.0.1:{port}: the connection was refused."
        f" Is the API server running at 127.0.0.1:{port}?"
    )


async def test_a_name_that_nobody_knows_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """A typo in the kubeconfig."""

    def lookup(*args: object, **kwargs: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    route = Route(endpoint_of("http://k8s.invalid")[0], no_tls)

    with pytest.raises(TransportError, match=r"the name in k8s.invalid:80 was not found"):
        await connect(route)


async def test_a_server_that_hangs_in_the_handshake_is_a_timeout(authority: Authority) -> None:
    """The bound is client-go's: ten seconds."""
    clock = VirtualClock()

    async def stuck(peer: Peer) -> None:
        await peer.reader.read(1)
        began.set()
        await peer.gone()

    began = asyncio.Event()
    async with serving(stuck) as server:
        task = asyncio.create_task(connect(tls_route(authority, server.port), clock=clock))
        await began.wait()
        await clock.advance(10)

        with pytest.raises(TransportTimeoutError, match="within 10 s"):
            await task
        await server.empty()


async def test_a_cancelled_handshake_leaves_no_connection(authority: Authority) -> None:
    """Shutting down in that moment must not leak a socket."""

    async def stuck(peer: Peer) -> None:
        await peer.reader.read(1)
        began.set()
        await peer.gone()

    began = asyncio.Event()
    async with serving(stuck) as server:
        task = asyncio.create_task(connect(tls_route(authority, server.port)))
        await began.wait()
        task.cancel()

        with pytest.raises(asyncio.CancelledError):
            await task
        await server.empty()


async def test_the_socket_is_kept_alive_and_sends_at_once() -> None:
    """Without keep-alive a watch on a dead machine waits for ever."""
    async with serving(say_nothing) as server:
        raw = await connect(Route(endpoint_of(f"http://127.0.0.1:{server.port}")[0], no_tls))
        sock = raw._transport.get_extra_info("socket")  # type: ignore[union-attr]  # connected
        alive = sock.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        idle = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE)
        no_delay = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        patience = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT)
        raw.close()
        await server.empty()

    assert (alive, idle, no_delay) == (1, 30, 1)
    assert patience == 75_000  # or what is not acknowledged is sent again for a quarter of an hour


async def tunnel(peer: Peer) -> None:
    """Do what a proxy does on CONNECT."""
    target = (await peer.request()).split()[1].decode()
    host, _, port = target.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    await peer.send(b"HTTP/1.1 200 Connection established\r\nVia: test\r\n\r\n")
    back = asyncio.create_task(_copy(reader, peer.writer))
    try:
        await _copy(peer.reader, writer)
    finally:
        back.cancel()
        await asyncio.wait([back])
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)


async def test_tls_goes_through_a_proxy(authority: Authority) -> None:
    """The proxy learns the host and port, and our password, and nothing else."""
    async with (
        serving(say_ok, context=authority.server("127.0.0.1")) as server,
        serving(tunnel) as proxy,
    ):
        url = f"http://me:pw@127.0.0.1:{proxy.port}"
        answer = await ask(tls_route(authority, server.port, proxy=url))
        await proxy.empty()

    target = f"127.0.0.1:{server.port}"
    assert answer == OK
    assert proxy.requests[0].decode() == (
        f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n"
        "Proxy-Authorization: Basic bWU6cHc=\r\n\r\n"
    )


async def test_tls_goes_through_a_proxy_with_tls(authority: Authority) -> None:
    """TLS inside TLS."""
    async with (
        serving(say_ok, context=authority.server("127.0.0.1")) as server,
        serving(tunnel, context=authority.server("127.0.0.1")) as proxy,
    ):
        url = f"https://127.0.0.1:{proxy.port}"
        answer = await ask(tls_route(authority, server.port, proxy=url))
        await proxy.empty()

    assert answer == OK


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", "Check its user and password"),
        (b"HTTP/1.1 403 Forbidden\r\n\r\n", "Check what the proxy allows"),
        (b"SSH-2.0-x\r\n\r\n", "gave no answer in HTTP"),
        (b"HTTP/1.1\r\n\r\n", "refused the tunnel"),
        (b"HTTP/1.1 403 \x1b[2J\r\n\r\n", "'HTTP/1.1 403 \\x1b[2J'"),
        (b"", "gave no answer in HTTP"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 20000, "gave no answer in HTTP"),
    ],
)
async def test_a_proxy_that_refuses_is_named(
    authority: Authority, answer: bytes, said: str
) -> None:
    """Half of all network trouble is the proxy."""

    async def refuse(peer: Peer) -> None:
        await peer.request()
        await peer.send(answer)
        if answer:
            await peer.gone()

    async with serving(refuse) as proxy:
        with pytest.raises(TransportError) as caught:
            await connect(tls_route(authority, 1, proxy=f"http://me:pw@127.0.0.1:{proxy.port}"))
        await proxy.empty()

    assert said in str(caught.value)
    assert f"the proxy http://127.0.0.1:{proxy.port}" in str(caught.value)
    assert "pw" not in str(caught.value)


async def test_a_proxy_that_says_nothing_is_a_timeout(authority: Authority) -> None:
    """The bound is that of connecting."""
    clock = VirtualClock()

    async with serving(say_nothing) as proxy:
        route = tls_route(authority, 1, proxy=f"http://127.0.0.1:{proxy.port}")
        task = asyncio.create_task(connect(route, clock=clock))
        while not proxy.requests:  # noqa: ASYNC110  # the proxy has no event for it
            await asyncio.sleep(0)
        await clock.advance(30)

        with pytest.raises(TransportTimeoutError, match="opened no tunnel within 30 s"):
            await task


def test_uvloop_dials_tls_by_name(authority: Authority) -> None:
    """It lacks some of the options of asyncio's own loop."""
    uvloop = pytest.importorskip("uvloop")

    async def exchange() -> bytes:
        async with serving(say_ok, context=authority.server("localhost")) as server:
            return await ask(tls_route(authority, server.port, host="localhost"))

    assert uvloop.run(exchange()) == OK


async def test_a_name_in_ascii_needs_no_tables_of_unicode(
    authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are half a megabyte, which an operator would keep for as long as it runs."""
    monkeypatch.delitem(sys.modules, "encodings.idna", raising=False)

    async with serving(say_ok, context=authority.server("127.0.0.1")) as server:
        await ask(tls_route(authority, server.port))

    assert "encodings.idna" not in sys.modules
