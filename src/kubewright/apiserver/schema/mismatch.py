"""Locations of values, and Go's errors for values of the wrong type."""

from typing import Any

from kubewright.apiserver.schema.tree import Schema

# The location of a value: its parent's location, its key or index, and the struct that it is a
# field of. The struct is empty for keys of maps and indexes of lists, which Go's errors leave out.
Location = tuple[Any, str | int, str]


class Problems:
    """What decoding found besides errors.

    Attributes:
        unknown: The paths of fields that the kind does not have, in the order of the document.
        keys: The number of keys in all objects together.
    """

    __slots__ = ("keys", "unknown")

    def __init__(self) -> None:
        self.unknown: list[str] = []
        self.keys: int = 0


class MismatchError(Exception):
    """A value does not fit its Go type; the text is Go's."""


def path_of(place: Location | None) -> str:
    """Return a location as strict decoding prints it."""
    parts: list[str] = []
    while place is not None:
        parts.append(f"[{place[1]}]" if isinstance(place[1], int) else f".{place[1]}")
        place = place[0]
    return "".join(reversed(parts)).removeprefix(".")


def mismatch(value: Any, place: Location | None, go_type: str) -> MismatchError:
    """Return Go's error for a value of the wrong JSON type."""
    return MismatchError(
        f"json: cannot unmarshal {_json_type(value)} into Go {target(place)} of type {go_type}"
    )


def target(place: Location | None) -> str:
    """Return the decoding target as Go's errors name it."""
    fields: list[str] = []
    struct = ""
    while place is not None:
        if place[2]:
            fields.append(str(place[1]))
            struct = struct or place[2]
        place = place[0]
    return f"struct field {struct}.{'.'.join(reversed(fields))}" if fields else "value"


def _json_type(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int | float):
        return "number"
    names: dict[type, str] = {str: "string", list: "array", dict: "object"}
    return names.get(type(value), "null")


def go_name(schema: Schema) -> str:
    """Return the Go type of a schema, as far as the schema tells."""
    if schema.definition:
        package = schema.definition.split(".")[-2]
        return f"{package}.{schema.name}"
    if schema.type == "array":
        return f"[]{go_name(schema.items)}" if schema.items else "[]interface {}"
    if schema.additional is not None:
        return f"map[string]{go_name(schema.additional)}"
    scalars = {"string": "string", "boolean": "bool", "number": "float64"}
    if schema.format == "byte":
        return "[]uint8"
    return scalars.get(schema.type) or schema.format or "interface {}"


def element_type(go_type: str) -> str:
    """Return the element type in the Go type of a list or map; empty for named types."""
    if go_type.startswith("[]"):
        return go_type[2:]
    return go_type.partition("]")[2] if go_type.startswith("map[") else ""
