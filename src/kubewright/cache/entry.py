"""`Entry`: an object as the cache keeps it; `Event`: how one changed."""

from typing import Generic, Literal, Protocol, TypeVar

import msgspec

from kubewright.api.kind import ObjectKey
from kubewright.api.meta import OwnerReference

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

NO_LABELS: dict[str, str] = {}
"""The labels of objects that have none; shared, since a dict each would cost 64 bytes."""


class Codec(Protocol[R_co]):
    """How the objects of one informer are packed and read; shared by its entries."""

    def unpack(self, packed: bytes, packing: int) -> bytes:
        """Return the JSON that was packed; *packing* is 0 for bytes that were left as they are."""
        ...

    def decode(self, raw: bytes) -> R_co:
        """Return a fresh object that remembers *raw*."""
        ...


class Entry(msgspec.Struct, Generic[R], frozen=True, gc=False, eq=False):
    """One object in a cache: its bytes, and what is asked of it all the time.

    Attributes:
        key: The namespace and name.
        uid: Which object of that name this is.
        resource_version: Its version.
        generation: Counted up by the server when the spec changes; 0 for kinds without.
        labels: Its labels; not to be changed.
        owners: Its owner references.
        deleting: Whether it has a deletion timestamp.
        marks: A hash of its annotations and finalizers, to see whether they changed.
        shape: A hash of its labels and owner references, likewise.
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
        """The JSON of the object, as it came from the server but for what a transform dropped."""
        return self.codec.unpack(self.packed, self.packing) if self.packing else self.packed

    @property
    def object(self) -> R:
        """A fresh copy of the object; changing it changes nothing else."""
        return self.codec.decode(self.raw)


class Event(msgspec.Struct, Generic[R], frozen=True, gc=False, eq=False):
    """A change of one object, as a handler hears of it.

    Attributes:
        old: The object before; ``None`` for one that is new.
        new: The object after; ``None`` for one that is gone.
        initial: Whether this is what a handler hears first: the state when it began to listen.
        unseen: Whether the deletion was not seen happening, so that `old` may lag behind.
    """

    old: Entry[R] | None
    new: Entry[R] | None
    initial: bool = False
    unseen: bool = False

    @property
    def type(self) -> Literal["ADDED", "MODIFIED", "DELETED"]:
        """What happened, in the words of a watch."""
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
