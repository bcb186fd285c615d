"""Types without a structural schema: why, and what to write instead."""

import enum
import typing
from datetime import time, timedelta
from decimal import Decimal
from typing import Any, NoReturn, get_args, get_origin

import msgspec

from kubewright.api.unstructured import Unstructured
from kubewright.crd.annotations import is_union, spell
from kubewright.errors import SchemaError

# What dataclasses, typed dicts, attrs and pydantic leave on their classes.
_FIELDS = ("__dataclass_fields__", "__required_keys__", "__attrs_attrs__", "model_fields")

_ADVICE: dict[Any, str] = {
    dict: "say what is in it: dict[str, str], or dict[str, Any] to keep whatever is there",
    list: "say what is in it: list[str], or list[Any] to keep whatever is there",
    tuple: "say what is in it: tuple[str, ...] or list[str]",
    set: "say what is in it: set[str]",
    frozenset: "say what is in it: frozenset[str]",
    object: "write Any to keep whatever is there, or a kw.Model",
    timedelta: "write kw.Duration, a string such as '1h30m'",
    time: "write str, with a kw.Pattern",
    Decimal: "write kw.Quantity",
    complex: "write a kw.Model with two numbers",
    type(None): "leave the field out",
    Unstructured: "write Annotated[dict[str, Any], kw.EmbeddedResource()]",
}


def refuse(annotation: Any, path: str) -> NoReturn:
    """Raise the error for a type that has no schema."""
    reason, advice = _why(annotation)
    raise SchemaError(f"{path}: {spell(annotation)} {reason}: {advice}")


def _why(annotation: Any) -> tuple[str, str]:
    none = "has no structural schema"
    try:
        if annotation in _ADVICE:
            return none, _ADVICE[annotation]
    except TypeError:  # not hashable, so not one of these
        pass
    if is_union(annotation):
        return none, _union_advice(get_args(annotation))
    if isinstance(annotation, typing.TypeVar):
        return "is not known", "give the type argument where the generic model is used"
    if get_origin(annotation) is tuple:
        return none, "a tuple of fixed length has no array schema; write a kw.Model"
    return none, _class_advice(annotation)


def _union_advice(parts: tuple[Any, ...]) -> str:
    if set(parts) == {int, str}:
        return "write kw.IntOrString"
    if set(parts) == {int, float}:
        return "write float, which takes whole numbers too"
    if all(isinstance(part, type) and issubclass(part, msgspec.Struct) for part in parts):
        return (
            "a schema cannot choose between objects; write one kw.Model with an optional field"
            " for each, and @kw.rules(kw.ExactlyOneOf(...)) on it"
        )
    return "a field has one type; write Any to keep whatever is there, or kw.Schema({...})"


def _class_advice(annotation: Any) -> str:
    cls = get_origin(annotation) or annotation
    if isinstance(cls, type):
        if issubclass(cls, enum.Enum):
            return "give its members values that are all strings or all integers"
        if issubclass(cls, (msgspec.Struct, tuple)) or any(hasattr(cls, one) for one in _FIELDS):
            return "make it a kw.Model"
    return (
        "write a type that JSON has, or a kw.Model; kw.Schema({...}) takes any schema,"
        " and Any keeps whatever is there"
    )
