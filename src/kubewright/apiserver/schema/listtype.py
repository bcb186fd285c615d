"""Custom resources: rejects duplicates in lists of type ``set`` and ``map``."""

from typing import Any

import msgspec

from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.schema.prune import takes_any_key
from kubewright.apiserver.schema.tree import Schema


def validate_lists(value: Any, schema: Schema | None, path: str = "") -> Errors:
    """Return errors for duplicate elements at or below *value*."""
    if schema is None or not _has_keyed_lists(schema):
        return []
    errors: Errors = []
    if isinstance(value, list):
        errors += _validate_list(value, schema, path)
        for index, item in enumerate(value):
            errors += validate_lists(item, schema.items, f"{path}[{index}]")
    elif isinstance(value, dict):
        for key, item in value.items():
            if schema.additional is not None and not takes_any_key(schema):
                errors += validate_lists(item, schema.additional, f"{path}[{key}]")
            if key in schema.properties:
                below = f"{path}.{key}" if path else key
                errors += validate_lists(item, schema.properties[key], below)
    return errors


def _has_keyed_lists(schema: Schema) -> bool:
    known: bool | None = schema.memo.get("keyed lists")
    if known is None:
        below = any(_has_keyed_lists(child) for child in schema.children())
        known = schema.memo["keyed lists"] = schema.list_type != "atomic" or below
    return known


def _validate_list(value: list[Any], schema: Schema, path: str) -> Errors:
    if schema.list_type == "set":
        return [field.duplicate(f"{path}[{place}]", value[place]) for place in _repeated(value)]
    if schema.list_type != "map":
        return []
    for index, item in enumerate(value):
        if item is not None and not isinstance(item, dict):
            text = "must be an object for an array of list-type map"
            return [field.invalid(f"{path}[{index}]", item, text)]
    keys = [_key_of(item or {}, schema.list_map_keys) for item in value]
    return [field.duplicate(f"{path}[{place}]", keys[place]) for place in _repeated(keys)]


def _key_of(item: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {name: item[name] for name in keys if name in item}


def _repeated(values: list[Any]) -> list[int]:
    """Return the indexes of second occurrences; third ones are not reported again."""
    times: dict[bytes, int] = {}
    found: list[int] = []
    for place, value in enumerate(values):
        key = msgspec.json.encode(value, order="sorted")
        times[key] = times.get(key, 0) + 1
        if times[key] == 2:  # noqa: PLR2004  # the second
            found.append(place)
    return found
