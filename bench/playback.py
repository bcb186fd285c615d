"""What the replay server answers, as bytes: no sockets here.

A `Playback` turns a method and a target into one whole answer, or into an iterator of pieces where
the answer is large or does not end.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from itertools import islice
from urllib.parse import parse_qs, urlsplit

from bench import data, discovery

PIECE = 1 << 18  # bytes of a list in one write
BATCH = 8  # events between two flushes, as on a busy server
BUFFER = 4096  # of a server written in Go: what a flush cuts a stream into, one TLS record each
CONFIG_MAP = "/api/v1/namespaces/bench/configmaps/one"
PODS = "/api/v1/pods"

_HEADERS = (
    b"Audit-Id: 8a1b5f0e-0000-4000-8000-000000000000\r\n"
    b"Cache-Control: no-cache, private\r\n"
    b"Content-Type: application/json\r\n"
    b"X-Kubernetes-Pf-Flowschema-Uid: aaaaaaaa-0000-4000-8000-000000000000\r\n"
    b"X-Kubernetes-Pf-Prioritylevel-Uid: bbbbbbbb-0000-4000-8000-000000000000\r\n"
)
_ENDLESS = b"HTTP/1.1 200 OK\r\n" + _HEADERS + b"Transfer-Encoding: chunked\r\n\r\n"
_END = b"0\r\n\r\n"

Answer = bytes | AsyncIterator[bytes]


class Playback:
    """Answers requests about *pods*; a watch of them plays *rounds* changes of each.

    Args:
        pods: What the list holds.
        rounds: How often a watch changes every pod, before it falls silent.
        delay: Seconds of silence before the first change, for a client to finish its list.
    """

    def __init__(
        self, pods: Iterable[data.PodBytes], *, rounds: int = 2, delay: float = 1.5
    ) -> None:
        self._pods = list(pods)
        self._rounds = rounds
        self._delay = delay
        self._whole = {
            path: whole(body)
            for path, body in (discovery.documents() | {CONFIG_MAP: data.config_map()}).items()
        }

    def answer(self, method: str, target: str) -> Answer:
        """Return the answer to one request."""
        if target == CONFIG_MAP and method in {"GET", "PATCH"}:
            return self._whole[CONFIG_MAP]  # the fast path of the benchmark of requests
        url = urlsplit(target)
        query = {name: values[-1] for name, values in parse_qs(url.query).items()}
        if method == "GET":
            return self._read(url.path.rstrip("/"), query)
        if method == "PATCH" and url.path == CONFIG_MAP:
            return self._whole[CONFIG_MAP]
        return whole(discovery.not_found(url.path), status=b"404 Not Found")

    def _read(self, path: str, query: dict[str, str]) -> Answer:
        watch = query.get("watch", "").lower() in {"1", "true"}
        if path == PODS:
            return self._watch(query) if watch else self._list(query)
        if path in discovery.EMPTY:
            body = discovery.empty_list(path, data.LIST_VERSION)
            return _silence() if watch else whole(body)
        if path in self._whole:
            return self._whole[path]
        return whole(discovery.not_found(path), status=b"404 Not Found")

    async def _list(self, query: dict[str, str]) -> AsyncIterator[bytes]:
        body = self.page(int(query.get("limit", 0)), int(query.get("continue") or 0))
        yield _ENDLESS
        for start in range(0, len(body), PIECE):
            yield chunk(body[start : start + PIECE])
        yield _END

    def page(self, limit: int, start: int) -> bytes:
        """Return *limit* pods from *start* on (all of them for 0) as one PodList."""
        end = min(start + limit, len(self._pods)) if limit else len(self._pods)
        rest = len(self._pods) - end
        more = b',"continue":"%d","remainingItemCount":%d' % (end, rest) if rest else b""
        items = (
            pod.at(data.LIST_VERSION - len(self._pods) + number)
            for number, pod in enumerate(self._pods[start:end], start)
        )
        return (
            b'{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"%d"%s},"items":[%s]}'
            % (data.LIST_VERSION, more, b",".join(items))
        )

    async def _watch(self, query: dict[str, str]) -> AsyncIterator[bytes]:
        yield _ENDLESS
        if query.get("sendInitialEvents", "").lower() in {"1", "true"}:
            for piece in _flushed(self._initial()):
                yield piece
            yield chunk(data.initial_events_end(data.LIST_VERSION))
        await asyncio.sleep(self._delay)
        for piece in _flushed(self._changes()):
            yield piece
        await asyncio.Event().wait()

    def _initial(self) -> Iterator[bytes]:
        first = data.LIST_VERSION - len(self._pods)
        for number, pod in enumerate(self._pods):
            yield data.event("ADDED", pod.at(first + number))

    def _changes(self) -> Iterator[bytes]:
        version = data.LIST_VERSION
        for generation in range(2, self._rounds + 2):
            for pod in self._pods:
                version += 1
                yield data.event("MODIFIED", pod.at(version, generation))


def whole(body: bytes, *, status: bytes = b"200 OK") -> bytes:
    """Return an answer of known length."""
    return b"HTTP/1.1 %s\r\n%sContent-Length: %d\r\n\r\n%s" % (status, _HEADERS, len(body), body)


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
    yield _ENDLESS
    await asyncio.Event().wait()
