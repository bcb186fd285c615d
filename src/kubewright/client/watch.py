"""Watches: changes as they happen, resumed when the stream is cut."""

import random
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AsyncExitStack
from typing import Any, Generic, Literal, Protocol, Self, TypeVar, get_args

import msgspec

from kubewright import _json
from kubewright._aio import Backoff, Clock
from kubewright.api.kind import ObjectKey
from kubewright.api.requests import Request
from kubewright.client.listing import Objects
from kubewright.client.rest import RESTClient, patience
from kubewright.client.transport import Stream, chunks_of
from kubewright.errors import (
    APIError,
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
_LASTS = (300, 600)  # seconds that a stream is asked to last
_OVERDUE = 30.0  # seconds after which a stream that should have ended is given up
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
    """Cuts chunks into lines, looking at every byte once however long a line is."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def feed(self, chunks: Iterable[bytes]) -> list[bytes]:
        """Return the lines that *chunks* complete, each with its line break."""
        lines: list[bytes] = []
        parts = self._parts
        for chunk in chunks:
            start = 0
            while end := chunk.find(b"\n", start) + 1:
                line = chunk[start:end]  # not copied, if it is all of the chunk
                if parts:
                    parts.append(line)
                    line = b"".join(parts)
                    parts.clear()
                lines.append(line)
                start = end
            if start < len(chunk):
                parts.append(chunk[start:])
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

    Args:
        line: The event, with its line break.

    Raises:
        DecodeError: The line is no watch event.
    """
    # Kubernetes writes the type first and the object last. Cutting between them saves decoding the
    # object twice: once to find where it ends, once into its class.
    if line.startswith(_LEAD) and line.endswith(b"}\n"):
        cut = line.find(_BETWEEN, len(_LEAD), _LONGEST_TYPE)
        name = _TYPES.get(line[len(_LEAD) : cut]) if cut > 0 else None
        if name is not None:
            return name, line[cut + len(_BETWEEN) : -2]
    event = _json.decode(line, _RawEvent)
    return event.type, bytes(event.object)


class _Open:
    """A stream that is open: what of a line has arrived, and when it must have ended."""

    def __init__(self, stack: AsyncExitStack, stream: Stream, ends_at: float) -> None:
        self.read = chunks_of(stream)
        self.lines = Lines()
        self.ends_at = ends_at
        self.close = stack.aclose


class RequestFrom(Protocol):
    """Makes the request that goes on after a version."""

    async def __call__(self, version: str, *, initial: bool, seconds: int) -> Request:
        """Return it; *initial* asks for what exists, *seconds* for how long to go on."""
        ...


class Watch(Generic[T]):
    """Follows a collection for as long as it is iterated over, as one ``async for``.

    ``async with client.watch(Pod) as events:`` closes the stream as soon as the block is left.

    A stream that ends or breaks is opened again from the last version seen, so that no change is
    missed or seen twice. What cannot be mended so is raised: `GoneError` when the server has
    forgotten that version (list again), and any other refusal but 429 and 5xx. A failure before the
    first answer is raised too: a wrong address must not look like a quiet cluster. A wait that is
    cancelled loses nothing: the next one goes on.

    Args:
        rest: Where requests go.
        request_from: Makes the request that goes on after a version.
        resource_version: Where to begin.
        decode: Turns the bytes of an object into it.
        first: Lists what exists, which then comes first and says where to begin.
        initial_events: Whether the stream itself begins with what exists, up to a bookmark; if it
            is cut before that, it begins again.
        bookmarks: Whether to yield bookmarks, too.
        clock: Where time comes from.
    """

    def __init__(  # noqa: PLR0913  # made by the client only
        self,
        rest: RESTClient,
        request_from: RequestFrom,
        *,
        resource_version: str,
        decode: Callable[[bytes], T],
        first: Callable[[], Awaitable[Objects[T]]] | None = None,
        initial_events: bool = False,
        bookmarks: bool = False,
        clock: Clock | None = None,
    ) -> None:
        self._version = resource_version
        self._rest = rest
        self._request_from = request_from
        self._decode = decode
        self._first = first
        self._initial = initial_events
        self._bookmarks = bookmarks
        self._clock = clock or Clock()
        self._backoff = Backoff(base=0.8, factor=2, cap=30.0, jitter=1.0, clock=self._clock)
        self._ready: deque[WatchEvent[T]] = deque()
        self._last: WatchEvent[T] | None = None
        self._open: _Open | None = None
        self._error: APIError | None = None
        self._answered = False
        self._began = 0.0
        self._not_before = 0.0

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> WatchEvent[T]:
        while True:
            while self._ready:
                event = self._ready.popleft()
                if event.type != "BOOKMARK" or self._bookmarks:
                    return event
            await self._advance()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._close()

    async def _advance(self) -> None:
        """Wait for more events, or do the next thing that leads to some."""
        try:
            if self._error is not None:
                error, self._error = self._error, None
                raise error
            if self._first is not None:
                await self._list(self._first)
            elif self._open is None:
                await self._connect()
            else:
                await self._read(self._open)
        except (TransportError, ServerError, TooManyRequestsError) as error:
            await self._close()
            if not self._answered:
                raise
            self._retry_in(self._patience(error), error)
        except KubewrightError:
            await self._close()
            raise

    async def _list(self, first: Callable[[], Awaitable[Objects[T]]]) -> None:
        listed = await first()
        self._first = None
        self._answered = True
        self._version = listed.resource_version
        self._ready.extend(WatchEvent("ADDED", raw, self._decode) for raw in listed.raw())

    async def _connect(self) -> None:
        wait = self._not_before - self._clock.monotonic()
        if wait > 0:
            await self._clock.sleep(wait)
        if self._last is not None:
            self._version, self._last = _version(self._last) or self._version, None
        # As client-go's reflector: servers end streams at their own pace otherwise, and all clients
        # would come back at once.
        seconds = random.randint(*_LASTS)  # noqa: S311  # no secret
        self._began = self._clock.monotonic()
        request = await self._request_from(self._version, initial=self._initial, seconds=seconds)
        async with AsyncExitStack() as stack:
            stream = await stack.enter_async_context(self._rest.stream(request))
            self._attempt = request.attempt
            self._answered = True
            self._open = _Open(stack.pop_all(), stream, self._began + seconds + _OVERDUE)

    async def _read(self, stream: _Open) -> None:
        chunks = await self._next_chunks(stream)
        if not chunks:
            await self._close()
            self._not_before = self._began + _SHORTEST
            if stream.lines.pending:
                raise TransportError(
                    f"cannot {self._attempt}: the stream ended in the middle of an event,"
                    f" after {stream.lines.pending} bytes of it",
                    lost=True,
                )
            return
        for line in stream.lines.feed(chunks):
            if line != b"\n" and not self._take(line):
                break
        if self._ready:
            self._backoff.reset()

    async def _next_chunks(self, stream: _Open) -> Sequence[bytes]:
        """Return what arrives next; nothing at the end, or when the end is overdue.

        A server that is gone without a word, or a balancer that holds the connection for it, would
        otherwise look like a quiet cluster for ever.
        """
        try:
            async with self._clock.timeout(stream.ends_at - self._clock.monotonic()):
                return await stream.read()
        except TransportError:
            raise
        except TimeoutError:
            stream.lines = Lines()
            return ()

    def _take(self, line: bytes) -> bool:
        """Note an event; say whether more may follow it."""
        kind, raw = parse_event(line)
        if kind == "ERROR":
            self._error = api_error(self._attempt, _json.decode(raw, Status))
            return False
        event = WatchEvent(kind, raw, self._decode)
        self._ready.append(event)
        if self._initial and event.ends_initial_events:
            self._initial = False
        if not self._initial:
            # What comes before the end of the initial events is in no order: its versions say
            # nothing about how far we have come.
            self._last = event
        return True

    def _retry_in(self, delay: float, error: KubewrightError) -> None:
        self._not_before = self._clock.monotonic() + delay
        _log.warning("watch broke, will resume", error=str(error), delay=round(delay, 1))

    def _patience(self, error: KubewrightError) -> float:
        asked = error.retry_after if isinstance(error, APIError) else None
        return max(_SHORTEST, patience(asked) if asked else self._backoff.next_delay())

    async def _close(self) -> None:
        stream, self._open = self._open, None
        if stream is not None:
            await stream.close()


def _version(event: WatchEvent[Any]) -> str:
    try:
        return event.resource_version
    except DecodeError:
        return ""
