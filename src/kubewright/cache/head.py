"""`Head`: what a cache has to know of an object, read from its JSON without decoding the rest.

``managedFields``, often a third of the bytes, are cut out of them as they are: encoding the object
again would cost ten times as much. Where they come last in the metadata, as in all that a server
in Go has types for, only what stands before them is decoded, and the rest not even scanned.

Most objects that arrive are known, with the same labels and owners as before: what was read of
them then is not read again.
"""

import re
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from kubewright import _json
from kubewright.api.kind import ObjectKey
from kubewright.api.meta import OwnerReference
from kubewright.cache.entry import NO_LABELS, Entry
from kubewright.errors import DecodeError

T = TypeVar("T")

Known = Callable[[ObjectKey], Entry[Any] | None]
"""Returns an object as it was before, if there was one."""

_NOTHING = msgspec.Raw(b"")
_COMMA = ord(",")
_OPENING = re.compile(rb'\{(?:"kind":"\w+",)?(?:"apiVersion":"[\w./-]+",)?"metadata":(?=\{)').match
_LAST = b',"managedFields":['
_AFTER = re.compile(rb'\},"[a-z]').match
_METADATA = b'"metadata":'
_MANAGED = b'"managedFields":'
_REMEMBERED = 2048  # a bound: labels of StatefulSets are all different, and must not pile up


class _Metadata(msgspec.Struct, gc=False, rename="camel"):
    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    deletion_timestamp: str | None = None
    labels: msgspec.Raw = _NOTHING
    annotations: msgspec.Raw = _NOTHING
    owner_references: msgspec.Raw = _NOTHING
    finalizers: msgspec.Raw = _NOTHING
    managed_fields: msgspec.Raw = _NOTHING


class _Document(msgspec.Struct, gc=False):
    metadata: _Metadata


class Head(msgspec.Struct, frozen=True, gc=False):
    """The identity of an object, and what selects it.

    Attributes:
        key: The namespace and name.
        uid: Which object of that name this is.
        resource_version: Its version.
        generation: Counted up by the server when the spec changes; 0 for kinds without.
        labels: Its labels; shared with other objects, so not to be changed.
        owners: Its owner references; shared likewise.
        deleting: Whether it has a deletion timestamp.
        marks: A hash of its annotations and finalizers, to see whether they changed.
        shape: A hash of its labels and owner references, likewise.
        managed: The JSON of its managedFields, as a view of the bytes that were read.
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
    managed: msgspec.Raw


_decode = msgspec.json.Decoder(_Document).decode
_decode_metadata = msgspec.json.Decoder(_Metadata).decode
_decode_labels = msgspec.json.Decoder(dict[str, str] | None).decode
_decode_owners = msgspec.json.Decoder(tuple[OwnerReference, ...] | None).decode
# Replicas have the same labels and owners to the byte, so they are decoded once for all of them.
_labels: dict[bytes, dict[str, str]] = {}
_owners: dict[bytes, tuple[OwnerReference, ...]] = {}
# And one string stands for all that are equal to it: namespaces, values of labels, kinds.
_strings: dict[str, str] = {}


def head_of(raw: bytes, known: Known | None = None) -> Head:
    """Read the head of the object that *raw* is the JSON of.

    Args:
        raw: The JSON.
        known: Finds the object as it was before.

    Raises:
        DecodeError: It is no JSON object with a named ``metadata``.
    """
    try:
        found = _decode(raw).metadata
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # Once more, with patience for nulls, and with an error that says what is wrong.
        found = _json.decode(raw, _Document).metadata
    if not found.name:
        raise DecodeError(f"an object without a name cannot be cached: {raw[:60]!r}")
    return _head(found, known)


def head_and_rest(raw: bytes, known: Known | None = None) -> tuple[Head, bytes]:
    """Read the head of an object; return it, and *raw* without its managedFields.

    Args:
        raw: The JSON.
        known: Finds the object as it was before.

    Raises:
        DecodeError: It is no JSON object with a named ``metadata``.
    """
    return _quick(raw, known) or _thorough(raw, known)


def _thorough(raw: bytes, known: Known | None) -> tuple[Head, bytes]:
    head = head_of(raw, known)
    return head, without_managed_fields(raw, head.managed)


def _quick(raw: bytes, known: Known | None) -> tuple[Head, bytes] | None:
    """Do as `head_and_rest`, if managedFields are the last of the metadata; else do nothing.

    They begin where we cut if what stands before it is a whole object once it is closed. Their
    value has no lists in it, so the next bracket ends it, unless that is part of a text. In a text
    no letter can follow a quote: either it ends there, or the quote has a backslash before it.
    """
    opening = _OPENING(raw)
    if opening is None:
        return None
    start = opening.end()
    cut = raw.find(_LAST, start)
    inside = cut + len(_LAST)
    end = raw.find(b"]", inside) + 1
    if cut < 0 or not end or not _AFTER(raw, end) or raw.find(b"[", inside, end) >= 0:
        return None
    try:
        found = _decode_metadata(raw[start:cut] + b"}")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return (_head(found, known), raw[:cut] + raw[end:]) if found.name else None


def _head(found: _Metadata, known: Known | None) -> Head:
    namespace = found.namespace
    key = ObjectKey(_strings.get(namespace) or _share(namespace), found.name)
    shape = hash((bytes(found.labels), bytes(found.owner_references)))
    before = known(key) if known is not None else None
    if before is not None and before.shape == shape:
        key, labels, owners = before.key, before.labels, before.owners
    else:
        labels = _labels_of(found.labels) if found.labels else NO_LABELS
        owners = _owners_of(found.owner_references) if found.owner_references else ()
    return Head(
        key,
        found.uid,
        found.resource_version,
        found.generation,
        labels,
        owners,
        found.deletion_timestamp is not None,
        hash((bytes(found.annotations), bytes(found.finalizers))),
        shape,
        found.managed_fields,
    )


def _labels_of(raw: msgspec.Raw) -> dict[str, str]:
    data = bytes(raw)
    found = _labels.get(data)
    if found is None:
        labels = _part(data, _decode_labels, dict[str, str])
        found = {_share(name): _share(value) for name, value in labels.items()} or NO_LABELS
        _remember(_labels, data, found)
    return found


def _owners_of(raw: msgspec.Raw) -> tuple[OwnerReference, ...]:
    data = bytes(raw)
    found = _owners.get(data)
    if found is None:
        found = _part(data, _decode_owners, tuple[OwnerReference, ...])
        for owner in found:
            owner.api_version = _share(owner.api_version)
            owner.kind = _share(owner.kind)
        _remember(_owners, data, found)
    return found


def _part(data: bytes, decode: Callable[[bytes], T | None], kind: type[T]) -> T:
    try:
        found = decode(data)
    except msgspec.ValidationError:
        found = _json.decode(data, kind)
    return kind() if found is None else found


def _share(text: str) -> str:
    if len(_strings) >= _REMEMBERED:
        _strings.clear()
    return _strings.setdefault(text, text)


def _remember(known: dict[bytes, T], data: bytes, found: T) -> None:
    if len(known) >= _REMEMBERED:
        known.clear()
    known[data] = found


def without_managed_fields(raw: bytes, managed: msgspec.Raw) -> bytes:
    """Return *raw* without its managedFields, whose JSON is *managed*."""
    if not managed:
        return raw
    value = bytes(managed)
    metadata = raw.find(b"{", 1)
    start = raw.find(_MANAGED, metadata)
    end = start + len(_MANAGED) + len(value)
    # Cut only what is surely the right place. If the first object in the document is its metadata,
    # then the first managedFields are theirs; labels and annotations have texts, not this value.
    if (
        start < 0
        or not raw.endswith(_METADATA, 0, metadata)
        or not raw.startswith(value, start + len(_MANAGED))
    ):
        return _decoded_without(raw)
    if raw[start - 1] == _COMMA:  # it goes with it; otherwise the one after, if there is one
        return raw[: start - 1] + raw[end:]
    return raw[:start] + raw[end + (raw[end] == _COMMA) :]


def _decoded_without(raw: bytes) -> bytes:
    document = _json.loads(raw)
    document["metadata"].pop("managedFields", None)
    return _json.encode(document)
