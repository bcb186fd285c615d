"""Watch: the changes of the objects that match, as they happen."""

import asyncio
import random
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from typing import Any, Self, TypeVar

import msgspec

from kubewright._aio import Timer
from kubewright.apiserver.backend import Call
from kubewright.apiserver.endpoints.read import parse_version
from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.registry import view
from kubewright.apiserver.registry.selection import Selection
from kubewright.apiserver.storage import Event, Stored, Watcher
from kubewright.apiserver.storage.watcher import AT_ONCE
from kubewright.apiserver.wire import output
from kubewright.apiserver.wire.negotiation import Accepted
from kubewright.apiserver.wire.options import ListOptions, list_options
from kubewright.apiserver.wire.request import Stream

SHORTEST_TIMEOUT: int = 1800  # a watch without a timeout ends after this, or up to twice as long
BOOKMARK_EVERY: float = 60
BOOKMARK_BEFORE_END: float = 2
INITIAL_EVENTS_END: str = "k8s.io/initial-events-end"

encode: Callable[[Any], bytes] = msgspec.json.Encoder().encode

T = TypeVar("T")


async def watch(call: Call) -> Stream:
    """Answer with a stream of events."""
    options = list_options(call.query, watch=True)
    selection = await call.run(
        lambda: Selection(
            call.work,
            options.labels,
            options.fields,
            name=call.name,
            rename=call.resource.rename_field,
        ),
        size=len(options.labels) + len(options.fields),
    )
    form = output.watch_form(call)
    lines = _Lines(call, selection, form)
    try:
        begin = _begin(call, options)
    except StatusError as error:
        if error.code != 410:  # noqa: PLR2004  # Gone: told inside the stream, where clients look
            raise
        return Stream(_failed(error))
    chunks = _chunks(call, options, lines, begin)
    return Stream(_Watching(call, chunks, begin.watcher))


class _Begin:
    """Where a watch begins: with objects that are there, or with events that were missed."""

    def __init__(
        self, watcher: Watcher, objects: Sequence[Stored], missed: Sequence[Event]
    ) -> None:
        self.watcher = watcher
        self.objects = objects
        self.missed = missed
        self.revision = 0


def _begin(call: Call, options: ListOptions) -> _Begin:
    collection = call.collection
    wanted = parse_version(options.resource_version, call) if options.resource_version else 0
    initial = options.initial_events
    if initial is None:
        initial = wanted == 0
    if initial or not wanted:
        watcher, _ = collection.watch()
        begin = _Begin(watcher, collection.list(call.namespace) if initial else (), ())
    else:
        watcher, missed = collection.watch(since=wanted)
        begin = _Begin(watcher, (), missed)
    begin.revision = call.backend.store.revision
    return begin


async def _failed(error: StatusError) -> AsyncGenerator[bytes, None]:
    yield encode({"type": "ERROR", "object": error.status}) + b"\n"


class _Watching:
    """The chunks of a watch; its watcher is released even if nobody asks for the first one."""

    def __init__(self, call: Call, chunks: AsyncGenerator[bytes, None], watcher: Watcher) -> None:
        self._collection = call.collection
        self._chunks = chunks
        self._watcher = watcher

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        try:
            return await anext(self._chunks)
        except StatusError as error:  # such as a failed conversion: the watch ends with it
            self._collection.unwatch(self._watcher)
            self._chunks = _failed(error)
            return await anext(self._chunks)
        except BaseException:
            self._collection.unwatch(self._watcher)
            raise

    async def aclose(self) -> None:
        """End the watch."""
        self._collection.unwatch(self._watcher)
        await self._chunks.aclose()


async def _chunks(
    call: Call, options: ListOptions, lines: "_Lines", begin: _Begin
) -> AsyncGenerator[bytes, None]:
    async for chunk in _first_chunks(lines, begin):
        if chunk:
            yield chunk
        if begin.watcher.ended:
            return  # the client was so slow that the watcher fell behind
    if options.initial_events:
        yield lines.bookmark(begin.revision, last=True)
    watcher, schedule = begin.watcher, _Schedule(call, options)
    alarm = _Alarm(call, watcher, schedule)
    try:
        while not watcher.ended and not schedule.is_over():
            if (revision := schedule.bookmark_due()) is not None:
                # A bookmark says that everything up to it was told.
                while events := watcher.take():
                    if chunk := await lines.of(events):
                        yield chunk
                yield lines.bookmark(revision)
            alarm.set()
            await watcher.wait()
            if chunk := await lines.of(watcher.take()):
                yield chunk
    finally:
        alarm.cancel()


async def _first_chunks(lines: "_Lines", begin: _Begin) -> AsyncGenerator[bytes, None]:
    """Yield the present objects and the missed events, bit by bit: there may be very many."""
    for place, objects in enumerate(_slices(begin.objects, lambda stored: stored.size)):
        if place:
            await asyncio.sleep(0)  # so that others are served between two
        yield await lines.added(objects)
    for place, events in enumerate(_slices(begin.missed, lambda event: event.current.size)):
        if place:
            await asyncio.sleep(0)
        yield await lines.of(events)


def _slices(items: Sequence[T], size_of: Callable[[T], int]) -> Iterator[list[T]]:
    found: list[T] = []
    size = 0
    for item in items:
        found.append(item)
        size += size_of(item)
        if size >= AT_ONCE:
            yield found
            found, size = [], 0
    if found:
        yield found


class _Schedule:
    """When a watch ends, and when its next bookmark is due."""

    def __init__(self, call: Call, options: ListOptions) -> None:
        self._clock = call.backend.clock
        self._store = call.backend.store
        now = self._clock.monotonic()
        spread = random.uniform(1, 2)  # noqa: S311  # so that not all watches end at once
        self._end = now + (options.timeout or SHORTEST_TIMEOUT * spread)
        self._bookmarks = options.bookmarks
        self._next = self._after(now)
        self._told = 0

    def _after(self, now: float) -> float:
        if not self._bookmarks or now >= self._end - BOOKMARK_BEFORE_END:
            return self._end
        return min(now + BOOKMARK_EVERY, self._end - BOOKMARK_BEFORE_END)

    def is_over(self) -> bool:
        """Whether the watch has lasted long enough."""
        return self._clock.monotonic() >= self._end

    def seconds_left(self) -> float:
        """Return how long to wait for events at most."""
        return max(0.0, self._next - self._clock.monotonic())

    def bookmark_due(self) -> int | None:
        """Return the revision to tell, if it is time and there is a new one."""
        now = self._clock.monotonic()
        if not self._bookmarks or now < self._next:
            return None
        self._next = self._after(now)
        if self._store.revision == self._told:
            return None
        self._told = self._store.revision
        return self._told


class _Alarm:
    """Wakes a watcher when its schedule is due; one timer for many events."""

    def __init__(self, call: Call, watcher: Watcher, schedule: _Schedule) -> None:
        self._clock = call.backend.clock
        self._watcher = watcher
        self._schedule = schedule
        self._timer: Timer | None = None

    def set(self) -> None:
        """Set the timer, unless it is set."""
        if self._timer is None:
            self._timer = self._clock.call_later(self._schedule.seconds_left(), self._ring)

    def _ring(self) -> None:
        self._timer = None
        self._watcher.wake()

    def cancel(self) -> None:
        """Cancel the timer."""
        if self._timer is not None:
            self._timer.cancel()


class _Lines:
    """Events as one watcher sees them, in bytes."""

    def __init__(self, call: Call, selection: Selection, form: Accepted) -> None:
        self._call = call
        self._selection = selection
        self._form = form
        self._prefix = f"{call.namespace}/" if call.namespace else ""
        # The key under which watchers with the same selectors share their work.
        self._shared = (call.resource.api_version, form)
        self._columns_sent = False

    async def added(self, objects: Sequence[Stored]) -> bytes:
        """Return the objects that are there already, as events."""
        chosen = await self._selection.of(objects)
        data = await view.rendered(self._call.resource, chosen)
        return b"".join(self._line("ADDED", item) for item in data)

    async def of(self, events: Sequence[Event]) -> bytes:
        """Return the event, as far as it matches."""
        if self._prefix:
            events = [event for event in events if event.current.key.startswith(self._prefix)]
        if self._selection.everything:
            return b"".join([await self._shared_line(event) for event in events])
        return b"".join([await self._selected(event) for event in events])

    async def _shared_line(self, event: Event) -> bytes:
        line: bytes | None = event.memo.get(self._shared)
        if line is None:
            (data,) = await view.rendered(self._call.resource, [event.current])
            line = self._line(event.type, data)
            if self._form.form != "table":  # the first line of each table says its columns
                event.memo[self._shared] = line
        return line

    async def _selected(self, event: Event) -> bytes:
        if self._selection.converts:
            await self._selection.see(event)
        before, after = self._selection.around(event)
        if after and before == (event.type == "MODIFIED"):
            return await self._shared_line(event)
        if after:
            (data,) = await view.rendered(self._call.resource, [event.current])
            return self._line("ADDED", data)
        if not before:
            return b""
        return self._line("DELETED", await self._last_match(event))

    async def _last_match(self, event: Event) -> bytes:
        """Return the last state that matched, with the version of the event that ended that."""
        assert event.previous is not None
        last = await view.load(self._call.resource, event.previous)
        last["metadata"]["resourceVersion"] = str(event.revision)
        return encode(last)

    def _line(self, type: str, data: bytes) -> bytes:  # noqa: A002  # the word of the protocol
        form = self._form
        if form.form in ("partial", "partial-list"):
            data = view.partial(data, form.version)
        elif form.form == "table":
            data = self._table(data)
        return b'{"type":"%b","object":%b}\n' % (type.encode(), data)

    def _table(self, data: bytes) -> bytes:
        response = output.shaped_response(self._call, data, Accepted("table", self._form.version))
        if not self._columns_sent:
            self._columns_sent = True
            return response.body
        table = view.decode(response.body)
        table["columnDefinitions"] = None
        return encode(table)

    def bookmark(self, revision: int, *, last: bool = False) -> bytes:
        """Return a bookmark; *last* marks the end of the initial events."""
        resource = self._call.resource
        metadata: dict[str, object] = {"resourceVersion": str(revision), "creationTimestamp": None}
        if last:
            metadata["annotations"] = {INITIAL_EVENTS_END: "true"}
        obj = {"kind": resource.kind, "apiVersion": resource.api_version, "metadata": metadata}
        if self._form.form in ("partial", "partial-list"):
            obj |= {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1"}
        return encode({"type": "BOOKMARK", "object": obj}) + b"\n"
