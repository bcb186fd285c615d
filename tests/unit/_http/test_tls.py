"""TLS between a connection and a protocol, byte by byte where it matters."""

import asyncio
import gc
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest

from kubewright._http.tls import TLSTransport
from tests.unit._http.certificates import Authority

MODERN, OLD = ssl.TLSVersion.TLSv1_3, ssl.TLSVersion.TLSv1_2
VERSIONS = pytest.mark.parametrize("version", [MODERN, OLD])


class Server:
    """The other side, without a socket."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self.incoming = ssl.MemoryBIO()
        self.outgoing = ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_side=True)

    def shake(self) -> None:
        with suppress(ssl.SSLWantReadError):
            self.tls.do_handshake()

    def received(self) -> bytes:
        try:
            return self.tls.read(1 << 20)
        except ssl.SSLWantReadError:
            return b""


class Wire(asyncio.Transport):
    """The connection: what the client sends is there at once, the rest is up to a test."""

    def __init__(self, server: Server) -> None:
        super().__init__({"peername": ("server", 1)})
        self.server = server
        self.protocol: Any = None
        self.reading = True
        self.closed = ""

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self.protocol = protocol

    def write(self, data: Any) -> None:
        self.server.incoming.write(data)

    def get_write_buffer_size(self) -> int:
        return 0

    def is_closing(self) -> bool:
        return bool(self.closed)

    def close(self) -> None:
        self._lose("closed")

    def abort(self) -> None:
        self._lose("aborted")

    def _lose(self, how: str) -> None:
        if not self.closed:
            self.closed = how
            asyncio.get_running_loop().call_soon(self.protocol.connection_lost, None)

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True

    def deliver(self, *, step: int = 1 << 18) -> None:
        """Give the client what the server has sent, *step* bytes at a time."""
        self.pour(self.server.outgoing.read(), step=step)

    def pour(self, data: bytes, *, step: int = 1 << 18) -> None:
        """Give *data* to the client."""
        for start in range(0, len(data), step):
            piece = data[start : start + step]
            self.protocol.get_buffer(-1)[: len(piece)] = piece
            self.protocol.buffer_updated(len(piece))

    def end(self) -> None:
        """Let the server close the connection without a word."""
        if not self.protocol.eof_received():
            self.close()


class Told(asyncio.Protocol):
    """Notes what a protocol is told."""

    def __init__(self) -> None:
        self.data = b""
        self.ended = False
        self.lost: list[Exception | None] = []

    def data_received(self, data: bytes) -> None:
        self.data += data

    def eof_received(self) -> bool:
        self.ended = True
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost.append(exc)


class Buffered(asyncio.BufferedProtocol):
    """The same with a small buffer of its own."""

    def __init__(self, size: int = 1000) -> None:
        self.buffer = memoryview(bytearray(size))
        self.data = b""
        self.ended = False
        self.lost: list[Exception | None] = []
        self.then: Any = lambda: None

    def get_buffer(self, sizehint: int) -> memoryview:
        return self.buffer

    def buffer_updated(self, nbytes: int) -> None:
        self.data += self.buffer[:nbytes]
        self.then()

    def eof_received(self) -> bool:
        self.ended = True
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost.append(exc)


class Link:
    """A client that has shaken hands with a server."""

    def __init__(self, tls: TLSTransport, wire: Wire, server: Server) -> None:
        self.tls, self.wire, self.server = tls, wire, server

    def send(self, data: bytes, *, step: int = 1 << 18) -> None:
        """Let the server send *data*."""
        self.server.tls.write(data)
        self.wire.deliver(step=step)


def unstarted(
    authority: Authority,
    protocol: asyncio.BaseProtocol,
    version: ssl.TLSVersion = MODERN,
    *,
    name: str = "server",
) -> Link:
    context = authority.server("server")
    context.maximum_version = version
    server = Server(context)
    wire = Wire(server)
    tls = TLSTransport(protocol, context=authority.client(), server_hostname=name)
    return Link(tls, wire, server)


async def shake(link: Link, *, step: int = 1 << 18) -> None:
    starting = asyncio.create_task(link.tls.start(link.wire))
    await asyncio.sleep(0)
    for _ in range(3):
        link.server.shake()
        link.wire.deliver(step=step)
        await asyncio.sleep(0)
    await starting


@asynccontextmanager
async def linked(
    authority: Authority, protocol: asyncio.BaseProtocol, version: ssl.TLSVersion = MODERN
) -> AsyncIterator[Link]:
    link = unstarted(authority, protocol, version)
    await shake(link)
    yield link
    link.tls.abort()


@VERSIONS
@pytest.mark.parametrize("kind", [Told, Buffered])
async def test_bytes_go_both_ways(
    authority: Authority, version: ssl.TLSVersion, kind: type[Told | Buffered]
) -> None:
    """Whatever the protocol reads with, and however large the records are."""
    protocol = kind()
    async with linked(authority, protocol, version) as link:
        link.tls.write(b"question")
        link.tls.write(b"")
        link.send(b"answer" * 10_000)

        assert link.server.received() == b"question"
        assert protocol.data == b"answer" * 10_000
        assert link.tls.get_write_buffer_size() == 0


@VERSIONS
async def test_bytes_may_come_one_at_a_time(authority: Authority, version: ssl.TLSVersion) -> None:
    """Of the handshake, too."""
    protocol = Buffered()
    link = unstarted(authority, protocol, version)

    await shake(link, step=1)
    link.send(b"answer", step=1)

    assert protocol.data == b"answer"
    link.tls.abort()


async def test_a_large_message_is_sent_whole(authority: Authority) -> None:
    """It makes many records."""
    async with linked(authority, Told()) as link:
        link.tls.write(b"x" * 300_000)

        received = b""
        while more := link.server.received():
            received += more
        assert received == b"x" * 300_000


@pytest.mark.parametrize(
    ("name", "said"), [("another", "Hostname mismatch"), ("10.0.0.1", "IP address mismatch")]
)
async def test_a_server_of_another_name_is_refused(
    authority: Authority, name: str, said: str
) -> None:
    """And it is told why."""
    protocol = Told()
    link = unstarted(authority, protocol, name=name)
    starting = asyncio.create_task(link.tls.start(link.wire))
    await asyncio.sleep(0)
    link.server.shake()
    link.wire.deliver()

    with pytest.raises(ssl.SSLCertVerificationError, match=said):
        await starting

    with pytest.raises(ssl.SSLError, match=r"(?i)alert"):
        link.server.tls.do_handshake()
    assert protocol.lost == []


async def test_what_is_no_tls_is_refused(authority: Authority) -> None:
    """A plain server answers in words."""
    link = unstarted(authority, Told())
    starting = asyncio.create_task(link.tls.start(link.wire))
    await asyncio.sleep(0)

    link.wire.pour(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with pytest.raises(ssl.SSLError, match=r"(?i)wrong.version"):
        await starting


@pytest.mark.parametrize("how", ["end", "abort"])
async def test_a_server_that_leaves_during_the_handshake_is_an_error(
    authority: Authority, how: str
) -> None:
    """Nobody waits for it until a time-out."""
    protocol = Told()
    link = unstarted(authority, protocol)
    starting = asyncio.create_task(link.tls.start(link.wire))
    await asyncio.sleep(0)

    getattr(link.wire, how)()

    with pytest.raises(ConnectionResetError):
        await starting
    assert protocol.lost == []


async def test_what_comes_with_the_end_of_the_handshake_is_not_lost(authority: Authority) -> None:
    """A server of TLS 1.2 may say at once that it does not like us, and leave."""
    protocol = Told()
    link = unstarted(authority, protocol, OLD)
    starting = asyncio.create_task(link.tls.start(link.wire))
    await asyncio.sleep(0)
    link.server.shake()
    link.wire.deliver()
    link.server.shake()
    link.server.tls.write(b"go away")

    link.wire.deliver()
    link.wire.end()
    await starting
    await asyncio.sleep(0)

    assert protocol.data == b"go away"
    assert protocol.ended
    assert protocol.lost == [None]


async def test_a_server_that_refuses_after_the_handshake_says_why(authority: Authority) -> None:
    """With TLS 1.3 the client is done before its certificate was looked at."""
    context = authority.server("server")
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_default_certs()
    server = Server(context)
    wire = Wire(server)
    protocol = Told()
    tls = TLSTransport(protocol, context=authority.client(), server_hostname="server")
    starting = asyncio.create_task(tls.start(wire))
    await asyncio.sleep(0)
    server.shake()
    wire.deliver()
    with pytest.raises(ssl.SSLError, match=r"(?i)did not return a certificate"):
        server.shake()

    wire.deliver()
    wire.end()

    with pytest.raises(ssl.SSLError, match=r"(?i)certificate required"):
        await starting


@pytest.mark.parametrize("kind", [Told, Buffered])
async def test_a_good_bye_is_told_and_answered(
    authority: Authority, kind: type[Told | Buffered]
) -> None:
    """What came before it is told before it."""
    protocol = kind()
    async with linked(authority, protocol) as link:
        link.server.tls.write(b"last words")
        with pytest.raises(ssl.SSLWantReadError):
            link.server.tls.unwrap()

        link.wire.deliver()
        await asyncio.sleep(0)

        assert protocol.data == b"last words"
        assert protocol.ended
        assert protocol.lost == [None]
        with pytest.raises(ssl.SSLZeroReturnError):
            link.server.tls.read(1)
        assert link.tls.is_closing()


@pytest.mark.parametrize("kind", [Told, Buffered])
async def test_a_record_that_was_tampered_with_ends_the_connection(
    authority: Authority, kind: type[Told | Buffered]
) -> None:
    """But what came before it was good."""
    protocol = kind()
    async with linked(authority, protocol) as link:
        link.server.tls.write(b"good")
        link.server.tls.write(b"bad")
        data = bytearray(link.server.outgoing.read())
        data[-1] ^= 1

        link.wire.pour(bytes(data))
        await asyncio.sleep(0)

        assert protocol.data == b"good"
        (lost,) = protocol.lost
        assert isinstance(lost, ssl.SSLError)
        assert link.wire.closed == "aborted"


async def test_a_protocol_that_is_full_is_told_nothing(authority: Authority) -> None:
    """Not even what was received before it said so."""
    protocol = Buffered(size=10)
    async with linked(authority, protocol) as link:
        protocol.then = link.tls.pause_reading

        link.send(b"x" * 25)
        assert (len(protocol.data), link.wire.reading) == (10, False)

        link.tls.resume_reading()
        assert (len(protocol.data), link.wire.reading) == (10, True)
        await asyncio.sleep(0)
        assert (len(protocol.data), link.wire.reading) == (20, False)

        protocol.then = lambda: None
        link.tls.resume_reading()
        link.tls.resume_reading()
        await asyncio.sleep(0)
        assert protocol.data == b"x" * 25


async def test_a_protocol_that_leaves_is_told_nothing_more(authority: Authority) -> None:
    """It may be somebody else's turn on its buffer."""
    protocol = Buffered(size=10)
    async with linked(authority, protocol) as link:
        protocol.then = link.tls.abort

        link.send(b"x" * 25)
        await asyncio.sleep(0)

        assert len(protocol.data) == 10
        assert protocol.lost == [None]


async def test_another_protocol_can_take_over(authority: Authority) -> None:
    """From the next byte on, as after an upgrade."""
    first, second = Buffered(size=4), Told()
    async with linked(authority, first) as link:
        first.then = lambda: link.tls.set_protocol(second)

        link.send(b"headwhat follows")

        assert (first.data, second.data) == (b"head", b"what follows")
        assert link.tls.get_protocol() is second


async def test_what_is_known_of_the_connection_can_be_asked(authority: Authority) -> None:
    """As of any transport."""
    async with linked(authority, Told()) as link:
        assert link.tls.get_extra_info("ssl_object").version() == "TLSv1.3"
        assert link.tls.get_extra_info("peername") == ("server", 1)
        assert link.tls.get_extra_info("nothing", "default") == "default"
        assert not link.tls.is_closing()


async def test_closing_says_good_bye(authority: Authority) -> None:
    """So that the server knows that nothing was cut off."""
    protocol = Told()
    async with linked(authority, protocol) as link:
        link.tls.close()
        await asyncio.sleep(0)

        assert link.server.received() == b""
        assert link.wire.closed == "closed"
        assert protocol.lost == [None]


async def test_questions_and_answers_may_go_on_for_long(authority: Authority) -> None:
    """With session tickets between them, which nobody but TLS hears of."""
    protocol = Told()
    async with linked(authority, protocol) as link:
        for number in range(100):
            link.tls.write(b"%d " % number)
            link.send(b"%d " % number)

        assert protocol.data == b"".join(b"%d " % number for number in range(100))
        assert link.server.received().startswith(b"0 ")


@pytest.mark.parametrize("kind", [Told, Buffered])
async def test_an_end_waits_for_a_protocol_that_is_full(
    authority: Authority, kind: type[Told | Buffered]
) -> None:
    """The end comes after the last byte, however late that is asked for."""
    protocol = kind()
    async with linked(authority, protocol) as link:
        link.tls.pause_reading()
        link.send(b"x" * 5000)
        link.wire.end()
        assert (protocol.data, protocol.ended) == (b"", False)

        link.tls.resume_reading()
        await asyncio.sleep(0)
        await asyncio.sleep(0)

        assert protocol.data == b"x" * 5000
        assert protocol.ended
        assert protocol.lost == [None]


async def test_nothing_is_sent_after_the_good_bye(authority: Authority) -> None:
    """And it is no error: the protocol may not know yet."""
    async with linked(authority, Told()) as link:
        link.tls.write(b"last")
        link.tls.close()

        link.tls.write(b"more")

        assert link.server.received() == b"last"
        assert link.wire.closed == "closed"


@pytest.mark.parametrize("kind", [Told, Buffered])
async def test_reading_leaves_no_garbage(authority: Authority, kind: type[Told | Buffered]) -> None:
    """Each read ends in an exception that says that there is no more; none may stay in a cycle."""
    protocol = kind()
    async with linked(authority, protocol) as link:
        while gc.collect():
            pass  # what other tests have left may take several rounds

        for _ in range(50):
            link.send(b"x")

        assert gc.collect() == 0
        assert protocol.data == b"x" * 50


# --- The side of a server ---


class Client(Server):
    """A client on the other side, without a socket."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self.incoming = ssl.MemoryBIO()
        self.outgoing = ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_hostname="server")


def accepted(
    authority: Authority,
    protocol: asyncio.BaseProtocol,
    version: ssl.TLSVersion = MODERN,
    *,
    verify: bool = False,
) -> Link:
    """Return a link to a client that has not yet said hello."""
    context = authority.client()
    context.maximum_version = version
    client = Client(context)
    wire = Wire(client)
    ours = authority.server("server")
    if verify:
        ours.verify_mode = ssl.CERT_REQUIRED
        ours.load_default_certs()
    tls = TLSTransport(protocol, context=ours)
    wire.set_protocol(tls)
    tls.connection_made(wire)
    return Link(tls, wire, client)


@VERSIONS
@pytest.mark.parametrize("kind", [Told, Buffered])
@pytest.mark.parametrize("step", [1, 1 << 18])
async def test_a_server_shakes_hands_before_its_protocol_is_told_anything(
    authority: Authority, version: ssl.TLSVersion, kind: type[Told | Buffered], step: int
) -> None:
    """What the client sends with the end of the handshake waits for `begin`."""
    protocol = kind()
    link = accepted(authority, protocol, version)
    for _ in range(2):
        link.server.shake()
        link.wire.deliver(step=step)
    link.server.shake()
    link.send(b"question", step=step)

    await link.tls.handshake()
    before = protocol.data
    link.tls.begin()
    link.tls.write(b"answer")

    assert before == b""
    assert protocol.data == b"question"
    assert link.server.received() == b"answer"
    link.tls.abort()


async def test_a_client_that_shows_no_certificate_is_told_why(authority: Authority) -> None:
    """And the protocol of the server never hears of it."""
    protocol = Told()
    link = accepted(authority, protocol, verify=True)
    link.server.shake()
    link.wire.deliver()
    link.server.shake()
    link.wire.deliver()

    link.server.shake()
    link.wire.deliver()

    with pytest.raises(ssl.SSLError, match=r"(?i)did not return a certificate"):
        await link.tls.handshake()
    with pytest.raises(ssl.SSLError, match=r"(?i)certificate required"):
        link.server.tls.read(1)
    assert protocol.lost == []


@pytest.mark.parametrize("how", ["end", "abort"])
async def test_a_client_that_leaves_during_the_handshake_is_an_error(
    authority: Authority, how: str
) -> None:
    """Whoever waits for it goes on at once."""
    protocol = Told()
    link = accepted(authority, protocol)
    link.server.shake()
    link.wire.deliver()

    getattr(link.wire, how)()

    with pytest.raises(ConnectionResetError):
        await link.tls.handshake()
    assert protocol.lost == []
