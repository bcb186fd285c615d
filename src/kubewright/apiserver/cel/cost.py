"""The cost of evaluation, in Kubernetes' units, and its limits."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from kubewright.apiserver.cel.errors import CostLimitError
from kubewright.apiserver.cel.values import Optional, is_list

PER_CALL_LIMIT: Final = 1_000_000
"""The cost limit of one evaluation."""
LIST_COST: Final = 10
MAP_COST: Final = 30
STRING_FACTOR: Final = 0.1
REGEX_FACTOR: Final = 0.25
CHECK_COST: Final = 350_000
"""The cost of an authorizer check."""

Tracker = Callable[[tuple[Any, ...], Any], int]
"""Returns the cost of a call, from its arguments and its result."""


class BudgetError(CostLimitError):
    """All expressions together cost too much; evaluation stops."""


@dataclass(slots=True)
class Budget:
    """The cost limits for one object: for all evaluations together, and for each."""

    limit: int = 10_000_000
    most: int = PER_CALL_LIMIT
    spent: int = 0

    def spend(self, cost: int) -> None:
        """Subtract *cost* from the budget.

        Raises:
            BudgetError: Not enough is left.
        """
        self.spent += cost
        if self.spent > self.limit:
            raise BudgetError(
                "validation failed due to running out of cost budget,"
                " no further validation rules will be run"
            )


def over_limit() -> CostLimitError:
    """Return the error for an evaluation that costs too much."""
    return CostLimitError("operation cancelled: actual cost limit exceeded")


def size_of(value: Any) -> int:
    """Return the size of a value; 1 for values without a size."""
    if isinstance(value, str | bytes | dict) or is_list(value):
        return len(value)
    if isinstance(value, Optional) and value.present:
        return size_of(value.value)
    return 1


def scaled(amount: float, factor: float) -> int:
    """Return the cost of traversing *amount* characters."""
    return math.ceil(amount * factor)


def _traversal(value: Any) -> int:
    if isinstance(value, str):
        return int(len(value.encode()) * STRING_FACTOR)
    if isinstance(value, bytes):
        return int(len(value) * STRING_FACTOR)
    if is_list(value):
        return sum(map(_traversal, value))
    if isinstance(value, dict):
        return sum(_traversal(key) + _traversal(item) for key, item in value.items())
    return 1


def _first(factor: float) -> Tracker:
    return lambda args, _: scaled(size_of(args[0]), factor)


def _smaller(args: tuple[Any, ...], _: Any) -> int:
    return scaled(min(size_of(args[0]), size_of(args[1])), STRING_FACTOR)


def _regex(args: tuple[Any, ...], _: Any) -> int:
    text = scaled(1 + size_of(args[0]), STRING_FACTOR)
    return text * scaled(size_of(args[1]), REGEX_FACTOR)


def _contained(args: tuple[Any, ...], _: Any) -> int:
    return scaled(size_of(args[0]), STRING_FACTOR) * scaled(size_of(args[1]), STRING_FACTOR)


def _selector(args: tuple[Any, ...], _: Any) -> int:
    length = size_of(args[1])
    requirements = scaled(scaled(length, 0.5), 50)
    return LIST_COST + scaled(length, STRING_FACTOR) + requirements


def _validate(args: tuple[Any, ...], _: Any) -> int:
    text = scaled(1 + size_of(args[1]), STRING_FACTOR)
    return text * scaled(args[0].regex_size, REGEX_FACTOR)


def _contains_ip(args: tuple[Any, ...], _: Any) -> int:
    other = scaled(size_of(args[1]), STRING_FACTOR) if isinstance(args[1], str) else 0
    return scaled(2, STRING_FACTOR) + other


def _contains_cidr(args: tuple[Any, ...], result: Any) -> int:
    return _contains_ip(args, result) + scaled(1, STRING_FACTOR) + 1


def _allocated(factor: float, size: float) -> int:
    return int(size * factor) + 1 + LIST_COST


def _self_compared(place: int) -> Tracker:
    def track(args: tuple[Any, ...], _: Any) -> int:
        items = args[place]
        factor = 2 + (STRING_FACTOR if items and isinstance(items[0], str | bytes) else 0)
        return _allocated(factor, len(items) ** 2)

    return track


def _sets(factor: int) -> Tracker:
    return lambda args, _: 1 + size_of(args[0]) * size_of(args[1]) * factor


_BY_FUNCTION: Final[dict[str, Tracker | int]] = {
    "check": CHECK_COST,
    "fieldSelector": _selector,
    "labelSelector": _selector,
    **dict.fromkeys(
        ("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf", "includes"),
        lambda args, _: _traversal(args[0]),
    ),
    **dict.fromkeys(
        (
            *("url", "lowerAscii", "upperAscii", "substring", "trim", "cidr", "isIP", "isCIDR"),
            *("quantity", "isQuantity", "semver", "isSemver"),
        ),
        _first(STRING_FACTOR),
    ),
    **dict.fromkeys(("replace", "split", "ip.isCanonical"), _first(2 * STRING_FACTOR)),
    "join": lambda _, result: scaled(size_of(result), 2 * STRING_FACTOR),
    "find": _regex,
    "findAll": _regex,
    "containsIP": _contains_ip,
    "containsCIDR": _contains_cidr,
    "validate": _validate,
}
_COMPARABLE = ("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes")
_BY_OVERLOAD: Final[dict[str, Tracker]] = {
    **dict.fromkeys(
        (
            *("starts_with_string", "ends_with_string", "string_to_bytes", "bytes_to_string"),
            *("strings_quote", "string_format", "string_to_ip"),
        ),
        _first(STRING_FACTOR),
    ),
    "in_list": lambda args, _: size_of(args[1]),
    **dict.fromkeys(
        (
            "equals",
            "not_equals",
            *(
                f"{relation}_{kind}"
                for relation in ("less", "greater", "less_equals", "greater_equals")
                for kind in ("string", "bytes")
            ),
        ),
        _smaller,
    ),
    **dict.fromkeys(
        ("add_string", "add_bytes"),
        lambda args, _: scaled(size_of(args[0]) + size_of(args[1]), STRING_FACTOR),
    ),
    "matches_string": _regex,
    "contains_string": _contained,
    **dict.fromkeys(
        ("list_slice", "lists_range", "list_reverse"),
        lambda _, result: _allocated(1, size_of(result)),
    ),
    "list_flatten": lambda args, _: _allocated(1, size_of(args[0])),
    "list_flatten_int": lambda args, _: _allocated(args[1], size_of(args[0])),
    "list_distinct": _self_compared(0),
    **{f"list_{kind}_sort": _self_compared(0) for kind in _COMPARABLE},
    **{f"list_{kind}_sortByAssociatedKeys": _self_compared(1) for kind in _COMPARABLE},
    "list_sets_contains_list": _sets(1),
    "list_sets_intersects_list": _sets(1),
    "list_sets_equivalent_list": _sets(2),
}


def cost_of(function: str, overloads: list[str]) -> Tracker | int:
    """Return the cost of a call, or a function that computes it after the call."""
    single = overloads[0] if len(overloads) == 1 else ""
    found = _BY_OVERLOAD.get(single)
    if found is not None:
        return found
    return 1 if single == "cidr_ip" else _BY_FUNCTION.get(function, 1)
