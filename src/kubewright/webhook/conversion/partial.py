"""Objects that lack required fields, as API servers send them in the middle of a server-side apply.

They take from an object what a manager owned, and have the rest converted to the versions of the
other managers. No such object is stored. Go fills what is missing with zero values, and so do we.
"""

from functools import cache
from typing import Any, TypeVar

from msgspec import inspect

from kubewright import _json
from kubewright.api.resource import Resource, read

__all__ = ["read_partly"]

R = TypeVar("R", bound=Resource)

_ZEROS: dict[type[inspect.Type], Any] = {
    inspect.StrType: "",
    inspect.IntType: 0,
    inspect.FloatType: 0.0,
    inspect.BoolType: False,
    inspect.DictType: {},
    inspect.ListType: [],
    inspect.SetType: [],
    inspect.FrozenSetType: [],
    inspect.VarTupleType: [],
    inspect.DateTimeType: "0001-01-01T00:00:00Z",
    inspect.DateType: "0001-01-01",
    inspect.TimeDeltaType: "PT0S",
}


def read_partly(raw: bytes, kind: type[R]) -> R:
    """Decode *raw* as a *kind*, with zero values in place of required fields that are missing.

    Raises:
        DecodeError: It does not fit the class for another reason.
    """
    whole = _completed(_json.loads(raw), _type_of(kind))
    return read(_json.encode(whole), kind)


@cache
def _type_of(kind: type) -> inspect.Type:
    return inspect.type_info(kind)


def _completed(value: Any, kind: inspect.Type) -> Any:
    """Return *value*, of a *kind*, with the required fields that it lacks."""
    match kind, value:
        case inspect.StructType(), dict():
            return value | {
                field.encode_name: _zero(field.type)
                if value.get(field.encode_name) is None
                else _completed(value[field.encode_name], field.type)
                for field in kind.fields
                if field.required or value.get(field.encode_name) is not None
            }
        case inspect.ListType(), list():
            return [_completed(one, kind.item_type) for one in value]
        case inspect.DictType(), dict():
            return {name: _completed(one, kind.value_type) for name, one in value.items()}
        case inspect.UnionType(), _:
            # Of the types of a union, at most one is an object.
            for one in kind.types:
                if _completed(value, one) != value:
                    return _completed(value, one)
    return value


def _zero(kind: inspect.Type) -> Any:
    match kind:
        case inspect.StructType():
            return _completed({}, kind)
        case inspect.UnionType():
            types = kind.types
            empty = any(isinstance(one, inspect.NoneType) for one in types)
            return None if empty else _zero(types[0])
        case inspect.LiteralType():
            return kind.values[0]
        case inspect.EnumType():
            return next(iter(kind.cls)).value
        case inspect.Metadata():
            return _zero(kind.type)
    return _ZEROS.get(type(kind))
