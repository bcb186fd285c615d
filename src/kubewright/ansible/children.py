"""What belongs to an object, and whether any of it has changed since the last run."""

from typing import TYPE_CHECKING, Any

import msgspec

from kubewright import _json
from kubewright.ansible.digests import digest_of
from kubewright.api.kind import ObjectKey
from kubewright.api.kind_reference import Kind

if TYPE_CHECKING:
    from kubewright.ansible.dependents import Dependents
    from kubewright.ansible.proxy.place import Place

__all__ = ["Child", "Children", "Read"]

MOST_READS: int = 50
"""How much of what a run has read is looked at again; beyond that, the role is run."""


class Child(msgspec.Struct, frozen=True):
    """An object that belongs to another one, as a run has left it."""

    version: str
    digest: str
    plural: str = ""


class Read(msgspec.Struct, frozen=True):
    """Something else that a run has read: where it is, and what was there."""

    path: str
    query: str
    place: "Place"
    digest: str


class Children:
    """What belongs to one object, as the last run has left it, and what that has read besides.

    Args:
        dependents: Watches all kinds of such objects.
        before: What is known from the run before.
    """

    def __init__(self, dependents: "Dependents", before: "Children | None" = None) -> None:
        self._dependents = dependents
        self.known: dict[tuple[Kind, ObjectKey], Child] = {}
        self.reads: dict[str, Read] = {}
        self._deleted: list[Place] = []
        self.has_unwatched: bool = False
        """Whether there are objects that nobody watches, or too many to be looked at again."""
        for (kind, key), child in (before.known if before else {}).items():
            # As it is now: what has led to this run is not to lead to another one.
            now = dependents.current(kind, key)
            if now is not None:
                self.known[kind, key] = msgspec.structs.replace(
                    child, version=now.version, digest=now.digest
                )

    def note(self, document: dict[str, Any]) -> None:
        """Note an object that belongs to ours, as the run has seen or made it."""
        metadata = document["metadata"]
        kind = Kind(document["apiVersion"], document["kind"])
        key = ObjectKey(metadata.get("namespace", ""), metadata["name"])
        if "deletionTimestamp" in metadata and any(
            self._is_at(kind, key, one) for one in self._deleted
        ):
            return  # on its way, as the run wants it: that it goes is no change
        if not self._dependents.follow(kind, is_namespaced=bool(key.namespace)):
            self.has_unwatched = True
            return
        self.known[kind, key] = Child(metadata["resourceVersion"], digest_of(document))

    def note_read(self, path: str, query: str, place: "Place", status: int, body: bytes) -> None:
        """Note something else that the run has read; of the same place, the last answer counts."""
        target = f"{path}?{query}"
        if place.subresource or (target not in self.reads and len(self.reads) >= MOST_READS):
            self.has_unwatched = True
            return
        self.reads[target] = Read(path, query, place, digest_of_answer(status, body))

    def expect_deletion(self, place: "Place") -> None:
        """Note that the run deletes an object, or all of a collection."""
        self._deleted.append(place)
        for kind, key in list(self.known):
            if self._is_at(kind, key, place):
                del self.known[kind, key]

    def _is_at(self, kind: Kind, key: ObjectKey, place: "Place") -> bool:
        """Say whether *place* is that of an object, or of a collection that it is in."""
        is_kind = kind.group == place.group and self._dependents.plural(kind) == place.resource
        is_named = key.name == place.name or not place.name
        return is_kind and is_named and key.namespace == place.namespace

    def without_own(self) -> None:
        """Forget reads of what belongs to us now: it was looked for before it was made."""
        own = {(kind.group, self._dependents.plural(kind), key) for kind, key in self.known}
        self.reads = {
            target: read
            for target, read in self.reads.items()
            if (
                read.place.group,
                read.place.resource,
                ObjectKey(read.place.namespace, read.place.name),
            )
            not in own
        }

    async def changed(self) -> str:
        """Return which object has changed since the run, in words; empty if none has."""
        for (kind, key), child in self.known.items():
            if await self._dependents.has_changed(kind, key, child):
                return f"{kind.kind} {key}"
        return ""


def digest_of_answer(status: int, body: bytes) -> str:
    """Return a digest of what was read, without what says nothing about it."""
    try:
        document = _json.loads(body)
    except ValueError:
        return f"{status}"
    if not isinstance(document, dict) or document.get("kind") == "Status":
        return f"{status}"
    items = document.get("items")
    if isinstance(items, list):
        return digest_of({"items": [digest_of(one, with_status=True) for one in items]})
    return digest_of(document, with_status=True)
