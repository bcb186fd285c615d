"""Schemas of values that have no fields: texts, numbers, times, enumerations."""

import enum
import types
from copy import deepcopy
from datetime import date, datetime
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

from kubewright._json import MicroTime
from kubewright.crd.annotations import Annotation, spell
from kubewright.crd.descriptions import description_of
from kubewright.crd.known import INT_OR_STRING, PRESERVE, QUANTITY
from kubewright.crd.markers import JSONSchema
from kubewright.crd.refusals import refuse
from kubewright.errors import SchemaError

_SCALARS: dict[Any, JSONSchema] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer", "format": "int64"},
    float: {"type": "number"},
    bytes: {"type": "string", "format": "byte"},
    datetime: {"type": "string", "format": "date-time"},
    MicroTime: {"type": "string", "format": "date-time"},
    date: {"type": "string", "format": "date"},
    UUID: {"type": "string", "format": "uuid"},
}
_EXTRAS: dict[str, JSONSchema] = {
    "duration": {"type": "string"},
    "int-or-string": INT_OR_STRING,
    "quantity": QUANTITY,
}


def find_scalar(parsed: Annotation, path: str) -> JSONSchema | None:
    """Return the schema of a type without fields, or ``None`` if it is another."""
    kind = parsed.inner
    if parsed.extra in _EXTRAS:
        return deepcopy(_EXTRAS[parsed.extra])
    if kind is Any:
        return dict(PRESERVE)
    if isinstance(kind, type) and kind in _SCALARS:
        return dict(_SCALARS[kind])
    if get_origin(kind) is Literal:
        return _enum_schema(list(get_args(kind)), kind, path)
    if isinstance(kind, type) and not get_args(kind) and issubclass(kind, enum.Enum):
        return described(kind) | _enum_schema([one.value for one in kind], kind, path)
    return None


def described(cls: type) -> JSONSchema:
    """Return the description of *cls*, if it has one, as the beginning of a schema."""
    text = description_of(cls)
    return {"description": text} if text else {}


def _enum_schema(values: list[Any], kind: Any, path: str) -> JSONSchema:
    if types.NoneType in map(type, values):
        raise SchemaError(f"{path}: None cannot stand in a Literal: write Literal[...] | None")
    if values and all(isinstance(value, str) for value in values):
        return {"type": "string", "enum": [str(value) for value in values]}
    whole = all(isinstance(value, int) and not isinstance(value, bool) for value in values)
    if values and whole:
        return {"type": "integer", "enum": [int(value) for value in values]}
    if get_origin(kind) is Literal:
        raise SchemaError(f"{path}: the values of {spell(kind)} must be all str or all int")
    return refuse(kind, path)
