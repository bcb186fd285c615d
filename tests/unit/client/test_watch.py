"""Watches: lines cut anywhere, streams that break, versions that are gone."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from kubewright._aio import VirtualClock
from kubewright.api.kind import ObjectKey, RESTMapping
from kubewright.api.requests import Place, Request, selection
from kubewright.api.requests import watch as watch_request
from kubewright.api.resource import read
from kubewright.api.unstructured import Unstructured
from kubewright.client.rest import RESTClient
from kubewright.client.transport import Stream
from kubewright.client.watch import Watch, WatchEvent
from kubewright.errors import (
    APIError,
    DecodeError,
    ForbiddenError,
    GoneError,
    KubewrightError,
    TransportError,
)
from kubewright.kinds.core.v1 import Pod
from tests.unit.client.scripted import Chunks, ScriptedTransport, failure
from tests.unit.client.test_rest import SkippingClock

PODS = Place(RESTMapping("", "v1", "Pod", "pods"))
LOST = TransportError("cut", lost=True)


def line(type_: str, name: str, version: int | str) -> bytes:
    meta = {"name": name, "resourceVersion": str(version)}
    event = {"type": type_, "object": {"kind": "Pod", "metadata": meta}}
    return json.dumps(event, separators=(",", ":")).encode() + b"\n"


def error_line(code: int, reason: str, **details: Any) -> bytes:
    status = {"kind": "Status", "code": code, "reason": reason, "message": "m", "details": details}
    return json.dumps({"type": "ERROR", "object": status}).encode() + b"\n"


class Following:
    """A watch over a scripted transport, and what came out of it."""

    def __init__(
        self,
        *script: Any,
        version: str = "5",
        bookmarks: bool = False,
        initial: bool = False,
        clock: Any = None,
    ) -> None:
        self.clock = clock or SkippingClock()
        self.transport = ScriptedTransport(*script)
        self.watch: Watch[Unstructured] = Watch(
            RESTClient(self.transport, clock=self.clock),
            self._request,
            resource_version=version,
            decode=Unstructured.read,
            initial_events=initial,
            bookmarks=bookmarks,
            clock=self.clock,
        )
        self.seen: list[tuple[str, str]] = []

    @staticmethod
    async def _request(version: str, *, initial: bool, seconds: int) -> Request:
        query = selection(
            resource_version=version, send_initial_events=initial, timeout_seconds=seconds
        )
        return watch_request(PODS, query)

    async def take(self, count: int, *, leave: bool = True) -> list[tuple[str, str]]:
        """Return the first *count* events as type and name."""
        async for event in self.watch:
            self.seen.append((event.type, event.object.name))
            if len(self.seen) == count:
                break
        if leave:
            await self.watch.__aexit__()
        return self.seen

    @property
    def versions(self) -> list[str]:
        """The version that each request asked to go on from."""
        queries = [parse_qs(urlsplit(request.target).query) for request in self.transport.requests]
        return [query.get("resourceVersion", [""])[0] for query in queries]


async def test_events_come_in_order_and_typed_by_the_decoder() -> None:
    """Order is what a cache is built from."""
    both = line("ADDED", "a", 6) + line("DELETED", "b", 7)
    following = Following(Chunks([both[:30], both[30:]]))

    assert await following.take(2) == [("ADDED", "a"), ("DELETED", "b")]


async def test_a_stream_that_ends_is_resumed_after_the_last_version() -> None:
    """Servers end every watch after some minutes; nobody may notice."""
    following = Following(
        Chunks([line("ADDED", "a", 6), line("MODIFIED", "a", 8)]), Chunks([line("ADDED", "b", 9)])
    )

    seen = await following.take(3)

    assert [name for _, name in seen] == ["a", "a", "b"]
    assert following.versions == ["5", "8"]


async def test_a_stream_cut_in_the_middle_of_an_event_is_resumed_before_it() -> None:
    """Half an event is none: it comes again, whole."""
    second = line("MODIFIED", "b", 7)
    following = Following(Chunks([line("ADDED", "a", 6) + second[:40]]), Chunks([second]))

    assert await following.take(2) == [("ADDED", "a"), ("MODIFIED", "b")]
    assert following.versions == ["5", "6"]


async def test_a_bookmark_moves_the_version_and_is_not_shown() -> None:
    """A quiet watch would otherwise resume from a version that is long gone."""
    following = Following(
        Chunks([line("BOOKMARK", "", 40), LOST]), Chunks([line("ADDED", "a", 41)])
    )

    assert await following.take(1) == [("ADDED", "a")]
    assert following.versions == ["5", "40"]


async def test_bookmarks_are_shown_where_asked_for() -> None:
    """A cache moves its own version by them."""
    following = Following(Chunks([line("BOOKMARK", "", 40)]), bookmarks=True)

    assert await following.take(1) == [("BOOKMARK", "")]


END = (
    b'{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"90","annotations":'
    b'{"k8s.io/initial-events-end":"true"}}}}\n'
)


async def test_initial_events_that_are_cut_begin_again() -> None:
    """They come in no order: resuming from the last would skip those that did not come."""
    cut_off = line("ADDED", "b", 10)
    whole = line("ADDED", "b", 10) + line("ADDED", "c", 7) + END + line("ADDED", "d", 91)
    following = Following(Chunks([cut_off, LOST]), Chunks([whole]), version="5", initial=True)

    await following.take(4)

    assert following.versions == ["5", "5"]
    assert all("sendInitialEvents=true" in r.target for r in following.transport.requests)


async def test_after_the_initial_events_the_stream_is_resumed_as_any_other() -> None:
    """From the bookmark that ended them, or what came after it."""
    first = Chunks([line("ADDED", "a", 3) + END, LOST])
    following = Following(first, Chunks([line("ADDED", "b", 92)]), version="", initial=True)

    await following.take(2)

    assert following.versions == ["", "90"]
    assert "sendInitialEvents" not in following.transport.requests[1].target


@pytest.mark.parametrize(
    "gone", [Chunks([error_line(410, "Expired")]), failure(410, "Expired"), failure(410, "Gone")]
)
async def test_a_version_that_is_gone_is_raised_at_once(gone: Any) -> None:
    """Only the caller can list again."""
    if not isinstance(gone, Chunks):
        gone = Chunks([gone.body], status=410)
    following = Following(gone)

    with pytest.raises(GoneError):
        await following.take(1)

    assert following.clock.slept == []


async def test_too_many_requests_in_the_stream_waits_as_long_as_it_is_told() -> None:
    """An overloaded server says how long; coming earlier makes it worse."""
    busy = error_line(429, "TooManyRequests", retryAfterSeconds=7)
    following = Following(Chunks([line("ADDED", "a", 6), busy]), Chunks([line("ADDED", "b", 7)]))

    await following.take(2)

    assert following.clock.slept == [7.0]


async def test_a_refusal_that_waiting_cannot_mend_is_raised() -> None:
    """A right that was taken away while watching must not look like a quiet cluster."""
    refused = Chunks([failure(403, "Forbidden").body], status=403)
    following = Following(Chunks([line("ADDED", "a", 6), LOST]), refused)

    with pytest.raises(ForbiddenError):
        await following.take(2)


async def test_a_failure_before_the_first_answer_is_raised() -> None:
    """A wrong address must not look like a quiet cluster."""
    following = Following(TransportError("connection refused"))

    with pytest.raises(TransportError, match="refused"):
        await following.take(1)


async def test_a_server_that_goes_away_later_is_waited_for() -> None:
    """API servers restart; each try waits longer than the one before."""
    down = [TransportError("connection refused")] * 4
    following = Following(Chunks([line("ADDED", "a", 6)]), *down, Chunks([line("ADDED", "b", 7)]))

    await following.take(2)

    assert following.versions == ["5", "6", "6", "6", "6", "6"]
    assert len(following.clock.slept) == 5
    assert following.clock.slept[0] <= following.clock.slept[4]


async def test_two_tries_are_at_least_a_second_apart() -> None:
    """A proxy that ends every stream at once would otherwise be hammered."""
    following = Following(Chunks([]), Chunks([]), Chunks([line("ADDED", "a", 6)]))

    await following.take(1)

    assert following.clock.slept == [1.0, 1.0]


async def test_a_wait_that_is_cancelled_loses_nothing() -> None:
    """A caller may look at the clock between two events without losing the watch."""
    gate = asyncio.Event()
    lines = iter([line("ADDED", "a", 6), line("ADDED", "b", 7)])

    class Gated(Chunks):
        def __aiter__(self) -> AsyncIterator[bytes]:
            return self

        async def __anext__(self) -> bytes:
            if following.seen:
                await gate.wait()
            return next(lines)

    following = Following(Gated([]))
    await following.take(1, leave=False)
    waiting = asyncio.ensure_future(anext(following.watch))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait([waiting])

    gate.set()
    seen = await following.take(2)

    assert [name for _, name in seen] == ["a", "b"]


async def test_a_stream_that_should_have_ended_long_ago_is_given_up() -> None:
    """A balancer may hold the connection of a server that is gone; that is no quiet cluster."""
    clock = VirtualClock()

    class Silent(Chunks):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield line("ADDED", "a", 6) + b'{"type":"ADD'
            await asyncio.Event().wait()

    following = Following(Silent([]), Chunks([line("ADDED", "b", 7)]), clock=clock)

    seen = await clock.run(following.take(2))

    assert [name for _, name in seen] == ["a", "b"]
    assert following.versions == ["5", "6"]
    assert 330 <= clock.monotonic() <= 632


async def test_a_stream_that_falls_silent_between_two_bookmarks_is_given_up() -> None:
    """As in a cache: a server that speaks every minute has not just nothing to say."""
    clock = VirtualClock()

    class Silent(Chunks):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield line("BOOKMARK", "", 6)
            await asyncio.Event().wait()

    following = Following(Silent([]), Chunks([line("ADDED", "b", 7)]), clock=clock)

    await clock.run(following.take(1))

    assert following.versions == ["5", "6"]
    assert clock.monotonic() == 150


async def test_time_that_the_caller_takes_is_not_the_silence_of_the_server() -> None:
    """Who works on one event for ten minutes has not lost the next."""
    clock = VirtualClock()
    news = asyncio.Event()

    class Patient(Chunks):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield line("BOOKMARK", "", 6) + line("ADDED", "a", 7)
            await news.wait()
            yield line("ADDED", "b", 8)

    following = Following(Patient([]), clock=clock)
    await clock.run(following.take(1, leave=False))
    await clock.advance(280)
    waiting = asyncio.ensure_future(following.take(2))
    await clock.advance(1)
    news.set()

    assert await clock.run(waiting) == [("ADDED", "a"), ("ADDED", "b")]
    assert following.versions == ["5"]


async def test_a_stream_that_is_never_answered_is_not_waited_for_without_end() -> None:
    """A balancer may take a connection and never answer."""
    clock = VirtualClock()

    class Deaf(ScriptedTransport):
        @asynccontextmanager
        async def stream(
            self, request: Request, *, timeout: float | None = None
        ) -> AsyncIterator[Stream]:
            await asyncio.Event().wait()
            yield Chunks([])

    following = Following(clock=clock)
    following.watch._rest = RESTClient(Deaf(), clock=clock)

    with pytest.raises(TransportError, match="no answer in time"):
        await clock.run(following.take(1))


async def test_a_server_that_asks_for_a_year_is_asked_again_sooner() -> None:
    """A broken proxy must not stop an operator for good."""
    busy = error_line(429, "TooManyRequests", retryAfterSeconds=31_536_000)
    following = Following(Chunks([line("ADDED", "a", 6), busy]), Chunks([line("ADDED", "b", 7)]))

    await following.take(2)

    assert following.clock.slept == [60.0]


async def test_a_redirect_is_no_quiet_cluster() -> None:
    """A proxy that wants a log-in answers so to everything."""
    following = Following(Chunks([], status=302))

    with pytest.raises(APIError, match="a redirect to"):
        await following.take(1)


def test_the_key_of_an_event_needs_no_decoding() -> None:
    """A queue needs only the key; most objects are never looked at."""
    raw = b'{"spec":"not a pod\'s","metadata":{"namespace":"shop","name":"web"}}'
    event: WatchEvent[Pod] = WatchEvent("ADDED", raw, partial(read, kind=Pod))

    assert event.key == ObjectKey("shop", "web")
    with pytest.raises(DecodeError):
        _ = event.object


def test_the_end_of_the_initial_events_is_marked() -> None:
    """A streaming list is complete at this bookmark and no other."""
    marked = {"metadata": {"annotations": {"k8s.io/initial-events-end": "true"}}}

    ends = WatchEvent("BOOKMARK", json.dumps(marked).encode(), Unstructured.read)
    plain = WatchEvent("BOOKMARK", b'{"metadata":{"annotations":null}}', Unstructured.read)
    added = WatchEvent("ADDED", json.dumps(marked).encode(), Unstructured.read)

    assert ends.ends_initial_events
    assert not plain.ends_initial_events
    assert not added.ends_initial_events


async def test_an_event_that_is_not_json_is_an_error_of_ours() -> None:
    """Whoever catches KubewrightError must catch this, too."""
    following = Following(Chunks([b"what?\n"]))

    with pytest.raises(KubewrightError):
        await following.take(1)
