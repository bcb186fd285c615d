"""Objects that expressions construct: ``Object.spec{replicas: 3}``, ``JSONPatch{op: "add"}``.

Only the expressions of a MutatingAdmissionPolicy can name these types.
"""

import base64
from collections.abc import Iterator
from typing import Any

from kubewright.apiserver.cel.celtype import DYN, STRING, Type, object_type
from kubewright.apiserver.cel.times import duration_text, timestamp_text
from kubewright.apiserver.cel.values import Duration, Timestamp, key_value

OBJECT: Type = object_type("Object", {})
PATCH: Type = object_type(
    "JSONPatch", {**dict.fromkeys(("op", "path", "from"), STRING), "value": DYN}
)


class ObjectValue(dict[str, Any]):
    """The fields of a constructed object, and the *name* of its type."""

    def __init__(self, name: str, fields: dict[str, Any]) -> None:
        super().__init__(fields)
        self.name: str = name


def message_type(name: str) -> Type | None:
    """Return the type with that name, or ``None``."""
    if name == PATCH.name:
        return PATCH
    if name == OBJECT.name or name.startswith("Object."):
        return object_type(name, {})
    return None


def field_type(message: Type, field: str) -> Type | None:
    """Return the type of a field; an Object may have any field."""
    if message.name != PATCH.name:
        return DYN
    found = message.declared.fields.get(field)
    return found.type if found else None


def misnamed(value: Any, path: str = "") -> Iterator[str]:
    """Yield errors for type names that do not match the path of their object."""
    if isinstance(value, ObjectValue):
        path = path or value.name
        if value.name != path:
            yield (
                f'unexpected type name "{value.name}", expected "{path}", which matches field name'
                " path from root Object type"
            )
        for field, item in value.items():
            yield from misnamed(item, f"{path}.{field}")
    elif isinstance(value, dict):
        for item in value.values():
            yield from misnamed(item, path)
    elif isinstance(value, list):
        for item in value:
            yield from misnamed(item, path)


def to_json(value: Any) -> Any:
    """Return a CEL value as JSON.

    Raises:
        ValueError: JSON has no such value.
    """
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, dict):
        return {str(key_value(key)): to_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [to_json(item) for item in value]
    return _text(value)


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, Timestamp):
        return timestamp_text(value)
    if isinstance(value, Duration):
        return duration_text(value)
    raise ValueError(f"{type(value).__name__} cannot be written as JSON")
