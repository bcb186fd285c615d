"""Server-side apply that is sent only if something would change."""

from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

import msgspec

from kubewright import _json
from kubewright._aio import Clock
from kubewright.api.changes import applied_document, original
from kubewright.api.resource import Resource
from kubewright.api.unstructured import Unstructured
from kubewright.operator.agreement import digest, projected
from kubewright.operator.child import Child
from kubewright.operator.flapping import Flapping

if TYPE_CHECKING:
    from kubewright.cache.entry import Entry
    from kubewright.client import Client

O = TypeVar("O", bound=Resource | Unstructured)  # noqa: E741  # an object, as it came in

__all__ = ["Applied", "Applier", "Finder", "Memory", "Outcome", "as_wanted", "mark_of"]

_SPARE = 32
_UNKNOWN: Any = object()


class _Metadata(msgspec.Struct, gc=False):
    metadata: dict[str, Any] = {}


class Finder(Protocol):
    """Where objects that are there already are found, without asking the server."""

    def find(self, obj: Resource | Unstructured) -> "Entry[Any] | None":
        """Return what the cache has of *obj*; ``None`` if it has nothing or keeps no such kind."""
        ...


class Outcome(NamedTuple, Generic[O]):
    """What came of an apply.

    Attributes:
        live: The object as it is now.
        changed: Whether the apply changed it, as far as can be told.
        flapping: The fields that are changed over and over, the moment that is noticed.
    """

    live: O
    changed: bool = False
    flapping: list[str] | None = None


class Applied:
    """What was applied last to one object, and what came of it."""

    __slots__ = ("flapping", "generation", "mark", "metadata", "resource_version", "uid", "values")

    def __init__(self, mark: bytes, body: dict[str, Any], live: dict[str, Any]) -> None:
        metadata = live.get("metadata") or {}
        values = projected(live, body)
        self.mark: bytes = mark
        self.uid: str = metadata.get("uid", "")
        self.resource_version: str = metadata.get("resourceVersion", "")
        self.generation: int = metadata.get("generation") or 0
        # As `projected` has it of the metadata alone, which every body names.
        self.metadata: bytes = digest(values.get("metadata", metadata))
        self.values: bytes = digest(values)
        self.flapping: Flapping | None = None

    def holds(self, mark: bytes, wanted: Resource | Unstructured, entry: "Entry[Any]") -> bool:
        """Say whether to apply *wanted* would change nothing in *entry*."""
        if mark != self.mark or entry.uid != self.uid:
            return False
        if entry.resource_version == self.resource_version:
            return True
        if not self._is_untouched(applied_document(wanted), entry):
            return False
        self.resource_version, self.generation = entry.resource_version, entry.generation
        return True

    def _is_untouched(self, body: dict[str, Any], entry: "Entry[Any]") -> bool:
        # The generation moves with everything but metadata and status: it spares us the rest.
        if self.generation and entry.generation == self.generation:
            metadata = _json.decode(entry.raw, _Metadata).metadata
            return digest(projected(metadata, body.get("metadata"))) == self.metadata
        return digest(projected(_json.loads(entry.raw), body)) == self.values


class Memory:
    """What was applied for one parent. It ends with the parent, or with the process."""

    __slots__ = ("_children",)

    def __init__(self) -> None:
        self._children: dict[Child, Applied] = {}

    def __len__(self) -> int:
        return len(self._children)

    def find(self, child: Child) -> Applied | None:
        """Return what was applied to *child*, if anything was."""
        return self._children.get(child)

    def keep(self, child: Child, applied: Applied) -> None:
        """Remember *applied* as the last that was applied to *child*."""
        self._children.pop(child, None)  # to the end: what was applied last is forgotten last
        self._children[child] = applied

    def forget(self, child: Child) -> None:
        """Forget *child*; its next apply is sent."""
        self._children.pop(child, None)

    def trim(self, used: int) -> None:
        """Forget the oldest, if there are many more than the *used* ones of a run.

        A parent that makes a child a day, each of another name, would fill the memory otherwise.
        """
        while len(self._children) > 2 * used + _SPARE:
            del self._children[next(iter(self._children))]


class Applier:
    """Applies objects for one field owner.

    Args:
        client: Where to.
        finder: Where objects that exist are found without asking the server.
        field_owner: Who applies.
        clock: Where time comes from.
    """

    def __init__(
        self, client: "Client", finder: Finder, *, field_owner: str, clock: Clock | None = None
    ) -> None:
        self._client = client
        self._finder = finder
        self._field_owner = field_owner
        self._clock = clock or client.clock

    async def apply(
        self, wanted: O, memory: Memory, *, entry: "Entry[Any] | None" = _UNKNOWN
    ) -> Outcome[O]:
        """Apply *wanted*.

        Nothing is sent if the same was applied before and the object still has those values; the
        object then comes from the cache.

        Args:
            wanted: What should exist.
            memory: What was applied before.
            entry: What the cache has of it, if the caller has looked; it is looked up otherwise.
        """
        child, mark = Child.of(wanted), mark_of(wanted)
        if entry is _UNKNOWN:
            entry = self._finder.find(wanted)
        before = memory.find(child)
        if before is not None and entry is not None and before.holds(mark, wanted, entry):
            memory.keep(child, before)
            return Outcome(as_wanted(wanted, entry))
        body = applied_document(wanted)
        answer = await self._client.apply(wanted, field_owner=self._field_owner, force=True)
        if (live := original(answer)) is None:
            return Outcome(answer, changed=True)
        after = Applied(mark, body, live)
        memory.keep(child, after)
        last = entry or before
        changed = last is None or last.resource_version != after.resource_version
        if before is None:
            return Outcome(answer, changed)
        after.flapping = before.flapping
        if not changed:
            return Outcome(answer)
        after.flapping = after.flapping or Flapping(self._clock)
        old = None if entry is None else projected(_json.loads(entry.raw), body)
        return Outcome(answer, True, after.flapping.note_change(old, projected(live, body)))


def mark_of(wanted: Resource | Unstructured) -> bytes:
    """Return what tells whether the same is applied again; made of its JSON as it is.

    Sorted members would be safer and take three times as long. A set that changes its order leads
    to an apply too many, which does no harm.
    """
    from hashlib import blake2b  # noqa: PLC0415  # not before the first apply

    return blake2b(_json.encode(wanted), digest_size=16).digest()


def as_wanted(wanted: O, entry: "Entry[Any]") -> O:
    """Return the object of *entry*, of the type that *wanted* has."""
    found: Any = entry.object
    if isinstance(wanted, Unstructured) and not isinstance(found, Unstructured):
        found = Unstructured.read(entry.raw)
        found.setdefault("apiVersion", wanted.api_version)
        found.setdefault("kind", wanted.kind)
    live: O = found
    return live
