import asyncio
import gc
import gzip
import logging
import tracemalloc
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from kubewright._aio import VirtualClock
from kubewright._serve.messages import Answer, Duplex, Request, Response, Stream, Upgrade
from tests.unit._serve.clients import GET, Scripted, Wire, connected, echo, serving

POST = b"POST /a HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n"
UPGRADE = b"GET /exec HTTP/1.1\r\nHost: t\r\nConnection: Upgrade\r\nUpgrade: words\r\n\r\n"


class Endless:
    """A stream of chunks that knows whether it was closed."""

    def __init__(self, chunk: bytes = b"chunk") -> None:
        self.chunk = chunk
        self.sent = 0
        self.more = asyncio.Semaphore(0)
        self.closed = asyncio.Event()

    async def chunks(self) -> AsyncIterator[bytes]:
        try:
            while True:
                await self.more.acquire()
                self.sent += 1
                yield self.chunk
        finally:
            self.closed.set()

    async def answer(self, request: Request) -> Answer:
        return Stream(self.chunks())


async def test_one_connection_serves_many_requests() -> None:
    """A handshake for each would cost more than the requests."""
    async with serving() as (server, _), connected(server) as peer:
        for _ in range(3):
            await peer.send(POST + b"\r\nhello")
            head, body = await peer.answer()

            assert head.startswith(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n")
            assert b"\r\nDate: " in head
            assert b"Connection" not in head
            assert body == b"/a hello"
        assert server.connections == 1


async def test_pipelined_requests_are_answered_in_order() -> None:
    """Also when the first takes longest."""
    release = asyncio.Event()

    async def slow_first(request: Request) -> Response:
        if request.path == "/0":
            await release.wait()
        return await echo(request)

    requests = [b"GET /%d HTTP/1.1\r\nHost: t\r\n\r\n" % number for number in range(100)]
    async with serving(slow_first, pipeline=3) as (server, _), connected(server) as peer:
        await peer.send(b"".join(requests))
        release.set()

        answers = [(await peer.answer())[1] for _ in requests]

    assert answers == [b"/%d " % number for number in range(100)]


@pytest.mark.parametrize(
    ("head", "kept"),
    [
        (b"GET / HTTP/1.0\r\n\r\n", False),
        (b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", True),
        (b"GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n", False),
    ],
)
async def test_the_connection_stays_for_those_who_want_it(head: bytes, *, kept: bool) -> None:
    """And the answer says which."""
    async with serving() as (server, _), connected(server) as peer:
        await peer.send(head)
        answer, _ = await peer.answer()

        assert (b"Connection: keep-alive" in answer) is kept
        assert (b"Connection: close" in answer) is not kept
        assert kept or await peer.rest() == b""


async def test_head_is_answered_without_the_body() -> None:
    """With the length that it would have had."""
    async with serving(Response(200, b"hello")) as (server, _), connected(server) as peer:
        await peer.send(GET.replace(b"GET", b"HEAD") + GET)
        first, _ = await peer.answer(bodiless=True)
        second, body = await peer.answer()

    assert b"Content-Length: 5" in first
    assert body == b"hello"
    assert second.startswith(b"HTTP/1.1 200")


async def test_permission_to_send_the_body_is_given_when_it_is_its_turn() -> None:
    """Curl waits a second for it, and some clients for ever."""
    head = POST + b"Expect: 100-continue\r\n\r\n"
    async with serving() as (server, _), connected(server) as peer:
        await peer.send(GET + head)
        await peer.answer()
        permission = await peer.head()
        await peer.send(b"hello")

        assert permission == b"HTTP/1.1 100 Continue\r\n\r\n"
        assert (await peer.answer())[1] == b"/a hello"


async def test_a_body_that_is_too_large_is_refused_although_the_client_goes_on_sending() -> None:
    """It reads our answer only after it has sent everything, or not at all."""
    async with serving(body=1000) as (server, handler), connected(server) as peer:
        await peer.send(b"POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 200000\r\n\r\n")
        await peer.send(b"x" * 200_000)
        head, body = await peer.answer()
        peer.writer.write_eof()

        assert head.startswith(b"HTTP/1.1 413 ")
        assert b"Connection: close" in head
        assert b"Too Large: limit is 1000" in body
        assert await peer.rest() == b""
    assert not handler.requests


async def test_a_path_with_a_limit_of_its_own_is_refused_by_that_number() -> None:
    """Whoever sent too much learns how much it may be there."""
    requests = [
        b"POST %b HTTP/1.1\r\nHost: t\r\nContent-Length: 2000\r\n\r\n" % path + b"x" * 2000
        for path in (b"/large", b"/small")
    ]
    async with (
        serving(body=1000, bodies={"/large": 2000, "/small": 500}) as (server, handler),
        connected(server) as peer,
    ):
        await peer.send(requests[0])
        taken, _ = await peer.answer()
        await peer.send(requests[1])
        refused, body = await peer.answer()
        peer.writer.write_eof()
        await peer.rest()

    assert taken.startswith(b"HTTP/1.1 200 ")
    assert refused.startswith(b"HTTP/1.1 413 ")
    assert b"Too Large: limit is 500" in body
    assert [len(request.body) for request in handler.requests] == [2000]


async def test_nonsense_is_refused_and_the_connection_closed() -> None:
    """Who speaks another protocol should hear so."""
    async with serving() as (server, _), connected(server) as peer:
        await peer.send(GET + b"\x16\x03\x01\r\n\r\n")
        first, _ = await peer.answer()
        second, body = await peer.answer()
        peer.writer.write_eof()

        assert first.startswith(b"HTTP/1.1 200")
        assert second.startswith(b"HTTP/1.1 400 Bad Request\r\n")
        assert body == b"400 Bad Request"
        assert await peer.rest() == b""


async def test_a_handler_that_fails_costs_its_own_request_only(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The next request on the connection is answered."""

    async def fail(request: Request) -> Response:
        if request.path == "/":
            raise KeyError("secret")
        return await echo(request)

    async with serving(fail) as (server, _), connected(server) as peer:
        await peer.send(GET + POST + b"\r\nhello")
        failed, _ = await peer.answer()
        after, _ = await peer.answer()

    assert failed.startswith(b"HTTP/1.1 500")
    assert after.startswith(b"HTTP/1.1 200")
    assert [record.levelno for record in caplog.records] == [logging.ERROR]


async def test_a_stream_arrives_chunk_by_chunk() -> None:
    """A watcher sees an event when it happens; an empty chunk must not end the stream."""

    async def chunks() -> AsyncIterator[bytes]:
        yield b"one"
        yield b""
        yield b"two"

    async with (
        serving(Stream(chunks(), headers=(("X-A", "b"),))) as (server, _),
        connected(server) as peer,
    ):
        await peer.send(GET)
        head = await peer.head()
        got = [await peer.chunk() for _ in range(3)]

    assert b"Transfer-Encoding: chunked\r\n" in head
    assert b"X-A: b\r\n" in head
    assert got == [b"one", b"two", b""]


async def test_a_stream_to_an_old_client_ends_with_the_connection() -> None:
    """HTTP/1.0 has no chunks, and must not be told that it may go on."""

    async def chunks() -> AsyncIterator[bytes]:
        yield b"one"
        yield b"two"

    async with serving(Stream(chunks())) as (server, _), connected(server) as peer:
        await peer.send(b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        head = await peer.head()

        assert b"Connection: close" in head
        assert b"chunked" not in head
        assert await peer.rest() == b"onetwo"


async def test_a_stream_is_closed_when_the_client_goes_away() -> None:
    """A watcher that nobody listens to costs memory."""
    source = Endless()
    async with serving(source.answer) as (server, _):
        async with connected(server) as peer:
            await peer.send(GET)
            await peer.head()

        await source.closed.wait()


async def test_a_stream_waits_for_a_slow_client() -> None:
    """Chunks wait where they are made, not in the server."""
    source = Endless()
    source.more = asyncio.Semaphore(1000)
    clock = VirtualClock()
    wire = Wire(Scripted(source.answer), clock)
    wire.connection.data_received(GET)
    wire.connection.pause_writing()
    await clock.settle()

    while_full = source.sent
    wire.connection.resume_writing()
    await clock.settle()

    assert while_full == 1
    assert source.sent == 1000
    await wire.cut(clock)


async def test_a_large_answer_waits_for_a_slow_client() -> None:
    """TLS makes copies of all that it is given: they must not be copies of all pods at once."""
    clock = VirtualClock()
    wire = Wire(Scripted(Response(200, b"x" * 2_000_000)), clock)
    wire.connection.data_received(GET)
    wire.connection.pause_writing()
    await clock.settle()

    while_full = len(wire.written)
    wire.connection.resume_writing()
    await clock.settle()

    assert while_full < 1000
    assert len(wire.written) == while_full + 2_000_000
    await wire.cut(clock)


async def test_a_stream_that_fails_does_not_end_in_good_order(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Otherwise a client takes half a list for a whole one."""

    async def chunks() -> AsyncIterator[bytes]:
        yield b"one"
        raise ValueError("broken")

    async with serving(Stream(chunks())) as (server, _), connected(server) as peer:
        await peer.send(GET)
        rest = await peer.rest()

    assert not rest.endswith(b"0\r\n\r\n")
    assert "request failed" in caplog.text


@pytest.mark.parametrize("size", [1000, 300_000, 2_000_000])
async def test_large_answers_are_compressed_for_those_who_ask(size: int) -> None:
    """Kubectl asks, and a list of pods shrinks to a tenth."""
    body = b"pod " * (size // 4)
    asks = b"GET / HTTP/1.1\r\nHost: t\r\nAccept-Encoding: gzip\r\n\r\n"
    async with serving(Response(200, body)) as (server, _), connected(server) as peer:
        await peer.send(asks + GET)
        head, packed = await peer.answer()
        plain, unpacked = await peer.answer()

    coded = b"Content-Encoding: gzip\r\nVary: Accept-Encoding\r\n" in head
    assert coded is (size > 128 * 1024)
    assert (gzip.decompress(packed) if coded else packed) == body
    assert unpacked == body
    assert b"Content-Encoding" not in plain


async def test_what_the_handler_has_compressed_is_sent_as_it_is() -> None:
    """Twice compressed is not readable."""
    answer = Response(200, b"z" * 200_000, headers=(("Content-Encoding", "gzip"),))
    async with serving(answer) as (server, _), connected(server) as peer:
        await peer.send(b"GET / HTTP/1.1\r\nHost: t\r\nAccept-Encoding: gzip\r\n\r\n")
        _, body = await peer.answer()

    assert body == b"z" * 200_000


async def test_after_an_upgrade_bytes_go_both_ways() -> None:
    """Those that came with the request, too."""

    async def talk(duplex: Duplex) -> None:
        while data := await duplex.read():
            await duplex.write(data.upper())
            if b"bye" in data:
                return

    answer = Upgrade(talk, headers=(("Sec-WebSocket-Accept", "x"),))
    async with serving(answer) as (server, _), connected(server) as peer:
        await peer.send(UPGRADE + b"early ")
        head = await peer.head()
        await peer.send(b"late bye")

        assert head.startswith(b"HTTP/1.1 101 Switching Protocols\r\n")
        assert b"\r\nConnection: Upgrade\r\nUpgrade: words\r\nSec-WebSocket-Accept: x\r\n" in head
        assert await peer.rest() == b"EARLY LATE BYE"


async def test_an_upgrade_that_is_not_granted_leaves_the_connection_as_it_was() -> None:
    """Curl asks for HTTP/2 with every first request."""
    async with serving() as (server, _), connected(server) as peer:
        await peer.send(UPGRADE + POST + b"\r\nhello")

        assert (await peer.answer())[1] == b"/exec "
        assert (await peer.answer())[1] == b"/a hello"


async def test_a_talk_hears_that_the_client_has_left() -> None:
    """It reads what was sent before, then the end."""
    heard: asyncio.Future[list[bytes]] = asyncio.get_running_loop().create_future()
    left = asyncio.Event()

    async def talk(duplex: Duplex) -> None:
        await left.wait()
        heard.set_result([await duplex.read(), await duplex.read()])

    async with serving(Upgrade(talk)) as (server, _):
        async with connected(server) as peer:
            await peer.send(UPGRADE)
            await peer.head()
            await peer.send(b"last words")
        left.set()

        assert await heard == [b"last words", b""]


async def test_a_request_is_cancelled_when_its_client_goes_away() -> None:
    """Nobody will read the answer."""
    started, cancelled = asyncio.Event(), asyncio.Event()

    async def wait(request: Request) -> Response:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()
        raise AssertionError

    async with serving(wait) as (server, _), connected(server) as peer:
        await peer.send(GET)
        await started.wait()
        await peer.reset()

        await cancelled.wait()


async def test_a_client_that_has_said_all_is_still_answered() -> None:
    """``printf … | nc`` closes its side with the last byte."""
    started, release = asyncio.Event(), asyncio.Event()

    async def wait(request: Request) -> Response:
        started.set()
        await release.wait()
        return Response(200, b"late")

    async with serving(wait) as (server, _), connected(server) as peer:
        await peer.send(GET)
        peer.writer.write_eof()
        await started.wait()
        release.set()

        assert (await peer.rest()).endswith(b"late")


@pytest.mark.parametrize(
    ("sent", "seconds", "answer"),
    [
        (b"", 32, b""),
        (b"GET / HT", 32, b"HTTP/1.1 408"),
        (POST + b"\r\nhe", 60, b"HTTP/1.1 408"),
        (GET, 120, b"HTTP/1.1 200"),
    ],
)
async def test_a_client_that_dawdles_is_sent_away(sent: bytes, seconds: int, answer: bytes) -> None:
    """A thousand of them would hold a thousand connections."""
    clock = VirtualClock()
    wire = Wire(Scripted(echo), clock)
    wire.connection.data_received(sent)

    await clock.advance(seconds - 1)
    stayed = wire.is_open
    await clock.advance(1 + 2)  # after a refusal it lingers

    assert stayed
    assert not wire.is_open
    assert wire.written.startswith(answer)
    await wire.cut(clock)


async def test_a_drop_now_and_then_does_not_keep_a_request_alive() -> None:
    """The time is for the whole head, not between two bytes."""
    clock = VirtualClock()
    wire = Wire(Scripted(echo), clock)

    for byte in (b"G", b"E", b"T"):
        wire.connection.data_received(byte)
        await clock.advance(12)

    assert wire.written.startswith(b"HTTP/1.1 408")
    await wire.cut(clock)


async def test_a_client_that_takes_nothing_is_cut_off() -> None:
    """A list that nobody reads must not stay in memory."""
    clock = VirtualClock()
    wire = Wire(Scripted(echo), clock)
    wire.connection.data_received(GET)
    wire.connection.pause_writing()

    await clock.advance(61)

    assert not wire.is_open
    await wire.cut(clock)


async def test_too_many_waiting_requests_are_left_in_the_socket() -> None:
    """A client that sends faster than we answer waits with the rest."""
    release = asyncio.Event()

    async def wait(request: Request) -> Response:
        await release.wait()
        return await echo(request)

    clock = VirtualClock()
    wire = Wire(Scripted(wait), clock)
    wire.connection.data_received(GET * 100)
    while_busy = wire.reading
    release.set()
    await clock.settle()

    assert not while_busy
    assert wire.reading
    await wire.cut(clock)


LARGE = b"POST /a HTTP/1.1\r\nHost: t\r\nContent-Length: 1000000\r\n\r\n"


async def test_all_clients_together_send_only_so_much() -> None:
    """Whoever has no credentials can still connect a thousand times, and send almost all of it."""
    async with serving(held=4_000_000) as (server, _):
        async with AsyncExitStack() as stack:
            peers = [await stack.enter_async_context(connected(server)) for _ in range(20)]
            for peer in peers:
                await peer.send(LARGE + b"x" * 900_000)
            refused = [(await peer.answer())[0] for peer in peers[:14]]
            held = server.intake.held

            await peers[-1].send(b"x" * 100_000)
            served, _ = await peers[-1].answer()

        assert [head[:12] for head in refused] == [b"HTTP/1.1 429"] * 14
        assert all(b"\r\nRetry-After: 1\r\n" in head for head in refused)
        assert held <= 4_000_000
        assert served.startswith(b"HTTP/1.1 200")


async def test_a_client_that_asks_for_nothing_keeps_nothing() -> None:
    """What it sent before is gone, in memory as well as in what is counted."""
    async with serving(Response(401)) as (server, handler), AsyncExitStack() as stack:
        peers = [await stack.enter_async_context(connected(server)) for _ in range(20)]
        tracemalloc.start()
        stack.callback(tracemalloc.stop)
        for peer in peers:
            await peer.send(LARGE + b"x" * 1_000_000)
            await peer.answer()
            handler.requests.clear()

        gc.collect()
        assert tracemalloc.get_traced_memory()[0] < 10_000_000
        assert server.intake.held == 0


async def test_a_client_cannot_pipeline_more_than_one_large_request() -> None:
    """While the first is answered, the rest waits in the client."""
    clock, release = VirtualClock(), asyncio.Event()

    async def slow(request: Request) -> Response:
        await release.wait()
        return Response(200)

    wire = Wire(Scripted(slow), clock)
    request = LARGE + b"x" * 1_000_000
    wire.connection.data_received(request)
    await clock.settle()
    for _ in range(6):
        wire.connection.data_received(request)

    assert not wire.reading
    release.set()
    await clock.settle()
    assert wire.reading
    assert wire.written.count(b"HTTP/1.1 200") == 7
    assert wire.intake.held == 0
    await wire.cut(clock)


async def test_a_handler_that_always_fails_writes_few_lines(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A flood of requests that break it does not fill the disk."""

    async def broken(request: Request) -> Response:
        raise ValueError("broken")

    clock = VirtualClock()
    wire = Wire(Scripted(broken), clock)
    for _ in range(60):
        wire.connection.data_received(GET)
    await clock.settle()
    await clock.advance(60)
    wire.connection.data_received(GET)
    await clock.settle()

    assert wire.written.count(b"HTTP/1.1 500") == 61
    lines = [record.message for record in caplog.records if "request failed" in record.message]
    assert len(lines) == 21
    assert "dropped=40" in lines[-1]
    await wire.cut(clock)


async def test_malformed_requests_write_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """Anybody can send them as often as they like."""
    async with serving() as (server, _):
        for sent in (b"\x16\x03\x01\r\n\r\n", b"GET\r\n\r\n", LARGE[:20]):
            async with connected(server) as peer:
                await peer.send(sent)
                peer.writer.write_eof()
                await peer.rest()

    assert not caplog.records
