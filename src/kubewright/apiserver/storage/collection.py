"""All objects of one resource, in the order in which lists show them, and their recent past."""

from bisect import bisect_left, insort
from collections import OrderedDict, deque
from collections.abc import Iterator, Sequence

from kubewright.apiserver.meta import status
from kubewright.apiserver.storage.event import Event, Stored
from kubewright.apiserver.storage.packing import Packer
from kubewright.apiserver.storage.watcher import Watcher

HISTORY_BYTES: int = 32 * 1024 * 1024
HOT_BYTES: int = 8 * 1024 * 1024
"""How many bytes of recent writes are kept unpacked."""
SNAPSHOTS: int = 4


def key_of(namespace: str, name: str) -> str:
    """Return the key of an object; sorted as strings, keys give the order of lists."""
    return f"{namespace}/{name}" if namespace else name


StoredList = list[Stored]


class Collection:
    """The objects of one resource.

    Attributes:
        revision: The revision of the latest change here.
        compacted: Events up to this revision are forgotten.
    """

    def __init__(self, *, compacted: int = 0) -> None:
        self.revision: int = 0
        self.compacted: int = compacted
        self._objects: dict[str, Stored] = {}
        self._keys: list[str] = []
        self._history: deque[Event] = deque()
        self._history_cost = 0
        self._hot: deque[Event] = deque()
        self._hot_bytes = 0
        self._packer = Packer()
        self._watchers: set[Watcher] = set()
        self._snapshots: OrderedDict[int, StoredList] = OrderedDict()

    def __len__(self) -> int:
        return len(self._objects)

    def find(self, key: str) -> Stored | None:
        """Return the object at *key*."""
        return self._objects.get(key)

    def list(self, namespace: str = "") -> Sequence[Stored]:
        """Return the objects of a namespace, or all, in order."""
        objects = self._objects
        if not namespace:
            return [objects[key] for key in self._keys]
        first, last = self._range(namespace)
        return [objects[key] for key in self._keys[first:last]]

    def _range(self, namespace: str) -> tuple[int, int]:
        # "0" is the character after "/", so this is just behind the last key of the namespace.
        return bisect_left(self._keys, f"{namespace}/"), bisect_left(self._keys, f"{namespace}0")

    def list_at(self, revision: int, namespace: str = "") -> Sequence[Stored]:
        """Return what `list` returned when *revision* was the latest.

        Raises:
            StatusError: The history does not reach back so far (410).
        """
        if revision >= self.revision:
            return self.list(namespace)
        if revision < self.compacted:
            raise status.expired("The resourceVersion for the provided list is too old.")
        snapshot = self._snapshot(revision)
        if not namespace:
            return snapshot
        prefix = f"{namespace}/"
        return [stored for stored in snapshot if stored.key.startswith(prefix)]

    def _snapshot(self, revision: int) -> StoredList:
        if (known := self._snapshots.get(revision)) is not None:
            self._snapshots.move_to_end(revision)
            return known
        objects = dict(self._objects)
        for event in self._since(revision, newest_first=True):
            if event.previous is None:
                objects.pop(event.current.key, None)
            else:
                objects[event.current.key] = event.previous
        snapshot = [objects[key] for key in sorted(objects)]
        self._snapshots[revision] = snapshot
        if len(self._snapshots) > SNAPSHOTS:
            self._snapshots.popitem(last=False)
        return snapshot

    def _since(self, revision: int, *, newest_first: bool = False) -> Iterator[Event]:
        newer = []
        for event in reversed(self._history):
            if event.revision <= revision:
                break
            newer.append(event)
        return iter(newer if newest_first else reversed(newer))

    def record(self, event: Event) -> None:
        """Make *event* the latest thing that happened here, and tell the watchers."""
        key = event.current.key
        if event.type == "DELETED":
            del self._objects[key]
            del self._keys[bisect_left(self._keys, key)]
        else:
            if key not in self._objects:
                self._insert(key)
            self._objects[key] = event.current
        self.revision = event.revision
        self._history.append(event)
        self._history_cost += event.cost
        while self._history_cost > HISTORY_BYTES:
            self._forget_oldest()
        self._hot.append(event)
        self._hot_bytes += event.current.size
        if self._hot_bytes > HOT_BYTES:
            self._cool()
        for watcher in self._watchers:
            watcher.push(event)

    def _cool(self) -> None:
        while self._hot_bytes > HOT_BYTES:
            event = self._hot.popleft()
            self._hot_bytes -= event.current.size
            event.memo.clear()
            event.current.pack(self._packer)

    def _insert(self, key: str) -> None:
        # Names that only grow are the common case, and cheaper than a search.
        if not self._keys or key > self._keys[-1]:
            self._keys.append(key)
        else:
            insort(self._keys, key)

    def load(self, objects: StoredList) -> None:
        """Take over what a journal kept."""
        self._objects = {stored.key: stored for stored in objects}
        self._keys = sorted(self._objects)
        self.revision = max((stored.revision for stored in objects), default=0)
        if sum(stored.size for stored in objects) > HOT_BYTES:
            for stored in objects:
                stored.pack(self._packer)

    def watch(self, *, since: int | None = None) -> tuple[Watcher, Sequence[Event]]:
        """Return a new watcher, and the events after *since* that it has missed.

        Raises:
            StatusError: Events after *since* are forgotten (410).
        """
        missed: Sequence[Event] = ()
        if since is not None:
            if since < self.compacted:
                raise status.too_old(since, self.compacted)
            missed = list(self._since(since))
        watcher = Watcher()
        self._watchers.add(watcher)
        return watcher, missed

    def unwatch(self, watcher: Watcher) -> None:
        """Stop giving events to *watcher*."""
        self._watchers.discard(watcher)
        watcher.end()

    def end_watches(self) -> None:
        """End all watches: the resource is no longer served, or served in another way."""
        for watcher in list(self._watchers):
            watcher.end()

    def compact(self, revision: int) -> None:
        """Forget the events up to *revision*."""
        while self._history and self._history[0].revision <= revision:
            self._forget_oldest()
        self.compacted = max(self.compacted, revision)
        for old in [at for at in self._snapshots if at < self.compacted]:
            del self._snapshots[old]

    def forget_before(self, time: float) -> None:
        """Forget the events that happened before *time*."""
        while self._history and self._history[0].time < time:
            self._forget_oldest()

    def _forget_oldest(self) -> None:
        event = self._history.popleft()
        self._history_cost -= event.cost
        self.compacted = max(self.compacted, event.revision)
