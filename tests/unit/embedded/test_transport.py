import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from kubewright._aio import Fence, VirtualClock, fenced
from kubewright.api.requests import Request
from kubewright.apiserver.wire import request as server
from kubewright.client.transport import Transport
from kubewright.embedded import InProcessTransport
from kubewright.errors import Attempt, NotLeadingError, TransportError, TransportTimeoutError

GET = Request("GET", "/api/v1/pods?watch=true", Attempt("list", "pods"))
Answering = Callable[[server.Request], Awaitable[server.Answer]]


class Scripted:
    """A handler that answers with *answer*, and remembers what it was asked."""

    def __init__(self, answer: Answering | server.Answer) -> None:
        self._answer = answer
        self.requests: list[server.Request] = []

    async def handle(self, request: server.Request) -> server.Answer:
        self.requests.append(request)
        if callable(self._answer):
            return await self._answer(request)
        return self._answer


class Endless:
    """A stream that says one thing, then nothing, and knows whether it was closed."""

    def __init__(self) -> None:
        self.closed = False
        self.more = asyncio.Event()

    async def chunks(self) -> AsyncIterator[bytes]:
        try:
            yield b"one"
            await self.more.wait()
            yield b"two"
        finally:
            self.closed = True


async def hang(request: server.Request) -> server.Answer:
    """Never answer."""
    await asyncio.Event().wait()
    raise AssertionError


async def test_a_request_arrives_as_it_would_over_http() -> None:
    """The server cannot tell the difference."""
    handler = Scripted(server.Response(201, b"{}", headers=(("Warning", "a"), ("Warning", "b"))))
    transport: Transport = InProcessTransport(handler, headers=(("X-A", "1"),))
    request = Request(
        "POST", "/api/v1/x%20y?a=b", Attempt("create", "x"), b"body", "application/json",
        headers=(("Impersonate-Group", "a"), ("Impersonate-Group", "b")),
    )  # fmt: skip

    answer = await transport.send(request)

    assert (answer.status, answer.body, answer.header("content-type")) == (
        201,
        b"{}",
        "application/json",
    )
    assert [value for name, value in answer.headers if name == "warning"] == ["a", "b"]
    (seen,) = handler.requests
    assert (seen.method, seen.path, seen.query, seen.body) == (
        "POST",
        "/api/v1/x%20y",
        "a=b",
        b"body",
    )
    assert seen.headers["content-type"] == "application/json"
    assert seen.headers["impersonate-group"] == "a\nb"
    assert seen.headers["x-a"] == "1"


@pytest.mark.parametrize(
    ("fixed", "own", "trusted"),
    [
        ((), (), True),
        ((("Authorization", "Bearer a"),), (), False),
        ((), (("authorization", "Bearer a"),), False),
        ((("Impersonate-User", "jane"),), (), True),
    ],
)
async def test_the_process_is_trusted_unless_it_says_who_asks(
    fixed: tuple[tuple[str, str], ...], own: tuple[tuple[str, str], ...], *, trusted: bool
) -> None:
    """A test of access rights brings a token, and must be refused as anybody would be."""
    handler = Scripted(server.Response(200))

    await InProcessTransport(handler, headers=fixed).send(
        Request("GET", "/", Attempt("get", "/"), headers=own)
    )

    assert handler.requests[0].trusted is trusted


async def test_a_body_that_is_too_large_is_refused_as_over_http() -> None:
    """An object that fits in a test must fit in a cluster."""
    handler = Scripted(server.Response(200))
    request = Request("POST", "/", Attempt("create", "x"), b"x" * (3 * 1024 * 1024 + 1))

    answer = await InProcessTransport(handler).send(request)

    assert answer.status == 413
    assert not handler.requests


async def test_a_fault_of_the_server_is_an_answer() -> None:
    """As over HTTP, where no exception can come through."""

    async def fail(request: server.Request) -> server.Answer:
        raise KeyError(request)

    assert (await InProcessTransport(Scripted(fail)).send(GET)).status == 500


async def test_an_answer_that_takes_too_long_is_cancelled() -> None:
    """The server stops working on it."""
    clock = VirtualClock()
    transport = InProcessTransport(Scripted(hang), clock=clock)

    with pytest.raises(TransportTimeoutError, match="did not answer in time"):
        await clock.run(transport.send(GET, timeout=5))

    assert clock.monotonic() == 5


async def test_a_cancelled_request_cancels_the_handler() -> None:
    """Nobody waits for it any more."""
    cancelled = asyncio.Event()

    async def wait(request: server.Request) -> server.Answer:
        try:
            return await hang(request)
        finally:
            cancelled.set()

    sending = asyncio.create_task(InProcessTransport(Scripted(wait)).send(GET))
    await VirtualClock().settle()
    sending.cancel()

    with pytest.raises(asyncio.CancelledError):
        await sending
    assert cancelled.is_set()


async def test_a_stream_is_read_bit_by_bit_and_closed_with_the_block() -> None:
    """A watch that is left costs the server nothing any more."""
    source = Endless()
    transport = InProcessTransport(Scripted(server.Stream(source.chunks())))

    async with transport.stream(GET) as stream:
        chunks = aiter(stream)
        first = await anext(chunks)

    assert (stream.status, first) == (200, b"one")
    assert source.closed


async def test_a_reader_that_gives_up_waiting_may_come_again() -> None:
    """A time-out on one read must not end the watch."""
    source, clock = Endless(), VirtualClock()
    transport = InProcessTransport(Scripted(server.Stream(source.chunks())))

    async with transport.stream(GET) as stream:
        chunks = aiter(stream)
        await anext(chunks)
        reading = asyncio.ensure_future(anext(chunks))
        await clock.settle()
        reading.cancel()
        await clock.settle()
        source.more.set()

        assert await anext(chunks) == b"two"
        assert [chunk async for chunk in chunks] == []


async def test_a_stream_that_fails_breaks_for_its_reader() -> None:
    """It must not look like the end."""

    async def chunks() -> AsyncIterator[bytes]:
        yield b"one"
        raise ValueError("broken")

    transport = InProcessTransport(Scripted(server.Stream(chunks())))

    async with transport.stream(GET) as stream:
        reading = aiter(stream)
        first = await anext(reading)
        with pytest.raises(TransportError, match="broke") as caught:
            await anext(reading)

    assert first == b"one"
    assert caught.value.lost


async def test_a_whole_answer_can_be_read_as_a_stream_and_the_other_way_round() -> None:
    """A refused watch is a whole answer; a log that is not followed may be a stream."""
    refused = InProcessTransport(Scripted(server.Response(403, b"no")))
    source = Endless()
    source.more.set()
    streamed = InProcessTransport(Scripted(server.Stream(source.chunks())))

    async with refused.stream(GET) as stream:
        body = b"".join([chunk async for chunk in stream])
    whole = await streamed.send(GET)

    assert (stream.status, body) == (403, b"no")
    assert (whole.status, whole.body) == (200, b"onetwo")
    assert source.closed


async def test_after_an_upgrade_bytes_go_both_ways() -> None:
    """Until either side has enough."""

    async def talk(duplex: server.Duplex) -> None:
        while data := await duplex.read():
            await duplex.write(data.upper())
            if data == b"bye":
                return

    transport = InProcessTransport(Scripted(server.Upgrade(talk, headers=(("Upgrade", "w"),))))

    async with transport.upgrade(GET) as duplex:
        await duplex.write(b"hello")
        hello = await duplex.read()
        await duplex.write(b"bye")
        rest = [await duplex.read(), await duplex.read()]

    assert (duplex.status, duplex.headers) == (101, (("upgrade", "w"),))
    assert hello == b"HELLO"
    assert rest == [b"BYE", b""]


async def test_a_talk_ends_when_the_client_leaves() -> None:
    """Whatever it waits for."""
    ended = asyncio.Event()

    async def talk(duplex: server.Duplex) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with InProcessTransport(Scripted(server.Upgrade(talk))).upgrade(GET):
        await VirtualClock().settle()

    assert ended.is_set()


async def test_an_upgrade_that_is_refused_can_be_read_and_not_written() -> None:
    """The refusal says why."""
    transport = InProcessTransport(Scripted(server.Response(403, b"no")))

    async with transport.upgrade(GET) as duplex:
        body = await duplex.read()
        with pytest.raises(TransportError, match="answered 403"):
            await duplex.write(b"x")

    assert (duplex.status, body) == (403, b"no")


async def test_an_upgrade_that_nobody_asked_for_is_an_error() -> None:
    """There is nobody to talk."""

    async def talk(duplex: server.Duplex) -> None:
        raise AssertionError

    transport = InProcessTransport(Scripted(server.Upgrade(talk)))

    with pytest.raises(TransportError, match="without being asked"):
        await transport.send(GET)


async def test_closing_ends_what_is_under_way_and_takes_no_more() -> None:
    """A test that is over must not leave a task behind."""
    source = Endless()
    waiting = InProcessTransport(Scripted(hang))
    watching = InProcessTransport(Scripted(server.Stream(source.chunks())))
    sending = asyncio.create_task(waiting.send(GET))
    await VirtualClock().settle()

    await waiting.close()
    async with watching.stream(GET) as stream:
        chunks = aiter(stream)
        await anext(chunks)
        await watching.close()
        with pytest.raises(TransportError, match="closed"):
            await anext(chunks)

    with pytest.raises(TransportError, match="closed"):
        await sending
    with pytest.raises(TransportError, match="closed"):
        await waiting.send(GET)


async def test_what_is_behind_a_closed_fence_does_not_reach_the_server() -> None:
    """A test in one process finds the same as two processes would."""
    handler = Scripted(server.Response(200, b"{}"))
    transport = InProcessTransport(handler)

    with fenced(Fence("lease default/shops", clock=VirtualClock())):
        with pytest.raises(NotLeadingError):
            await transport.send(GET)
        with pytest.raises(NotLeadingError):
            async with transport.stream(GET):
                pass

    assert handler.requests == []
