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

O = TypeVar("O", bound=Resource | Unstructured)  # noqa: E741  # the type of the given object

__all__ = ["Applied", "Applier", "Finder", "Memory", "Outcome", "as_wanted", "mark_of"]

_SPARE = 32
_UNKNOWN: Any = object()


class _Metadata(msgspec.Struct, gc=False):
    metadata: dict[str, Any] = {}


class Finder(Protocol):
    """Finds existing objects without asking the server."""

    def find(self, obj: Resource | Unstructured) -> "Entry[Any] | None":
        """Return the cached entry of *obj*; ``None`` if it, or its kind, is not in the cache."""
        ...


class Outcome(NamedTuple, Generic[O]):
    """The result of an apply.

    Attributes:
        live: The object as it is now.
        changed: Whether the apply changed it, as far as we can tell.
        flapping: The fields that keep changing, once, when that is first noticed.
    """

    live: O
    changed: bool = False
    flapping: list[str] | None = None


class Applied:
    """The last apply to one object, and its result."""

    __slots__ = ("flapping", "generation", "mark", "metadata", "resource_version", "uid", "values")

    def __init__(self, mark: bytes, body: dict[str, Any], live: dict[str, Any]) -> None:
        metadata = live.get("metadata") or {}
        values = projected(live, body)
        self.mark: bytes = mark
        self.uid: str = metadata.get("uid", "")
        self.resource_version: str = metadata.get("resourceVersion", "")
        self.generation: int = metadata.get("generation") or 0
        # The same as `projected` of the metadata alone, which are in every body.
        self.metadata: bytes = digest(values.get("metadata", metadata))
        self.values: bytes = digest(values)
        self.flapping: Flapping | None = None

    def holds(self, mark: bytes, wanted: Resource | Unstructured, entry: "Entry[Any]") -> bool:
        """Say whether applying *wanted* would change nothing in *entry*."""
        if mark != self.mark or entry.uid != self.uid:
            return False
        if entry.resource_version == self.resource_version:
            return True
        if not self._is_untouched(applied_document(wanted), entry):
            return False
        self.resource_version, self.generation = entry.resource_version, entry.generation
        return True

    def _is_untouched(self, body: dict[str, Any], entry: "Entry[Any]") -> bool:
        # The generation changes with everything except metadata and status, so compare only those.
        if self.generation and entry.generation == self.generation:
            metadata = _json.decode(entry.raw, _Metadata).metadata
            return digest(projected(metadata, body.get("metadata"))) == self.metadata
        return digest(projected(_json.loads(entry.raw), body)) == self.values


class Memory:
    """What was applied for one parent; kept until the parent is gone, or the process ends."""

    __slots__ = ("_children",)

    def __init__(self) -> None:
        self._children: dict[Child, Applied] = {}

    def __len__(self) -> int:
        return len(self._children)

    def find(self, child: Child) -> Applied | None:
        """Return the last apply to *child*, or ``None``."""
        return self._children.get(child)

    def keep(self, child: Child, applied: Applied) -> None:
        """Remember *applied* as the last apply to *child*."""
        self._children.pop(child, None)  # moved to the end: `trim` forgets the oldest first
        self._children[child] = applied

    def forget(self, child: Child) -> None:
        """Forget *child*, so that its next apply is sent."""
        self._children.pop(child, None)

    def trim(self, used: int) -> None:
        """Forget the oldest, if there are many more than the *used* ones of a run.

        Otherwise a parent that makes a new child every day would fill the memory.
        """
        while len(self._children) > 2 * used + _SPARE:
            del self._children[next(iter(self._children))]


class Applier:
    """Applies objects for one field owner.

    Args:
        client: Sends the applies.
        finder: Finds existing objects without asking the server.
        field_owner: The field owner.
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
        cached object is then returned.

        Args:
            wanted: What should exist.
            memory: What was applied before.
            entry: Its cached entry, if the caller has it; otherwise it is looked up.
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
    """Return a fingerprint of *wanted*, to notice that the same is applied again.

    Its JSON is not sorted: that would take three times as long. A set in another order leads to one
    more apply, which does no harm.
    """
    from hashlib import blake2b

    return blake2b(_json.encode(wanted), digest_size=16).digest()


def as_wanted(wanted: O, entry: "Entry[Any]") -> O:
    """Return the object of *entry*, in the type of *wanted*."""
    found: Any = entry.object
    if isinstance(wanted, Unstructured) and not isinstance(found, Unstructured):
        found = Unstructured.read(entry.raw)
        found.setdefault("apiVersion", wanted.api_version)
        found.setdefault("kind", wanted.kind)
    live: O = found
    return live
