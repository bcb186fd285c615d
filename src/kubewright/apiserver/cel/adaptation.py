"""Converts JSON values to their declared CEL types: strings to timestamps, lists to sets.

Most types need no converter: rules read the object as it is. A converter leaves values alone that
already have the right type, since an expression can mix both.
"""

import base64
import binascii
import re
from collections.abc import Callable
from typing import Any

from kubewright.apiserver.cel import times
from kubewright.apiserver.cel.celtype import Type
from kubewright.apiserver.cel.errors import EvaluationError
from kubewright.apiserver.cel.values import MapList, Optional, SetList

Converter = Callable[[Any], Any]


def converter_for(wanted: Type) -> Converter | None:  # noqa: PLR0911  # one answer for each kind
    """Return the function that converts JSON to *wanted*; ``None`` if JSON will do."""
    match wanted.kind:
        case "timestamp":
            return _date if wanted.declared.format == "date" else _timestamp
        case "duration":
            return _duration
        case "bytes":
            return _bytes
        case "double":
            return _double
        case "list":
            return _list(wanted) if wanted.params else None
        case "map":
            return _map(wanted) if wanted.params else None
        case "object":
            return _object(wanted)
        case "opaque" if wanted.name == "optional_type" and wanted.params:
            return _optional(wanted)
    return None


def item_converter_for(wanted: Type) -> Converter | None:
    """Return the converter for the items of a list, or the values of a map."""
    return converter_for(wanted.params[-1]) if wanted.params else None


def _text(problem: str, parse: Callable[[str], Any]) -> Converter:
    def convert(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return parse(value)
        except ValueError as error:
            raise EvaluationError(f"Invalid {problem} {value}: {error}") from None

    return convert


def _lenient_timestamp(text: str) -> Any:
    """Read a date and time; the zone is optional here, and an empty text means 1970."""
    if not text:
        return times.timestamp_of(0)
    has_zone = text.endswith("Z") or re.search(r"[+-][0-9]{2}:[0-9]{2}\Z", text)
    return times.parse_timestamp(text if has_zone else f"{text}Z")


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text.replace("\n", "").replace("\r", ""), validate=True)
    except binascii.Error as error:
        raise ValueError(str(error)) from None


_timestamp = _text("date-time formatted string", _lenient_timestamp)
_date = _text("date formatted string", times.parse_date)
_duration = _text("duration", times.parse_schema_duration)
_bytes = _text("byte formatted string", _decoded)


def _optional(wanted: Type) -> Converter | None:
    inner = converter_for(wanted.params[0])
    if inner is None:
        return None

    def convert(value: Any) -> Any:
        if not isinstance(value, Optional) or not value.present or value.value is None:
            return value
        return Optional(inner(value.value))

    return convert


def _double(value: Any) -> Any:
    return float(value) if type(value) is int else value


def _list(wanted: Type) -> Converter | None:
    item = converter_for(wanted.params[0])
    declared = wanted.declared
    if declared.list_type == "set":
        return lambda value: value if value is None else SetList(_converted(value, item))
    if declared.list_type == "map":
        keys = declared.list_map_keys
        return lambda value: value if value is None else MapList(_converted(value, item), keys)
    if item is None:
        return None
    return lambda value: value if value is None else _converted(value, item)


def _converted(value: Any, item: Converter | None) -> list[Any]:
    if not isinstance(value, list):
        raise EvaluationError("invalid data, expected an array for the provided schema")
    return list(value) if item is None else [None if v is None else item(v) for v in value]


def _map(wanted: Type) -> Converter | None:
    member = converter_for(wanted.params[1])
    if member is None:
        return None

    def convert(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {key: None if v is None else member(v) for key, v in value.items()}

    return convert


def _object(wanted: Type) -> Converter | None:
    members = {
        field.json_name: found
        for field in wanted.declared.fields.values()
        if (found := converter_for(field.type)) is not None
    }
    renamed = {
        field.json_name: name
        for name, field in wanted.declared.fields.items()
        if field.json_name != name
    }
    if not members and not renamed:
        return None

    def convert(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        changed = {
            key: member(value[key]) for key, member in members.items() if value.get(key) is not None
        }
        whole = {**value, **changed}
        return {renamed.get(key, key): found for key, found in whole.items()} if renamed else whole

    return convert
