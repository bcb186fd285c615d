"""Watches: changes as they happen, resumed when the stream is cut."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Any, Generic, Literal, Self, TypeVar, get_args

import msgspec

from kubewright import _json
from kubewright._aio import Backoff, Clock
from kubewright.api.kind import ObjectKey
from kubewright.api.requests import Request
from kubewright.client.rest import RESTClient
from kubewright.client.transport import Stream
from kubewright.errors import (
    APIError,
    Attempt,
    DecodeError,
    KubewrightError,
    ServerError,
    Status,
    TooManyRequestsError,
    TransportError,
    api_error,
)
from kubewright.log import get_logger

_log = get_logger(__name__)

T = TypeVar("T")

_SHORTEST = 1.0  # seconds between two tries: a proxy may end every stream at once
EventType = Literal["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"]
_TYPES: dict[bytes, EventType] = {name.encode(): name for name in get_args(EventType)}
_LEAD = b'{"type":"'
_BETWEEN = b'","object":'
_LONGEST_TYPE = 40


class _RawEvent(msgspec.Struct, gc=False):
    type: EventType
    object: msgspec.Raw


class _Meta(msgspec.Struct, gc=False, rename="camel"):
    name: str = ""
    namespace: str = ""
    resource_version: str = ""
    annotations: dict[str, str] | None = None


class _Versioned(msgspec.Struct, gc=False):
    metadata: _Meta = msgspec.field(default_factory=_Meta)


class WatchEvent(Generic[T]):
    """A change: what happened, and the object after it (for ``DELETED``, its last state).

    Attributes:
        type: ``ADDED``, ``MODIFIED``, ``DELETED`` or, where asked for, ``BOOKMARK``.
        raw: The object as it arrived.
    """

    __slots__ = ("_decode", "_object", "raw", "type")

    def __init__(self, type: EventType, raw: bytes, decode: Callable[[bytes], T]) -> None:  # noqa: A002  # the wire's word
        self.type: EventType = type
        self.raw: bytes = raw
        self._decode = decode
        self._object: T | None = None

    @property
    def object(self) -> T:
        """The object, decoded when it is first looked at."""
        if self._object is None:
            try:
                self._object = self._decode(self.raw)
            except DecodeError as error:
                raise DecodeError(f"{self.type} {str(self.key)!r}: {error}") from error
        return self._object

    @property
    def key(self) -> ObjectKey:
        """The namespace and name, without decoding the rest of the object."""
        metadata = _json.decode(self.raw, _Versioned).metadata
        return ObjectKey(metadata.namespace, metadata.name)

    @property
    def resource_version(self) -> str:
        """The version of the object, or of the whole collection for a bookmark."""
        return _json.decode(self.raw, _Versioned).metadata.resource_version

    @property
    def ends_initial_events(self) -> bool:
        """Whether this is the bookmark after the last of the initial events."""
        if self.type != "BOOKMARK":
            return False
        annotations = _json.decode(self.raw, _Versioned).metadata.annotations or {}
        return annotations.get("k8s.io/initial-events-end") == "true"

    def __repr__(self) -> str:
        return f"WatchEvent({self.type!r}, {self.object!r})"


class Lines:
    """Cuts a stream of chunks into lines, looking at every byte once however long a line is."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the lines that *chunk* completes."""
        lines = chunk.split(b"\n")
        if len(lines) == 1:
            self._parts.append(chunk)
            return []
        if self._parts:
            self._parts.append(lines[0])
            lines[0] = b"".join(self._parts)
            self._parts.clear()
        if rest := lines.pop():
            self._parts.append(rest)
        return lines

    def rest(self) -> bytes:
        """Return what came after the last line break."""
        return b"".join(self._parts)

    @property
    def pending(self) -> int:
        """How many bytes of an unfinished line there are."""
        return sum(map(len, self._parts))


def parse_event(line: bytes) -> tuple[EventType, bytes]:
    """Return the type of a watch event and the bytes of its object.

    Raises:
        DecodeError: The line is no watch event.
    """
    # Kubernetes writes the type first and the object last. Cutting between them saves decoding the
    # object twice: once to find where it ends, once into its class.
    if line.startswith(_LEAD) and line.endswith(b"}"):
        cut = line.find(_BETWEEN, len(_LEAD), _LONGEST_TYPE)
        name = _TYPES.get(line[len(_LEAD) : cut]) if cut > 0 else None
        if name is not None:
            return name, line[cut + len(_BETWEEN) : -1]
    event = _json.decode(line, _RawEvent)
    return event.type, bytes(event.object)


async def read_events(
    stream: Stream, decode: Callable[[bytes], T], attempt: Attempt
) -> AsyncGenerator[list[WatchEvent[T]], None]:
    """Yield the events of one stream until the server ends it, as many at a time as arrived.

    Raises:
        APIError: The server sent an ``ERROR`` event, such as 410 when the version is too old.
        TransportError: The stream broke, maybe in the middle of an event.
    """
    lines = Lines()
    async for chunk in stream:
        events: list[WatchEvent[T]] = []
        for line in lines.feed(chunk):
            if not line:
                continue
            kind, raw = parse_event(line)
            if kind == "ERROR":
                if events:
                    yield events
                raise api_error(attempt, _json.decode(raw, Status))
            events.append(WatchEvent(kind, raw, decode))
        if events:
            yield events
    if lines.pending:
        raise TransportError(
            f"cannot {attempt}: the stream ended in the middle of an event,"
            f" after {lines.pending} bytes of it",
            lost=True,
        )


class Watch(Generic[T]):
    """Follows a collection for as long as it is iterated over, as one ``async for``.

    ``async with client.watch(Pod) as events:`` closes the stream as soon as the block is left.

    A stream that ends or breaks is opened again from the last version seen, so that no change is
    missed or seen twice. What cannot be mended so is raised: `GoneError` when the server has
    forgotten that version (list again), and any other refusal but 429 and 5xx. A failure before the
    first answer is raised too: a wrong address must not look like a quiet cluster.

    Args:
        rest: Where requests go.
        request_from: Makes the request that goes on after a version.
        resource_version: Where to begin.
        decode: Turns the bytes of an object into it.
        bookmarks: Whether to yield bookmarks, too.
        clock: Where time comes from.
    """

    def __init__(
        self,
        rest: RESTClient,
        request_from: Callable[[str], Awaitable[Request]],
        *,
        resource_version: str,
        decode: Callable[[bytes], T],
        bookmarks: bool = False,
        clock: Clock | None = None,
    ) -> None:
        self._version = resource_version
        self._rest = rest
        self._request_from = request_from
        self._decode = decode
        self._bookmarks = bookmarks
        self._clock = clock or Clock()
        self._backoff = Backoff(base=0.8, factor=2, cap=30.0, jitter=1.0, clock=self._clock)
        self._answered = False
        self._running: AsyncGenerator[WatchEvent[T], None] | None = None

    def __aiter__(self) -> AsyncGenerator[WatchEvent[T], None]:
        if self._running is None:
            self._running = self._run()
        return self._running

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        if self._running is not None:
            await self._running.aclose()

    async def _run(self) -> AsyncGenerator[WatchEvent[T], None]:
        while True:
            began = self._clock.monotonic()
            delay = _SHORTEST
            request = await self._request_from(self._version)
            try:
                async with aclosing(self._stream(request)) as batches:
                    async for batch in batches:
                        for event in batch:
                            if event.type != "BOOKMARK" or self._bookmarks:
                                yield event
            except (TransportError, ServerError, TooManyRequestsError) as error:
                if not self._answered:
                    raise
                delay = max(_SHORTEST, self._patience(error))
                _log.warning("watch broke, will resume", error=str(error), delay=round(delay, 1))
            await self._clock.sleep(max(0.0, began + delay - self._clock.monotonic()))

    async def _stream(self, request: Request) -> AsyncGenerator[list[WatchEvent[T]], None]:
        last: WatchEvent[T] | None = None
        # Without a version to begin at, the server first sends what exists, in no order. The
        # versions of those objects say nothing about how far we have come.
        ordered = self._version not in {"", "0"}
        try:
            async with self._rest.stream(request) as stream:
                self._answered = True
                async for batch in read_events(stream, self._decode, request.attempt):
                    ordered = ordered or any(event.type != "ADDED" for event in batch)
                    if ordered:
                        last = batch[-1]
                    self._backoff.reset()
                    yield batch
        finally:
            # Also when the caller stops in the middle of a batch: nobody goes on from there.
            if last is not None:
                self._version = _version(last) or self._version

    def _patience(self, error: KubewrightError) -> float:
        asked = error.retry_after if isinstance(error, APIError) else None
        return self._backoff.next_delay() if asked is None else asked


def _version(event: WatchEvent[Any]) -> str:
    try:
        return event.resource_version
    except DecodeError:
        return ""
