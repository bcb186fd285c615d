"""`Codec`: how the objects of one informer become entries, and entries objects again."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import msgspec

from kubewright import _json
from kubewright.api.changes import mark_partial
from kubewright.api.resource import Resource
from kubewright.api.unstructured import Unstructured
from kubewright.cache.entry import Entry
from kubewright.cache.head import head_and_rest, head_of
from kubewright.cache.packing import Packing
from kubewright.cache.transform import Transform, transformed

R = TypeVar("R", bound=Resource | Unstructured)
S = TypeVar("S", bound=Resource | Unstructured)

Known = Callable[[str, str], Entry[Any] | None]
"""Returns the object of a namespace and name as it was before, if there was one."""

_METADATA_ONLY = "it comes from a cache that keeps only its metadata"
_TRANSFORMED = "it comes from a cache whose transform may have dropped some of it"


class _Whole(msgspec.Struct, gc=False):
    metadata: msgspec.Raw


class Codec(Generic[R]):
    """Makes entries of the JSON of objects, and fresh objects of entries.

    Args:
        decode: Makes an object that remembers its JSON.
        packing: Whether and how the JSON is compressed; not at all unless given.
        drop_managed_fields: Whether to drop managedFields, which hardly anyone reads.
        metadata_only: Whether to keep the metadata and nothing else.
        transform: What to do to each object before it is kept.
    """

    def __init__(
        self,
        decode: Callable[[bytes], R],
        *,
        packing: Packing | None = None,
        drop_managed_fields: bool = True,
        metadata_only: bool = False,
        transform: Transform | None = None,
    ) -> None:
        self.packing: Packing = packing or Packing(compress=False)
        self._decode = decode
        self._drops_managed_fields = drop_managed_fields
        self._metadata_only = metadata_only
        self._transform = transform
        self.partial: str = _METADATA_ONLY if metadata_only else _TRANSFORMED if transform else ""
        """Why objects may lack what the server has; empty if they do not."""

    def entry(self, raw: bytes, known: Known | None = None) -> Entry[R]:
        """Return the entry for an object.

        Args:
            raw: Its JSON; bytes of its own, not a view that would keep a whole response alive.
            known: Finds the object as it was before. Its key is shared, and its labels and owners
                if they did not change: most objects have those that they always had.

        Raises:
            DecodeError: It is no object with a name.
        """
        if self._drops_managed_fields:
            head, raw = head_and_rest(raw)
        else:
            head = head_of(raw)
        if self._metadata_only:
            # Also of what came as a PartialObjectMetadata: the class knows better what it is.
            raw = b'{"metadata":' + bytes(_json.decode(raw, _Whole).metadata) + b"}"
        if self._transform is not None:
            raw, head = transformed(raw, head, self._transform)
        shape = hash((bytes(head.labels_json), bytes(head.owners_json)))
        before = known(head.namespace, head.name) if known is not None else None
        like = before if before is not None and before.shape == shape else head
        packed, packing = self.packing.pack(raw, head.uid)
        return Entry(
            like.key,
            head.uid,
            head.resource_version,
            head.generation,
            like.labels,
            like.owners,
            head.deletion_timestamp is not None,
            hash((bytes(head.annotations_json), bytes(head.finalizers_json))),
            shape,
            packed,
            packing,
            self,
        )

    def unpack(self, packed: bytes, packing: int) -> bytes:
        """Return the JSON that was packed; *packing* is 0 for bytes that were left as they are."""
        return self.packing.unpack(packed, packing)

    def decode(self, raw: bytes) -> R:
        """Return a fresh object that remembers *raw*."""
        found = self._decode(raw)
        if self.partial:
            mark_partial(found, self.partial)
        return found

    def reading(self, decode: Callable[[bytes], S]) -> "Codec[S]":
        """Return the codec that reads the same bytes by *decode*, as objects of another type."""
        found: Codec[S] = Codec(decode, packing=self.packing)
        found.partial = self.partial
        return found

    def repacked(self, entry: Entry[R]) -> Entry[R]:
        """Return *entry* with its bytes packed, if they are not and that pays by now."""
        if entry.packing or not self.packing.active:
            return entry
        packed, packing = self.packing.pack(entry.packed, entry.uid)
        return msgspec.structs.replace(entry, packed=packed, packing=packing)
