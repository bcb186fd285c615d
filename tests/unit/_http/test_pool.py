import asyncio
import random
import ssl
import sys
from contextlib import suppress
from typing import Any

import pytest

from kubewright._aio import Clock, TaskSet, VirtualClock
from kubewright._http.endpoint import Limits, Route, endpoint_of
from kubewright._http.pool import Pool, Slots
from kubewright.errors import LifecycleError, TransportError, TransportTimeoutError
from tests.unit._http.certificates import Authority
from tests.unit._http.servers import (
    CHUNKED,
    NEVER,
    OK,
    Peer,
    answering,
    chunk,
    pool_to,
    say_nothing,
    say_ok,
    send,
    serving,
)

GET = b"GET / HTTP/1.1\r\nHost: test\r\n\r\n"


async def test_one_after_another_use_one_connection() -> None:
    """A handshake per request would cost more than the request."""
    async with serving(say_ok) as server, pool_to(server) as pool:
        for _ in range(5):
            await send(pool)

        assert len(server.peers) == 1
        assert len(server.requests) == 5
        assert (len(pool), pool.idle) == (1, 1)


async def test_at_once_use_as_many_as_they_need() -> None:
    """Nobody waits for a connection before there are very many."""
    async with serving(say_ok) as server, pool_to(server) as pool:
        await asyncio.gather(*(send(pool) for _ in range(8)))

        assert len(server.peers) == 8


async def test_a_limit_makes_requests_wait_for_one_another() -> None:
    """A small server can be spared."""
    async with serving(say_ok) as server, pool_to(server, Limits(connections=2)) as pool:
        answers = await asyncio.gather(*(send(pool) for _ in range(8)))

        assert [answer[2] for answer in answers] == [b"ok"] * 8
        assert len(server.peers) <= 2


async def test_waiting_for_a_turn_counts_as_time() -> None:
    """The deadline is that of the whole request."""
    clock = VirtualClock()
    limits = Limits(connections=1)

    async with serving(say_nothing) as server, pool_to(server, limits, clock=clock) as pool:
        first = asyncio.create_task(send(pool, deadline=60))
        while not server.requests:  # noqa: ASYNC110  # sockets are outside of virtual time
            await asyncio.sleep(0)
        second = asyncio.create_task(send(pool, deadline=30))
        await clock.advance(30)

        with pytest.raises(TransportTimeoutError, match="no connection"):
            await second
        await clock.advance(30)
        with pytest.raises(TransportTimeoutError, match="did not answer"):
            await first


async def test_connection_close_is_obeyed() -> None:
    """A server that says it will close would reset the next request."""
    closing = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"

    async with serving(answering(closing), say_ok) as server, pool_to(server) as pool:
        await send(pool, "POST")
        await send(pool, "POST")

        assert len(server.peers) == 2


@pytest.mark.parametrize("leftover", [b"HTTP/1.1 200 OK\r\n", OK, b"garbage", b"\0"])
async def test_a_connection_with_leftover_bytes_is_not_used_again(leftover: bytes) -> None:
    """They would become somebody else's answer: a Secret shown to the wrong caller."""

    async def script(peer: Peer) -> None:
        await peer.request()
        await peer.send(OK + leftover)
        await say_ok(peer)

    async with serving(script, say_ok) as server, pool_to(server) as pool:
        first = await send(pool)
        second = await send(pool)

        assert (first[2], second[2]) == (b"ok", b"ok")
        assert len(server.peers) == 2


async def test_bytes_that_nobody_asked_for_end_an_idle_connection() -> None:
    """Some servers send a 408 to a connection that is idle, just before they close it."""
    gone = asyncio.Event()

    async def script(peer: Peer) -> None:
        await peer.request()
        await peer.send(OK)
        await asyncio.sleep(0.01)
        await peer.send(b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n")
        await peer.gone()
        gone.set()

    async with serving(script, say_ok) as server, pool_to(server) as pool:
        await send(pool)
        await gone.wait()
        answer = await send(pool)

        assert answer[0] == 200


async def drop_second(peer: Peer) -> None:
    """Answer once; close on the second request, as a server does that gave up on us meanwhile."""
    await peer.request()
    await peer.send(OK)
    await peer.request()


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
async def test_a_read_on_a_stale_connection_is_sent_again(method: str) -> None:
    """The server closes idle connections at any time; that is nobody's failure."""
    async with serving(drop_second, say_ok) as server, pool_to(server) as pool:
        await send(pool)
        answer = await send(pool, method)

        assert answer[0] == 200
        assert len(server.peers) == 2


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
async def test_a_write_on_a_stale_connection_is_never_sent_again(method: str) -> None:
    """It may have been carried out: twice is worse than an error."""
    async with serving(drop_second, say_ok) as server, pool_to(server) as pool:
        await send(pool)

        with pytest.raises(TransportError, match="closed the connection") as caught:
            await send(pool, method)

        assert caught.value.lost
        assert len(server.requests) == 2


async def test_a_stream_goes_on_with_a_connection_that_is_free() -> None:
    """The watch after a list needs no handshake of its own, and nobody else gets its connection."""

    async def script(peer: Peer) -> None:
        await peer.request()
        await peer.send(OK)
        await peer.request()
        await peer.send(CHUNKED + chunk(b"event"))
        await peer.gone()

    async with serving(script, say_ok) as server, pool_to(server) as pool:
        await send(pool)
        connection, (_, _, body) = await pool.open("GET", GET, b"", deadline=NEVER)

        assert await anext(body) == b"event"
        assert (len(server.peers), pool.idle) == (1, 0)
        connection.abort()


async def test_a_stream_on_a_stale_connection_is_opened_again() -> None:
    """As with any other read, that the server has closed it meanwhile is nobody's failure."""
    async with serving(drop_second, say_ok) as server, pool_to(server) as pool:
        await send(pool)
        connection, answer = await pool.open("GET", GET, b"", deadline=NEVER)

        assert answer[0] == 200
        assert len(server.peers) == 2
        connection.abort()


async def test_a_read_is_sent_again_once_and_not_for_ever() -> None:
    """A server that always closes is broken, and the caller must hear of it."""
    async with serving(drop_second, answering(b"")) as server, pool_to(server) as pool:
        await send(pool)

        with pytest.raises(TransportError):
            await send(pool)

        assert len(server.peers) == 2


async def test_a_read_that_got_half_an_answer_is_not_sent_again_by_the_pool() -> None:
    """The server was there: it is for the caller to decide."""

    async def script(peer: Peer) -> None:
        await peer.request()
        await peer.send(OK)
        await peer.request()
        await peer.send(b"HTTP/1.1 200 OK\r\n")

    async with serving(script, say_ok) as server, pool_to(server) as pool:
        await send(pool)

        with pytest.raises(TransportError, match="middle of the headers"):
            await send(pool)


async def test_idle_connections_are_closed_after_a_while() -> None:
    """Load balancers forget silent connections; we must forget them first."""
    clock = VirtualClock()

    async with serving(say_ok) as server, pool_to(server, clock=clock) as pool:
        await send(pool)
        await clock.advance(89)
        kept = len(pool)
        await clock.advance(2)
        await server.empty()

        assert (kept, len(pool)) == (1, 0)


async def test_too_many_idle_connections_are_closed_after_a_burst() -> None:
    """A burst of a hundred must not leave a hundred sockets open for long."""
    clock = VirtualClock()

    async with serving(say_ok) as server, pool_to(server, clock=clock) as pool:
        await asyncio.gather(*(send(pool) for _ in range(40)))
        burst = pool.idle
        await clock.advance(1)

        assert (burst, pool.idle) == (40, 25)


async def test_a_cancelled_request_takes_its_connection_with_it() -> None:
    """The late answer must not reach the next request."""
    async with serving(say_nothing, say_ok) as server, pool_to(server) as pool:
        task = asyncio.create_task(send(pool))
        while not server.requests:  # noqa: ASYNC110  # the server has no event for it
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await server.empty()
        answer = await send(pool)

        assert answer[2] == b"ok"
        assert len(server.peers) == 2


async def test_a_hundred_requests_cancelled_at_random_leave_nothing_behind() -> None:
    """Cancellation may hit any await: connecting, sending, waiting, or the moment in between."""
    dice = random.Random(7)
    wrong: list[object] = []

    async def one(number: int) -> None:
        answer = await send(pool, "GET")
        if answer[2] != b"ok":
            wrong.append(answer)

    async with serving(say_ok) as server, pool_to(server) as pool:
        for _ in range(5):
            async with TaskSet() as tasks:
                started = [tasks.start(one(number)) for number in range(100)]
                while tasks:
                    for task in dice.sample(started, 10):
                        task.cancel()
                    await asyncio.sleep(0)
            assert (await send(pool))[2] == b"ok"
        await pool.close()
        await server.empty()

        assert wrong == []
        assert len(pool) == 0
    assert len(asyncio.all_tasks()) == 1


async def test_a_cancel_after_the_answer_does_not_hurt_the_next_user() -> None:
    """The connection is free as soon as the answer is whole, before the caller has its turn."""
    async with serving(say_ok) as server, pool_to(server) as pool:
        await send(pool)
        first = asyncio.create_task(send(pool))
        while pool.idle or not len(pool):  # noqa: ASYNC110  # the pool has no event for it
            await asyncio.sleep(0)
        while not pool.idle:  # noqa: ASYNC110  # as above
            await asyncio.sleep(0)
        second = asyncio.create_task(send(pool))
        first.cancel()

        assert (await second)[2] == b"ok"
        await asyncio.wait([first])
        assert len(server.peers) == 1


async def test_close_fails_what_is_under_way() -> None:
    """Nobody waits for ever on a closed transport."""
    async with serving(say_nothing) as server, pool_to(server) as pool:
        task = asyncio.create_task(send(pool))
        while not server.requests:  # noqa: ASYNC110  # the server has no event for it
            await asyncio.sleep(0)
        await pool.close()

        with pytest.raises(TransportError, match="the transport was closed"):
            await task
        assert len(pool) == 0


async def test_close_fails_a_stream_under_way() -> None:
    """A watch must notice the end of its transport too."""

    async def script(peer: Peer) -> None:
        await peer.request()
        await peer.send(CHUNKED)
        await peer.gone()

    async with serving(script) as server, pool_to(server) as pool:
        _, (_, _, body) = await pool.open("GET", GET, b"", deadline=NEVER)
        reader = asyncio.create_task(anext(body))
        await asyncio.sleep(0)
        await pool.close()

        with pytest.raises(TransportError, match="the transport was closed"):
            await reader


async def test_close_ends_a_connection_that_is_being_made() -> None:
    """A dial takes up to 30 seconds; shutting down must not wait for it."""
    async with serving(say_ok) as server, pool_to(server) as pool:
        task = asyncio.create_task(send(pool))
        await asyncio.sleep(0)
        await pool.close()

        with pytest.raises(TransportError, match="the transport was closed"):
            await task
        while not server.peers:  # noqa: ASYNC110  # the kernel has accepted it in any case
            await asyncio.sleep(0)
        await server.empty()


async def test_a_closed_pool_refuses_requests_and_closes_again() -> None:
    """Using it afterwards is the caller's mistake, closing it twice is not."""
    async with serving(say_ok) as server, pool_to(server) as pool:
        await send(pool)
        await pool.close()
        await pool.close()

        with pytest.raises(LifecycleError, match="was closed"):
            await send(pool)
        with pytest.raises(LifecycleError, match="was closed"):
            await pool.open("GET", GET, b"", deadline=NEVER)


async def test_two_may_close_at_once() -> None:
    """A signal and an error can both bring an operator down in the same moment."""
    async with serving(say_ok) as server, pool_to(server) as pool:
        await send(pool)

        await asyncio.gather(pool.close(), pool.close())

        assert len(pool) == 0


async def test_retire_lets_requests_finish_and_uses_no_connection_again() -> None:
    """After a new client certificate nothing new may be said under the old one."""
    answer_now = asyncio.Event()

    async def script(peer: Peer) -> None:
        await peer.request()
        await answer_now.wait()
        await peer.send(OK)
        await peer.gone()

    async with serving(script, say_ok) as server, pool_to(server) as pool:
        task = asyncio.create_task(send(pool))
        while not server.requests:  # noqa: ASYNC110  # the server has no event for it
            await asyncio.sleep(0)
        pool.retire()
        answer_now.set()
        first = await task
        await send(pool)

        assert first[2] == b"ok"
        assert len(server.peers) == 2


@pytest.mark.parametrize("head", [CHUNKED, b"HTTP/1.1 200 OK\r\n\r\n"])
async def test_retire_breaks_streams(head: bytes) -> None:
    """A watch lives for minutes; it has to come back with the new certificate."""

    async def script(peer: Peer) -> None:
        await peer.request()
        await peer.send(head)
        await peer.gone()

    async with serving(script) as server, pool_to(server) as pool:
        _, (_, _, body) = await pool.open("GET", GET, b"", deadline=NEVER)
        pool.retire()

        with pytest.raises(TransportError, match="the stream broke"):
            await anext(body)


async def test_a_thousand_at_once_do_not_use_a_thousand_connections() -> None:
    """The usual limit of open files is 1024, for the whole process."""
    async with serving(say_ok) as server, pool_to(server) as pool:
        answers = await asyncio.gather(*(send(pool) for _ in range(1000)))

        assert len(answers) == 1000
        assert len(server.peers) <= 100


async def test_a_request_that_cannot_be_started_leaves_no_connection() -> None:
    """A socket that nobody uses or closes is lost for the life of the process."""
    broken: Any = "not bytes"

    async with serving(say_ok) as server, pool_to(server) as pool:
        with pytest.raises(TypeError):
            await pool.request("GET", GET, broken, deadline=NEVER)
        await server.empty()

        assert len(pool) == 0


async def test_a_parser_that_cannot_be_loaded_is_reported_before_anything_is_opened(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An import opens files, and so fails when there are too many."""
    monkeypatch.setitem(sys.modules, "httptools", None)

    async with serving(say_ok) as server, pool_to(server) as pool:
        with pytest.raises(TransportError, match="parser cannot be loaded") as caught:
            await send(pool)

        assert not caught.value.lost
        assert not server.peers


async def test_retire_reaches_a_stream_that_is_being_opened() -> None:
    """It would go on for hours under the identity of before."""
    asked, retired = asyncio.Event(), asyncio.Event()

    async def slow(peer: Peer) -> None:
        await peer.request()
        asked.set()
        await retired.wait()
        await peer.send(CHUNKED)
        await peer.gone()

    async with serving(slow) as server, pool_to(server) as pool:
        opening = asyncio.create_task(pool.open("GET", GET, b"", deadline=NEVER))
        await asked.wait()
        pool.retire()
        retired.set()

        with pytest.raises(TransportError, match="the stream broke") as caught:
            await opening
        await server.empty()
        assert caught.value.lost


async def test_retire_reaches_a_connection_that_is_being_made(authority: Authority) -> None:
    """The certificate was shown in its handshake, before the pool knew of it."""
    client = authority.client()
    asked = 0

    def context() -> ssl.SSLContext:
        nonlocal asked
        asked += 1
        if asked == 1:
            pool.retire()
        return client

    async with serving(say_ok, context=authority.server("127.0.0.1")) as server:
        endpoint, _ = endpoint_of(f"https://127.0.0.1:{server.port}")
        pool = Pool(Route(endpoint, context), limits=Limits(), clock=Clock())
        await send(pool)
        await pool.close()

    assert asked == 2
    assert len(server.requests) == 1


@pytest.mark.parametrize("last_words", [OK, b""])
async def test_a_server_that_ends_with_its_handshake_has_not_lost_a_request(
    authority: Authority, last_words: bytes
) -> None:
    """With TLS 1.2 it can speak, or leave, in the same packet. Nothing was sent to it yet."""
    context = authority.server("127.0.0.1")
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_TICKET

    async def shake_hands(peer: Peer) -> None:
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        side = context.wrap_bio(incoming, outgoing, server_side=True)
        while True:
            try:
                side.do_handshake()
                break
            except ssl.SSLWantReadError:
                await peer.send(outgoing.read())
                incoming.write(await peer.reader.read(65536))
        if last_words:
            side.write(last_words)
        else:
            with suppress(ssl.SSLError):
                side.unwrap()
        await peer.send(outgoing.read())
        await peer.gone()

    async with serving(shake_hands) as server:
        endpoint, _ = endpoint_of(f"https://127.0.0.1:{server.port}")
        pool = Pool(Route(endpoint, authority.client), limits=Limits(), clock=Clock())
        with pytest.raises(TransportError) as caught:
            await send(pool)
        await pool.close()

    assert not caught.value.lost
    assert len(pool) == 0


async def take(slots: Slots, name: str, served: list[str]) -> None:
    await slots.wait()
    served.append(name)


async def turns(count: int = 5) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def test_slots_go_to_those_who_wait_longest() -> None:
    """Under load the first to come must not be the last to be served."""
    slots, served = Slots(1), list[str]()
    slots.free -= 1
    tasks = [asyncio.create_task(take(slots, name, served)) for name in "abc"]
    await turns()

    for _ in tasks:
        slots.give_back()
    await asyncio.gather(*tasks)

    assert served == ["a", "b", "c"]
    assert slots.free == 0


@pytest.mark.parametrize("before", [True, False])
async def test_a_cancelled_waiter_loses_no_slot(before: bool) -> None:
    """Whether it had its slot already or not: a lost one would be missing for ever."""
    slots, served = Slots(1), list[str]()
    slots.free -= 1
    gone = asyncio.create_task(take(slots, "gone", served))
    stays = asyncio.create_task(take(slots, "stays", served))
    await turns()

    if before:
        gone.cancel()
        slots.give_back()
    else:
        slots.give_back()
        gone.cancel()
    await asyncio.wait({gone, stays})
    slots.give_back()

    assert served == ["stays"]
    assert slots.free == 1


async def test_a_waiter_that_gave_up_long_ago_is_forgotten() -> None:
    """While the server hangs, thousands may come and give up."""
    slots = Slots(1)
    slots.free -= 1
    task = asyncio.create_task(slots.wait())
    await turns()

    task.cancel()
    await asyncio.wait({task})

    assert not slots._waiters


def test_without_a_number_there_are_always_more() -> None:
    """Some servers are ours alone."""
    slots = Slots(None)

    slots.free -= 10**9

    assert slots.free > 0
