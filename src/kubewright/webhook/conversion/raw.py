"""Objects as the API server sends them: bytes in one version to bytes in another."""

from typing import Any

import msgspec

from kubewright import _json
from kubewright.api.resource import Resource, raw_of, read, to_json
from kubewright.errors import ConversionError, DecodeError
from kubewright.webhook.conversion.conversion import Conversion

_NO_METADATA = msgspec.Raw(b"{}")
_assign = msgspec.structs.force_setattr


class Head(msgspec.Struct, rename="camel", gc=False):
    """What an object says of itself, before its class is known."""

    api_version: str = ""
    kind: str = ""
    metadata: msgspec.Raw = _NO_METADATA


class Name(msgspec.Struct, gc=False):
    """The part of the metadata that errors mention."""

    namespace: str = ""
    name: str = ""


def convert_raw(
    conversion: Conversion[Any], raw: msgspec.Raw, head: Head, target: str
) -> msgspec.Raw:
    """Return *raw*, an object with the given *head*, in the version *target*.

    The metadata stays as it was sent, to the byte, unless labels or annotations are changed.

    Raises:
        ConversionError: There is no such version, or a function does not do what it promises.
        DecodeError: The object does not fit the class of its version.
    """
    source = _known(conversion, head.api_version, "from")
    kind = _known(conversion, target, "to")
    if source is kind:
        return raw
    obj = _read(bytes(raw), source)
    labels, annotations = dict(obj.metadata.labels), dict(obj.metadata.annotations)
    result = conversion.convert(obj, kind)
    metadata = result.metadata
    sent = head.metadata
    if metadata.labels != labels or metadata.annotations != annotations:
        sent = _changed(sent, labels=metadata.labels, annotations=metadata.annotations)
    restored = raw_of(result) if conversion.keeps_lost_fields else None
    if restored is not None:  # with fields that the class does not know
        return msgspec.Raw(_json.encode(_parts(restored) | {"metadata": sent}))
    # msgspec writes a Raw as it is: the metadata is neither decoded further nor encoded again.
    _assign(result, "metadata", sent)
    return msgspec.Raw(to_json(result))


def _read(raw: bytes, kind: type[Resource]) -> Resource:
    try:
        return read(raw, kind)
    except DecodeError:
        from kubewright.webhook.conversion.partial import read_partly

        return read_partly(raw, kind)


def _known(conversion: Conversion[Any], api_version: str, word: str) -> type[Resource]:
    found = conversion.kinds.get(api_version)
    if found is None:
        versions = ", ".join(conversion.kinds)
        raise ConversionError(
            f"cannot convert {word} {api_version or 'an empty apiVersion'}: the versions of"
            f" {conversion.group_kind} are {versions}"
        )
    return found


def _changed(sent: msgspec.Raw, **parts: dict[str, str]) -> msgspec.Raw:
    """Return the metadata *sent* with other labels and annotations."""
    whole = _parts(sent)
    for name, value in parts.items():
        whole.pop(name, None)
        if value:
            whole[name] = value
    return msgspec.Raw(_json.encode(whole))


def _parts(data: bytes | msgspec.Raw) -> dict[str, Any]:
    """Return the members of an object, as they are written."""
    return {**_json.decode(data, dict[str, msgspec.Raw])}
