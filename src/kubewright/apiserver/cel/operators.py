"""Arithmetic and comparisons, with CEL's overflow and type errors."""

import math
from typing import Any, Final

from kubewright.apiserver.cel import times
from kubewright.apiserver.cel.doubles import double_text
from kubewright.apiserver.cel.errors import EvaluationError
from kubewright.apiserver.cel.values import (
    NO_OVERLOAD,
    NUMBERS,
    Duration,
    MapList,
    SetList,
    Timestamp,
    UInt,
    contains,
    is_list,
    map_key,
    runtime_type,
)

_LOWEST: Final = -(2**63)
_HIGHEST: Final = 2**63 - 1
_UINT_HIGHEST: Final = 2**64 - 1
_ORDERED: Final = frozenset({bool, str, bytes, Timestamp, Duration})


def checked_int(number: int) -> int:
    """Return *number*; raise an error if it needs more than 64 bits."""
    if _LOWEST <= number <= _HIGHEST:
        return number
    raise EvaluationError("integer overflow")


def checked_uint(number: int) -> UInt:
    """Return *number* unsigned; raise an error if it is negative or needs more than 64 bits."""
    if 0 <= number <= _UINT_HIGHEST:
        return UInt(number)
    raise EvaluationError("unsigned integer overflow")


def no_overload(*_: Any) -> Any:
    """Raise the error for operands whose types do not fit together."""
    raise EvaluationError(NO_OVERLOAD)


def add(left: Any, right: Any) -> Any:
    """``left + right``."""
    kind, other = type(left), type(right)
    if kind is other:
        if kind is int:
            return checked_int(left + right)
        if kind is str or kind is bytes or kind is float:
            return left + right
        if kind is UInt:
            return checked_uint(int(left) + int(right))
    if is_list(left) and is_list(right):
        return _joined(left, right)
    if {kind, other} <= {Timestamp, Duration} and Duration in {kind, other}:
        return times.add(left, right)
    return no_overload()


def _joined(left: list[Any], right: list[Any]) -> list[Any]:
    if type(left) is SetList:
        return SetList([*left, *(item for item in right if not contains(left, item))])
    if type(left) is MapList:
        return _merged(left, right)
    return [*left, *right]


def _merged(left: MapList, right: list[Any]) -> MapList:
    """Replace elements of *left* by those of *right* with the same keys, and append the others."""
    items = {left.key_of(item): item for item in left}
    items.update((left.key_of(item), item) for item in right)
    return MapList(items.values(), left.keys)


def subtract(left: Any, right: Any) -> Any:
    """``left - right``."""
    kind, other = type(left), type(right)
    if kind is other:
        if kind is int:
            return checked_int(left - right)
        if kind is UInt:
            return checked_uint(int(left) - int(right))
        if kind is float:
            return left - right
        if kind is Duration or kind is Timestamp:
            return times.subtract(left, right)
    if kind is Timestamp and other is Duration:
        return times.subtract(left, right)
    return no_overload()


def multiply(left: Any, right: Any) -> Any:
    """``left * right``."""
    kind = type(left)
    if kind is type(right):
        if kind is int:
            return checked_int(left * right)
        if kind is UInt:
            return checked_uint(int(left) * int(right))
        if kind is float:
            return left * right
    return no_overload()


def divide(left: Any, right: Any) -> Any:
    """``left / right``; integers round towards zero."""
    kind = type(left)
    if kind is not type(right) or kind not in NUMBERS:
        return no_overload()
    if kind is float:
        return _float_divided(left, right)
    if right == 0:
        raise EvaluationError("division by zero")
    quotient = abs(int(left)) // abs(int(right))
    if kind is UInt:
        return UInt(quotient)
    return checked_int(quotient if (left < 0) == (right < 0) else -quotient)


def _float_divided(left: float, right: float) -> float:
    if right:
        return left / right
    if math.isnan(left) or left == 0:
        return math.nan
    return math.copysign(math.inf, math.copysign(1, left) * math.copysign(1, right))


def modulo(left: Any, right: Any) -> Any:
    """``left % right``; the sign is that of *left*."""
    kind = type(left)
    if kind is not type(right) or kind not in {int, UInt}:
        return no_overload()
    if right == 0:
        raise EvaluationError("modulus by zero")
    if left == _LOWEST and right == -1:
        raise EvaluationError("integer overflow")
    rest = abs(int(left)) % abs(int(right))
    if kind is UInt:
        return UInt(rest)
    return rest if left >= 0 else -rest


def negate(value: Any) -> Any:
    """``-value``."""
    kind = type(value)
    if kind is int:
        return checked_int(-value)
    if kind is float:
        return -value
    if kind is Duration:
        return times.checked_duration(-value.nanos)
    return no_overload()


def logical_not(value: Any) -> bool:
    """``!value``."""
    if value is True:
        return False
    return True if value is False else bool(no_overload())


def compare(left: Any, right: Any) -> int:
    """Return -1, 0 or 1: *left* is less than, equal to or greater than *right*.

    Raises:
        EvaluationError: They have no order.
    """
    kind, other = type(left), type(right)
    if kind in NUMBERS and other in NUMBERS:
        if left != left or right != right:  # noqa: PLR0124  # only NaN differs from itself
            raise EvaluationError("NaN values cannot be ordered")
        if (kind is float) != (other is float):
            left, right = float(left), float(right)  # the server compares such pairs as doubles
    elif kind is not other or kind not in _ORDERED:
        no_overload()
    return int(left > right) - int(left < right)


def less(left: Any, right: Any) -> bool:
    """``left < right``."""
    return compare(left, right) < 0


def less_equal(left: Any, right: Any) -> bool:
    """``left <= right``."""
    return compare(left, right) <= 0


def greater(left: Any, right: Any) -> bool:
    """``left > right``."""
    return compare(left, right) > 0


def greater_equal(left: Any, right: Any) -> bool:
    """``left >= right``."""
    return compare(left, right) >= 0


def is_in(value: Any, container: Any) -> bool:
    """``value in container``."""
    if is_list(container):
        return contains(container, value)
    if type(container) is dict:
        try:
            return map_key(value) in container
        except TypeError:
            return False
    return bool(no_overload())


def index(container: Any, key: Any) -> Any:
    """``container[key]``.

    Raises:
        EvaluationError: There is no such item.
    """
    if type(container) is dict:
        try:
            return container[map_key(key)]
        except (KeyError, TypeError):
            raise EvaluationError(f"no such key: {shown_key(key)}") from None
    if not is_list(container):
        return no_overload()
    place = list_index(key)
    if 0 <= place < len(container):
        return container[place]
    raise EvaluationError(f"index out of bounds: {place}")


def list_index(key: Any) -> int:
    """Return *key* as an index of a list; whole doubles are accepted."""
    if type(key) is int or type(key) is UInt:
        return int(key)
    if type(key) is not float:
        name = shown_type(key)
        raise EvaluationError(f"unsupported index type '{name}' in list")
    if not key.is_integer():
        raise EvaluationError(f"unsupported index value {shown_key(key)} in list")
    return int(key)


def shown_type(value: Any) -> str:
    """Return the type name of *value* for messages."""
    return runtime_type(value).name


def shown_key(key: Any) -> str:
    """Return *key* as messages show it."""
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, float):
        return double_text(key)
    return str(key)
