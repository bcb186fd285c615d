"""`Runs`: keeps the records of what controllers did, and passes new ones to listeners."""

import inspect
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

from kubewright.api.kind import ObjectKey
from kubewright.api.resource import Resource
from kubewright.api.unstructured import Unstructured
from kubewright.log import get_logger
from kubewright.runs.ring import Ring

# What a record is made of loads when the first run is recorded.
if TYPE_CHECKING:
    from kubewright.runs.following import Following
    from kubewright.runs.notes import NotedRun, Notes
    from kubewright.runs.record import RunRecord

__all__ = ["Listener", "ObjectLike", "Recorded", "Runs"]

Listener: TypeAlias = "Callable[[RunRecord], object]"
"""Called with each new record, in the event loop; it must be quick."""
ObjectLike: TypeAlias = Resource | Unstructured | ObjectKey | str
"""An object, or its key; as text ``namespace/name``, or ``name`` for kinds without namespaces."""

_log = get_logger(__name__)


class Runs:
    """The records of the last runs of reconcilers, newest last; new ones can be followed.

    Nothing is recorded until `record` is called, or somebody listens with `subscribe` or `follow`.
    Records are kept in memory, within bounds: the oldest are dropped first. Of one object at most
    *each* are kept, so that an object in a hot loop does not push out all others.

    Args:
        most: How many records are kept.
        most_bytes: How many bytes they may take, roughly.
        each: How many are kept of one object.

    Example:
        manager = Manager(cluster)
        manager.runs.record()
        ...
        for record in manager.runs.for_(shop):
            print(record, record.writes)
    """

    def __init__(
        self, *, most: int = 10_000, most_bytes: int = 32 * 1024 * 1024, each: int = 100
    ) -> None:
        if min(most, most_bytes, each) < 1:
            raise ValueError(
                f"Runs needs room for at least 1 record: most={most}, most_bytes={most_bytes},"
                f" each={each}"
            )
        self._ring: Ring[Notes] = Ring(most=most, most_bytes=most_bytes, most_each=each)
        self._listeners: dict[object, Listener] = {}
        self._recording = False
        self.active: bool = False
        """Whether runs are recorded at the moment; controllers check it before each run."""

    # --- On and off ---

    def record(self) -> None:
        """Record every run that begins from now on."""
        self._recording = True
        self._switch()

    def stop(self) -> None:
        """Stop recording, unless somebody listens; existing records stay."""
        self._recording = False
        self._switch()

    def subscribe(
        self,
        listener: Listener,
        *,
        controller: str | None = None,
        kind: str | None = None,
        namespace: str | None = None,
    ) -> Callable[[], None]:
        """Call *listener* with each new record; return the function that ends that.

        What it raises is logged, and it is called with the next record all the same.

        Args:
            listener: What to call, right after a run has ended.
            controller: Only for runs of the controller of that name.
            kind: Only for runs of that kind.
            namespace: Only for objects in that namespace.

        Raises:
            TypeError: It is async, and nobody would wait for it.
        """
        if inspect.iscoroutinefunction(listener):
            raise TypeError(
                f"{listener!r:.80} is async and cannot be called in a run: use follow()"
            )
        token = object()
        self._listeners[token] = _filtered(listener, controller, kind, namespace)
        self._switch()

        def unsubscribe() -> None:
            self._listeners.pop(token, None)
            self._switch()

        return unsubscribe

    def follow(
        self,
        *,
        buffer: int = 1_000,
        controller: str | None = None,
        kind: str | None = None,
        namespace: str | None = None,
    ) -> "Following":
        """Return an async iterator of new records; close it, or use ``async with``.

        Args:
            buffer: How many records wait for a slow reader; then the oldest are dropped, and
                `Following.lost` counts them.
            controller: Only runs of the controller of that name.
            kind: Only runs of that kind.
            namespace: Only objects in that namespace.

        Example:
            async with manager.runs.follow(kind="Shop") as records:
                async for record in records:
                    print(record)
        """

        def subscribe(put: Listener) -> Callable[[], None]:
            return self.subscribe(put, controller=controller, kind=kind, namespace=namespace)

        from kubewright.runs.following import Following

        return Following(subscribe, buffer)

    # --- What was recorded ---

    def __len__(self) -> int:
        return len(self._ring)

    def __iter__(self) -> "Iterator[RunRecord]":
        return (notes.record for notes in self._ring)

    @property
    def size_in_bytes(self) -> int:
        """How many bytes the records take, roughly."""
        return self._ring.size

    def for_(self, obj: ObjectLike, *, controller: str | None = None) -> "list[RunRecord]":
        """Return the records of one object, the newest last.

        Args:
            obj: The object, or its key. A key finds records of any kind.
            controller: Only runs of the controller of that name.
        """
        key, kind = _key_and_kind(obj)
        found = (notes.record for notes in self._ring.of((key.namespace, key.name)))
        return [one for one in found if _fits(one, controller, kind, None)]

    def select(
        self,
        *,
        controller: str | None = None,
        kind: str | None = None,
        namespace: str | None = None,
    ) -> "list[RunRecord]":
        """Return the records of a controller, a kind or a namespace, the newest last."""
        return [one for one in self if _fits(one, controller, kind, namespace)]

    def find(self, id: str) -> "RunRecord | None":  # noqa: A002  # the word of the record
        """Return the record of the run *id*, the ``reconcile_id`` of a log line, or ``None``."""
        return next((one for one in self if one.id == id), None)

    def clear(self) -> None:
        """Drop all records."""
        self._ring.clear()

    # --- What controllers call ---

    def begin(
        self, run: "NotedRun", *, began: datetime, at: float, due: float, time: Callable[[], float]
    ) -> "Notes":
        """Return the notes of a run that begins; `add` them when it has ended.

        Args:
            run: The run.
            began: When its reconciler is called.
            at: The same on the clock that *time* reads.
            due: When it was due, on that clock.
            time: The clock, in seconds.
        """
        from kubewright.runs.notes import Notes

        return Notes(run, began, at, at - due, time)

    def add(self, notes: "Notes") -> None:
        """Keep the notes of a run that has ended, and call the listeners."""
        request = notes.run.request
        self._ring.add((request.namespace, request.name), notes, size=notes.size)
        if self._listeners:
            self._tell(notes.record)

    def _tell(self, record: "RunRecord") -> None:
        for listener in tuple(self._listeners.values()):
            try:
                listener(record)
            except (SystemExit, KeyboardInterrupt):
                raise
            except BaseException as error:  # noqa: BLE001  # theirs may fail in any way; runs go on
                _log.exception("listener to runs failed", error=repr(error))

    def _switch(self) -> None:
        self.active = self._recording or bool(self._listeners)


@runtime_checkable
class Recorded(Protocol):
    """A runnable whose runs can be recorded; a manager calls `record_to`."""

    def record_to(self, runs: Runs) -> None:
        """Add the records of all runs from now on to *runs*, while that is active."""
        ...


def _key_and_kind(obj: ObjectLike) -> tuple[ObjectKey, str | None]:
    if isinstance(obj, str):
        return ObjectKey.parse(obj), None
    if isinstance(obj, ObjectKey):
        return obj, None
    return obj.key, obj.kind


def _filtered(
    listener: Listener, controller: str | None, kind: str | None, namespace: str | None
) -> Listener:
    if controller is None and kind is None and namespace is None:
        return listener

    def hear(record: "RunRecord") -> None:
        if _fits(record, controller, kind, namespace):
            listener(record)

    return hear


def _fits(
    record: "RunRecord", controller: str | None, kind: str | None, namespace: str | None
) -> bool:
    return (
        (controller is None or record.controller == controller)
        and (kind is None or record.kind == kind)
        and (namespace is None or record.key.namespace == namespace)
    )
