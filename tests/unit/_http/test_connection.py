import asyncio
import gzip
import socket
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kubewright._aio import VirtualClock
from kubewright._http.connection import ClientConnection
from kubewright._http.endpoint import Limits, Route, endpoint_of
from kubewright._http.stream import BodyStream
from kubewright.errors import TransportError, TransportTimeoutError
from tests.unit._http.servers import (
    CHUNKED,
    NEVER,
    OK,
    Peer,
    answering,
    chunk,
    no_tls,
    pool_to,
    say_nothing,
    say_ok,
    send,
    serving,
)

GET = b"GET / HTTP/1.1\r\nHost: test\r\n\r\n"
IN_CHUNKS = CHUNKED + chunk(b"o") + chunk(b"k") + b"0\r\n\r\n"


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        (OK, b"ok"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", b""),
        (b"HTTP/1.1 204 No Content\r\n\r\n", b""),
        (b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", b""),
        (CHUNKED + chunk(b"one") + chunk(b"two") + b"0\r\n\r\n", b"onetwo"),
        (CHUNKED + chunk(b"x") + b"0\r\nX-Trailer: late\r\n\r\n", b"x"),
        (b"HTTP/1.1 200 OK\r\n\r\nuntil the end", b"until the end"),
        (b"HTTP/1.0 200 OK\r\n\r\nold", b"old"),
        (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: a\r\n\r\n" + OK, b"ok"),
    ],
)
async def test_every_way_to_frame_a_body_is_read(answer: bytes, body: bytes) -> None:
    """Proxies and old servers use all of them."""
    async with serving(answering(answer)) as server, pool_to(server) as pool:
        status, headers, received = await send(pool)

    assert status == int(answer.rpartition(b"HTTP/1.")[2][2:5])
    assert received == body
    assert not {"x-trailer", "link"} & {name for name, _ in headers}


async def test_headers_keep_their_order_and_repeats_in_lower_case() -> None:
    """Two warnings are two headers, and no caller should think about capitals."""
    answer = (
        b"HTTP/1.1 200 OK\r\nWarning: a\r\nX-Uni: \xe9\r\nWARNING: b\r\nContent-Length: 0\r\n\r\n"
    )

    async with serving(answering(answer)) as server, pool_to(server) as pool:
        _, headers, _ = await send(pool)

    assert headers == (
        ("warning", "a"),
        ("x-uni", "é"),
        ("warning", "b"),
        ("content-length", "0"),
    )


async def test_head_has_no_body_whatever_its_length_says() -> None:
    """The length is that of the body a GET would have; waiting for it would hang."""
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n"

    async with serving(answering(answer, OK)) as server, pool_to(server) as pool:
        status, _, body = await send(pool, "HEAD")
        after = await send(pool)

    assert (status, body) == (200, b"")
    assert after[2] == b"ok"
    assert len(server.peers) == 1


async def test_a_body_after_head_ends_the_connection() -> None:
    """Its bytes would be taken for the next answer."""
    wrong = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    async with serving(answering(wrong), say_ok) as server, pool_to(server) as pool:
        await send(pool, "HEAD")
        answer = await send(pool)

    assert answer[2] == b"ok"
    assert len(server.peers) == 2


@given(answer=st.sampled_from([OK, IN_CHUNKS]), data=st.data())
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_it_does_not_matter_where_the_network_cuts(answer: bytes, data: st.DataObject) -> None:
    """TCP gives no promise about where one read ends."""
    cuts = sorted(data.draw(st.sets(st.integers(1, len(answer) - 1), max_size=8)))
    pieces = [answer[a:b] for a, b in zip([0, *cuts], [*cuts, len(answer)], strict=True)]

    async def script(peer: Peer) -> None:
        await peer.request()
        for piece in pieces:
            await peer.send(piece)
            await asyncio.sleep(0)

    async def exchange() -> bytes:
        async with serving(script) as server, pool_to(server) as pool:
            body: bytes = (await send(pool))[2]
            return body

    assert asyncio.run(exchange()) == b"ok"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"", "closed the connection (EOF)"),
        (b"HTTP/1.1 200 OK\r\nContent-Le", "in the middle of the headers"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", "the answer broke after 4 bytes"),
        (CHUNKED + chunk(b"half"), "the answer broke after 4 bytes"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "did not answer in HTTP"),
        (b"HTTP/1.1 abc\r\n\r\n", "did not answer in HTTP"),
        (b"\x15\x03\x01\x00\x02\x02\x46", "it speaks TLS"),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            "not answer in HTTP",
        ),
        (CHUNKED + b"zz\r\n", "did not answer in HTTP"),
        (
            b"HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n",
            "without being",
        ),
    ],
)
async def test_a_broken_answer_is_an_error_with_words(answer: bytes, said: str) -> None:
    """Whatever a server, or what stands in its place, sends: no hang, no foreign exception."""
    async with serving(answering(answer)) as server, pool_to(server) as pool:
        with pytest.raises(TransportError) as caught:
            await send(pool)

    assert said in str(caught.value)
    assert str(caught.value).startswith(f"cannot GET http://127.0.0.1:{server.port}: ")


async def test_a_reset_is_an_error_with_words() -> None:
    """A process that dies sends no polite end."""

    async def script(peer: Peer) -> None:
        await peer.request()
        peer.writer.transport.get_extra_info("socket").setsockopt(1, 13, b"\1\0\0\0\0\0\0\0")
        peer.reset()

    async with serving(script) as server, pool_to(server) as pool:
        with pytest.raises(TransportError, match="closed the connection") as caught:
            await send(pool)

    assert caught.value.lost


async def test_a_flood_of_headers_is_stopped() -> None:
    """A server cannot fill our memory before its answer has begun."""

    async def script(peer: Peer) -> None:
        await peer.request()
        await peer.send(b"HTTP/1.1 200 OK\r\n")
        while True:
            await peer.send(b"X-Flood: 0123456789\r\n" * 1000)

    async with serving(script) as server, pool_to(server) as pool:
        with pytest.raises(TransportError, match="headers are larger than 1048576 bytes"):
            await send(pool)


async def test_a_large_body_arrives_whole() -> None:
    """A list of ten megabytes is nothing special."""
    body = bytes(range(256)) * 40_000
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)

    async with serving(answering(answer)) as server, pool_to(server) as pool:
        received = (await send(pool))[2]

    assert received == body


async def test_a_large_request_arrives_whole() -> None:
    """A config map may have a megabyte, and the socket takes it in parts."""
    body = b"0123456789" * 1_000_000

    async with serving(say_ok) as server, pool_to(server) as pool:
        await send(pool, "POST", body=body)

    assert server.requests[0].endswith(body)


@pytest.mark.parametrize("framing", ["length", "chunks", "gzip"])
async def test_a_body_above_the_limit_is_refused(framing: str) -> None:
    """The limit holds for the bytes that we would keep, compressed or not."""
    body = b"x" * 5000
    answer = {
        "length": b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + body,
        "chunks": CHUNKED + chunk(b"x") * 5000,
        "gzip": b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gzip.compress(body),
    }[framing]

    async with (
        serving(answering(answer)) as server,
        pool_to(server, Limits(body=4999), gzip=True) as pool,
    ):
        with pytest.raises(TransportError, match="body is larger than 4999 bytes"):
            await send(pool)


async def test_a_body_at_the_limit_is_accepted() -> None:
    """Framing does not count."""
    answer = CHUNKED + chunk(b"x") * 1000 + b"0\r\n\r\n"

    async with serving(answering(answer)) as server, pool_to(server, Limits(body=1000)) as pool:
        received = (await send(pool))[2]

    assert received == b"x" * 1000


async def test_a_compressed_body_is_decompressed() -> None:
    """Whoever asks for gzip wants to see what is in it."""
    packed = gzip.compress(b"hello")
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: GZIP\r\nContent-Length: %d\r\n\r\n" % len(packed)

    async with serving(answering(head + packed)) as server, pool_to(server, gzip=True) as pool:
        received = (await send(pool))[2]

    assert received == b"hello"


async def test_gzip_that_nobody_asked_for_is_refused() -> None:
    """It could be a thousand times as large as what we were sent, and we were not warned."""
    packed = gzip.compress(b"hello")
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed)

    async with serving(answering(head + packed)) as server, pool_to(server) as pool:
        with pytest.raises(TransportError, match="gzip, which it was not asked for"):
            await send(pool)
        with pytest.raises(TransportError, match="gzip, which it was not asked for"):
            await pool.open("GET", GET, b"", deadline=NEVER)
        await server.empty()


async def test_a_stream_does_not_switch_protocols() -> None:
    """A confused proxy may answer 101 to a watch; nobody there could read what follows."""
    switching = b"HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"

    async with serving(answering(switching)) as server, pool_to(server) as pool:
        with pytest.raises(TransportError, match="switched protocols without being asked"):
            await pool.open("GET", GET, b"", deadline=NEVER)


async def test_an_upgraded_connection_may_stall() -> None:
    """A program in a container may not read its input for an hour, and is not dead."""
    switching = b"HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"

    async def switch(peer: Peer) -> None:
        await peer.request()
        await peer.send(switching)
        await peer.gone()

    async with serving(switch) as server, pool_to(server) as pool:
        connection, (status, _, _) = await pool.open("GET", GET, b"", deadline=NEVER, upgrade=True)
        sock = connection._transport.get_extra_info("socket")  # type: ignore[union-attr]  # connected
        patience = sock.getsockopt(socket.IPPROTO_TCP, getattr(socket, "TCP_USER_TIMEOUT", 18))

        assert status == 101
        assert patience == 0


def unopened(
    route: Route, release: Callable[[ClientConnection], None] = lambda _: None
) -> ClientConnection:
    return ClientConnection(route, Limits(), VirtualClock(), release=release, forget=lambda _: None)


def receive(connection: ClientConnection, data: bytes) -> None:
    connection.get_buffer(-1)[: len(data)] = data
    connection.buffer_updated(len(data))


def test_a_server_that_speaks_before_the_connection_is_made_is_dropped() -> None:
    """With TLS 1.2 its first bytes can come together with the end of its handshake."""
    route = Route(endpoint_of("http://test")[0], no_tls)
    connection = unopened(route)

    receive(connection, OK)

    assert connection.closed


async def test_a_broken_compressed_body_fails_its_request_only() -> None:
    """The framing was right, so the connection is as good as before."""
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n"

    async with (
        serving(answering(head + b"junk", OK)) as server,
        pool_to(server, gzip=True) as pool,
    ):
        with pytest.raises(TransportError, match="gzip body is broken"):
            await send(pool)
        answer = await send(pool)

    assert answer[2] == b"ok"
    assert len(server.peers) == 1


async def test_an_answer_before_the_request_is_out_is_read_and_the_connection_dropped() -> None:
    """A server that refuses a large body says so early, and does not read the rest."""
    refusal = b"HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nbig"

    async def script(peer: Peer) -> None:
        await peer.reader.readuntil(b"\r\n\r\n")
        await peer.send(refusal)
        await peer.gone()

    async with serving(script, say_ok) as server, pool_to(server) as pool:
        status, _, body = await send(pool, "POST", body=b"x" * 20_000_000)

        assert (status, body) == (413, b"big")
        assert pool.idle == 0


async def test_a_silent_server_is_a_timeout() -> None:
    """Without a bound an operator would wait for ever on a half-dead server."""
    clock = VirtualClock()

    async with serving(say_nothing) as server, pool_to(server, clock=clock) as pool:
        task = asyncio.create_task(send(pool, deadline=30))
        while not server.requests:  # noqa: ASYNC110  # the socket lives outside of virtual time
            await asyncio.sleep(0)
        await clock.advance(30)

        with pytest.raises(TransportTimeoutError, match="did not answer in time"):
            await task
        await server.empty()


async def test_a_server_that_drips_is_a_timeout_too() -> None:
    """The bound is for the whole answer: a byte now and then does not extend it."""
    clock = VirtualClock()
    dripped = asyncio.Event()

    async def drip(peer: Peer) -> None:
        await peer.request()
        await peer.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        await peer.send(b"x")
        dripped.set()
        await peer.gone()

    async with serving(drip) as server, pool_to(server, clock=clock) as pool:
        task = asyncio.create_task(send(pool, deadline=30))
        await dripped.wait()
        await clock.advance(30)

        with pytest.raises(TransportTimeoutError):
            await task


async def test_the_timer_of_an_earlier_request_does_not_hit_a_later_one() -> None:
    """One timer serves a connection; only the deadline of the request under way counts."""
    clock = VirtualClock()
    asked = asyncio.Event()

    async def script(peer: Peer) -> None:
        await peer.request()
        await peer.send(OK)
        await peer.request()
        asked.set()
        await peer.gone()

    async with serving(script) as server, pool_to(server, clock=clock) as pool:
        await send(pool, deadline=30)
        await clock.advance(20)
        task = asyncio.create_task(send(pool, deadline=50))
        await asked.wait()
        await clock.advance(29.5)
        early = task.done()
        await clock.advance(0.5)

        with pytest.raises(TransportTimeoutError):
            await task

    assert not early


async def stream_of(*parts: bytes, end: bool) -> list[bytes]:
    """Return what a reader sees of a chunked answer with *parts*."""

    async def script(peer: Peer) -> None:
        await peer.request()
        await peer.send(CHUNKED + b"".join(map(chunk, parts)) + (b"0\r\n\r\n" if end else b""))

    async with serving(script) as server, pool_to(server) as pool:
        connection, (_, _, body) = await pool.open("GET", GET, b"", deadline=NEVER)
        assert isinstance(body, BodyStream)
        try:
            return [data async for data in body]
        finally:
            connection.abort()


async def test_a_stream_that_ends_well_just_ends() -> None:
    """Servers end every watch after some minutes."""
    assert b"".join(await stream_of(b"a", b"b", end=True)) == b"ab"


async def test_a_stream_that_is_cut_says_after_how_many_bytes() -> None:
    """A cut is not an end: the reader must know that something is missing."""
    with pytest.raises(TransportError, match="the stream broke after 3 bytes"):
        await stream_of(b"abc", end=False)


async def test_a_stream_without_framing_ends_with_its_connection() -> None:
    """That is how HTTP/1.0 proxies stream."""
    answer = b"HTTP/1.1 200 OK\r\n\r\nlog line\n"

    async with serving(answering(answer)) as server, pool_to(server) as pool:
        _, (_, _, body) = await pool.open("GET", GET, b"", deadline=NEVER)
        received = [data async for data in body]

    assert b"".join(received) == b"log line\n"


async def test_the_headers_of_a_stream_are_bounded_and_its_body_is_not() -> None:
    """A watch may be silent for minutes; a server that does not even answer may not."""
    clock = VirtualClock()

    async def quiet(peer: Peer) -> None:
        await peer.request()
        await peer.send(CHUNKED)
        await peer.reader.read(1)

    async with serving(quiet, say_nothing) as server, pool_to(server, clock=clock) as pool:
        _, (status, _, body) = await pool.open("GET", GET, b"", deadline=10)
        task = asyncio.create_task(pool.open("GET", GET, b"", deadline=10))
        while len(server.requests) < 2:  # noqa: ASYNC110  # sockets are outside of virtual time
            await asyncio.sleep(0)
        reader = asyncio.create_task(anext(body))
        await clock.advance(3600)

        with pytest.raises(TransportTimeoutError):
            await task
        assert status == 200
        assert not reader.done()
        reader.cancel()


async def test_a_slow_reader_stops_the_server() -> None:
    """A gigabyte of events must not pile up before a handler that is stuck."""
    sent = 0

    async def flood(peer: Peer) -> None:
        nonlocal sent
        await peer.request()
        await peer.send(CHUNKED)
        while True:
            await peer.send(chunk(b"x" * 65536))
            sent += 65536

    limits = Limits(stream_buffer=1 << 18)
    async with serving(flood) as server, pool_to(server, limits) as pool:
        _, (_, _, body) = await pool.open("GET", GET, b"", deadline=NEVER)
        before = -1
        for _ in range(200):  # until the buffers of the kernel are full as well
            await asyncio.sleep(0.001)
            if sent == before and sent:
                break
            before = sent
        held = body.received
        stopped = sent
        while sent == stopped:
            await anext(body)

    assert held < (1 << 18) + (1 << 18) + 1
    assert sent > stopped


class DeadEnd(asyncio.Transport):
    """Takes what is written, and remembers whether it was closed."""

    aborted = False

    def write(self, data: object) -> None:
        pass

    def get_write_buffer_size(self) -> int:
        return 0

    def abort(self) -> None:
        self.aborted = True


async def test_an_answer_to_a_cancelled_request_does_not_free_its_connection() -> None:
    """The caller is about to abort it; somebody else may be using it by then."""
    free: list[ClientConnection] = []
    route = Route(endpoint_of("http://test")[0], no_tls)
    connection = unopened(route, release=free.append)
    transport = DeadEnd()
    connection.connection_made(transport)

    answer = connection.exchange("GET", GET, b"", deadline=NEVER)
    answer.cancel()
    receive(connection, OK)

    assert free == []
    assert transport.aborted


def test_uvloop_runs_it_too() -> None:
    """It is used when it is installed, and its transports are classes of their own."""
    uvloop = pytest.importorskip("uvloop")

    async def exchange() -> tuple[bytes, bytes]:
        async with serving(answering(OK), answering(IN_CHUNKS)) as server, pool_to(server) as pool:
            body: bytes = (await send(pool))[2]
            _, (_, _, stream) = await pool.open("GET", GET, b"", deadline=NEVER)
            return body, b"".join([data async for data in stream])

    assert uvloop.run(exchange()) == (b"ok", b"ok")


def test_a_connection_that_is_lost_already_can_be_aborted() -> None:
    """The transport of asyncio fails there, if its last bytes went out after it began to close."""

    class Gone(asyncio.Transport):
        def abort(self) -> None:
            raise AttributeError("'NoneType' object has no attribute 'call_soon'")

    route = Route(endpoint_of("http://test")[0], no_tls)
    connection = unopened(route)
    connection.connection_made(Gone())
    connection.connection_lost(None)

    connection.abort()

    assert connection.closed
