"""Resource quantities: ``quantity('500m').isLessThan(quantity('1'))``."""

import re
from typing import Any

from kubewright.api.quantity import ParsedQuantity, QuantityFormat, parse_quantity
from kubewright.apiserver.cel.celtype import Type
from kubewright.apiserver.cel.declarations import Overload, declare
from kubewright.apiserver.cel.errors import EvaluationError
from kubewright.apiserver.cel.operators import no_overload
from kubewright.apiserver.cel.values import TYPES

_NANO = 10**9
_NAME = "kubernetes.Quantity"
_SHAPE = re.compile(r"[+-]?[0-9.]+[eEinumkKMGTP]*[-+]?[0-9]*", re.ASCII)
_NOT_A_QUANTITY = (
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
)
_BAD_SUFFIX = "unable to parse quantity's suffix"
TYPES[ParsedQuantity] = Type("object", _NAME)


def _quantity(text: str) -> ParsedQuantity:
    try:
        return parse_quantity(text)
    except (ValueError, TypeError):
        # It may have a second point or no digits; otherwise only the suffix can be wrong.
        number = re.match(r"[+-]?([0-9]*\.?[0-9]*)(.*)", text, re.DOTALL | re.ASCII)
        shaped = _SHAPE.fullmatch(text) and number and number[1].strip(".")
        rest = number[2] if number else ""
        known = bool(shaped) and "." not in rest
        raise EvaluationError(_BAD_SUFFIX if known else _NOT_A_QUANTITY) from None


def _is_quantity(text: str) -> bool:
    try:
        parse_quantity(text)
    except (ValueError, TypeError):
        return False
    return True


def _is_integer(value: ParsedQuantity) -> bool:
    return value.nanos % _NANO == 0 and -(2**63) <= value.nanos // _NANO < 2**63


def _as_integer(value: ParsedQuantity) -> int:
    if not _is_integer(value):
        raise EvaluationError("cannot convert value to integer")
    return value.nanos // _NANO


def _amount(value: Any) -> ParsedQuantity:
    if isinstance(value, ParsedQuantity):
        return value
    if type(value) is not int:
        no_overload()
    return ParsedQuantity(value * _NANO, QuantityFormat.DECIMAL_EXPONENT)


def _compare(left: ParsedQuantity, right: ParsedQuantity) -> int:
    return (left.nanos > right.nanos) - (left.nanos < right.nanos)


declare(
    {
        "quantity": [Overload("string_to_quantity", f"(string) -> {_NAME}", _quantity)],
        "isQuantity": [Overload("is_quantity_string", "(string) -> bool", _is_quantity)],
        "sign": [
            Overload("quantity_sign", f"({_NAME}) -> int", lambda q: (q.nanos > 0) - (q.nanos < 0))
        ],
        "isGreaterThan": [
            Overload("quantity_is_greater_than", f"{_NAME}.({_NAME}) -> bool", lambda a, b: a > b)
        ],
        "isLessThan": [
            Overload("quantity_is_less_than", f"{_NAME}.({_NAME}) -> bool", lambda a, b: a < b)
        ],
        "compareTo": [Overload("quantity_compare_to", f"{_NAME}.({_NAME}) -> int", _compare)],
        "asApproximateFloat": [
            Overload("quantity_get_float", f"{_NAME}.() -> double", lambda q: q.nanos / _NANO)
        ],
        "asInteger": [Overload("quantity_get_int", f"{_NAME}.() -> int", _as_integer)],
        "isInteger": [Overload("quantity_is_integer", f"{_NAME}.() -> bool", _is_integer)],
        "add": [
            Overload("quantity_add", f"{_NAME}.({_NAME}) -> {_NAME}", lambda a, b: a + b),
            Overload("quantity_add_int", f"{_NAME}.(int) -> {_NAME}", lambda a, b: a + _amount(b)),
        ],
        "sub": [
            Overload("quantity_sub", f"{_NAME}.({_NAME}) -> {_NAME}", lambda a, b: a - b),
            Overload("quantity_sub_int", f"{_NAME}.(int) -> {_NAME}", lambda a, b: a - _amount(b)),
        ],
    }
)
