"""Values as a log shows them: short, plain, and never a secret."""

import math
import re
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from datetime import date, timedelta
from typing import Any

HIDDEN = "[hidden]"
_UNKNOWN_LENGTH = 256
_LENGTH = 4096
_DEPTH = 4
_SENSITIVE_NAMES = (
    r"(?i)"
    r"(?:^|[_-])(?:authorization|cookie|credentials?|passwd|password|private_?key|api_?key"
    r"|(?:access|bearer|client|id|refresh)_?secret|token|string_?data)$"
)
_SECRETS = (
    r"(?i:(?<=\bbearer )|(?<=\bbasic ))[A-Za-z0-9._~+/=-]{8,}"  # in an Authorization header
    r"|\beyJ[\w-]+\.eyJ[\w-]+\.[\w-]*"  # a JSON web token
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.)*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
)


def shown(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return *fields* with values that fit into JSON and contain no secrets."""
    return {str(name): _field(str(name), value, _DEPTH) for name, value in fields.items()}


def text(value: str, *, most: int = _LENGTH) -> str:
    """Return *value* without tokens and keys, and not longer than a line may be."""
    return _cut(re.sub(_SECRETS, HIDDEN, value), most)


def _field(name: str, value: Any, depth: int) -> Any:
    return HIDDEN if re.search(_SENSITIVE_NAMES, name) else _plain(value, depth)


def _plain(value: Any, depth: int) -> Any:
    if value is None or isinstance(value, bool | int):
        return value
    for kinds, show in _SHOWN:
        if isinstance(value, kinds):
            return show(value)
    return _reference(value) if _is_object(value) else _several(value, depth)


def _several(value: Any, depth: int) -> Any:
    """Return a collection with plain items; anything else is shortened text."""
    if depth and isinstance(value, Mapping):
        return {str(name): _field(str(name), item, depth - 1) for name, item in value.items()}
    is_row = isinstance(value, tuple) and hasattr(value, "_fields")  # keys have their own text
    if depth and isinstance(value, list | tuple | AbstractSet) and not is_row:
        return [_plain(item, depth - 1) for item in value]
    return _unknown(str(value))


def _is_object(value: Any) -> bool:
    """Tell whether *value* is a Kubernetes object: it may be a Secret, or large."""
    if isinstance(value, Mapping):
        return "metadata" in value or "kind" in value
    return not isinstance(value, type) and hasattr(value, "metadata")


def _reference(value: Any) -> str:
    """Return the kind, namespace and name of an object."""
    if isinstance(value, Mapping):
        kind, metadata = value.get("kind"), value.get("metadata") or {}
        parts = [metadata.get("namespace"), metadata.get("name")] if metadata else []
    else:
        kind, metadata = type(value).__name__, value.metadata
        parts = [getattr(metadata, name, None) for name in ("namespace", "name")]
    return " ".join(filter(None, [str(kind or ""), "/".join(str(part) for part in parts if part)]))


def _unknown(value: str) -> str:
    return _cut(re.sub(_SECRETS, HIDDEN, value), _UNKNOWN_LENGTH)


def _cut(value: str, length: int) -> str:
    return value if len(value) <= length else value[:length] + "…"


def _number(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)  # JSON has no infinity


def _bytes(value: bytes | bytearray | memoryview) -> str:
    return _unknown(bytes(value[: 4 * _UNKNOWN_LENGTH]).decode(errors="replace"))


def _error(value: BaseException) -> str:
    return text(str(value) or repr(value))


_SHOWN: tuple[tuple[tuple[type, ...], Callable[[Any], Any]], ...] = (
    ((str,), text),
    ((float,), _number),
    ((bytes, bytearray, memoryview), _bytes),
    ((BaseException,), _error),
    ((timedelta,), timedelta.total_seconds),
    ((date,), lambda moment: moment.isoformat()),  # a datetime is a date, too
)
