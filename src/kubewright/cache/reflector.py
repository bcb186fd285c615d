"""`Reflector`: mirrors one collection of a server, from now until it is cancelled."""

import random
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from kubewright import _json
from kubewright._aio import Backoff, Clock
from kubewright.api.kind import ObjectKey
from kubewright.cache.entry import Entry
from kubewright.cache.metrics import Counts
from kubewright.cache.mirror import Mirror
from kubewright.cache.reminder import Reminder
from kubewright.cache.silence import Silence
from kubewright.cache.source import PAGE_SIZE, Source
from kubewright.cache.states import (
    Failing,
    Idle,
    Listing,
    Missing,
    Running,
    State,
    Stopped,
    Waiting,
    Watching,
)
from kubewright.cache.stream import Habits, OpenStream, bookmark_of, version_of
from kubewright.client.rest import patience
from kubewright.client.transport import chunks_of
from kubewright.client.watch import Lines, parse_event
from kubewright.errors import (
    APIError,
    BadRequestError,
    DecodeError,
    GoneError,
    InvalidError,
    KubewrightError,
    LifecycleError,
    NotFoundError,
    ServerError,
    Status,
    TooManyRequestsError,
    TransportError,
    TransportTimeoutError,
    api_error,
)
from kubewright.log import get_logger

R = TypeVar("R")

_log = get_logger(__name__)

_SHORTEST = 1.0  # seconds between two tries: a proxy may end every stream at once
_LASTS = (300, 600)  # seconds that a stream is asked to last, as client-go asks
_OFTEN = 3  # failures in a row after which another way is tried
_FIRST_LOOK, _LAST_LOOK = 1.0, 10.0  # seconds between two looks for a kind that is missing
_SURELY_GONE = 30.0  # seconds after which the objects of a missing kind are taken to be gone, too
_TOLERATED = 30.0  # seconds that a break may last before it is called a problem
_INSTALL = (
    "install its CustomResourceDefinition: `kubectl apply -f` it, or start the operator with"
    " `kubewright run --install-crds`"
)
_TRANSIENT = (TransportError, ServerError, TooManyRequestsError, DecodeError)


class _NoStreamingListError(Exception):
    """The server took the request for a streaming list for a plain watch."""


class Reflector(Generic[R]):
    """Mirrors one collection, from `run` until it is cancelled; nothing else ends it.

    Cancellation may arrive at every ``await``. The mirror changes only between two of them, so a
    stopped reflector leaves the last complete state behind, never half of a list.

    Args:
        source: The collection.
        mirror: What is filled.
        name: What it is called in the log, such as ``pods``.
        habits: What is known of the server already.
        counts: Where to count for the page of metrics.
        on_change: Called after each change of state.
        clock: Where time comes from.

    Attributes:
        state: What it is doing.
        version: The version up to which everything has been seen; empty before the first list.
        synced: Whether the first list is complete.
        lists: How many lists were begun.
        watches: How many watches were begun.
        skipped: How many objects could not be read.
        last_heard: When the last byte arrived, on the clock.
    """

    def __init__(  # noqa: PLR0913  # made by informers only
        self,
        source: Source,
        mirror: Mirror[R],
        *,
        name: str = "",
        habits: Habits | None = None,
        counts: Counts | None = None,
        on_change: Callable[[], object] = lambda: None,
        clock: Clock | None = None,
    ) -> None:
        self.state: State = Idle()
        self.version: str = ""
        self.synced: bool = False
        self.lists: int = 0
        self.watches: int = 0
        self.skipped: int = 0
        self._source = source
        self._mirror = mirror
        self._name = name
        self._habits = habits or Habits()
        self._counts = counts
        self._on_change = on_change
        self._clock = clock or Clock()
        self.last_heard: float = self._clock.monotonic()
        self._backoff = Backoff(clock=self._clock)
        self._reminder = Reminder(self._clock)
        self._error: KubewrightError | None = None
        self._since = 0.0
        self._failures = 0
        self._cuts = 0

    @property
    def known_to_fail(self) -> bool:
        """Whether there is no use in waiting: the kind is missing, or the server refuses."""
        if self._error is None or isinstance(self._error, TransportError):
            return False  # nobody can be reached, so there is nothing to go on with either
        return not isinstance(self._error, _TRANSIENT) or self._failures >= _OFTEN

    @property
    def missing(self) -> bool:
        """Whether the server does not have the kind."""
        return isinstance(self._error, NotFoundError)

    @property
    def problem(self) -> str | None:
        """What is wrong and what to do, or ``None``; a short break is nothing."""
        if self._error is None:
            return None
        lasts = self._clock.monotonic() - self._since
        if self.synced and isinstance(self._error, _TRANSIENT) and lasts < _TOLERATED:
            return None
        return str(self._error)

    async def run(self) -> None:
        """Mirror until cancelled; losing the server is not the end of it.

        Raises:
            LifecycleError: It ran before.
        """
        if not isinstance(self.state, Idle):
            raise LifecycleError(f"cannot run: {self.state}. Make a new reflector instead.")
        state: Running = Listing()
        try:
            while True:
                self._enter(state)
                state = await self._step(state)
        finally:
            self._enter(Stopped())

    def _enter(self, state: State) -> None:
        self.state = state
        self._on_change()

    async def _step(self, state: Running) -> Running:
        match state:
            case Listing() | Watching():
                return await self._attempt(state)
            case Waiting(then, delay):
                await self._clock.sleep(delay)
                return then
            case Missing(since, delay):
                await self._clock.sleep(delay)
                await self._forget_if_gone(since)
                return Listing()
            case Failing(_, delay):
                await self._clock.sleep(delay)
                return Listing()

    async def _attempt(self, state: Listing | Watching) -> Running:
        try:
            if isinstance(state, Watching):
                return await self._follow(state.version)
            return await self._list()
        except KubewrightError as error:
            return self._after(error)

    # --- Lists ---

    async def _list(self) -> Running:
        self.lists += 1
        if self._counts:
            self._counts.lists.value += 1
        if self._habits.streams_lists and self._cuts < _OFTEN:
            return await self._stream_list()
        try:
            entries, version = await self._pages(PAGE_SIZE)
        except (BadRequestError, InvalidError):
            if not self._source.drop_shard_selector():
                raise
            return Listing()
        except GoneError:
            # The moment was forgotten while we were reading it. Asking for the rest would mix two
            # moments, so the whole is asked for again, in one piece.
            entries, version = await self._pages(0)
        await self._replace(entries, version)
        return Watching(version)

    async def _pages(self, page_size: int) -> tuple[list[Entry[R]], str]:
        entries: list[Entry[R]] = []
        version = ""
        async for page in self._source.pages(page_size=page_size):
            self.last_heard = self._clock.monotonic()
            version = page.version
            for item in page.items:
                entry = self._read(bytes(item))
                if entry is not None and self._mirror.owns(entry):
                    entries.append(entry)
        return entries, version

    async def _stream_list(self) -> Running:
        try:
            return await self._follow("", initial=True)
        except (BadRequestError, InvalidError, _NoStreamingListError) as error:
            if not isinstance(self.state, Listing):
                raise
            if isinstance(error, APIError) and self._source.drop_shard_selector():
                return Listing()
            # Old servers do not know the question: some refuse it, some answer another one.
            self._habits.streams_lists = False
            _log.debug("no streaming list, using pages", kind=self._name, error=str(error))
            return Listing()
        except TransportError:
            if isinstance(self.state, Listing):
                self._cuts += 1
            raise

    async def _replace(self, entries: list[Entry[R]], version: str) -> None:
        self.version = version
        self._cuts = self._failures = 0
        self._error = None
        self.synced = True
        self._on_change()  # whoever waits for it runs after the next line has filled the mirror
        await self._mirror.replace(entries, version)

    async def _forget_if_gone(self, since: float) -> None:
        """Empty the mirror of a kind that has been missing for long: its objects went with it.

        Not at once: a server that has just started may not know its custom kinds yet.
        """
        if self.version and self._clock.monotonic() - since >= _SURELY_GONE:
            version, self.version = self.version, ""
            await self._mirror.replace([], version)

    # --- Watches ---

    async def _follow(self, version: str, *, initial: bool = False) -> Running:
        """Follow one stream to its end; with *initial*, it begins with what exists."""
        seconds = random.randint(*_LASTS)  # noqa: S311  # no secret
        request, opening = self._source.watch(version, seconds=seconds, initial=initial)
        self.watches += 1
        if self._counts and self.watches > 1:
            self._counts.restarts.value += 1
        stream = OpenStream(self._clock.monotonic(), seconds, request.attempt, initial=initial)
        silence = Silence(self._clock, lambda: stream.deadline(self._habits))
        try:
            async with silence, opening as body:
                self._opened(stream)
                silence.rearm()
                read = chunks_of(body)
                while arrived := await read():
                    self.last_heard = stream.heard = self._clock.monotonic()
                    await self._take(stream, arrived, silence)
        except TimeoutError as error:
            if isinstance(error, TransportError):
                raise
            self._fell_silent(stream)
        if stream.lines.pending:
            raise TransportError(
                f"cannot {stream.attempt}: the stream ended in the middle of an event", lost=True
            )
        return self._after_end(stream)

    async def _take(self, stream: OpenStream, chunks: Sequence[bytes], silence: Silence) -> None:
        lines = stream.lines.feed(chunks)
        if stream.gathered is not None:
            rest = self._gather(stream, stream.gathered, lines)
            if rest is None:
                return
            entries, stream.gathered, lines = list(stream.gathered.values()), None, rest
            with silence.suspended():
                await self._replace(entries, self.version)
                stream.heard = self._clock.monotonic()
            self._enter(Watching(self.version))
        if lines:
            self._apply(stream, lines)
            if self._mirror.full:
                with silence.suspended():
                    await self._mirror.room()
                    stream.heard = self._clock.monotonic()

    def _gather(
        self, stream: OpenStream, gathered: dict[ObjectKey, Entry[R]], lines: list[bytes]
    ) -> list[bytes] | None:
        """Collect initial events; return the lines after them once they have ended."""
        for number, line in enumerate(lines):
            if line == b"\n":
                continue
            kind, raw = parse_event(line)
            if kind == "BOOKMARK":
                self.version, ends = bookmark_of(raw)
                if not ends:
                    raise _NoStreamingListError("a bookmark came before the end of the list")
                return lines[number + 1 :]
            if kind == "ERROR":
                raise api_error(stream.attempt, _json.decode(raw, Status))
            entry = self._read(raw)
            if entry is None or not self._mirror.owns(entry):
                continue
            if kind == "DELETED":
                gathered.pop(entry.key, None)
            else:
                gathered[entry.key] = entry
        return None

    def _apply(self, stream: OpenStream, lines: list[bytes]) -> None:
        """Apply events one after the other, without letting anybody see a state in between."""
        mirror = self._mirror
        read, owns, put = self._read, mirror.owns, mirror.put
        for line in lines:
            if line == b"\n":
                continue
            kind, raw = parse_event(line)
            if kind == "BOOKMARK":
                self._bookmark(raw)
                continue
            if kind == "ERROR":
                raise api_error(stream.attempt, _json.decode(raw, Status))
            entry = read(raw)
            if entry is None:
                self.version = version_of(raw) or self.version
                continue
            self.version = entry.resource_version or self.version
            if not owns(entry):
                continue
            if kind == "DELETED":
                mirror.remove(entry)
            else:
                put(entry)
        if not stream.events:
            stream.events = True
            self._habits.heard(stream.heard - stream.began)
        self._failures = 0
        mirror.reached(self.version)

    def _bookmark(self, raw: bytes) -> None:
        self._habits.bookmarks = True
        self.version = bookmark_of(raw)[0] or self.version

    def _read(self, raw: bytes) -> Entry[R] | None:
        """Return the entry for an object, or ``None`` for one that cannot be read.

        One odd object must not keep all others from being seen.
        """
        try:
            return self._mirror.entry(raw)
        except DecodeError as error:
            self.skipped += 1
            if self._counts:
                self._counts.skipped.value += 1
            _log.error("object cannot be read, skipped", kind=self._name, error=str(error))
            return None

    # --- What comes next ---

    def _fell_silent(self, stream: OpenStream) -> None:
        """Give up a stream on which nothing comes any more; its end is like any other."""
        if not stream.opened:
            raise TransportTimeoutError(f"cannot {stream.attempt}: no answer in time")
        if stream.gathered is not None:
            raise _NoStreamingListError("the end of the initial events did not come")
        _log.warning("watch fell silent, will resume", kind=self._name)
        self._habits.fell_silent()
        stream.lines = Lines()

    def _after_end(self, stream: OpenStream) -> Running:
        """Servers end every watch after some minutes, so an end is no failure."""
        if stream.gathered is not None:
            raise TransportError(
                f"cannot {stream.attempt}: the stream ended before the end of the list", lost=True
            )
        wait = _SHORTEST - (self._clock.monotonic() - stream.began)
        if wait <= 0:
            return Watching(self.version)
        # One that ends at once is most likely a proxy dropping us, which we must not hammer.
        return Waiting(
            Watching(self.version), wait if stream.events else self._backoff.next_delay()
        )

    def _after(self, error: KubewrightError) -> Running:
        """Return what to do after a failure."""
        if isinstance(error, GoneError) and isinstance(self.state, Watching):
            _log.info("history is gone, listing again", kind=self._name, error=str(error))
            return Waiting(Listing(), self._backoff.next_delay())
        self._failed(error)
        if isinstance(error, NotFoundError):
            return Missing(self._since, self._next_look())
        asked = error.retry_after if isinstance(error, APIError) else None
        delay = patience(asked) if asked else self._backoff.next_delay()
        if not isinstance(error, (*_TRANSIENT, GoneError)):
            return Failing(error, delay)
        return Waiting(Watching(self.version) if self._may_resume(error) else Listing(), delay)

    def _may_resume(self, error: Exception) -> bool:
        """Say whether to go on after the last version, and not to list again."""
        if not isinstance(self.state, Watching):
            return False
        # A server that is out of reach has not lost its history. But one that answers, and does
        # not let us go on time after time, may after a new list.
        return isinstance(error, TransportError) or (
            self._failures < _OFTEN and not _is_too_large(error)
        )

    def _failed(self, error: KubewrightError) -> None:
        if self._error is None or self.missing is not isinstance(error, NotFoundError):
            self._since = self._clock.monotonic()
        # Not with every try: a kind may be missing for weeks.
        if str(error) != str(self._error):
            self._reminder.begin()
            _log.warning("list or watch failed, will retry", kind=self._name, **_told(error))
        elif self._reminder.is_due():
            self._remind(error)
        else:
            _log.debug("list or watch failed, will retry", kind=self._name, error=str(error))
        self._error = error
        self._failures += 1

    def _remind(self, error: KubewrightError) -> None:
        """Say again what is still so: the first line is far up in the log by now."""
        age = round(self._clock.monotonic() - self._since)
        if isinstance(error, NotFoundError):
            _log.warning(
                "kind is still missing, its controllers do nothing until it is there",
                kind=self._name,
                age=age,
                hint=_INSTALL,
            )
        else:
            _log.warning(
                "list or watch still fails, its controllers see nothing new until it works",
                kind=self._name,
                age=age,
                error=str(error),
            )

    def _opened(self, stream: OpenStream) -> None:
        stream.opened = True
        self.last_heard = stream.heard = self._clock.monotonic()
        if stream.gathered is None:
            self._error = None
            self._on_change()

    def _next_look(self) -> float:
        lasted = self._clock.monotonic() - self._since
        return min(max(_FIRST_LOOK, lasted), _LAST_LOOK)


def _is_too_large(error: Exception) -> bool:
    """Whether the server is behind the version that was asked for: it was restored, say."""
    return isinstance(error, APIError) and "oo large resource version" in str(error)


def _told(error: KubewrightError) -> dict[str, str]:
    """Return what the log says of it; of a missing kind, how an operator gets it."""
    if isinstance(error, NotFoundError) and (general := error.hint()):
        return {"error": str(error).removesuffix(general), "hint": _INSTALL}
    return {"error": str(error)}
