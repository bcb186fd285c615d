"""Stored objects as a version of their resource shows them.

Almost always that is what is stored, byte for byte. An object that was stored in another version,
or before its CRD had its present schema, is converted, pruned and defaulted on the way out.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from kubewright.apiserver.registry.resource import Resource
from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.storage import Stored

encode: Callable[[Any], bytes] = msgspec.json.Encoder().encode


class _Metadata(msgspec.Struct, gc=False):
    metadata: msgspec.Raw = msgspec.Raw(b"{}")


_decode_metadata = msgspec.json.Decoder(_Metadata).decode


def is_plain(resource: Resource, stored: Stored) -> bool:
    """Whether the stored bytes are the answer."""
    if not resource.custom:
        return resource.version == resource.hub
    return stored.revision > resource.since and stored.data.startswith(resource.opening)


async def load(resource: Resource, stored: Stored) -> Obj:
    """Return the object in the version of *resource*."""
    if is_plain(resource, stored):
        return stored.decode()
    return (await converted(resource, [stored]))[0]


async def rendered(resource: Resource, objects: Sequence[Stored]) -> list[bytes]:
    """Return objects as bytes, in the version of *resource*."""
    if not resource.custom and resource.version == resource.hub:
        return [stored.data for stored in objects]
    odd = [stored for stored in objects if not is_plain(resource, stored)]
    if not odd:
        return [stored.data for stored in objects]
    made = dict(zip(map(id, odd), await converted(resource, odd), strict=True))
    return [encode(made[id(one)]) if id(one) in made else one.data for one in objects]


async def converted(resource: Resource, objects: Iterable[Stored]) -> list[Obj]:
    """Return objects that are not plain in the version of *resource*."""
    decoded = [stored.decode() for stored in objects]
    if resource.custom:
        assert resource.read is not None
        return await resource.read(decoded)
    assert resource.from_hub is not None
    return [resource.from_hub(obj) for obj in decoded]


def ordered(obj: Obj, resource: Resource) -> Obj:
    """Return *obj* with its type in front, as all objects are stored."""
    rest = {key: value for key, value in obj.items() if key not in ("apiVersion", "kind")}
    return {"apiVersion": resource.api_version, "kind": resource.kind, **rest}


def partial(data: bytes, version: str = "v1") -> bytes:
    """Return only the metadata of an object."""
    metadata = bytes(_decode_metadata(data).metadata)
    head = f'{{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/{version}","metadata":'
    return head.encode() + metadata + b"}"


def without_type(data: bytes, opening: bytes) -> bytes:
    """Return an object as lists of built-in kinds show it: the list says what its items are."""
    return b"{" + data[len(opening) :] if data.startswith(opening) else data


def decode(data: bytes) -> Any:
    """Return JSON as a tree."""
    return msgspec.json.decode(data)
