"""`Watcher`: the state machine; the package's docstring explains and draws it."""

import random
from collections.abc import Sequence

from kubewright import _json
from kubewright._aio.delays import Delays, RandomSource, patience
from kubewright.client.watcher.habits import Habits
from kubewright.client.watcher.lines import Lines, RawEvent, bookmark_of, parse_event, version_of
from kubewright.client.watcher.states import (
    Failing,
    Forget,
    Forgetting,
    Idle,
    Listing,
    ListPages,
    Missing,
    OpenStream,
    Pause,
    State,
    Step,
    Stopped,
    Waiting,
    Watching,
)
from kubewright.errors import (
    APIError,
    Attempt,
    BadRequestError,
    DecodeError,
    GoneError,
    InvalidError,
    KubewrightError,
    LifecycleError,
    NoMatchError,
    NotFoundError,
    ServerError,
    Status,
    TooManyRequestsError,
    TransportError,
    TransportTimeoutError,
    api_error,
)

_SHORTEST = 1.0  # seconds between two tries: a proxy may end every stream at once
_LASTS = (300, 600)  # seconds that we ask a stream to last, as client-go does
_OVERDUE = 30.0  # seconds after which a stream that should have ended is given up
_UNOPENED = 60.0  # seconds without an answer at all: a busy server lets requests queue
_UNANSWERED = 10.0  # seconds without a byte before the end of a streaming list
_OFTEN = 3  # failures in a row after which another way is tried
_FIRST_LOOK, _LAST_LOOK = 1.0, 10.0  # seconds between two looks for a kind that is missing
_SURELY_GONE = 30.0  # seconds after which the objects of a missing kind are taken to be gone, too
_TOLERATED = 30.0  # seconds that a break may last before it is called a problem

_PASSING = (TransportError, ServerError, TooManyRequestsError)
_TRANSIENT = (*_PASSING, DecodeError)
_ABSENT = (NotFoundError, NoMatchError)  # the kind, as the server or its discovery says


class _Stream:
    """A requested stream: what has arrived of it, and when it must have ended."""

    def __init__(self, attempt: Attempt, asked: OpenStream, began: float) -> None:
        self.attempt = attempt
        self.initial = asked.initial
        self.began = self.since = began
        self.ends = began + asked.seconds + _OVERDUE
        self.opened = False
        self.has_changes = False
        self.lines = Lines()
        self.held_back: list[bytes] = []


class Watcher:
    """Follows one collection, without any I/O: see `kubewright.client.watcher`.

    Call `next`, do what it returns, report how it went, and repeat. All times are seconds on one
    clock that never goes back.

    Args:
        start: The first state.
        lists_again: Whether to list again where that helps, and never to give up.
        habits: What we know about the server already.
        now: The current time.
        source: Where jitter comes from.

    Attributes:
        state: The current state.
        synced: Whether any list has been complete.
        error: What is wrong, until it is fixed; a version that is gone does not count.
        failures: How often it failed in a row.
        since: When the trouble began.
        last_heard: When the last byte arrived.
    """

    def __init__(
        self,
        start: Listing | Watching,
        *,
        lists_again: bool,
        habits: Habits | None = None,
        now: float = 0.0,
        source: RandomSource | None = None,
    ) -> None:
        self.state: State = Idle()
        self.synced: bool = False
        self.error: KubewrightError | None = None
        self.failures: int = 0
        self.since: float = now
        self.last_heard: float = now
        self._start = start
        self._lists_again = lists_again
        self._habits = habits or Habits()
        self._random = source or random
        self._delays = Delays(now=now, source=source)
        self._version = start.version if isinstance(start, Watching) else ""
        self._last: bytes | None = None  # an event that is newer than _version, not yet read
        self._asked: OpenStream | ListPages | None = None
        self._stream: _Stream | None = None
        self._answered = False
        self._until = now
        self._cut_lists = 0
        self._empty_streams = 0

    # --- How it is ---

    @property
    def version(self) -> str:
        """The version up to which everything was seen; empty before the first list."""
        if self._last is not None:
            self._version, self._last = version_of(self._last) or self._version, None
        return self._version

    @property
    def streaming(self) -> bool:
        """Whether there is a stream to read from; otherwise close it and ask what is `next`."""
        return self._stream is not None

    @property
    def missing(self) -> bool:
        """Whether the server does not have the kind."""
        return isinstance(self.error, _ABSENT)

    @property
    def known_to_fail(self) -> bool:
        """Whether there is no use in waiting: the kind is missing, or the server refuses."""
        if self.error is None or isinstance(self.error, TransportError):
            return False  # the server is out of reach, so waiting may help
        return not isinstance(self.error, _TRANSIENT) or self.failures >= _OFTEN

    def problem(self, now: float) -> str | None:
        """Return what is wrong and what to do, or ``None``; short breaks are ignored."""
        if self.error is None:
            return None
        lasts = now - self.since
        if self.synced and isinstance(self.error, _TRANSIENT) and lasts < _TOLERATED:
            return None
        return str(self.error)

    def deadline(self) -> float:
        """Return the time at which the stream counts as dead, unless something arrives before."""
        stream = self._stream
        if stream is None:
            return self._until
        if not stream.opened:
            return stream.began + _UNOPENED
        if stream.initial and self._lists_again:
            return max(stream.since, self.last_heard) + _UNANSWERED
        if not self._habits.bookmarks:
            return stream.ends
        return min(stream.ends, max(stream.since, self.last_heard) + self._habits.silence)

    # --- What to do next ---

    def next(self, now: float) -> Step:
        """Return what to do now.

        Raises:
            LifecycleError: It was not started, or is stopped.
        """
        match self.state:
            case Watching(version):
                self._asked = self._stream_from(version, initial=False)
                return self._asked
            case Listing(version, page_size):
                if self._streams_lists:
                    self._asked = self._stream_from(version, initial=True)
                else:
                    self._asked = ListPages(page_size, sharded=self._habits.shards)
                return self._asked
            case Waiting() | Missing() | Failing():
                return Pause(max(0.0, self._until - now))
            case Forgetting(version):
                return Forget(version)
            case Idle() | Stopped():
                raise LifecycleError(f"a watcher that is {self.state} has nothing to do")

    @property
    def _streams_lists(self) -> bool:
        # Pages are small, and get through where a stream is cut time after time.
        often_cut = self._lists_again and self._cut_lists >= _OFTEN
        return self._habits.streams_lists and not often_cut

    def _stream_from(self, version: str, *, initial: bool) -> OpenStream:
        # As client-go does it: servers would end streams at their own pace otherwise, and all
        # clients would come back at once.
        shortest, longest = _LASTS
        seconds = shortest + int(self._random.random() * (longest - shortest + 1))
        return OpenStream(version, seconds, initial=initial, sharded=self._habits.shards)

    # --- What happened ---

    def start(self) -> None:
        """Leave `Idle`."""
        self.state = self._start

    def stop(self) -> None:
        """Stop, in any state."""
        self._stream = None
        self.state = Stopped()

    def waited(self, now: float) -> None:
        """Continue after a `Pause`."""
        match self.state:
            case Waiting(then) | Failing(then=then):
                self.state = then
            case Missing(since):
                # Not at once: a server that has just started may not know its custom kinds yet.
                gone = self.version and now - since >= _SURELY_GONE
                self.state = Forgetting(self.version) if gone else Listing()

    def forgot(self) -> None:
        """Continue after a `Forget`."""
        self._version, self._last = "", None
        self.state = Listing()

    def heard(self, now: float) -> None:
        """Note that a page of a list arrived."""
        self.last_heard = now

    def listed(self, version: str) -> None:
        """Note that a list is complete; it includes every change up to *version*."""
        self._version, self._last = version, None
        self._cut_lists = self.failures = 0
        self.error = None
        self.synced = self._answered = True
        self.state = Watching(version)

    def sent(self, attempt: Attempt, now: float) -> None:
        """Note that the request for the stream was sent, as `next` said."""
        assert isinstance(self._asked, OpenStream)
        self._stream = _Stream(attempt, self._asked, now)

    def opened(self, now: float) -> None:
        """Note that the server answered, and that the stream is open."""
        stream = self._stream
        if stream is not None:
            stream.opened = self._answered = True
            self.last_heard = now
            if not stream.initial:
                self.error = None

    def listening(self, now: float) -> None:
        """Note that the driver starts to read only now: the time before was not silence."""
        if self._stream is not None:
            self._stream.since = now

    def receive(self, chunks: Sequence[bytes], now: float) -> list[RawEvent]:
        """Return the events that *chunks* complete, in order.

        Changes after the end of the initial events are held back: the driver must handle the list
        before the first change to it. Get them with `take_held_back`.
        """
        stream = self._stream
        if stream is None:
            return []
        self.last_heard = now
        return self._parse(stream, stream.lines.feed(chunks), now)

    def take_held_back(self, now: float) -> list[RawEvent]:
        """Return the changes that arrived together with the end of the initial events."""
        stream = self._stream
        if stream is None or not stream.held_back:
            return []
        lines, stream.held_back = stream.held_back, []
        return self._parse(stream, lines, now)

    def seen(self, version: str) -> None:
        """Note the *version* of the last event, if the caller has parsed it anyway."""
        self._version, self._last = version, None

    def ended(self, now: float) -> None:
        """Note that the stream ended. Every stream does, so this alone is not a failure."""
        stream = self._stream
        if stream is None:
            return
        if pending := stream.lines.pending:
            problem = f"the stream ended in the middle of an event, after {pending} bytes of it"
        elif stream.initial:
            problem = "the stream ended before the end of the list"
        else:
            self._over(stream, now)
            return
        self.failed(TransportError(f"cannot {stream.attempt}: {problem}", lost=True), now)

    def fell_silent(self, now: float) -> bool:
        """Note that the `deadline` has passed; return whether an open stream fell silent.

        A server that vanished, or a load balancer that keeps its connection open, would otherwise
        look like a quiet cluster for ever.
        """
        stream = self._stream
        if stream is None:
            return False
        if not stream.opened:
            late = TransportTimeoutError(f"cannot {stream.attempt}: no answer in time")
            self.failed(late, now)
            return False
        stream.lines = Lines()  # the next stream will not complete it
        if not stream.initial:
            self._habits.fell_silent()
            self._over(stream, now)
            return True
        if self._lists_again:
            self._no_streaming_list("the end of the initial events did not come")
        else:
            self.ended(now)
        return False

    def failed(self, error: KubewrightError, now: float) -> None:
        """Note that the request failed, or its answer broke off."""
        state, self._stream = self.state, None
        if not isinstance(state, Listing | Watching):
            return  # we gave it up already, and closing it failed
        if not self._lists_again:
            self._count(error, now)
            self._pass_on(state, error, now)
            return
        if isinstance(state, Listing) and (other := self._other_way(error)):
            self.state = other
        elif isinstance(state, Watching) and isinstance(error, GoneError):
            self._wait(Listing(), error, now)
        else:
            self._count(error, now)
            self._mend(state, error, now)

    # --- Events ---

    def _parse(self, stream: _Stream, lines: list[bytes], now: float) -> list[RawEvent]:
        events: list[RawEvent] = []
        try:
            if stream.initial:
                self._take_initial(stream, lines, events)
            else:
                self._take_changes(stream, lines, events, now)
        except (APIError, DecodeError) as error:
            self.failed(error, now)
        return events

    def _take_changes(
        self, stream: _Stream, lines: list[bytes], events: list[RawEvent], now: float
    ) -> None:
        try:
            for line in lines:
                if line == b"\n":
                    continue
                kind, raw = event = parse_event(line)
                if kind == "ERROR":
                    raise api_error(stream.attempt, _json.decode(raw, Status))
                if kind == "BOOKMARK":
                    self.seen(bookmark_of(raw)[0] or self.version)
                    self._habits.bookmarks = True
                else:
                    self._last = raw
                events.append(event)
        finally:
            if events and not stream.has_changes:
                stream.has_changes = True
                self._habits.heard(now - stream.began)
                self.failures = self._empty_streams = 0

    def _take_initial(self, stream: _Stream, lines: list[bytes], events: list[RawEvent]) -> None:
        # They are not ordered: before their end, their versions do not say how far we are.
        for number, line in enumerate(lines):
            if line == b"\n":
                continue
            kind, raw = event = parse_event(line)
            if kind == "ERROR":
                raise api_error(stream.attempt, _json.decode(raw, Status))
            events.append(event)
            if kind != "BOOKMARK":
                continue
            version, is_end = bookmark_of(raw)
            if is_end:
                stream.initial = False
                stream.held_back = lines[number + 1 :]
                self.listed(version)
                return
            if self._lists_again:
                events.clear()
                self._no_streaming_list("a bookmark came before the end of the list")
                return

    # --- What comes next ---

    def _over(self, stream: _Stream, now: float) -> None:
        """Continue after a stream that has ended."""
        self._stream = None
        then = Watching(self.version)
        wait = _SHORTEST - (now - stream.began)
        if wait <= 0:
            self._empty_streams = 0
            self.state = then
            return
        # If it ended at once, a proxy most likely dropped us, and we must not hammer it.
        if not stream.has_changes:
            self._empty_streams += 1
            if self._empty_streams >= _OFTEN:
                wait = self._delay(None, now)
        self._pause(Waiting(then, wait), now)

    def _other_way(self, error: KubewrightError) -> Listing | None:
        """Return another way to list, to use at once, if the server does not support this one.

        Each is found once, so this cannot go round in circles.
        """
        asked = self._asked
        if isinstance(error, BadRequestError | InvalidError):
            # Old servers do not know streaming lists or shards, others have them switched off. The
            # refusal may be about either.
            if asked is not None and asked.sharded:
                self._habits.shards = False
                return Listing(error=error)
            if isinstance(asked, OpenStream):
                self._habits.streams_lists = False
                return Listing(error=error)
        if isinstance(error, GoneError) and isinstance(asked, ListPages) and asked.page_size:
            # The version expired while we were reading the pages. The rest would be from another
            # moment, so we request the whole list again, in one piece.
            return Listing(page_size=0, error=error)
        return None

    def _no_streaming_list(self, why: str) -> None:
        """List in pages: the server took a streaming list for a plain watch."""
        self._stream = None
        self._habits.streams_lists = False
        self.state = Listing(error=DecodeError(why))

    def _count(self, error: KubewrightError, now: float) -> None:
        if self.error is None or self.missing is not isinstance(error, _ABSENT):
            self.since = now
        self.error = error
        self.failures += 1
        if isinstance(self.state, Listing) and isinstance(error, TransportError):
            self._cut_lists += isinstance(self._asked, OpenStream)

    def _mend(self, state: Listing | Watching, error: KubewrightError, now: float) -> None:
        """Continue after a failure, whatever it is."""
        if isinstance(error, _ABSENT):
            delay = min(max(_FIRST_LOOK, now - self.since), _LAST_LOOK)
            self._pause(Missing(self.since, delay, error), now)
        elif isinstance(error, (*_TRANSIENT, GoneError)):
            resumes = isinstance(state, Watching) and self._may_resume(error)
            self._wait(Watching(self.version) if resumes else Listing(), error, now)
        else:
            self._pause(Failing(error, self._delay(error, now), Listing()), now)

    def _may_resume(self, error: KubewrightError) -> bool:
        """Tell whether to resume after the last version instead of listing again."""
        # A server that is out of reach has not lost its history. But if a server answers and
        # refuses to resume time after time, a new list may help.
        return isinstance(error, TransportError) or (
            self.failures < _OFTEN and not _is_too_large(error)
        )

    def _pass_on(self, state: Listing | Watching, error: KubewrightError, now: float) -> None:
        """Continue after a failure that waiting fixes; the caller gets the others."""
        then = Watching(self.version) if isinstance(state, Watching) else state
        # So does one before the first answer: a wrong address must not look like a quiet cluster.
        if self._answered and isinstance(error, _PASSING):
            self._wait(then, error, now)
        else:
            self._pause(Failing(error, self._delay(error, now), then), now)

    def _wait(self, then: Listing | Watching, error: KubewrightError, now: float) -> None:
        self._pause(Waiting(then, self._delay(error, now), error), now)

    def _pause(self, state: Waiting | Missing | Failing, now: float) -> None:
        self._until = now + state.delay
        self.state = state

    def _delay(self, error: KubewrightError | None, now: float) -> float:
        asked = error.retry_after if isinstance(error, APIError) else None
        return max(_SHORTEST, patience(asked) if asked else self._delays.next(now))


def _is_too_large(error: Exception) -> bool:
    """Tell whether the server is behind the requested version: it was restored, say."""
    return isinstance(error, APIError) and "oo large resource version" in str(error)
