"""A server that is all in memory, and a driver that plays a watcher against it, by hand."""

import json
import random
from itertools import pairwise
from typing import Any

import msgspec

from kubewright._aio.delays import RandomSource
from kubewright.client.watcher import Habits, RawEvent, Watcher
from kubewright.client.watcher.lines import bookmark_of, version_of
from kubewright.client.watcher.states import (
    Failing,
    Forget,
    Listing,
    ListPages,
    OpenStream,
    Pause,
    Watching,
)
from kubewright.errors import (
    Attempt,
    GoneError,
    KubewrightError,
    Status,
    TransportError,
    api_error,
)

ATTEMPT = Attempt("watch", "pods")
NAMES = "abcde"
REFUSALS = {400: "BadRequest", 403: "Forbidden", 404: "NotFound", 410: "Expired",
            429: "TooManyRequests", 500: "InternalError"}  # fmt: skip
HTTP = [str(code) for code in REFUSALS]
IN_STREAM = ["error 410", "error 429", "error 500", "garbage", "half"]
KINDS = ["end", "lost", "silent", "unopened", "unreachable", "ignores", *HTTP, *IN_STREAM]


def line(kind: str, document: dict[str, Any]) -> bytes:
    text = json.dumps({"type": kind, "object": document}, separators=(",", ":"))
    return text.encode() + b"\n"


def refusal(code: int) -> KubewrightError:
    return api_error(ATTEMPT, Status(code=code, reason=REFUSALS[code], message="no"))


class Turn(msgspec.Struct, frozen=True):
    """What the server does with the next request.

    Attributes:
        kind: How it ends, or how it is refused.
        changes: How many objects change before it.
        count: How many events of those that are due arrive.
        lasts: Seconds until the stream ends.
        cut: Where the bytes are cut into chunks.
        bookmark: Whether a bookmark ends the events.
        compacts: Whether the server forgets its history first.
    """

    kind: str = "end"
    changes: int = 0
    count: int = 1000
    lasts: float = 400.0
    cut: int = 10_000
    bookmark: bool = False
    compacts: bool = False


def turns(dice: random.Random) -> list[Turn]:
    """Return some turns; trouble comes several times in a row."""
    made: list[Turn] = []
    while len(made) < 30:
        turn = Turn(
            dice.choice(KINDS), dice.randrange(4), dice.randrange(5),
            dice.choice([0.0, 5.0, 400.0]), dice.randrange(1, 200),
            dice.random() < 0.3, dice.random() < 0.1,
        )  # fmt: skip
        made += [turn] * dice.choice([1, 1, 1, 3, 9])
    return made


class World:
    """The server, and everything that it ever told."""

    def __init__(self) -> None:
        self.head = 10
        self.forgotten = 0
        self.log: list[tuple[int, str, str]] = []
        self.objects: dict[str, int] = {}
        self.change(3)

    def change(self, count: int) -> None:
        for _ in range(count):
            self.head += 1
            name = NAMES[self.head * 7 % len(NAMES)]
            if name in self.objects and self.head % 3 == 0:
                kind = "DELETED"
                del self.objects[name]
            else:
                kind = "MODIFIED" if name in self.objects else "ADDED"
                self.objects[name] = self.head
            self.log.append((self.head, kind, name))

    def after(self, version: int) -> list[tuple[int, str, str]]:
        return [one for one in self.log if one[0] > version]

    def at(self, version: int) -> dict[str, int]:
        """Return what existed at *version*."""
        objects: dict[str, int] = {}
        for number, kind, name in self.log:
            if number <= version:
                objects[name] = number
                if kind == "DELETED":
                    del objects[name]
        return objects

    def bookmark(self, version: int, *, end: bool = False) -> bytes:
        annotations = {"annotations": {"k8s.io/initial-events-end": "true"}} if end else {}
        return line("BOOKMARK", {"metadata": {"resourceVersion": str(version), **annotations}})

    def events(self, asked: OpenStream, turn: Turn) -> list[bytes]:
        """Return the lines of a stream."""
        if asked.initial:
            lines = [_event("ADDED", name, number) for name, number in self.objects.items()]
            if turn.kind == "ignores":
                return [*lines, *([self.bookmark(self.head)] if turn.bookmark else [])]
            return [*lines, self.bookmark(self.head, end=True)][: turn.count]
        due = self.after(int(asked.version or 0))
        sent = due[: turn.count]
        lines = [_event(kind, name, number) for number, kind, name in sent]
        if turn.bookmark:
            lines.append(self.bookmark(sent[-1][0] if sent else int(asked.version or 0)))
        return lines


def _event(kind: str, name: str, number: int) -> bytes:
    return line(kind, {"metadata": {"name": name, "resourceVersion": str(number)}})


class Play:
    """Drives a watcher by hand, as its two drivers do, and checks each event that it gives.

    Attributes:
        objects: What a cache would hold.
        position: Up to where the server's log was seen; ``None`` before a list.
        edges: Every change of state, by the names of the two.
        requests: When each request was made, and whether one had to be so soon after the last.
        raised: What a caller of ``client.watch`` was told.
    """

    def __init__(
        self,
        world: World,
        start: Listing | Watching,
        *,
        lists_again: bool,
        habits: Habits | None = None,
        source: RandomSource | None = None,
    ) -> None:
        self.world = world
        self.lists_again = lists_again
        self.watcher = Watcher(start, lists_again=lists_again, habits=habits, source=source)
        self.now = 0.0
        self.objects: dict[str, int] = {}
        self.position = int(start.version) if isinstance(start, Watching) else None
        self.edges: set[tuple[str, str]] = set()
        self.requests: list[tuple[float, bool]] = []
        self.raised: list[Exception] = []
        self.delays: list[float] = []
        self._soon = True
        self.say("start")

    def say(self, what: str, *args: Any) -> Any:
        """Tell the watcher what happened, and note what became of it."""
        before = self.watcher.state
        answer = getattr(self.watcher, what)(*args)
        after = self.watcher.state
        if after is not before:
            self.edges.add((type(before).__name__, type(after).__name__))
            # Another way to list, or what follows a list, may be asked for at once.
            self._soon = isinstance(before, Listing) and isinstance(after, Listing | Watching)
            if isinstance(after, Failing):
                self.raised.append(after.error)
        return answer

    def play(self, turn: Turn) -> None:
        """Answer one request as *turn* says; pauses before it are over at once."""
        self.world.change(turn.changes)
        if turn.compacts:
            self.world.forgotten = self.world.head
        for _ in range(5):
            match self.watcher.next(self.now):
                case Pause(seconds):
                    self.delays.append(seconds)
                    self.now += seconds
                    self.say("waited", self.now)
                case Forget():
                    self.objects, self.position = {}, None
                    self.say("forgot")
                case ListPages() as asked:
                    self._request()
                    self._list(turn, asked)
                    return
                case OpenStream() as asked:
                    self._request()
                    self._stream(turn, asked)
                    return
        raise AssertionError(f"no request follows: {self.watcher.state}")

    def settle(self) -> None:
        """Let the server behave from now on, until all was seen, or is known to be lost."""
        for _ in range(30):
            self.play(Turn())
            if self.position == self.world.head or (self.is_gone and not self.lists_again):
                return
        raise AssertionError(f"not settled: {self.watcher.state} at {self.position}")

    @property
    def gaps(self) -> list[float]:
        """The seconds between two requests, where they are two tries."""
        return [b - a for (a, _), (b, soon) in pairwise(self.requests) if not soon]

    @property
    def is_gone(self) -> bool:
        """Whether the server has forgotten what a caller of ``client.watch`` must see."""
        return any(isinstance(one, GoneError) for one in self.raised)

    def _request(self) -> None:
        self.requests.append((self.now, self._soon))
        self._soon = False

    def _list(self, turn: Turn, asked: ListPages) -> None:
        if turn.kind in HTTP:
            self.say("failed", refusal(int(turn.kind)), self.now)
        elif turn.kind in {"lost", "unreachable", "unopened", "half"}:
            self.say("failed", TransportError("lost"), self.now)
        else:
            self.say("listed", str(self.world.head))
            self._listed(dict(self.world.objects), self.world.head)

    def _stream(self, turn: Turn, asked: OpenStream) -> None:
        if turn.kind == "unreachable":
            self.say("failed", TransportError("refused"), self.now)
            return
        self.say("sent", ATTEMPT, self.now)
        if turn.kind == "unopened":
            self.now = self.watcher.deadline()
            self.say("fell_silent", self.now)
        elif turn.kind in HTTP:
            self.say("failed", refusal(int(turn.kind)), self.now)
        elif not asked.initial and int(asked.version or 0) < self.world.forgotten:
            self.say("failed", refusal(410), self.now)
        else:
            self.say("opened", self.now)
            self._follow(turn, asked)

    def _follow(self, turn: Turn, asked: OpenStream) -> None:
        found: dict[str, int] = {}
        for chunk in self._chunks(turn, asked):
            listing = isinstance(self.watcher.state, Listing)
            events = self.say("receive", [chunk], self.now)
            if listing:
                found |= {
                    _name(raw): int(version_of(raw)) for kind, raw in events if kind == "ADDED"
                }
                if isinstance(self.watcher.state, Watching):
                    self._listed(found, int(self.watcher.version))
                events = self.say("take_held_back", self.now)
            for event in events:
                self._see(event)
            if not self.watcher.streaming:
                return
        self._end(turn)

    def _chunks(self, turn: Turn, asked: OpenStream) -> list[bytes]:
        data = b"".join(self.world.events(asked, turn))
        if turn.kind == "garbage":
            data += b"<html>\n"
        elif turn.kind == "half":
            data += b'{"type":"ADDED","obj'
        elif turn.kind.startswith("error"):
            code = int(turn.kind.removeprefix("error "))
            data += line("ERROR", {"code": code, "reason": REFUSALS[code], "message": "no"})
        return [data[at : at + turn.cut] for at in range(0, len(data), turn.cut)]

    def _end(self, turn: Turn) -> None:
        if turn.kind in {"silent", "ignores"}:
            self.now = max(self.now, self.watcher.deadline())
            self.say("fell_silent", self.now)
            return
        self.now += turn.lasts
        if turn.kind == "lost":
            self.say("failed", TransportError("cut", lost=True), self.now)
        else:
            self.say("ended", self.now)

    def _listed(self, objects: dict[str, int], version: int) -> None:
        assert objects == self.world.at(version), "a list is not what the server had"
        self.objects, self.position = objects, version

    def _see(self, event: RawEvent) -> None:
        """Check that *event* is the very next of the server's log."""
        kind, raw = event
        assert self.position is not None, "a change before there was a list"
        due = self.world.after(self.position)
        if kind == "BOOKMARK":
            version = int(bookmark_of(raw)[0])
            assert not due or due[0][0] > version, "a bookmark passed over an event"
            return
        assert due[0] == (int(version_of(raw)), kind, _name(raw)), "missed, doubled or out of order"
        self.position = due[0][0]
        self.objects.pop(_name(raw), None)
        if kind != "DELETED":
            self.objects[_name(raw)] = self.position


def _name(raw: bytes) -> str:
    name: str = json.loads(raw)["metadata"]["name"]
    return name
