"""CEL values that Python lacks, and equality between all values.

JSON values represent themselves: ``int`` is int, ``float`` is double, ``dict`` is a map or an
object. The rest is here.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from kubewright.apiserver.cel.celtype import (
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    INT,
    LIST,
    MAP,
    NULL,
    OPTIONAL,
    STRING,
    TIMESTAMP,
    TYPE,
    UINT,
    Type,
)
from kubewright.apiserver.cel.errors import EvaluationError

NO_OVERLOAD: Final = "no such overload"


class UInt(int):
    """An unsigned 64-bit integer; it equals an int of the same value, as CEL requires."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, order=True)
class Timestamp:
    """A timestamp, in nanoseconds since 1970 in UTC."""

    nanos: int


@dataclass(frozen=True, slots=True, order=True)
class Duration:
    """A duration in nanoseconds."""

    nanos: int


class Optional:
    """A value that may be missing; `NONE` is the missing one."""

    __slots__ = ("present", "value")

    def __init__(self, value: Any, *, present: bool = True) -> None:
        self.value: Any = value
        self.present: bool = present

    def get(self) -> Any:
        """Return the value.

        Raises:
            EvaluationError: There is none.
        """
        if not self.present:
            raise EvaluationError("optional.none() dereference")
        return self.value


NONE: Final = Optional(None, present=False)


class SetList(list[Any]):
    """A list whose order does not matter: ``x-kubernetes-list-type: set``."""

    __slots__ = ()


class MapList(list[Any]):
    """A list of objects identified by *keys*: ``x-kubernetes-list-type: map``."""

    __slots__ = ("keys",)

    def __init__(self, items: Iterable[Any], keys: tuple[str, ...]) -> None:
        super().__init__(items)
        self.keys: tuple[str, ...] = keys

    def key_of(self, item: Any) -> tuple[Any, ...]:
        """Return the key values of *item*."""
        if not isinstance(item, dict):
            raise EvaluationError(NO_OVERLOAD)
        return tuple(map_key(item.get(key)) for key in self.keys)


class _BoolKey:
    """A bool as a map key: in Python, True and 1 are the same key."""

    __slots__ = ("value",)

    def __init__(self, value: bool) -> None:
        self.value = value


_TRUE: Final = _BoolKey(True)
_FALSE: Final = _BoolKey(False)

TYPES: Final[dict[type, Type]] = {
    bool: BOOL,
    int: INT,
    UInt: UINT,
    float: DOUBLE,
    str: STRING,
    bytes: BYTES,
    type(None): NULL,
    list: LIST,
    SetList: LIST,
    MapList: LIST,
    dict: MAP,
    Timestamp: TIMESTAMP,
    Duration: DURATION,
    Optional: OPTIONAL,
    Type: TYPE,
}
"""The CEL type of each Python type; libraries add their own."""

NUMBERS: Final = frozenset({int, UInt, float})
_LISTS: Final = frozenset({list, SetList, MapList})


def map_key(value: Any) -> Any:
    """Return *value* as a key of the dict that represents a map."""
    if value is True:
        return _TRUE
    return _FALSE if value is False else value


def key_value(key: Any) -> Any:
    """Return the value that `map_key` turned into a key."""
    return key.value if type(key) is _BoolKey else key


def is_list(value: Any) -> bool:
    """Return whether *value* is a list to CEL."""
    return type(value) in _LISTS


def runtime_type(value: Any) -> Type:
    """Return ``type(value)``."""
    found = TYPES.get(type(value))
    if found is None:
        raise EvaluationError(f"unsupported type {type(value).__name__}")
    return found


def equal(left: Any, right: Any) -> bool:
    """Return whether two values are equal; numbers compare by value, other types must agree."""
    kind, other = type(left), type(right)
    if kind is other:
        if kind in _LISTS:
            return _equal_lists(left, right)
        if kind is dict:
            return _equal_maps(left, right)
        if kind is Optional:
            return _equal_optionals(left, right)
        return bool(left == right) if kind is not Type else left.name == right.name
    if kind in NUMBERS and other in NUMBERS:
        mixed = (kind is float) != (other is float)
        return float(left) == float(right) if mixed else bool(left == right)
    return kind in _LISTS and other in _LISTS and _equal_lists(left, right)


def _equal_lists(left: list[Any], right: list[Any]) -> bool:
    if len(left) != len(right):
        return False
    if type(left) is SetList:
        return all(contains(left, item) for item in right) and all(
            contains(right, item) for item in left
        )
    if type(left) is MapList:
        return _equal_map_lists(left, right)
    return all(equal(a, b) for a, b in zip(left, right, strict=True))


def _equal_map_lists(left: MapList, right: list[Any]) -> bool:
    known = {left.key_of(item): item for item in left}
    others = {left.key_of(item): item for item in right}
    return known.keys() == others.keys() and all(
        equal(item, others[key]) for key, item in known.items()
    )


def _equal_maps(left: dict[Any, Any], right: dict[Any, Any]) -> bool:
    if len(left) != len(right):
        return False
    return all(key in right and equal(value, right[key]) for key, value in left.items())


def _equal_optionals(left: Optional, right: Optional) -> bool:
    if left.present != right.present:
        return False
    return not left.present or equal(left.value, right.value)


def contains(items: list[Any], wanted: Any) -> bool:
    """Return whether a list holds a value."""
    if type(wanted) is str:
        return wanted in items  # only strings equal strings, so Python's answer is right
    return any(equal(item, wanted) for item in items)


def size(value: Any) -> int:
    """Return ``size(value)``.

    Raises:
        EvaluationError: It has no size.
    """
    if type(value) in {str, bytes, list, dict, SetList, MapList}:
        return len(value)
    raise EvaluationError(f"{NO_OVERLOAD}: size")


def is_zero(value: Any) -> bool:
    """Return whether *value* is the zero value of its type, for ``optional.ofNonZeroValue``."""
    if isinstance(value, Timestamp):
        return value.nanos == -62_135_596_800 * 10**9  # Go's zero time
    if isinstance(value, Duration):
        return not value.nanos
    if isinstance(value, Optional):
        return not value.present or is_zero(value.value)
    return not value if type(value) in TYPES and not isinstance(value, Type) else False
