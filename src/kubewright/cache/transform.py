"""Transforms: drop parts of objects before they are cached."""

from collections.abc import Callable
from typing import Any

from kubewright import _json
from kubewright.cache.head import Head, head_of
from kubewright.errors import DecodeError
from kubewright.log import get_logger

Transform = Callable[[dict[str, Any]], dict[str, Any] | None]
"""Modifies the JSON document of an object in place, or returns another one to keep instead.

It must be idempotent. Name, namespace, uid and resource version must stay.
"""

_log = get_logger(__name__)


def without(*paths: str) -> Transform:
    """Return a transform that drops fields, such as ``"spec"`` or ``"metadata.annotations"``.

    Example:
        >>> drop = without("spec.data")
        >>> drop({"spec": {"data": 1, "size": 2}})
        {'spec': {'size': 2}}
    """
    parts = [path.split(".") for path in paths]

    def drop(document: dict[str, Any]) -> dict[str, Any]:
        for *parents, name in parts:
            place: Any = document
            for parent in parents:
                place = place.get(parent) if isinstance(place, dict) else None
            if isinstance(place, dict):
                place.pop(name, None)
        return document

    return drop


def transformed(raw: bytes, head: Head, transform: Transform) -> tuple[bytes, Head]:
    """Return the result of *transform* for an object; if it fails, the object unchanged.

    A failure is logged, not raised: one bad object must not keep all others out of the cache.
    """
    try:
        document = _json.loads(raw)
        kept = transform(document)
        changed = _json.encode(document if kept is None else kept)
        changed_head = head_of(changed)
    except DecodeError:
        changed, changed_head = b"", None
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException:  # noqa: BLE001  # user code may raise anything; the stream must go on
        _log.exception("transform failed, object kept whole", key=str(head.key))
        return raw, head
    if changed_head is None or _identity(changed_head) != _identity(head):
        _log.error(
            "transform changed the name, uid or version, object kept whole", key=str(head.key)
        )
        return raw, head
    return changed, changed_head


def _identity(head: Head) -> tuple[object, ...]:
    return head.key, head.uid, head.resource_version
