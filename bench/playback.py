"""What the replay server answers, as bytes: no sockets here.

A `Playback` turns a method and a target into one whole answer, or into an iterator of pieces where
the answer is large or does not end.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Protocol
from urllib.parse import parse_qs, urlsplit

from bench import data, discovery, protobuf

PIECE = 1 << 18  # bytes of a list in one write
BATCH = 8  # events between two flushes, as on a busy server
BUFFER = 4096  # of a server written in Go: what a flush cuts a stream into, one TLS record each
CONFIG_MAP = "/api/v1/namespaces/bench/configmaps/one"
PODS = "/api/v1/pods"

_HEADERS = (
    b"Audit-Id: 8a1b5f0e-0000-4000-8000-000000000000\r\n"
    b"Cache-Control: no-cache, private\r\n"
    b"X-Kubernetes-Pf-Flowschema-Uid: aaaaaaaa-0000-4000-8000-000000000000\r\n"
    b"X-Kubernetes-Pf-Prioritylevel-Uid: bbbbbbbb-0000-4000-8000-000000000000\r\n"
)
_JSON = b"application/json"
_END = b"0\r\n\r\n"

Answer = bytes | AsyncIterator[bytes]
Event = Callable[[str, bytes], bytes]
"""What makes an event of its type and a pod."""


class Versioned(Protocol):
    """A pod in some encoding."""

    def at(self, version: int, generation: int = 1) -> bytes:
        """Return the pod at *version*."""
        ...


Pods = Sequence[Versioned]


class Playback:
    """Answers requests about *pods*; a watch of them plays *rounds* changes of each.

    Args:
        pods: What the list holds.
        rounds: How often a watch changes every pod, before it falls silent.
        delay: Seconds of silence before the first change, for a client to finish its list.
        burst: How many changes come at a time, then a pause; 0 for all at once.
        pause: Seconds between two bursts.
        go_peer: The Go program that knows protobuf; without it, everybody gets JSON.
    """

    def __init__(  # one for each flag
        self,
        pods: Iterable[data.PodBytes],
        *,
        rounds: int = 2,
        delay: float = 1.5,
        burst: int = 0,
        pause: float = 0.0,
        go_peer: Path | None = None,
    ) -> None:
        self._pods = list(pods)
        self._messages = protobuf.convert(self._pods, go_peer) if go_peer else []
        self._rounds = rounds
        self._delay = delay
        self._burst = burst
        self._pause = pause
        self._whole = {
            path: whole(body)
            for path, body in (discovery.documents() | {CONFIG_MAP: data.config_map()}).items()
        }

    def answer(self, method: str, target: str, accept: bytes = b"") -> Answer:
        """Return the answer to one request; *accept* is what the client would like to read."""
        if target == CONFIG_MAP and method in {"GET", "PATCH"}:
            return self._whole[CONFIG_MAP]  # the fast path of the benchmark of requests
        url = urlsplit(target)
        query = {name: values[-1] for name, values in parse_qs(url.query).items()}
        if method == "GET" and url.path == PODS and self._messages and _prefers_protobuf(accept):
            return self._watch_messages(query) if _is_watch(query) else self._list_messages(query)
        if method == "GET":
            return self._read(url.path.rstrip("/"), query)
        if method == "PATCH" and url.path == CONFIG_MAP:
            return self._whole[CONFIG_MAP]
        return whole(discovery.not_found(url.path), status=b"404 Not Found")

    def _read(self, path: str, query: dict[str, str]) -> Answer:
        watch = _is_watch(query)
        if path == PODS:
            return self._watch(query) if watch else self._list(query)
        if path in discovery.EMPTY:
            body = discovery.empty_list(path, data.LIST_VERSION)
            return _silence() if watch else whole(body)
        if path in self._whole:
            return self._whole[path]
        return whole(discovery.not_found(path), status=b"404 Not Found")

    async def _list(self, query: dict[str, str]) -> AsyncIterator[bytes]:
        body = self.page(_limit(query), int(query.get("continue") or 0))
        async for piece in _in_pieces(body, _JSON):
            yield piece

    def page(self, limit: int, start: int) -> bytes:
        """Return *limit* pods from *start* on (all of them for 0) as one PodList."""
        end, rest = self._until(limit, start)
        more = b',"continue":"%d","remainingItemCount":%d' % (end, rest) if rest else b""
        items = _listed(self._pods, start, end)
        return (
            b'{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"%d"%s},"items":[%s]}'
            % (data.LIST_VERSION, more, b",".join(items))
        )

    async def _list_messages(self, query: dict[str, str]) -> AsyncIterator[bytes]:
        start = int(query.get("continue") or 0)
        end, rest = self._until(_limit(query), start)
        more = str(end) if rest else ""
        items = _listed(self._messages, start, end)
        body = protobuf.page(items, version=data.LIST_VERSION, more=more, rest=rest)
        async for piece in _in_pieces(body, protobuf.CONTENT_TYPE):
            yield piece

    def _until(self, limit: int, start: int) -> tuple[int, int]:
        """Return where a page ends, and how many pods come after it."""
        end = min(start + limit, len(self._pods)) if limit else len(self._pods)
        return end, len(self._pods) - end

    async def _watch(self, query: dict[str, str]) -> AsyncIterator[bytes]:
        yield _endless(_JSON)
        if _wants_initial_events(query):
            for piece in _flushed(_initial(self._pods, data.event)):
                yield piece
            yield chunk(data.initial_events_end(data.LIST_VERSION))
        async for piece in self._played(self._changes(self._pods, data.event)):
            yield piece

    async def _watch_messages(self, query: dict[str, str]) -> AsyncIterator[bytes]:
        yield _endless(protobuf.CONTENT_TYPE + b";stream=watch")
        if _wants_initial_events(query):
            for piece in _flushed(_initial(self._messages, protobuf.event)):
                yield piece
            yield chunk(protobuf.initial_events_end(data.LIST_VERSION))
        async for piece in self._played(self._changes(self._messages, protobuf.event)):
            yield piece

    async def _played(self, changes: Iterator[bytes]) -> AsyncIterator[bytes]:
        """Yield the changes when their time has come, then nothing for ever."""
        await asyncio.sleep(self._delay)
        while self._burst and (burst := list(islice(changes, self._burst))):
            for piece in _flushed(iter(burst)):
                yield piece
            await asyncio.sleep(self._pause)
        for piece in _flushed(changes):
            yield piece
        await asyncio.Event().wait()

    def _changes(self, pods: Pods, event: Event) -> Iterator[bytes]:
        version = data.LIST_VERSION
        for generation in range(2, self._rounds + 2):
            for pod in pods:
                version += 1
                yield event("MODIFIED", pod.at(version, generation))


def _listed(pods: Pods, start: int, end: int) -> Iterator[bytes]:
    """Yield the pods from *start* to *end*, each of the version that it was created with."""
    first = data.LIST_VERSION - len(pods)
    return (pod.at(first + number) for number, pod in enumerate(pods[start:end], start))


def _initial(pods: Pods, event: Event) -> Iterator[bytes]:
    return (event("ADDED", pod) for pod in _listed(pods, 0, len(pods)))


def _is_watch(query: dict[str, str]) -> bool:
    return query.get("watch", "").lower() in {"1", "true"}


def _wants_initial_events(query: dict[str, str]) -> bool:
    return query.get("sendInitialEvents", "").lower() in {"1", "true"}


def _limit(query: dict[str, str]) -> int:
    """Return how many to list; a real server that may answer from its cache lists all."""
    return 0 if query.get("resourceVersion") == "0" else int(query.get("limit", 0))


def _prefers_protobuf(accept: bytes) -> bool:
    return accept.startswith(protobuf.CONTENT_TYPE)


def whole(body: bytes, *, status: bytes = b"200 OK") -> bytes:
    """Return an answer of known length."""
    headers = _headers(status, _JSON)
    return b"%sContent-Length: %d\r\n\r\n%s" % (headers, len(body), body)


def _endless(content_type: bytes) -> bytes:
    return _headers(b"200 OK", content_type) + b"Transfer-Encoding: chunked\r\n\r\n"


def _headers(status: bytes, content_type: bytes) -> bytes:
    return b"HTTP/1.1 %s\r\n%sContent-Type: %s\r\n" % (status, _HEADERS, content_type)


async def _in_pieces(body: bytes, content_type: bytes) -> AsyncIterator[bytes]:
    yield _endless(content_type)
    for start in range(0, len(body), PIECE):
        yield chunk(body[start : start + PIECE])
    yield _END


def chunk(body: bytes) -> bytes:
    """Return *body* as one chunk of an answer of unknown length."""
    return b"%x\r\n%s\r\n" % (len(body), body)


def _flushed(events: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the events, each in a chunk of its own, as the writes that a real server makes.

    How many reads a client needs for an event is a good part of what the event costs it.
    """
    while batch := b"".join(chunk(event) for event in islice(events, BATCH)):
        for start in range(0, len(batch), BUFFER):
            yield batch[start : start + BUFFER]


async def _silence() -> AsyncIterator[bytes]:
    yield _endless(_JSON)
    await asyncio.Event().wait()
