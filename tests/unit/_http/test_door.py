"""What leaves a process that leads no longer: nothing, whatever it was about to send."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from kubewright._aio import Clock, Fence, VirtualClock, fenced
from kubewright._http.endpoint import Limits, Route, endpoint_of
from kubewright._http.pool import Pool
from kubewright.errors import NotLeadingError
from tests.unit._http.certificates import Authority
from tests.unit._http.servers import NEVER, OK, Peer, Script, Server, no_tls, say_ok, send, serving

LARGE = bytes(16 << 20)  # more than the kernel takes without a reader
OPEN = float("inf")
UPGRADE = b"GET / HTTP/1.1\r\nHost: test\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"
SWITCHED = b"HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"


@pytest.fixture(params=["plain", "tls"])
def secure(request: pytest.FixtureRequest) -> bool:
    """Run the test over TCP, and over TLS."""
    return bool(request.param == "tls")


@asynccontextmanager
async def talking(
    authority: Authority, script: Script, *, secure: bool, limits: Limits | None = None
) -> AsyncIterator[tuple[Server, Pool, Fence]]:
    """Give a server, a pool of connections to it, and a fence that is open."""
    trusting: ssl.SSLContext | None = authority.client() if secure else None
    context = authority.server("127.0.0.1") if secure else None
    fence = Fence("lease default/shops", clock=VirtualClock())
    fence.until = OPEN
    async with serving(script, context=context) as server:
        url = f"{'https' if secure else 'http'}://127.0.0.1:{server.port}"
        route = Route(endpoint_of(url)[0], (lambda: trusting) if trusting else no_tls)
        pool = Pool(route, limits=limits or Limits(), clock=Clock())
        try:
            yield server, pool, fence
        finally:
            await pool.close()


async def test_what_is_sent_before_the_end_arrives(authority: Authority, *, secure: bool) -> None:
    """A fence that is open holds nothing up, however much there is to send."""
    async with talking(authority, say_ok, secure=secure) as (server, pool, fence):
        with fenced(fence):
            small = await send(pool, "PUT", body=b"small")
            large = await send(pool, "PUT", body=LARGE)
        plain = await send(pool, "PUT", body=LARGE)

    assert [small[0], large[0], plain[0]] == [200, 200, 200]
    assert [request.endswith(b"\r\n\r\n" + LARGE) for request in server.requests[1:]] == [True] * 2
    assert len(server.peers) == 1


async def test_nothing_is_sent_after_the_end(authority: Authority, *, secure: bool) -> None:
    """Neither on a connection that is there already nor on a new one; others go on."""
    async with talking(authority, say_ok, secure=secure) as (server, pool, fence):
        with fenced(fence):
            await send(pool, "PUT", body=b"in time")
            fence.close()
            for _ in range(2):
                with pytest.raises(NotLeadingError):
                    await send(pool, "PUT", body=b"late")
        await send(pool, "PUT", body=b"unfenced")

    assert [request.rpartition(b"\n")[2] for request in server.requests] == [
        b"in time",
        b"unfenced",
    ]


async def test_who_waited_for_a_connection_finds_the_fence_closed(
    authority: Authority, *, secure: bool
) -> None:
    """The look is right before the bytes leave, not when the request was made."""
    limits = Limits(connections=1)
    answer = asyncio.Event()

    async def script(peer: Peer) -> None:
        while True:
            await peer.request()
            await answer.wait()
            await peer.send(OK)

    async with talking(authority, script, secure=secure, limits=limits) as (server, pool, fence):
        with fenced(fence):
            first = asyncio.create_task(send(pool, "PUT", body=b"first"))
            second = asyncio.create_task(send(pool, "PUT", body=b"second"))
        while not server.requests:  # noqa: ASYNC110  # it is a socket that brings it
            await asyncio.sleep(0)
        fence.close()
        answer.set()
        await first

        with pytest.raises(NotLeadingError):
            await second
    assert len(server.requests) == 1


async def test_a_request_that_is_half_sent_at_the_end_is_cut_off(
    authority: Authority, *, secure: bool
) -> None:
    """What waits for a slow server leaves with the first pass after a pause, if nobody looks."""
    read = asyncio.Event()

    async def script(peer: Peer) -> None:
        await read.wait()
        await peer.request()

    async with talking(authority, script, secure=secure) as (server, pool, fence):
        with fenced(fence):
            sending = asyncio.create_task(send(pool, "PUT", body=LARGE))
        while not len(pool):  # noqa: ASYNC110  # as above
            await asyncio.sleep(0)
        for _ in range(10):
            await asyncio.sleep(0)
        fence.close()
        read.set()

        with pytest.raises(NotLeadingError):
            await sending
        await server.empty()
    assert server.requests == []


async def test_nothing_is_written_into_a_container_after_the_end(
    authority: Authority, *, secure: bool
) -> None:
    """Bytes after an upgrade are no less an act than a request."""
    received: list[bytes] = []

    async def script(peer: Peer) -> None:
        await peer.request()
        await peer.send(SWITCHED)
        while data := await peer.reader.read(100):
            received.append(data)

    async with talking(authority, script, secure=secure) as (server, pool, fence):
        with fenced(fence):
            opened = await pool.open("GET", UPGRADE, b"", deadline=NEVER, upgrade=True)
        connection, (_, _, raw) = opened
        await raw.write(b"in time")
        fence.close()

        with pytest.raises(NotLeadingError):
            await raw.write(b"late")
        connection.abort()
        await server.empty()
    assert b"".join(received) == b"in time"


async def test_who_writes_faster_than_the_server_reads_has_to_wait(authority: Authority) -> None:
    """What waits at the door takes memory, too."""
    read = asyncio.Event()

    async def script(peer: Peer) -> None:
        await peer.request()
        await peer.send(SWITCHED)
        await read.wait()
        await peer.gone()

    async with talking(authority, script, secure=False) as (_, pool, fence):
        with fenced(fence):
            opened = await pool.open("GET", UPGRADE, b"", deadline=NEVER, upgrade=True)
        connection, (_, _, raw) = opened
        writing = asyncio.create_task(raw.write(LARGE))
        for _ in range(10):
            await asyncio.sleep(0)

        waits = not writing.done()
        read.set()
        await writing
        connection.abort()
    assert waits


def test_it_holds_on_uvloop(authority: Authority) -> None:
    """Its transports send at the end of a pass, long after they were told to."""
    uvloop = pytest.importorskip("uvloop")
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        for secure in (False, True):
            for claim in (
                test_what_is_sent_before_the_end_arrives,
                test_nothing_is_sent_after_the_end,
                test_a_request_that_is_half_sent_at_the_end_is_cut_off,
                test_nothing_is_written_into_a_container_after_the_end,
            ):
                runner.run(claim(authority, secure=secure))
