"""`Head`: what a cache has to know of an object, read from its JSON without decoding the rest.

``managedFields``, often a third of the bytes, are cut out of them as they are: encoding the object
again would cost ten times as much. Where they come last in the metadata, as in all that a server
in Go has types for, only what stands before them is decoded, and the rest not even scanned.
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
_REMEMBERED = 2048  # a bound: labels of StatefulSets are all different, and must not pile up


class Head(msgspec.Struct, gc=False, rename="camel"):
    """The identity of an object, and what selects it; parts are decoded when they are asked for.

    Attributes:
        name: Its name.
        namespace: Its namespace; empty for kinds without.
        uid: Which object of that name this is.
        resource_version: Its version.
        generation: Counted up by the server when the spec changes; 0 for kinds without.
        deletion_timestamp: When its deletion was asked for.
        managed: The JSON of its managedFields; this and the next are views of what was read.
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
        """Its labels; shared with other objects, so not to be changed."""
        return _labels_of(self.labels_json) if self.labels_json else NO_LABELS

    @property
    def owners(self) -> tuple[OwnerReference, ...]:
        """Its owner references; shared likewise."""
        return _owners_of(self.owners_json) if self.owners_json else ()


class _Document(msgspec.Struct, gc=False):
    metadata: Head


_NOBODY = Head()
_decode = msgspec.json.Decoder(_Document).decode
_decode_head = msgspec.json.Decoder(Head).decode
_decode_labels = msgspec.json.Decoder(dict[str, str] | None).decode
_decode_owners = msgspec.json.Decoder(tuple[OwnerReference, ...] | None).decode
# Replicas have the same labels and owners to the byte, so they are decoded once for all of them.
_labels: dict[bytes, dict[str, str]] = {}
_owners: dict[bytes, tuple[OwnerReference, ...]] = {}
# And one string stands for all that are equal to it: namespaces, values of labels, kinds.
_strings: dict[str, str] = {}


def head_of(raw: bytes) -> Head:
    """Read the head of the object that *raw* is the JSON of.

    Raises:
        DecodeError: It is no JSON object with a named ``metadata``.
    """
    try:
        found = _decode(raw).metadata
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # Once more, with patience for nulls, and with an error that says what is wrong.
        found = _json.decode(raw, _Document).metadata
    if not found.name:
        raise DecodeError("an object without a name cannot be cached")
    return found


def head_and_rest(raw: bytes) -> tuple[Head, bytes]:
    """Read the head of an object; return it, and *raw* without its managedFields.

    Raises:
        DecodeError: It is no JSON object with a named ``metadata``.
    """
    # Cut from `,"managedFields":[` to the next `]`. The beginning is right if what stands before
    # it, closed by a brace, is a whole object. The end is right if there is no `[` between, and
    # `},"` and a letter follow: inside a text that quote would end it, and no letter come next.
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
    if raw[start - 1] == _OPEN and raw[end] in _COMMA_OR_CLOSE:
        return raw[:start] + raw[end + (raw[end] == _COMMA) :]
    return _decoded_without(raw)  # somebody has put a blank there


def _decoded_without(raw: bytes) -> bytes:
    document = _json.loads(raw)
    document["metadata"].pop("managedFields", None)
    return _json.encode(document)
