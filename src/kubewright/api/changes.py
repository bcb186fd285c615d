"""What was changed in an object since it was read, and what to send for it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

import msgspec

from kubewright import _json
from kubewright.api.merge import merged
from kubewright.api.patches import merge_patch_between
from kubewright.api.resource import Resource, document, raw_of
from kubewright.api.unstructured import Unstructured

_PARTIAL = "_partial"
_NAIVE = rb'"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?"'


def mark_partial(obj: Resource | Unstructured, lacks: str) -> None:
    """Note that *obj* is only a part of what the server has; *lacks* says why.

    It cannot be sent whole from then on, since the server would remove what is missing.
    """
    obj.__dict__[_PARTIAL] = lacks


def partial_of(obj: Resource | Unstructured) -> str:
    """Return why *obj* is only a part of what the server has; empty if it is not."""
    lacks: str = obj.__dict__.get(_PARTIAL, "")
    return lacks


def updated_document(obj: Resource | Unstructured) -> dict[str, Any]:
    """Return the whole document to send for *obj*, with the fields that its class does not know.

    An object that was not read from a server is sent unchanged.

    Raises:
        ValueError: *obj* is only a part of what the server has; what is missing would be removed.
    """
    lacks = partial_of(obj)
    if lacks:
        raise ValueError(
            f"cannot send {obj.kind} {str(obj.key)!r} whole: {lacks}, and the server would remove"
            " what is missing. Send only what changed, with client.patch(obj) or client.apply, or"
            " read the object with client.live first."
        )
    return _whole_document(obj)


def _whole_document(obj: Resource | Unstructured) -> dict[str, Any]:
    if isinstance(obj, Unstructured):
        return dict(obj)
    refuse_naive_times(obj, _json.encode(obj))
    raw = raw_of(obj)
    if raw is None:
        return document(obj)
    # Not `document`, which leaves out what has become empty: that would read as "removed", and take
    # the fields with it that the class does not know.
    after = _json.to_builtins(obj)
    before = _json.to_builtins(_json.decode(raw, type(obj)))
    # The items of a list that a server sends do not say what they are; an update has to.
    whole = merged(_json.loads(raw), before, after)
    return {"apiVersion": obj.api_version, "kind": obj.kind, **whole}


def applied_document(obj: Resource | Unstructured, *, status: bool = False) -> dict[str, Any]:
    """Return what to send when *obj* is applied: what the caller wants to own, and no more.

    Args:
        obj: The wanted state.
        status: Whether it is the status that is applied; it is left out otherwise, since its
            defaults would be claimed by a caller that only meant the spec.
    """
    if isinstance(obj, Unstructured):
        return dict(obj)
    refuse_naive_times(obj, _json.encode(obj))
    whole = document(obj)
    if not status:
        whole.pop("status", None)
    return whole


def merge_patch(obj: Resource | Unstructured, *, optimistic: bool | None = None) -> dict[str, Any]:
    """Return the merge patch from what was read to what *obj* is now; empty if nothing changed.

    Args:
        obj: An object that was read from a server and then changed.
        optimistic: Whether the server must refuse the patch if the object has changed meanwhile.
            By default it must if the patch has a list: lists are sent whole, and would undo the
            changes of others.

    Raises:
        ValueError: The object was not read from a server, so there is nothing to compare it with.
    """
    raw = original(obj)
    if raw is None:
        raise ValueError(
            f"cannot tell what changed in {obj.kind} {str(obj.key)!r}: it was not read from a"
            " server. Give the patch as a dict, or use apply."
        )
    patch: dict[str, Any] = merge_patch_between(raw, _whole_document(obj))
    # Every answer of the server has it, so it is not a change of ours.
    patch.pop("apiVersion", None)
    patch.pop("kind", None)
    if patch and (_has_list(patch) if optimistic is None else optimistic):
        version = (raw.get("metadata") or {}).get("resourceVersion")
        patch.setdefault("metadata", {})["resourceVersion"] = version
    return patch


def merge_patch_within(
    obj: Resource, members: Iterable[str], before: Mapping[str, Any], after: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what `merge_patch` has of some *members*, at less cost: the rest is not looked at.

    Args:
        obj: An object that was read from a server and then changed.
        members: The members of the document to compare, such as ``status``.
        before: The document that *obj* encoded to when it was read.
        after: The document that it encodes to now.

    Raises:
        ValueError: The object was not read from a server, so there is nothing to compare it with.
    """
    data = raw_of(obj)
    if data is None:
        return merge_patch(obj)  # which says why that cannot be
    refuse_naive_times(obj, _json.encode(obj))
    raw = _json.decode(data, dict[str, msgspec.Raw])
    # Sent back by every answer of the server, so no change of ours.
    names = [name for name in members if name not in {"apiVersion", "kind"}]
    read = {name: _json.loads(raw[name]) for name in names if name in raw}
    old, new = ({name: one[name] for name in names if name in one} for one in (before, after))
    patch: dict[str, Any] = merge_patch_between(read, merged(read, old, new))
    return patch


def original(obj: Resource | Unstructured) -> dict[str, Any] | None:
    """Return the document that *obj* was read from, or ``None`` if it was not read."""
    raw = obj.raw if isinstance(obj, Unstructured) else raw_of(obj)
    return None if raw is None else _json.decode(raw, dict)


def _has_list(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_list, value.values()))
    return isinstance(value, list)


def refuse_naive_times(obj: Resource, sent: bytes) -> None:
    """Refuse a time without a zone here: the server's error would not mention the zone.

    Args:
        obj: The object that is sent, or of which a part is sent.
        sent: What is sent, as JSON.

    Raises:
        ValueError: The object has such a time.
    """
    # Searching the bytes costs little; the fields are searched only after a match.
    if re.search(_NAIVE, sent):
        for path, value in _values(obj, ""):
            if isinstance(value, datetime) and value.tzinfo is None:
                raise ValueError(
                    f"{obj.kind} {str(obj.key)!r}: {path} is {value.isoformat()}, which has no time"
                    " zone and so names no moment; write datetime(..., tzinfo=UTC)"
                )


def _values(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from _values(getattr(value, name), f"{path}.{name}".lstrip("."))
    elif isinstance(value, dict):
        for name, one in value.items():
            yield from _values(one, f"{path}[{name!r}]")
    elif isinstance(value, (list, tuple)):
        for place, one in enumerate(value):
            yield from _values(one, f"{path}[{place}]")
    else:
        yield path, value
