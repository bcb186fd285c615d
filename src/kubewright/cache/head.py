"""`Head`: what a cache needs to know about an object, read from its JSON without the rest.

``managedFields``, often a third of the bytes, are cut out of the text: encoding the object again
would cost ten times as much. Where they come last in the metadata, as in every kind that the server
has Go types for, only the text before them is decoded, and the rest is not even scanned.
"""

import re
from collections.abc import Callable
from typing import TypeVar

import msgspec

from kubewright import _json
from kubewright.api.kind import ObjectKey
from kubewright.api.meta import OwnerReference
from kubewright.cache.entry import NO_LABELS
from kubewright.errors import DecodeError

T = TypeVar("T")

_NOTHING = msgspec.Raw(b"")
_COMMA, _OPEN = ord(","), ord("{")
_COMMA_OR_CLOSE = b",}"
_OPENING = re.compile(rb'\{(?:"kind":"\w+",)?(?:"apiVersion":"[\w./-]+",)?"metadata":(?=\{)').match
_LAST = b',"managedFields":['
_AFTER = re.compile(rb'\},"[a-z]').match
_METADATA = b'"metadata":'
_MANAGED = b'"managedFields":'
_REMEMBERED = 2048  # bounded: the labels of StatefulSet pods all differ, and must not pile up


class Head(msgspec.Struct, gc=False, rename="camel"):
    """The identity, labels and owners of an object; parts are decoded on first use.

    Attributes:
        name: Its name.
        namespace: Its namespace; empty for kinds without namespaces.
        uid: Its uid.
        resource_version: Its version.
        generation: Its generation; 0 for kinds without one.
        deletion_timestamp: When its deletion was requested.
        managed: The JSON of its managedFields. This and the following are views of the input.
        labels_json: The JSON of its labels.
        owners_json: The JSON of its owner references.
        annotations_json: The JSON of its annotations.
        finalizers_json: The JSON of its finalizers.
    """

    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    deletion_timestamp: str | None = None
    managed: msgspec.Raw = msgspec.field(default=_NOTHING, name="managedFields")
    labels_json: msgspec.Raw = msgspec.field(default=_NOTHING, name="labels")
    owners_json: msgspec.Raw = msgspec.field(default=_NOTHING, name="ownerReferences")
    annotations_json: msgspec.Raw = msgspec.field(default=_NOTHING, name="annotations")
    finalizers_json: msgspec.Raw = msgspec.field(default=_NOTHING, name="finalizers")

    @property
    def key(self) -> ObjectKey:
        """The namespace and name."""
        return ObjectKey(_share(self.namespace), self.name)

    @property
    def labels(self) -> dict[str, str]:
        """Its labels; shared with other objects, so do not modify them."""
        return _labels_of(self.labels_json) if self.labels_json else NO_LABELS

    @property
    def owners(self) -> tuple[OwnerReference, ...]:
        """Its owner references; shared in the same way."""
        return _owners_of(self.owners_json) if self.owners_json else ()


class _Document(msgspec.Struct, gc=False):
    metadata: Head


_NOBODY = Head()
_decode = msgspec.json.Decoder(_Document).decode
_decode_head = msgspec.json.Decoder(Head).decode
_decode_labels = msgspec.json.Decoder(dict[str, str] | None).decode
_decode_owners = msgspec.json.Decoder(tuple[OwnerReference, ...] | None).decode
# Replicas have the same labels and owners, byte by byte, so these are decoded only once.
_labels: dict[bytes, dict[str, str]] = {}
_owners: dict[bytes, tuple[OwnerReference, ...]] = {}
# Equal strings are kept once: namespaces, label values, kinds.
_strings: dict[str, str] = {}


def head_of(raw: bytes) -> Head:
    """Read the head of the object in *raw*.

    Raises:
        DecodeError: It is not a JSON object whose ``metadata`` has a name.
    """
    try:
        found = _decode(raw).metadata
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # Try again with a decoder that accepts nulls and whose error says what is wrong.
        found = _json.decode(raw, _Document).metadata
    if not found.name:
        raise DecodeError("an object without a name cannot be cached")
    return found


def head_and_rest(raw: bytes) -> tuple[Head, bytes]:
    """Read the head of an object; return it, and *raw* without its managedFields.

    Raises:
        DecodeError: It is not a JSON object whose ``metadata`` has a name.
    """
    # Cut from `,"managedFields":[` to the next `]`. The start is right if the text before
    # it, closed by a brace, is a whole object. The end is right if there is no `[` between, and
    # `},"` and a letter follow: inside a string, that quote would end it, with no letter after.
    opening = _OPENING(raw)
    start = opening.end() if opening is not None else 0
    cut = raw.find(_LAST, start)
    inside = cut + len(_LAST)
    end = raw.find(b"]", inside) + 1
    if start and cut > 0 and end and _AFTER(raw, end) and raw.find(b"[", inside, end) < 0:
        try:
            head = _decode_head(raw[start:cut] + b"}")
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            head = _NOBODY
        if head.name:
            return head, raw[:cut] + raw[end:]
    head = head_of(raw)
    return head, without_managed_fields(raw, head.managed)


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
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
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
    # Cut only where the place is certain. If the first object in the document is its metadata,
    # then the first managedFields belong to it; labels and annotations have strings as values.
    if (
        start < 0
        or not raw.endswith(_METADATA, 0, metadata)
        or not raw.startswith(value, start + len(_MANAGED))
    ):
        return _decoded_without(raw)
    if raw[start - 1] == _COMMA:  # cut the comma before it; otherwise the one after it
        return raw[: start - 1] + raw[end:]
    if raw[start - 1] == _OPEN and raw[end] in _COMMA_OR_CLOSE:
        return raw[:start] + raw[end + (raw[end] == _COMMA) :]
    return _decoded_without(raw)  # there is unexpected whitespace


def _decoded_without(raw: bytes) -> bytes:
    document = _json.loads(raw)
    document["metadata"].pop("managedFields", None)
    return _json.encode(document)
