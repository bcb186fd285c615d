"""Reads single values as Go does: strings, numbers, times, quantities, and free-form values."""

from collections.abc import Callable
from typing import Any

from kubewright.apiserver.schema import go_values
from kubewright.apiserver.schema.mismatch import Location, MismatchError, Problems, mismatch, target
from kubewright.apiserver.schema.tree import Schema

Check = Callable[[Any, Location | None, Problems], Any]
"""Reads a value at a location: returns the converted value, or raises `MismatchError`."""

TEXTS: dict[str, Callable[[str], str]] = {
    "date-time": go_values.time,
    "micro-time": go_values.micro_time,
    "byte": go_values.base64_text,
}
"""The string formats that have a canonical form."""

_LIMITS = {"int32": 2**31, "int64": 2**63}


def anything(value: Any, place: Location | None, problems: Problems) -> Any:
    """Return the value unchanged, and count its keys."""
    if isinstance(value, dict):
        problems.keys += len(value)
        for item in value.values():
            if isinstance(item, dict | list):
                anything(item, place, problems)
    elif isinstance(value, list):
        for item in value:
            anything(item, place, problems)
    return value


def quantity(value: Any, place: Location | None, problems: Problems) -> Any:
    """Read a quantity: a string or a number."""
    if value is None:
        return "0"
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise MismatchError(go_values.BAD_QUANTITY)
    try:
        return go_values.quantity(value.strip() if isinstance(value, str) else str(value))
    except ValueError as error:
        raise MismatchError(str(error)) from None


def int_or_string(value: Any, place: Location | None, problems: Problems) -> Any:
    """Read an IntOrString."""
    if isinstance(value, str):
        return value
    if value is None:
        return 0
    return _integer("int32", "int32")(value, place, problems)


def _integer(kind: str, go_type: str) -> Check:
    limit = _LIMITS.get(kind, 2**63)

    def check(value: Any, place: Location | None, problems: Problems) -> Any:
        if type(value) is int and -limit <= value < limit:
            return value
        if value is None:
            return 0
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise mismatch(value, place, go_type)
        number = value if isinstance(value, int) else _go_number(value)
        raise MismatchError(
            f"json: cannot unmarshal number {number} into Go {target(place)} of type {go_type}"
        )

    return check


def _go_number(value: float) -> str:
    return str(int(value)) + ".0" if value.is_integer() else repr(value)


def scalar(schema: Schema, go_type: str) -> Check:
    """Return the function that reads a scalar of *schema*."""
    if schema.type == "integer":
        return _integer(schema.format, go_type)
    if schema.type == "number":
        return _number(go_type)
    if schema.type == "boolean":
        return plain(bool, go_type)
    normal = TEXTS.get(schema.format)
    return plain(str, go_type) if normal is None else _text(normal, go_type)


def _number(go_type: str) -> Check:
    def check(value: Any, place: Location | None, problems: Problems) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise mismatch(value, place, go_type)
        return int(value) if isinstance(value, float) and value.is_integer() else value

    return check


def plain(kind: type, go_type: str) -> Check:
    """Return the function that reads a value of one Python type; null becomes its empty value."""

    def check(value: Any, place: Location | None, problems: Problems) -> Any:
        if type(value) is kind:
            return value
        if value is None:
            return kind()
        raise mismatch(value, place, go_type)

    return check


def _text(normal: Callable[[str], str], go_type: str) -> Check:
    go_type = "[]uint8" if normal is go_values.base64_text else "string"

    def check(value: Any, place: Location | None, problems: Problems) -> Any:
        if value is None:
            return ""
        if not isinstance(value, str):
            raise mismatch(value, place, go_type)
        try:
            return normal(value)
        except ValueError as error:
            raise MismatchError(str(error)) from None

    return check
