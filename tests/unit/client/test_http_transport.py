import asyncio
import gzip
import ssl
from collections.abc import Callable
from pathlib import Path

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.client import ClientProtocol
from websockets.protocol import State
from websockets.uri import parse_uri

from kubewright._aio import VirtualClock
from kubewright._http.endpoint import Limits
from kubewright.api.requests import Request
from kubewright.client import Client, Config
from kubewright.client.http_transport import HTTPOptions, HTTPTransport, transport_for
from kubewright.client.transport import Headers
from kubewright.errors import (
    Attempt,
    ConfigError,
    LifecycleError,
    TransportError,
    TransportTimeoutError,
)
from kubewright.kinds.core.v1 import ConfigMap
from tests.unit._http.certificates import Authority
from tests.unit._http.servers import (
    CHUNKED,
    OK,
    Peer,
    Server,
    answering,
    chunk,
    say_nothing,
    say_ok,
    serving,
)

GET = Request("GET", "/api/v1/pods?limit=5", Attempt("list", "pods"))
PATCH = Request(
    "PATCH", "/api/v1/pods/x", Attempt("patch", "pods"), b"{}", "application/merge-patch+json"
)
REFUSED = b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno"


def url(server: Server, path: str = "") -> str:
    return f"http://127.0.0.1:{server.port}{path}"


class FixedToken:
    """Credentials that never change."""

    static: Headers | None = (("Authorization", "Bearer fixed"),)

    async def headers(self) -> Headers:
        raise AssertionError("static credentials are not asked again")

    async def rejected(self, used: Headers) -> bool:
        raise AssertionError("static credentials cannot change")


class Tokens:
    """Credentials that go through a list of tokens, one further at each refusal."""

    static: Headers | None = None

    def __init__(self, *tokens: str) -> None:
        self._tokens = list(tokens)
        self.refused: list[Headers] = []

    async def headers(self) -> Headers:
        return (("Authorization", f"Bearer {self._tokens[0]}"),)

    async def rejected(self, used: Headers) -> bool:
        self.refused.append(used)
        if len(self._tokens) == 1:
            return False
        del self._tokens[0]
        return True


class TrustOf:
    """TLS settings of a test: a context that can be swapped."""

    def __init__(self, context: ssl.SSLContext, server_name: str | None = None) -> None:
        self.current = context
        self.server_name = server_name
        self.asked = 0
        self._callbacks: list[Callable[[], None]] = []

    def context(self) -> ssl.SSLContext | None:
        self.asked += 1
        return self.current

    def on_rotation(self, callback: Callable[[], None]) -> None:
        self._callbacks.append(callback)

    def rotate(self) -> None:
        for callback in self._callbacks:
            callback()


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """Return a certificate authority that nobody else trusts."""
    folder: Path = tmp_path_factory.mktemp("certificates")
    return Authority(folder)


async def test_a_request_looks_like_this_on_the_wire() -> None:
    """The bytes are pinned: they are what every server and proxy gets to see."""
    options = HTTPOptions(user_agent="shop/1.0", headers=(("Impersonate-User", "jane"),))

    async with (
        serving(say_ok) as server,
        HTTPTransport(url(server, "/k8s/"), options, credentials=FixedToken()) as transport,
    ):
        await transport.send(PATCH)

    assert server.requests[0].decode() == (
        "PATCH /k8s/api/v1/pods/x HTTP/1.1\r\n"
        f"Host: 127.0.0.1:{server.port}\r\n"
        "User-Agent: shop/1.0\r\n"
        "Impersonate-User: jane\r\n"
        "Authorization: Bearer fixed\r\n"
        "Accept: application/json\r\n"
        "Content-Type: application/merge-patch+json\r\n"
        "Content-Length: 2\r\n"
        "\r\n{}"
    )


async def test_a_read_sends_no_length_and_no_type() -> None:
    """A GET with a length of zero upsets some proxies."""
    async with serving(say_ok) as server, HTTPTransport(url(server)) as transport:
        response = await transport.send(GET)

    assert (response.status, response.body) == (200, b"ok")
    assert response.header("content-type") == "text/plain"
    assert b"Content-" not in server.requests[0]


async def test_a_write_without_a_body_says_so() -> None:
    """Without a length a server may wait for a body."""
    post = Request("POST", "/api/v1/pods/x/eviction", Attempt("create", "pods"))

    async with serving(say_ok) as server, HTTPTransport(url(server)) as transport:
        await transport.send(post)

    assert b"Content-Length: 0\r\n" in server.requests[0]


async def test_headers_of_a_request_are_added() -> None:
    """The upgrade of exec is made of them."""
    request = Request("GET", "/x", Attempt("get", "x"), headers=(("X-One", "1"), ("X-One", "2")))

    async with serving(say_ok) as server, HTTPTransport(url(server)) as transport:
        await transport.send(request)

    assert b"X-One: 1\r\nX-One: 2\r\n" in server.requests[0]


@pytest.mark.parametrize("target", ["", "x", "/a b", "/a\r\nHost: evil", "/ü", "http://evil/"])
async def test_a_target_that_is_none_is_not_sent(target: str) -> None:
    """A name with a line break in it must not become a request of its own."""
    async with serving(say_ok) as server, HTTPTransport(url(server)) as transport:
        with pytest.raises(ValueError, match="percent-encoded"):
            await transport.send(Request("GET", target, Attempt("get", "pods")))

    assert server.requests == []


@pytest.mark.parametrize(
    "header", [("X-A", "b\r\nX-C: d"), ("X A", "b"), ("", "b"), ("X-A", "ü€"), ("X:", "b")]
)
def test_a_header_that_would_break_the_line_is_refused(header: tuple[str, str]) -> None:
    """A token with a line break at its end is the usual case."""
    with pytest.raises(ConfigError, match="cannot send"):
        HTTPTransport("http://127.0.0.1", HTTPOptions(headers=(header,)))


def test_an_error_about_a_header_does_not_show_its_value() -> None:
    """It may be a token."""
    with pytest.raises(ConfigError) as caught:
        HTTPTransport("http://h", HTTPOptions(headers=(("Authorization", "Bearer secret\n"),)))

    assert "secret" not in str(caught.value)


async def test_a_refused_token_is_renewed_and_the_request_sent_again() -> None:
    """Tokens of service accounts live for an hour, operators for months."""
    credentials = Tokens("old", "new")

    async with (
        serving(answering(REFUSED, OK)) as server,
        HTTPTransport(url(server), credentials=credentials) as transport,
    ):
        response = await transport.send(PATCH)

    assert response.status == 200
    assert credentials.refused == [(("Authorization", "Bearer old"),)]
    assert b"Bearer new" in server.requests[1]
    assert len(server.peers) == 1


async def test_a_renewed_token_leaves_watches_alone() -> None:
    """Tokens change every hour; cutting all watches each time would list everything again."""

    async def watched(peer: Peer) -> None:
        await peer.request()
        await peer.send(CHUNKED)
        await renewed.wait()
        await peer.send(chunk(b"event") + b"0\r\n\r\n")

    renewed = asyncio.Event()
    async with (
        serving(watched, answering(REFUSED), say_ok) as server,
        HTTPTransport(url(server), credentials=Tokens("old", "new")) as transport,
        transport.stream(GET) as stream,
    ):
        await transport.send(GET)
        renewed.set()
        received = [data async for data in stream]

    assert received == [b"event"]


async def test_a_refused_token_asks_for_a_new_certificate_too() -> None:
    """An exec plugin may give a certificate in place of a token."""
    trust = TrustOf(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))

    async with (
        serving(answering(REFUSED), say_ok) as server,
        HTTPTransport(url(server), tls=trust, credentials=Tokens("old", "new")) as transport,
    ):
        await transport.send(GET)

    assert trust.asked == 1


async def test_a_token_is_renewed_once_per_request() -> None:
    """A user who was locked out must not hammer the server."""
    credentials = Tokens("one", "two", "three")

    async with (
        serving(answering(REFUSED)) as server,
        HTTPTransport(url(server), credentials=credentials) as transport,
    ):
        response = await transport.send(GET)

    assert response.status == 401
    assert len(server.requests) == 2


async def test_credentials_without_a_better_idea_end_it() -> None:
    """The 401 is the answer then."""
    async with (
        serving(answering(REFUSED)) as server,
        HTTPTransport(url(server), credentials=Tokens("only")) as transport,
    ):
        response = await transport.send(GET)

    assert (response.status, response.body) == (401, b"no")
    assert len(server.requests) == 1


async def test_a_refusal_of_fixed_credentials_is_the_answer() -> None:
    """There is nobody to ask for others."""
    async with (
        serving(answering(REFUSED)) as server,
        HTTPTransport(url(server), credentials=FixedToken()) as transport,
    ):
        response = await transport.send(GET)

    assert response.status == 401


async def test_a_stream_renews_its_token_too() -> None:
    """A watch that starts with an old token must not end there."""

    async def script(peer: Peer) -> None:
        await peer.request()
        await peer.send(CHUNKED + chunk(b"event") + b"0\r\n\r\n")

    async with (
        serving(answering(REFUSED), script) as server,
        HTTPTransport(url(server), credentials=Tokens("old", "new")) as transport,
        transport.stream(GET) as stream,
    ):
        received = [data async for data in stream]

    assert (stream.status, received) == (200, [b"event"])


async def test_a_stream_arrives_as_it_is_sent() -> None:
    """An event must reach its handler before the next one happens."""
    first_read = asyncio.Event()

    async def script(peer: Peer) -> None:
        await peer.request()
        await peer.send(CHUNKED + chunk(b"first"))
        await first_read.wait()
        await peer.send(chunk(b"second") + b"0\r\n\r\n")

    async with serving(script) as server, HTTPTransport(url(server)) as transport:
        received = []
        async with transport.stream(GET) as stream:
            async for data in stream:
                received.append(data)
                first_read.set()

    assert received == [b"first", b"second"]
    assert stream.headers == (("transfer-encoding", "chunked"),)


async def test_a_stream_that_is_refused_gives_the_status_and_the_reason() -> None:
    """The body is a Status that says why."""
    gone = b"HTTP/1.1 410 Gone\r\nContent-Length: 7\r\n\r\ntoo old"

    async with (
        serving(answering(gone)) as server,
        HTTPTransport(url(server)) as transport,
        transport.stream(GET) as stream,
    ):
        body = b"".join([data async for data in stream])

    assert (stream.status, body) == (410, b"too old")


async def test_leaving_a_stream_early_closes_its_connection() -> None:
    """The server must not go on sending to nobody."""

    async def script(peer: Peer) -> None:
        await peer.request()
        await peer.send(CHUNKED + chunk(b"event"))
        await peer.gone()

    async with serving(script) as server, HTTPTransport(url(server)) as transport:
        async with transport.stream(GET) as stream:
            async for _ in stream:
                break
        await server.empty()

        assert server.open == 0


async def test_a_cancelled_stream_closes_its_connection() -> None:
    """Cancellation is how every watch of an operator ends."""
    reading = asyncio.Event()

    async def script(peer: Peer) -> None:
        await peer.request()
        await peer.send(CHUNKED + chunk(b"event"))
        await peer.gone()

    async with serving(script) as server, HTTPTransport(url(server)) as transport:

        async def watch() -> None:
            async with transport.stream(GET) as stream:
                async for _ in stream:
                    reading.set()

        task = asyncio.create_task(watch())
        await reading.wait()
        task.cancel()
        await asyncio.wait([task])
        await server.empty()

        assert task.cancelled()


async def test_a_stream_of_head_is_empty() -> None:
    """There is nothing to wait for, whatever the length says."""
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n"
    head = Request("HEAD", "/x", Attempt("get", "x"))

    async with (
        serving(answering(answer)) as server,
        HTTPTransport(url(server)) as transport,
        transport.stream(head) as stream,
    ):
        received = [data async for data in stream]

    assert (stream.status, received) == (200, [])


async def test_a_stream_does_not_take_the_connection_of_a_request() -> None:
    """A watch lives for minutes: it would starve the pool."""

    async def script(peer: Peer) -> None:
        request = await peer.request()
        if b"watch" in request:
            await peer.send(CHUNKED)
            await peer.gone()
        await peer.send(OK)
        await peer.gone()

    watch = Request("GET", "/x?watch=1", Attempt("watch", "x"))
    limits = Limits(connections=1)
    async with (
        serving(script) as server,
        HTTPTransport(url(server), HTTPOptions(limits=limits)) as transport,
        transport.stream(watch),
        transport.stream(watch),
    ):
        response = await transport.send(GET)

    assert response.status == 200
    assert len(server.peers) == 3


@pytest.mark.parametrize("explicit", [True, False])
async def test_a_request_that_takes_too_long_is_a_timeout(explicit: bool) -> None:
    """The bound comes with the request, or with the transport."""
    clock = VirtualClock()
    options = HTTPOptions(timeout=None if explicit else 7)

    async with (
        serving(say_nothing) as server,
        HTTPTransport(url(server), options, clock=clock) as transport,
    ):
        task = asyncio.create_task(transport.send(GET, timeout=7 if explicit else None))
        while not server.requests:  # noqa: ASYNC110  # sockets are outside of virtual time
            await asyncio.sleep(0)
        await clock.advance(7)

        with pytest.raises(TransportTimeoutError):
            await task


async def test_gzip_is_asked_for_only_when_told_to() -> None:
    """On a fast network compression costs more than it saves."""
    packed = gzip.compress(b"hello")
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed)

    async with serving(answering(head + packed), say_ok) as server:
        async with HTTPTransport(url(server), HTTPOptions(gzip=True)) as transport:
            response = await transport.send(GET)
        async with HTTPTransport(url(server)) as transport:
            await transport.send(GET)

    assert response.body == b"hello"
    assert [b"Accept-Encoding: gzip" in request for request in server.requests] == [True, False]


async def test_tls_is_verified_with_what_the_provider_says(authority: Authority) -> None:
    """The whole way: authority, server name, request, stream."""
    trust = TrustOf(authority.client(), "k8s.example")

    async with (
        serving(say_ok, context=authority.server("k8s.example")) as server,
        HTTPTransport(f"https://127.0.0.1:{server.port}", tls=trust) as transport,
    ):
        response = await transport.send(GET)
        async with transport.stream(GET) as stream:
            body = [data async for data in stream]

    assert response.body == b"ok"
    assert body == [b"ok"]


async def test_tls_is_verified_by_default(authority: Authority) -> None:
    """No settings must never mean no checks."""
    async with (
        serving(say_ok, context=authority.server("127.0.0.1")) as server,
        HTTPTransport(f"https://127.0.0.1:{server.port}") as transport,
    ):
        with pytest.raises(TransportError, match="not trusted here"):
            await transport.send(GET)

    assert server.requests == []


async def test_a_rotated_certificate_retires_the_connections(authority: Authority) -> None:
    """They speak for the old identity."""
    trust = TrustOf(authority.client())

    async with (
        serving(say_ok, context=authority.server("127.0.0.1")) as server,
        HTTPTransport(f"https://127.0.0.1:{server.port}", tls=trust) as transport,
    ):
        await transport.send(GET)
        trust.rotate()
        await transport.send(GET)

    assert len(server.peers) == 2


async def test_the_provider_is_asked_now_and_then_even_without_new_connections() -> None:
    """A rotation would go unnoticed for as long as the connections last."""
    clock = VirtualClock()
    trust = TrustOf(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))

    async with (
        serving(say_ok) as server,
        HTTPTransport(url(server), tls=trust, clock=clock) as transport,
    ):
        await transport.send(GET)
        before = trust.asked
        await clock.advance(61)
        await transport.send(GET)
        await transport.send(GET)

    assert (before, trust.asked) == (0, 1)


async def test_http_to_a_tls_port_says_which_address_to_use() -> None:
    """Go's servers answer such a request with a 400 of their own, in plain text."""
    said = b"Client sent an HTTP request to an HTTPS server.\n"
    answer = b"HTTP/1.0 400 Bad Request\r\n\r\n" + said

    async with serving(answering(answer)) as server, HTTPTransport(url(server)) as transport:
        with pytest.raises(TransportError, match="begins with https://"):
            await transport.send(GET)


async def test_a_plain_request_goes_to_the_proxy_with_its_whole_url() -> None:
    """That is how a proxy knows where to."""
    async with serving(say_ok) as proxy:
        options = HTTPOptions(proxy=f"http://me:pw@127.0.0.1:{proxy.port}")
        async with HTTPTransport("http://k8s.example:8001/p", options) as transport:
            await transport.send(GET)

    head = proxy.requests[0].decode()
    assert head.startswith("GET http://k8s.example:8001/p/api/v1/pods?limit=5 HTTP/1.1\r\n")
    assert "Host: k8s.example:8001\r\n" in head
    assert "Proxy-Authorization: Basic bWU6cHc=\r\n" in head


async def test_a_closed_transport_refuses_requests() -> None:
    """The mistake is the caller's, so it is no transport error that retries would catch."""
    async with serving(say_ok) as server:
        transport = HTTPTransport(url(server))
        await transport.send(GET)
        await transport.close()

        with pytest.raises(LifecycleError, match="was closed"):
            await transport.send(GET)


UPGRADE = Request(
    "GET",
    "/exec",
    Attempt("create", "pods", subresource="exec"),
    headers=(("Connection", "Upgrade"), ("Upgrade", "test")),
)
SWITCH = b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: test\r\n\r\n"


async def test_an_upgraded_connection_carries_bytes_both_ways() -> None:
    """Bytes right behind the answer belong to the new protocol, and must not be lost."""

    async def script(peer: Peer) -> None:
        await peer.request()
        await peer.send(SWITCH + b"early")
        await peer.send((await peer.reader.readexactly(4)).upper())

    async with (
        serving(script) as server,
        HTTPTransport(url(server), credentials=FixedToken()) as transport,
        transport.upgrade(UPGRADE) as duplex,
    ):
        early = await duplex.read()
        await duplex.write(b"ping")
        answer = await duplex.read()
        end = await duplex.read()

    assert (duplex.status, early, answer, end) == (101, b"early", b"PING", b"")
    assert b"Authorization: Bearer fixed" in server.requests[0]


async def test_a_refused_upgrade_gives_the_reason() -> None:
    """A 403 for pods/exec comes with a Status."""
    refusal = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno"

    async with (
        serving(answering(refusal)) as server,
        HTTPTransport(url(server)) as transport,
        transport.upgrade(UPGRADE) as duplex,
    ):
        body = await duplex.read()
        with pytest.raises(TransportError, match="answered 403"):
            await duplex.write(b"x")

    assert (duplex.status, body) == (403, b"no")


async def test_closing_the_transport_ends_an_upgraded_connection() -> None:
    """Nothing stays open behind a closed transport."""

    async def script(peer: Peer) -> None:
        await peer.request()
        await peer.send(SWITCH)
        await peer.gone()

    async with (
        serving(script) as server,
        HTTPTransport(url(server)) as transport,
        transport.upgrade(UPGRADE) as duplex,
    ):
        await transport.close()
        await server.empty()

        assert await duplex.read() == b""


async def test_websockets_run_over_an_upgraded_connection(authority: Authority) -> None:
    """Exec and port-forward do this: the library speaks the protocol, we carry its bytes."""

    async def echo(connection: ServerConnection) -> None:
        async for message in connection:
            await connection.send(message)

    trust = TrustOf(authority.client())
    async with serve(echo, "127.0.0.1", 0, ssl=authority.server("127.0.0.1")) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        protocol = ClientProtocol(parse_uri(f"wss://127.0.0.1:{port}/exec"))
        headers = tuple(
            (name, value)
            for name, value in protocol.connect().headers.raw_items()
            if name not in {"Host", "User-Agent"}
        )
        request = Request("GET", "/exec", Attempt("create", "pods"), headers=headers)
        async with (
            HTTPTransport(f"https://127.0.0.1:{port}", tls=trust) as transport,
            transport.upgrade(request) as duplex,
        ):
            lines = "".join(f"{name}: {value}\r\n" for name, value in duplex.headers)
            protocol.receive_data(f"HTTP/1.1 {duplex.status} Switching\r\n{lines}\r\n".encode())
            protocol.send_binary(b"hello")
            await duplex.write(b"".join(protocol.data_to_send()))
            protocol.events_received()
            protocol.receive_data(await duplex.read())
            (frame,) = protocol.events_received()

            assert protocol.state is State.OPEN
            assert getattr(frame, "data", None) == b"hello"


class SlowLogin:
    """Credentials that take their time, as an exec plugin does."""

    static: Headers | None = None

    def __init__(self, *, interactive: bool = False, slow_at: str = "headers") -> None:
        self.interactive = interactive
        self._slow_at = slow_at
        self.asked = asyncio.Event()
        self.done = asyncio.Event()

    async def headers(self) -> Headers:
        if self._slow_at == "headers":
            self.asked.set()
            await self.done.wait()
        return (("Authorization", "Bearer x"),)

    async def rejected(self, used: Headers) -> bool:
        self.asked.set()
        await self.done.wait()
        return False


@pytest.mark.parametrize("slow_at", ["headers", "rejected"])
@pytest.mark.parametrize("streamed", [True, False])
async def test_the_time_for_credentials_is_part_of_the_requests_time(
    slow_at: str, streamed: bool
) -> None:
    """A plugin that hangs would hold a request up for as long as it likes."""
    clock = VirtualClock()
    login = SlowLogin(slow_at=slow_at)

    async def ask(transport: HTTPTransport) -> None:
        if streamed:
            async with transport.stream(GET, timeout=5):
                pass
        else:
            await transport.send(GET, timeout=5)

    async with (
        serving(answering(REFUSED)) as server,
        HTTPTransport(url(server), credentials=login, clock=clock) as transport,
    ):
        task = asyncio.create_task(ask(transport))
        await login.asked.wait()
        await clock.advance(5)

        with pytest.raises(TransportTimeoutError, match="no credentials came in time"):
            await task


async def test_a_person_may_take_longer_to_log_in() -> None:
    """Discovery waits for 32 seconds; a browser, a password and a second factor take more."""
    clock = VirtualClock()
    login = SlowLogin(interactive=True)

    async def answer_late(peer: Peer) -> None:
        await peer.request()
        await clock.advance(4)
        await peer.send(OK)

    async with (
        serving(answer_late) as server,
        HTTPTransport(url(server), credentials=login, clock=clock) as transport,
    ):
        task = asyncio.create_task(transport.send(GET, timeout=5))
        await login.asked.wait()
        await clock.advance(6)
        login.done.set()

        assert (await task).body == b"ok"


def test_options_show_no_secrets() -> None:
    """They stand in tracebacks of whoever prints local variables."""
    options = HTTPOptions(proxy="http://me:hunter2@proxy", headers=(("Authorization", "hunter2"),))

    assert repr(options) == "HTTPOptions(headers=***, proxy='http://***@proxy')"


async def test_a_path_of_the_server_beyond_ascii_is_encoded() -> None:
    """Python's own error about it would show the whole head, token included."""
    async with (
        serving(say_ok) as server,
        HTTPTransport(url(server, "/日"), credentials=FixedToken()) as transport,
    ):
        await transport.send(GET)

    assert server.requests[0].startswith(b"GET /%E6%97%A5/api/v1/pods?limit=5 HTTP/1.1\r\n")


BODY = b'{"kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"v"}}'


async def test_a_request_carries_who_asks_and_with_what() -> None:
    """Token and user agent come from the configuration."""
    heads: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
        writer.write(head % len(BODY) + BODY)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    config = Config(server=f"http://127.0.0.1:{port}/prefix", token="secret", user_agent="me/1")

    async with server, Client(config) as client:
        found = await client.get(ConfigMap, "a")

    assert found.data == {"k": "v"}
    assert heads[0].startswith(b"GET /prefix/api/v1/namespaces/default/configmaps/a HTTP/1.1\r\n")
    assert b"Authorization: Bearer secret\r\n" in heads[0]
    assert b"User-Agent: me/1\r\n" in heads[0]


async def test_a_server_that_is_not_there_is_named() -> None:
    """The first thing to check is the address."""
    config = Config(server="http://127.0.0.1:1")

    async with Client(config) as client:
        with pytest.raises(TransportError, match=r"127\.0\.0\.1:1"):
            await client.get(ConfigMap, "a")


def test_a_proxy_that_cannot_be_used_is_refused_at_once() -> None:
    """Not at the first request, which may come much later."""
    with pytest.raises(ConfigError, match="socks5"):
        transport_for(Config(server="https://example.com", proxy_url="socks5://localhost:1080"))


@pytest.mark.parametrize(("setting", "limit"), [(0, None), (7, 7)])
def test_the_number_of_connections_is_passed_on(setting: int, limit: int | None) -> None:
    """0 stands for no limit, as a number in a file has to stand for it."""
    transport = transport_for(Config(server="http://127.0.0.1:1", connections=setting))

    assert transport._options.limits.connections == limit
