"""Every object of the cluster, under one revision counter."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

import msgspec

from kubewright._aio import Clock
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.storage.collection import Collection, key_of
from kubewright.apiserver.storage.event import Event, EventType, Stored
from kubewright.log import Logger, get_logger

HISTORY_SECONDS: float = 300  # as long as etcd remembers under a kube-apiserver

SIZE_LIMIT: int = 1536 * 1024  # what etcd takes by default, so clients meet it in real clusters

log: Logger = get_logger(__name__)

encode: Callable[[Any], bytes] = msgspec.json.Encoder().encode


class Journal(Protocol):
    """Keeps what is stored beyond the life of the process."""

    def load(self) -> tuple[int, Iterable[tuple[GroupResource, Stored]]]:
        """Return the latest revision and every object."""
        ...

    def put(self, resource: GroupResource, stored: Stored) -> None:
        """Keep an object. When this returns, not even a kill loses it."""
        ...

    def remove(self, resource: GroupResource, key: str, revision: int) -> None:
        """Forget an object."""
        ...

    def close(self) -> None:
        """Close the files."""
        ...


Listener = Callable[[GroupResource, Event], None]


class Store:
    """Objects by resource, namespace and name.

    A change takes place between two awaits: it gets the next revision, is journalled, and then seen
    by readers and watchers, all in one step. Callers compare what they have read with `find` right
    before they write.
    """

    def __init__(self, *, journal: Journal | None = None, clock: Clock | None = None) -> None:
        self._journal = journal
        self._clock = clock or Clock()
        self._collections: dict[GroupResource, Collection] = {}
        self._listeners: list[Listener] = []
        self._next_tidy = 0.0
        self._marks: deque[tuple[float, int]] = deque()
        self.revision: int = 1
        if journal:
            self._load(journal)

    def _load(self, journal: Journal) -> None:
        self.revision, objects = journal.load()
        by_resource: dict[GroupResource, list[Stored]] = {}
        for resource, stored in objects:
            by_resource.setdefault(resource, []).append(stored)
        for resource, found in by_resource.items():
            # Events from before the start are not kept, only the objects.
            collection = self._collections[resource] = Collection(compacted=self.revision)
            collection.load(found)
        self._loaded = self.revision

    _loaded: int = 0

    def collection(self, resource: GroupResource) -> Collection:
        """Return the collection of a resource, empty at first."""
        found = self._collections.get(resource)
        if found is None:
            found = self._collections[resource] = Collection(compacted=self._loaded)
        return found

    def resources(self) -> Iterator[GroupResource]:
        """Yield every resource that has, or had, objects."""
        yield from list(self._collections)

    def listen(self, listener: Listener) -> None:
        """Call *listener* right after each change; it must not fail, and may write."""
        self._listeners.append(listener)

    # Reading.

    def find(self, resource: GroupResource, namespace: str, name: str) -> Stored | None:
        """Return the latest state of an object, as bytes, or ``None``."""
        return self.collection(resource).find(key_of(namespace, name))

    def find_object(
        self, resource: GroupResource, namespace: str, name: str
    ) -> dict[str, Any] | None:
        """Return a private copy of an object, or ``None``; `find` returns it as it is stored."""
        stored = self.find(resource, namespace, name)
        return stored.decode() if stored else None

    def list(self, resource: GroupResource, namespace: str = "") -> Iterator[dict[str, Any]]:
        """Yield the objects of a namespace, or all, as private copies."""
        for stored in self.collection(resource).list(namespace):
            yield stored.decode()

    def revision_of(self, resource: GroupResource) -> int:
        """Return the revision of the latest change of a resource."""
        return self.collection(resource).revision

    # Writing.

    def put(self, resource: GroupResource, obj: dict[str, Any]) -> Stored:
        """Store *obj*, new or changed, and set its resourceVersion.

        Raises:
            StatusError: It is too large; nothing has changed then.
        """
        metadata = obj["metadata"]
        key = key_of(metadata.get("namespace", ""), metadata["name"])
        stored = self._stored(key, obj)
        if stored.size > SIZE_LIMIT:
            raise StatusError(500, "", "etcdserver: request is too large")
        if self._journal:
            self._journal.put(resource, stored)
        previous = self.collection(resource).find(key)
        self._record(resource, "MODIFIED" if previous else "ADDED", stored, previous)
        return stored

    def remove(self, resource: GroupResource, obj: dict[str, Any]) -> Stored:
        """Remove an object whose last state is *obj*; return it as watchers see it."""
        metadata = obj["metadata"]
        key = key_of(metadata.get("namespace", ""), metadata["name"])
        stored = self._stored(key, obj)
        if self._journal:
            self._journal.remove(resource, key, stored.revision)
        previous = self.collection(resource).find(key)
        self._record(resource, "DELETED", stored, previous)
        return stored

    def _stored(self, key: str, obj: dict[str, Any]) -> Stored:
        revision = self.revision + 1
        obj["metadata"]["resourceVersion"] = str(revision)
        return Stored(key, encode(obj), revision)

    def _record(
        self,
        resource: GroupResource,
        type: EventType,  # noqa: A002  # the word of the protocol
        stored: Stored,
        previous: Stored | None,
    ) -> None:
        now = self._clock.monotonic()
        event = Event(type, stored, previous, now)
        self.revision = stored.revision
        self.collection(resource).record(event)
        for listener in self._listeners:
            try:
                listener(resource, event)
            except Exception as error:  # the change is stored, and other listeners must hear of it
                log.exception("listener failed", kind=str(resource), error=repr(error))
        if now >= self._next_tidy:
            self._tidy(now)

    def _tidy(self, now: float) -> None:
        self._next_tidy = now + HISTORY_SECONDS / 5
        self._marks.append((now, self.revision))
        for collection in self._collections.values():
            collection.forget_before(now - HISTORY_SECONDS)

    def horizon(self) -> int:
        """Return the revision before which snapshots are no longer given, as etcd compacts.

        It is one for all resources: a list that was begun long ago does not go on for ever because
        nothing of its own has changed.
        """
        since = self._clock.monotonic() - HISTORY_SECONDS
        while self._marks and self._marks[0][0] <= since:
            self._compacted = max(self._compacted, self._marks.popleft()[1])
        return self._compacted

    _compacted: int = 0

    def compact(self, revision: int | None = None) -> None:
        """Forget the events up to *revision*, or all; watches from before get 410."""
        at = self.revision if revision is None else revision
        self._loaded = max(self._loaded, at)
        self._compacted = max(self._compacted, at)
        for collection in self._collections.values():
            collection.compact(at)

    def close(self) -> None:
        """End all watches and close the journal."""
        for collection in self._collections.values():
            collection.end_watches()
        if self._journal:
            self._journal.close()
