"""`Entry`: an object as the cache keeps it; `Event`: how one changed."""

from typing import Generic, Literal, Protocol, TypeVar

import msgspec

from kubewright.api.kind import ObjectKey
from kubewright.api.meta import OwnerReference

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

NO_LABELS: dict[str, str] = {}
"""The labels of objects without labels; shared, to save 64 bytes for each."""


class Codec(Protocol[R_co]):
    """Packs and reads the objects of one informer; shared by its entries."""

    def unpack(self, packed: bytes, packing: int) -> bytes:
        """Return the packed JSON; *packing* is 0 for bytes that are not compressed."""
        ...

    def decode(self, raw: bytes) -> R_co:
        """Return a fresh object that remembers *raw*."""
        ...


class Entry(msgspec.Struct, Generic[R], frozen=True, gc=False, eq=False):
    """One object in a cache: its bytes, and the parts of its metadata that are needed often.

    Attributes:
        key: The namespace and name.
        uid: Its uid.
        resource_version: Its version.
        generation: Its generation; 0 for kinds without one.
        labels: Its labels; do not modify them.
        owners: Its owner references.
        deleting: Whether it has a deletion timestamp.
        marks: A hash of its annotations and finalizers, to tell whether they changed.
        shape: A hash of its labels and owner references, for the same purpose.
        packed: The bytes, as `codec` packed them.
        packing: How they are packed.
        codec: What reads them.
    """

    key: ObjectKey
    uid: str
    resource_version: str
    generation: int
    labels: dict[str, str]
    owners: tuple[OwnerReference, ...]
    deleting: bool
    marks: int
    shape: int
    packed: bytes
    packing: int
    codec: Codec[R]

    @property
    def raw(self) -> bytes:
        """The JSON of the object as the server sent it, without what a transform dropped."""
        return self.codec.unpack(self.packed, self.packing) if self.packing else self.packed

    @property
    def object(self) -> R:
        """A fresh copy of the object, which you may modify."""
        return self.codec.decode(self.raw)


class Event(msgspec.Struct, Generic[R], frozen=True, gc=False, eq=False):
    """A change of one object, as handlers receive it.

    Attributes:
        old: The object before the change; ``None`` if it is new.
        new: The object after the change; ``None`` if it is gone.
        initial: Whether the object existed already when the handler was added.
        unseen: Whether the deletion was inferred from a list, so that `old` may be outdated.
    """

    old: Entry[R] | None
    new: Entry[R] | None
    initial: bool = False
    unseen: bool = False

    @property
    def type(self) -> Literal["ADDED", "MODIFIED", "DELETED"]:
        """The type of the change, as in a watch event."""
        if self.new is None:
            return "DELETED"
        return "ADDED" if self.old is None else "MODIFIED"

    @property
    def entry(self) -> Entry[R]:
        """The object after the change, or its last state if it is gone."""
        entry = self.new or self.old
        assert entry is not None
        return entry

    @property
    def key(self) -> ObjectKey:
        """The namespace and name."""
        return self.entry.key
