"""Reads what can be read of objects that do not fit their class."""

from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

import msgspec

from kubewright import _json
from kubewright.api.resource import Resource
from kubewright.errors import DecodeError

R = TypeVar("R", bound=Resource)

__all__ = ["readable_part"]


def readable_part(raw: bytes, kind: type[R]) -> R:
    """Return those parts of *raw* that fit *kind*; reading another field is an `AttributeError`.

    A made-up value would be worse: a clean-up might delete the bucket with the empty name.

    Raises:
        DecodeError: Nothing fits, or the class rejects the rest.
    """
    found: R = _part(_json.loads(raw), kind)
    return found


def _part(tree: dict[str, Any], kind: type[msgspec.Struct]) -> Any:
    values: dict[str, Any] = {}
    unset: list[str] = []
    for field in msgspec.structs.fields(kind):
        value = tree.get(field.encode_name)
        if value is None:
            if field.required:
                unset.append(field.name)
            continue
        try:
            values[field.name] = _json.convert(value, field.type)
        except DecodeError:
            inner = _model_of(field.type)
            if inner is not None and isinstance(value, dict):
                values[field.name] = _part(value, inner)
            else:
                unset.append(field.name)
    try:
        made = kind(**values, **dict.fromkeys(unset))
    except Exception as error:  # the user's __post_init__ may raise anything
        raise DecodeError(f"{kind.__name__} refuses what can be read of it: {error}") from error
    for name in unset:
        delattr(made, name)
    return made


def _model_of(kind: Any) -> type[msgspec.Struct] | None:
    """Return the model in the type *kind* of a field, or ``None``."""
    if get_origin(kind) is Annotated:
        return _model_of(get_args(kind)[0])
    if get_origin(kind) in {Union, UnionType}:
        choices = [one for one in get_args(kind) if one is not NoneType]
        return _model_of(choices[0]) if len(choices) == 1 else None
    is_model = isinstance(kind, type) and issubclass(kind, msgspec.Struct)
    return kind if is_model else None
