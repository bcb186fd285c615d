"""`Loops`: notices a reconciler that keeps itself busy, and slows it down.

A run that writes leads to a change, and that change to another run; this is how a reconciler
converges, and after a few runs there is nothing left to write. One that never settles goes on as
fast as the server answers. It is told by its own writes: the versions that they made are the very
ones whose changes led to the next run, the same object is written again and again, and nobody
else changed anything meanwhile.
"""

import msgspec

from kubewright import _json
from kubewright.cache.own_writes import OwnWrite
from kubewright.controller.request import Request
from kubewright.log import Logger
from kubewright.metrics import CounterValue

__all__ = ["LIMIT", "LONGEST", "MANY", "SOON", "Chain", "Loops", "Writes"]

LIMIT: int = 20
"""How many runs in a row may write the same object, or ask to be repeated at once."""
MANY: int = 500
"""How many runs in a row may each be the reason for the next, whatever they write."""
SOON: float = 0.1
"""A run that is asked for in fewer seconds counts as one that is asked for at once."""
LONGEST: float = 30.0
"""How long a run waits at most that only its own doing asks for."""

_FIRST = 0.1  # seconds that the first run waits which is one too many; then twice as long each time
_MOST_CHAINS = 1024
_MOST_MARKS = 256
_MOST_OBJECTS = 64
_MOST_FIELDS = 3
_REQUEUE = "requeue_after"
_UNDONE = "undone"
_ENDLESS = "endless"


class Writes:
    """What a worker wrote during one run, of the kinds that are watched.

    Attributes:
        marks: By what the changes will be recognized: versions, and uids of what was deleted.
        objects: What was written last to each object.
        made: The names of those that are there, by uid.
        gone: The uids of those that were deleted, whose answers do not tell a kind.
    """

    __slots__ = ("gone", "made", "marks", "objects")

    def __init__(self) -> None:
        self.marks: set[str] = set()
        self.objects: dict[str, bytes] = {}
        self.made: dict[str, str] = {}
        self.gone: set[str] = set()

    def note(self, write: OwnWrite) -> None:
        """Remember *write*."""
        mark = write.uid if write.gone else write.resource_version
        if mark:
            self.marks.add(mark)
        name = f"{write.kind} {write.key}".strip()
        if name in self.objects or len(self.objects) < _MOST_OBJECTS:
            self.objects[name] = write.raw
            if write.gone:
                self.gone.add(write.uid)
            else:
                self.made[write.uid] = name

    def clear(self) -> None:
        """Begin a new run."""
        self.marks.clear()
        self.objects.clear()
        self.made.clear()
        self.gone.clear()


class Chain(msgspec.Struct, eq=False):
    """Runs of one object that each had a reason for the next.

    Attributes:
        marks: By what changes are recognized that recent runs made.
        counts: How many runs in a row wrote each object, or asked to be repeated at once.
        delay: How long a run waits that only its own doing asks for.
        running: Whether a run is under way.
        heard: What was seen during it: by then its writes are not all known.
        held: The priority at which the next run is due after it, if one is.
        echo: Whether a change of our own was seen since the last run began.
        soon: Whether the last run asked to be repeated at once.
        outside: Whether anything else was seen.
        last: What was written last to each object, once it begins to be suspicious.
        runs: How many have written anything.
        made: What the last of them wrote, by uid.
        undone: What a run has deleted that the one before it had made, the last time.
    """

    marks: dict[str, None] = {}
    counts: dict[str, int] = {}
    delay: float = 0.0
    running: bool = False
    heard: list[str] = []
    held: int | None = None
    echo: bool = False
    soon: bool = False
    outside: bool = False
    last: dict[str, bytes] = {}
    runs: int = 0
    made: dict[str, str] = {}
    undone: str = ""

    def begin(self) -> None:
        """Note that a run begins; one that has another reason is the first of its chain."""
        if self.outside or not (self.echo or self.soon):
            self.counts.clear()
            self.made.clear()
            self.runs = 0
            self.delay = 0.0
        self.echo = self.soon = self.outside = False
        self.heard.clear()
        self.running = True

    def hear(self, mark: str, *, priority: int) -> float | None:
        """Note a change; return in how many seconds it is due, ``None`` for when the run ended."""
        if self.running:
            self.heard.append(mark)
            if not self.delay:
                return 0.0
            self.held = priority if self.held is None else max(priority, self.held)
            return None
        self._judge(mark)
        return 0.0 if self.outside else self.delay

    def end(self, writes: Writes) -> None:
        """Note that the run has ended, and what it wrote."""
        self.running = False
        self.marks.update(dict.fromkeys(writes.marks))
        while len(self.marks) > _MOST_MARKS:
            del self.marks[next(iter(self.marks))]
        self._count_writes(writes)
        for mark in self.heard:
            self._judge(mark)
        self.heard.clear()

    def _count_writes(self, writes: Writes) -> None:
        for name in writes.objects:
            if name in self.counts or len(self.counts) < _MOST_OBJECTS:
                self.count(name)
        # Names that are new each time: no object is written often, and yet nothing gets done.
        if undone := writes.gone & self.made.keys():
            self.undone = self.made[min(undone)]
            self.count(_UNDONE)
        self.made = dict(writes.made)
        self.runs += bool(writes.marks)
        if self.runs > MANY - LIMIT:
            self.count(_ENDLESS)

    def count(self, cause: str) -> None:
        """Note that a run did what may be the cause of the next."""
        self.counts[cause] = times = self.counts.get(cause, 0) + 1
        if times > LIMIT:
            wait = _FIRST * 2.0 ** min(times - LIMIT - 1, 30)
            self.delay = min(LONGEST, max(self.delay, wait))

    def _judge(self, mark: str) -> None:
        if mark in self.marks:
            self.echo = True
        else:
            self.outside = True


class Loops:
    """The chains of the objects of one controller, those that ended last at the end.

    Only runs that wrote something, or asked to be repeated at once, are looked at.

    Args:
        log: Where a loop is told.
        found: Counts them.

    Attributes:
        chains: By request. While it is empty, callers need not ask further.
    """

    __slots__ = ("_found", "_log", "_told", "chains")

    def __init__(self, log: Logger, found: CounterValue) -> None:
        self.chains: dict[Request, Chain] = {}
        self._log = log
        self._found = found
        self._told: set[Request] = set()

    def end(self, request: Request, writes: Writes) -> tuple[int, float] | None:
        """Note that a run has ended; return at which priority and when the next is due, if any."""
        chain = self.chains.pop(request, None)
        if not writes.marks and not (chain is not None and chain.soon):
            self._told.discard(request)  # it has settled
            return None if chain is None or chain.held is None else (chain.held, 0.0)
        chain = self._keep(request, Chain() if chain is None else chain)
        chain.end(writes)
        self._tell(request, chain, writes)
        held, chain.held = chain.held, None
        return None if held is None else (held, 0.0 if chain.outside else chain.delay)

    def repeat(self, request: Request, delay: float) -> float:
        """Note that a run asks to be repeated in *delay* seconds; return how long to wait."""
        if delay >= SOON:
            return delay
        chain = self.chains.get(request) or self._keep(request, Chain())
        chain.soon = True
        chain.count(_REQUEUE)
        return max(delay, chain.delay)

    def _keep(self, request: Request, chain: Chain) -> Chain:
        if len(self.chains) >= _MOST_CHAINS:
            idle = next((one for one, other in self.chains.items() if not other.running), None)
            if idle is not None:  # one that runs may hold back a change
                del self.chains[idle]
        self.chains[request] = chain
        return chain

    def _tell(self, request: Request, chain: Chain, writes: Writes) -> None:
        cause, times = max(chain.counts.items(), key=lambda item: item[1], default=("", 0))
        if times == LIMIT + 1:
            self._found.inc()
        if times > LIMIT and request not in self._told:
            self._told.add(request)
            self._log.warning(
                "reconciled over and over because of its own doing, slowed down",
                key=str(request),
                problem=_problem(cause, times, chain, writes),
                delay=chain.delay,
                hint="write only what differs; the object is reconciled at once when others change"
                " something",
            )
        chain.last = dict(writes.objects) if times >= LIMIT - 1 and not chain.delay else {}


def _problem(cause: str, times: int, chain: Chain, writes: Writes) -> str:
    if cause == _REQUEUE:
        return f"it asked {times} times in a row to be called again within {SOON:g} s"
    if cause == _UNDONE:
        return f"{times} runs in a row deleted what the one before had made, last {chain.undone}"
    if cause == _ENDLESS:
        written = ", ".join(list(writes.objects)[:_MOST_FIELDS])
        return (
            f"more than {MANY} runs in a row were asked for by the one before, last wrote {written}"
        )
    changes = "; ".join(_changes(chain.last.get(cause), writes.objects.get(cause)))
    return f"{times} runs in a row wrote {cause}" + (f": {changes}" if changes else "")


def _changes(before: bytes | None, after: bytes | None) -> list[str]:
    """Return the fields that differ, with what they are now; nothing that must not be shown."""
    from kubewright.runs.change import changes_between

    if not before or not after:
        return []
    old, new = _json.loads(before), _json.loads(after)
    is_secret = new.get("kind") == "Secret" and new.get("apiVersion") == "v1"
    differing = changes_between(old, new, secret=is_secret)
    found = [f"{one.path}: {one.new!r:.60}" for one in differing]
    return sorted(found, key=_is_status)[:_MOST_FIELDS]


def _is_status(field: str) -> bool:
    return field.startswith("status.")  # it follows the rest, and is seldom the cause
