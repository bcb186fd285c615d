"""A watch that is open, and what is known of the server that keeps it up."""

from typing import Any

import msgspec

from kubewright import _json
from kubewright.api.kind import ObjectKey
from kubewright.cache.entry import Entry
from kubewright.client.watch import Lines
from kubewright.errors import Attempt, DecodeError

_OVERDUE = 30.0  # seconds after which a stream that should have ended is given up
_SILENT = 150.0  # seconds without a byte from a server that sends a bookmark every minute
_MOST_SILENT = 600.0  # seconds, where bookmarks turn out to come only with news
_AT_ONCE = 5.0  # seconds in which a new stream brings what a dead one has missed
_UNOPENED = 60.0  # seconds without an answer at all: a busy server lets requests queue
_UNANSWERED = 10.0  # seconds without a byte before the end of a streaming list
_ENDS_INITIAL_EVENTS = "k8s.io/initial-events-end"


class Habits:
    """What is known of how a server answers; shared by the reflectors of one informer.

    Attributes:
        streams_lists: Whether it may be asked for a streaming list.
        bookmarks: Whether it sends bookmarks, so that its silence means something.
        silence: Seconds without a byte after which a stream of a server that does is dead.
    """

    def __init__(self) -> None:
        self.streams_lists: bool = True
        self.bookmarks: bool = False
        self.silence: float = _SILENT
        self._in_doubt = False

    def fell_silent(self) -> None:
        """Note that a stream was given up because nothing came.

        Some servers send bookmarks only when there is something new. So the next silence may last
        longer, unless it turns out that this one has hidden something from us.
        """
        self.silence = min(2 * self.silence, _MOST_SILENT)
        self._in_doubt = True

    def heard(self, after: float) -> None:
        """Note that a new stream brought something, *after* so many seconds."""
        if self._in_doubt:
            self._in_doubt = False
            if after < _AT_ONCE:
                self.silence = _SILENT


class OpenStream:
    """One watch: what of it has arrived, and until when something must.

    Attributes:
        began: When it was asked for, on the clock.
        heard: When something arrived last.
        attempt: What was asked for, for messages.
        opened: Whether it was answered.
        lines: What of a line has arrived.
        gathered: The initial events, until they have ended; ``None`` from then on.
        events: Whether anything came after them.
    """

    def __init__(self, began: float, seconds: int, attempt: Attempt, *, initial: bool) -> None:
        self.began: float = began
        self.heard: float = began
        self.attempt: Attempt = attempt
        self.opened: bool = False
        self.lines: Lines = Lines()
        self.gathered: dict[ObjectKey, Entry[Any]] | None = {} if initial else None
        self.events: bool = False
        self._ends = began + seconds + _OVERDUE

    def deadline(self, habits: Habits) -> float:
        """Return when it is dead unless something arrives before."""
        if not self.opened:
            return self.began + _UNOPENED
        if self.gathered is not None:
            return self.heard + _UNANSWERED
        return min(self._ends, self.heard + habits.silence) if habits.bookmarks else self._ends


class _Meta(msgspec.Struct, gc=False, rename="camel"):
    resource_version: str = ""
    annotations: dict[str, str] | None = None


class _Bookmark(msgspec.Struct, gc=False):
    metadata: _Meta = msgspec.field(default_factory=_Meta)


def bookmark_of(raw: bytes) -> tuple[str, bool]:
    """Return the version of a bookmark, and whether it ends the initial events.

    Raises:
        DecodeError: It is no bookmark.
    """
    meta = _json.decode(raw, _Bookmark).metadata
    ends = meta.annotations is not None and meta.annotations.get(_ENDS_INITIAL_EVENTS) == "true"
    return meta.resource_version, ends


def version_of(raw: bytes) -> str:
    """Return the version of an object that cannot be read otherwise; empty if it has none."""
    try:
        document = _json.loads(raw)
        version = document["metadata"]["resourceVersion"]
    except (DecodeError, LookupError, TypeError):
        return ""
    return version if isinstance(version, str) else ""
