"""Watches: changes as they happen, resumed when the stream is cut."""

from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from typing import Generic, Protocol, Self, TypeVar

import msgspec

from kubewright import _json
from kubewright._aio import Clock
from kubewright.api.kind import ObjectKey
from kubewright.api.requests import Request
from kubewright.client.listing import Objects
from kubewright.client.rest import RESTClient
from kubewright.client.transport import Stream, chunks_of
from kubewright.client.watcher import EventType, Habits, RawEvent, Watcher
from kubewright.client.watcher.states import (
    Failing,
    Listing,
    ListPages,
    OpenStream,
    Pause,
    Waiting,
    Watching,
)
from kubewright.errors import DecodeError, KubewrightError, TransportError
from kubewright.log import get_logger

_log = get_logger(__name__)

T = TypeVar("T")


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
        """The object, decoded when it is first used."""
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


class _Open:
    """A stream that is open: how to read from it, and how to close it."""

    def __init__(self, stack: AsyncExitStack, stream: Stream, *, initial: bool) -> None:
        self.initial = initial
        self.read: Callable[[], Awaitable[Sequence[bytes]]] = chunks_of(stream)
        self.close: Callable[[], Awaitable[None]] = stack.aclose


class RequestFrom(Protocol):
    """Builds the request that resumes after a version."""

    async def __call__(self, version: str, *, initial: bool, seconds: int) -> Request:
        """Return it; *initial* asks for existing objects, *seconds* is how long to watch."""
        ...


class Watch(Generic[T]):
    """Follows a collection for as long as it is iterated over, as one ``async for``.

    ``async with client.watch(Pod) as events:`` closes the stream as soon as the block is left.

    A stream that ends or breaks is opened again from the last version seen, so that no change is
    missed or seen twice. Other errors are raised: `GoneError` when the server has forgotten that
    version (list again), and any refusal except for 429 and 5xx. A failure before the first answer
    is raised too: a wrong address must not look like a quiet cluster. Cancelling a wait loses
    nothing: the next one continues.

    Args:
        rest: Where requests go.
        request_from: Builds the request that resumes after a version.
        resource_version: Where to begin.
        decode: Turns the bytes of an object into it.
        first: Lists the existing objects, which come first; its version is where the watch begins.
        initial_events: Whether the stream itself begins with the existing objects, up to a
            bookmark; if it is cut before that, it begins again.
        bookmarks: Whether to yield bookmarks, too.
        clock: The source of time.
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
        self._rest = rest
        self._request_from = request_from
        self._decode = decode
        self._first = first
        self._bookmarks = bookmarks
        self._clock = clock or Clock()
        begins_with_what_exists = initial_events or first is not None
        self._watcher = Watcher(
            Listing(resource_version) if begins_with_what_exists else Watching(resource_version),
            lists_again=False,
            habits=Habits(streams_lists=initial_events),
            now=self._clock.monotonic(),
        )
        self._watcher.start()
        self._ready: deque[WatchEvent[T]] = deque()
        self._open: _Open | None = None
        self._listening = False
        self._reported: object = None

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> WatchEvent[T]:
        while True:
            while self._ready:
                event = self._ready.popleft()
                if event.type != "BOOKMARK" or self._bookmarks:
                    self._listening = False
                    return event
            if self._watcher.state is not self._reported:
                self._report_state()
            await self._advance()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._close()

    def _report_state(self) -> None:
        """Log what broke, or raise an error that only the caller can fix; once for each state."""
        state = self._reported = self._watcher.state
        if isinstance(state, Failing):
            raise state.error
        if isinstance(state, Waiting) and state.error is not None:
            delay = round(state.delay, 1)
            _log.warning("watch broke, will resume", error=str(state.error), delay=delay)

    async def _advance(self) -> None:
        """Wait for more events, or do the next thing that leads to some."""
        try:
            if self._open is not None:
                await self._read(self._open)
            else:
                await self._step()
        except KubewrightError as error:
            self._watcher.failed(error, self._clock.monotonic())
        if not self._watcher.streaming:
            await self._close()

    async def _step(self) -> None:
        match self._watcher.next(self._clock.monotonic()):
            case OpenStream() as asked:
                await self._connect(asked)
            case ListPages():
                await self._list()
            case Pause(seconds):
                if seconds > 0:
                    await self._clock.sleep(seconds)
                self._watcher.waited(self._clock.monotonic())

    async def _list(self) -> None:
        assert self._first is not None
        listed = await self._first()
        self._watcher.listed(listed.resource_version)
        self._ready.extend(WatchEvent("ADDED", raw, self._decode) for raw in listed.raw())

    async def _connect(self, asked: OpenStream) -> None:
        request = await self._request_from(
            asked.version, initial=asked.initial, seconds=asked.seconds
        )
        now = self._clock.monotonic()
        self._watcher.sent(request.attempt, now)
        try:
            async with (
                self._clock.timeout(self._watcher.deadline() - now),
                AsyncExitStack() as stack,
            ):
                stream = await stack.enter_async_context(self._rest.stream(request))
                self._open = _Open(stack.pop_all(), stream, initial=asked.initial)
        except TimeoutError as error:
            self._fell_silent(error)
        else:
            self._watcher.opened(self._clock.monotonic())

    async def _read(self, stream: _Open) -> None:
        watcher, now = self._watcher, self._clock.monotonic()
        if not self._listening:
            self._listening = True
            watcher.listening(now)
        try:
            async with self._clock.timeout(watcher.deadline() - now):
                chunks = await stream.read()
        except TimeoutError as error:
            self._fell_silent(error)
            return
        now = self._clock.monotonic()
        if not chunks:
            watcher.ended(now)
            return
        self._take(watcher.receive(chunks, now))
        if stream.initial:
            self._take(watcher.take_held_back(now))

    def _take(self, events: list[RawEvent]) -> None:
        decode = self._decode
        self._ready.extend([WatchEvent(kind, raw, decode) for kind, raw in events])

    def _fell_silent(self, error: TimeoutError) -> None:
        if isinstance(error, TransportError):
            raise error
        if self._watcher.fell_silent(self._clock.monotonic()):
            _log.warning("watch fell silent, will resume")

    async def _close(self) -> None:
        stream, self._open = self._open, None
        if stream is not None:
            await stream.close()
