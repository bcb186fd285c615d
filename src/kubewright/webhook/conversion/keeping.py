"""What a version cannot express, kept in an annotation until it is needed again.

The annotation holds the content of an object in a version that knows more, by version. On the way
back nobody knows what was edited meanwhile, so the two are merged: the object is converted from
what was kept, and what differs from that now was edited, and wins; all the rest is as it was kept.

What is too large for an annotation is kept as ``null`` where an object is only read, since one that
raised would fail every list that it is in; it cannot be written from there.
"""

from collections.abc import Callable
from copy import copy
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from msgspec.structs import replace

from kubewright import _json
from kubewright.api.changes import updated_document
from kubewright.api.merge import merged
from kubewright.api.meta import ObjectMeta
from kubewright.api.patches import json_equal
from kubewright.api.resource import Resource, mapping_of, raw_of, read
from kubewright.errors import ConversionError, DecodeError
from kubewright.log import get_logger
from kubewright.webhook.conversion.step import run_step

R = TypeVar("R", bound=Resource)
Content = dict[str, Any]
Kept = dict[str, Content | None]

LONGEST: int = 256 * 1024
"""How many bytes Kubernetes allows for all annotations of an object together."""

_NOT_CONTENT = ("apiVersion", "kind", "metadata")
_log = get_logger(__name__)


class Pair(NamedTuple):
    """The function to another version, and the one that leads back."""

    forth: Callable[[Any], Any]
    back: Callable[[Any], Any]


def annotation_for(group: str) -> str:
    """Return the annotation that keeps what other versions cannot express."""
    return f"{group}/conversion-data" if group else "conversion-data"


def run_keeping_step(
    pair: Pair, source: Resource, kind: type[R], *, annotation: str, is_read: bool
) -> R:
    """Convert as `run_step` does, restore what was kept for *kind*, and keep what *kind* loses.

    Raises:
        ConversionError: What *kind* loses is too large to be kept, and this is no read; or was
            too large when *source* was read.
    """
    source = _copied(source)  # the caller's keeps its annotation
    kept = _taken(source, annotation)
    version, target = mapping_of(type(source)).version, mapping_of(kind).version
    if not is_read and target in kept and kept[target] is None:
        raise ConversionError(
            f"the object must be edited in {target}: its fields did not fit into the annotation"
            f" {annotation}, and would be lost"
        )
    # Before the function, which may change its argument.
    typed, whole = _content(_json.to_builtins(source)), _whole(source)
    result = run_step(pair.forth, source, kind)
    if (known := kept.pop(target, None)) is not None:
        result = _restored(known, result, pair, type(source))
    kept.pop(version, None)
    if not _covers(typed, whole) or not _returns(typed, pair, result, type(source)):
        kept[version] = whole
    try:
        _put(result.metadata, annotation, kept)
    except ConversionError:
        if not is_read or version not in kept:
            raise
        # An object that cannot be read fails every list that it is in.
        _warn_of_size(source.__kind__, version, str(source.key), source.metadata.uid)
        _put(result.metadata, annotation, {**kept, version: None})
    return result


def _copied(source: R) -> R:
    other, metadata = copy(source), source.metadata
    other.metadata = replace(metadata, annotations=dict(metadata.annotations))
    return other


def _taken(source: Resource, annotation: str) -> Kept:
    """Remove the annotation from *source* and return what it holds, by version."""
    text = source.metadata.annotations.pop(annotation, "")
    if not text:
        return {}
    try:
        kept = _json.decode(text.encode(), Kept)
    except DecodeError as error:
        _warn(source, error)
        return {}
    # Anybody can edit it, and with another kind in it no list with the object could be read.
    return {version: one and _content(one) for version, one in kept.items()}


def _put(metadata: ObjectMeta, annotation: str, kept: Kept) -> None:
    metadata.annotations.pop(annotation, None)
    if not kept:
        return
    text = _json.encode(kept).decode()
    metadata.annotations[annotation] = text
    size = sum(len(f"{key}{value}".encode()) for key, value in metadata.annotations.items())
    if size > LONGEST:
        raise ConversionError(
            f"what this version cannot express takes {len(text.encode())} bytes, and an object may"
            f" have {LONGEST} bytes of annotations: make the versions more alike, or the object"
            " smaller"
        )


def _restored(known: Content, result: R, pair: Pair, source: type[Resource]) -> R:
    """Return *result* with what *known* has and *source* cannot express."""
    kind, head = type(result), _head(result)
    try:
        stored = _json.decode(_json.encode({**known, **head}), kind)
        base = run_step(pair.forth, run_step(pair.back, stored, source), kind)
        now = _content(_json.to_builtins(result))
        whole = merged(known, _content(_json.to_builtins(base)), now)
        return read(_json.encode({**head, **whole}), kind)
    # The annotation can be edited by anybody; the object must stay readable whatever is in it.
    except Exception as error:  # noqa: BLE001
        _warn(result, error)
        return result


def _returns(typed: Content, pair: Pair, result: Resource, source: type[Resource]) -> bool:
    """Tell whether the way back from *result* leads to the content *typed*."""
    # Into a copy: the function may change its argument, or put parts of it into what it returns.
    copied = _json.decode(_json.encode(result), type(result))
    try:
        returned = run_step(pair.back, copied, source)
    except Exception:  # noqa: BLE001  # it will be told when somebody asks for that way
        return False
    return _covers(_content(_json.to_builtins(returned)), typed) and _covers(
        typed, _content(_json.to_builtins(returned))
    )


def _head(obj: Resource) -> Content:
    built: Content = _json.to_builtins(obj)
    return {name: built[name] for name in _NOT_CONTENT}


def _whole(obj: Resource) -> Content:
    """Return the content of *obj*, with the fields that its class does not know."""
    return _content(_json.to_builtins(obj) if raw_of(obj) is None else updated_document(obj))


def _content(document: Content) -> Content:
    return {name: value for name, value in document.items() if name not in _NOT_CONTENT}


def _covers(more: Any, less: Any) -> bool:
    """Tell whether *more* has everything that *less* has; what is empty says nothing."""
    if isinstance(less, dict) and isinstance(more, dict | None):
        return all(_covers((more or {}).get(key), value) for key, value in less.items())
    if isinstance(less, list) and isinstance(more, list):
        return len(less) == len(more) and all(map(_covers, more, less))
    return (more is None and less in (None, [])) or json_equal(more, less)


def _warn(obj: Resource, error: Exception) -> None:
    _log.warning(
        "kept fields cannot be restored",
        kind=obj.__kind__,
        version=obj.__api_version__,
        key=str(obj.key),
        error=str(error),
    )


@lru_cache(maxsize=4096)  # once for each object, and not in each list that it is in
def _warn_of_size(kind: str, version: str, key: str, uid: str | None) -> None:
    _log.warning(
        "too large to be kept: the object can be written in its stored version only",
        kind=kind,
        version=version,
        key=key,
    )
