"""Custom resources: fills in defaults from the schema."""

from typing import Any

import msgspec

from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.schema.tree import UNSET, Schema

MOST_BYTES: int = 8 * 1024 * 1024
"""More bytes than any stored object has."""


def default(value: Any, schema: Schema | None, room: "Room | None" = None) -> None:
    """Fill in defaults below *value*, in place.

    A null that is not allowed counts as absent. Doing it twice has the same result.

    Raises:
        StatusError: The result would be larger than any object can be.
    """
    if schema is None or not has_defaults(schema):
        return
    room = room or Room()
    if isinstance(value, dict):
        _default_object(value, schema, room)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if _is_missing(item, schema.items):
                value[index] = _copy_of(schema.items, room)
            default(value[index], schema.items, room)


class Room:
    """How many bytes of defaults still fit into an object: a short schema can ask for gigabytes."""

    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left = MOST_BYTES

    def copy_of(self, schema: Schema) -> Any:
        """Return a copy of the default of *schema*."""
        size: int | None = schema.memo.get("default size")
        if size is None:
            size = schema.memo["default size"] = len(msgspec.json.encode(schema.default))
        self._left -= size
        if self._left < 0:
            raise StatusError(500, "", "etcdserver: request is too large")
        return copy(schema.default)


def _default_object(value: dict[str, Any], schema: Schema, room: Room) -> None:
    for name, child in _with_default(schema):
        if name not in value or (value[name] is None and not child.nullable):
            value[name] = room.copy_of(child)
    for key, item in value.items():
        known = schema.properties.get(key)
        if known is None and _is_missing(item, schema.additional):
            value[key] = _copy_of(schema.additional, room)
        default(value[key], schema.additional if known is None else known, room)


def _is_missing(value: Any, schema: Schema | None) -> bool:
    return value is None and schema is not None and not schema.nullable


def _copy_of(schema: Schema | None, room: Room) -> Any:
    has = schema is not None and schema.default is not UNSET
    return room.copy_of(schema) if has and schema is not None else None


def _with_default(schema: Schema) -> tuple[tuple[str, Schema], ...]:
    found: tuple[tuple[str, Schema], ...] | None = schema.memo.get("defaults")
    if found is None:
        found = schema.memo["defaults"] = tuple(
            (name, child)
            for name, child in schema.properties.items()
            if child.default is not UNSET and child.default is not None
        )
    return found


def has_defaults(schema: Schema) -> bool:
    """Return whether a default, or a null that is not allowed, may be at or below this node."""
    known: bool | None = schema.memo.get("has defaults")
    if known is None:
        below = any(has_defaults(child) for child in schema.children())
        known = schema.memo["has defaults"] = schema.default is not UNSET or below
    return known


def copy(value: Any) -> Any:
    """Return a deep copy of a JSON value."""
    if isinstance(value, dict):
        return {key: copy(item) for key, item in value.items()}
    if isinstance(value, list):
        return [copy(item) for item in value]
    return value
