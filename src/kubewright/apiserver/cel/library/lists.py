"""Functions of lists: Kubernetes' own, and those of CEL's list extension."""

from collections.abc import Callable
from functools import cmp_to_key
from itertools import pairwise
from typing import Any, Final

from kubewright.apiserver.cel.declarations import Overload, declare
from kubewright.apiserver.cel.errors import EvaluationError
from kubewright.apiserver.cel.operators import add, compare, no_overload
from kubewright.apiserver.cel.values import Duration, UInt, contains, equal, is_list

_COMPARABLE: Final = (
    *("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"),
)
_ZEROS: Final[dict[str, Any]] = {
    "int": 0,
    "uint": UInt(0),
    "double": 0.0,
    "duration": Duration(0),
}
_LONGEST_RANGE: Final = 10_000_000  # far beyond what any budget allows


def _is_sorted(items: list[Any]) -> bool:
    return all(compare(a, b) <= 0 for a, b in pairwise(items))


def _sum(zero: Any) -> Callable[[list[Any]], Any]:
    def total(items: list[Any]) -> Any:
        result = zero
        for item in items:
            result = add(result, item)
        return result

    return total


def _extreme(name: str, sign: int) -> Callable[[list[Any]], Any]:
    def extreme(items: list[Any]) -> Any:
        if not items:
            raise EvaluationError(f"{name} called on empty list")
        best = items[0]
        for item in items[1:]:
            if compare(item, best) * sign > 0:
                best = item
        return best

    return extreme


def _index_of(items: list[Any], wanted: Any) -> int:
    return next((i for i, item in enumerate(items) if equal(item, wanted)), -1)


def _last_index_of(items: list[Any], wanted: Any) -> int:
    last = len(items) - 1
    return next((last - i for i, item in enumerate(reversed(items)) if equal(item, wanted)), -1)


def _includes(target: Any, wanted: Any) -> bool:
    return contains(target, wanted) if is_list(target) else equal(target, wanted)


def _slice(items: list[Any], start: int, end: int) -> list[Any]:
    problem = ""
    if start < 0 or end < 0:
        problem = "negative indexes not supported"
    elif start > end:
        problem = "start index must be less than or equal to end index"
    elif len(items) < end:
        problem = f"list is length {len(items)}"
    if problem:
        raise EvaluationError(f"cannot slice({start}, {end}), {problem}")
    return list(items[start:end])


def _flatten(items: Any, depth: int = 1) -> list[Any]:
    if not is_list(items) or type(depth) is not int:
        no_overload()
    if depth < 0:
        raise EvaluationError("level must be non-negative")
    flat: list[Any] = []
    for item in items:
        if depth and is_list(item):
            flat.extend(_flatten(item, depth - 1))
        else:
            flat.append(item)
    return flat


def _sort(items: list[Any]) -> list[Any]:
    return _sort_by(items, items)


def _sort_by(items: list[Any], keys: list[Any]) -> list[Any]:
    if len(items) != len(keys):
        raise EvaluationError(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys"
            f" list, but got {len(items)} and {len(keys)} elements respectively"
        )
    if any(type(key) is not type(keys[0]) for key in keys):
        raise EvaluationError("list elements must have the same type")
    order = cmp_to_key(compare)
    places = sorted(range(len(items)), key=lambda place: order(keys[place]))
    return [items[place] for place in places]


def _range(count: int) -> list[int]:
    if count > _LONGEST_RANGE:
        raise EvaluationError("operation cancelled: actual cost limit exceeded")
    return list(range(count))


def _distinct(items: list[Any]) -> list[Any]:
    unique: list[Any] = []
    for item in items:
        if not contains(unique, item):
            unique.append(item)
    return unique


def _each(pattern: str, signature: str, body: Callable[..., Any]) -> list[Overload]:
    return [Overload(pattern.format(t), signature.format(t), body) for t in _COMPARABLE]


declare(
    {
        "isSorted": _each("list_{0}_is_sorted_bool", "list({0}).() -> bool", _is_sorted),
        "sum": [
            Overload(f"list_{t}_sum_{t}", f"list({t}).() -> {t}", _sum(zero))
            for t, zero in _ZEROS.items()
        ],
        "max": _each("list_{0}_max_{0}", "list({0}).() -> {0}", _extreme("max", 1)),
        "min": _each("list_{0}_min_{0}", "list({0}).() -> {0}", _extreme("min", -1)),
        "indexOf": [Overload("list_a_index_of_int", "list(A).(A) -> int", _index_of)],
        "lastIndexOf": [Overload("list_a_last_index_of_int", "list(A).(A) -> int", _last_index_of)],
        "includes": [Overload("list_includes_dyn_dyn", "dyn.(dyn) -> bool", _includes)],
        "slice": [Overload("list_slice", "list(T).(int, int) -> list(T)", _slice)],
        "flatten": [
            Overload("list_flatten", "list(list(T)).() -> list(T)", _flatten),
            Overload("list_flatten_int", "list(dyn).(int) -> list(dyn)", _flatten),
        ],
        "sort": _each("list_{0}_sort", "list({0}).() -> list({0})", _sort),
        "@sortByAssociatedKeys": _each(
            "list_{0}_sortByAssociatedKeys", "list(T).(list({0})) -> list(T)", _sort_by
        ),
        "lists.range": [Overload("lists_range", "(int) -> list(int)", _range)],
        "reverse": [
            Overload("list_reverse", "list(T).() -> list(T)", lambda items: list(reversed(items)))
        ],
        "distinct": [Overload("list_distinct", "list(T).() -> list(T)", _distinct)],
    }
)
