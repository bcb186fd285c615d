"""`Codec`: turns the JSON of an informer's objects into entries, and entries into objects."""

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
"""Returns the previous entry of a namespace and name, or ``None``."""

_METADATA_ONLY = "it comes from a cache that keeps only its metadata"
_TRANSFORMED = "it comes from a cache whose transform may have dropped some of it"


class _Whole(msgspec.Struct, gc=False):
    metadata: msgspec.Raw


class Codec(Generic[R]):
    """Turns the JSON of objects into entries, and entries into fresh objects.

    Args:
        decode: Makes an object that remembers its JSON.
        packing: Whether and how to compress the JSON; not at all by default.
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
        """Why objects may be incomplete; empty if they are complete."""

    def entry(self, raw: bytes, known: Known | None = None) -> Entry[R]:
        """Return the entry for an object.

        Args:
            raw: Its JSON, as a copy: a view would keep the whole response alive.
            known: Finds the previous entry. Its key is reused, and so are its labels and owners if
                they did not change, which is the usual case.

        Raises:
            DecodeError: It is not an object with a name.
        """
        if self._drops_managed_fields:
            head, raw = head_and_rest(raw)
        else:
            head = head_of(raw)
        if self._metadata_only:
            # Without the kind, which may be PartialObjectMetadata: the class knows better.
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
        """Return the packed JSON; *packing* is 0 for bytes that are not compressed."""
        return self.packing.unpack(packed, packing)

    def decode(self, raw: bytes) -> R:
        """Return a fresh object that remembers *raw*."""
        found = self._decode(raw)
        if self.partial:
            mark_partial(found, self.partial)
        return found

    def reading(self, decode: Callable[[bytes], S]) -> "Codec[S]":
        """Return a codec for the same bytes that makes objects of another type with *decode*."""
        found: Codec[S] = Codec(decode, packing=self.packing)
        found.partial = self.partial
        return found

    def repacked(self, entry: Entry[R]) -> Entry[R]:
        """Return *entry* with its bytes compressed, if packing is active and they are not yet."""
        if entry.packing or not self.packing.active:
            return entry
        packed, packing = self.packing.pack(entry.packed, entry.uid)
        return msgspec.structs.replace(entry, packed=packed, packing=packing)
