"""Estimates the cost of calls from the sizes of their arguments, as Kubernetes does."""

from collections.abc import Callable
from typing import Final, NamedTuple

from kubewright.apiserver.cel.bounds import MOST, NOTHING, ONE, UNKNOWN, Bounds, exactly
from kubewright.apiserver.cel.celtype import Type
from kubewright.apiserver.cel.cost import CHECK_COST, LIST_COST, REGEX_FACTOR, STRING_FACTOR
from kubewright.apiserver.cel.expression import Expression, Literal


class Argument(NamedTuple):
    """An argument of a call; *size* and *item_size* are ``None`` if unknown."""

    node: Expression
    size: Bounds
    item: Type | None = None
    item_size: Bounds = UNKNOWN

    @property
    def type(self) -> Type:
        """The type that the checker found."""
        return self.node.type


class Estimate(NamedTuple):
    """The cost of a call, and the size of its result if known."""

    cost: Bounds
    size: Bounds | None = None


Estimator = Callable[[Argument | None, list[Argument]], Estimate | None]
"""Estimates a call from its target and arguments; returns ``None`` if it cannot."""


def _fixed(cost: int) -> Estimator:
    return lambda _target, _args: Estimate(exactly(cost))


def _number(argument: Argument, otherwise: int) -> int:
    value = argument.node.value if isinstance(argument.node, Literal) else None
    return max(value, 0) if type(value) is int else otherwise


def _selector(_target: Argument | None, args: list[Argument]) -> Estimate | None:
    if len(args) != 1:
        return None
    size = args[0].size
    requirements = size.scaled(0.5).scaled(50)
    return Estimate(exactly(LIST_COST).plus(size.scaled(STRING_FACTOR)).plus(requirements))


def _traversal(target: Argument | None, _args: list[Argument]) -> Estimate | None:
    if target is None:
        return None
    if target.item is None:
        return Estimate(target.size.scaled(STRING_FACTOR))
    each = ONE
    if target.item.kind in {"string", "bytes"}:
        each = each.plus(target.item_size.scaled(STRING_FACTOR))
    return Estimate(target.size.times(each))


def _includes(target: Argument | None, args: list[Argument]) -> Estimate | None:
    if target is not None and target.item is None:
        return Estimate(target.size)
    return _traversal(target, args)


def _first(factor: float, *, sized: bool = False) -> Estimator:
    def estimate(_target: Argument | None, args: list[Argument]) -> Estimate | None:
        if not args:
            return None
        return Estimate(args[0].size.scaled(factor), args[0].size if sized else None)

    return estimate


def _transformed(target: Argument | None, _args: list[Argument]) -> Estimate | None:
    return Estimate(target.size.scaled(STRING_FACTOR), target.size) if target else None


def _replace(target: Argument | None, args: list[Argument]) -> Estimate | None:
    if target is None or len(args) < 2:  # noqa: PLR2004  # what to replace, and by what
        return None
    size, old, new = target.size, args[0].size, args[1].size
    most, kept_most = _replaced(size.high, old.low, longer=new.high > old.low)
    least, kept_least = _replaced(size.low, old.high, longer=old.high > new.low)
    result = Bounds(least, most).times(new).plus(Bounds(kept_least, kept_most))
    return Estimate(size.scaled(2 * STRING_FACTOR), result)


def _replaced(size: int, old: int, *, longer: bool) -> tuple[int, int]:
    """Return how often a text is replaced, and how much of the rest remains."""
    if old == 0:
        return min(size + 1, MOST), size
    return (-(-size // old), 0) if longer else (0, size)


def _split(target: Argument | None, args: list[Argument]) -> Estimate | None:
    if target is None:
        return None
    most = target.size.high
    if len(args) > 1 and isinstance(args[1].node, Literal):
        most = args[1].node.value % 2**64
    return Estimate(target.size.scaled(2 * STRING_FACTOR), Bounds(0, most))


def _join(target: Argument | None, args: list[Argument]) -> Estimate | None:
    if target is None:
        return None
    size = target.size.times(target.item_size) if target.item else NOTHING
    if args:
        separators = Bounds(max(target.size.low - 1, 0), max(target.size.high - 1, 0))
        size = size.plus(args[0].size.times(separators))
    return Estimate(size.scaled(STRING_FACTOR), size)


def _regex(text: Bounds, pattern: Bounds) -> Bounds:
    return text.plus(ONE).scaled(STRING_FACTOR).times(pattern.scaled(REGEX_FACTOR))


def _find(target: Argument | None, args: list[Argument]) -> Estimate | None:
    if target is None or not args:
        return None
    return Estimate(_regex(target.size, args[0].size), Bounds(0, target.size.high))


_ADDRESS: Final = Bounds(4, 16)


def _contains(extra: Bounds) -> Estimator:
    def estimate(_target: Argument | None, args: list[Argument]) -> Estimate | None:
        if not args:
            return None
        cost = _ADDRESS.plus(_ADDRESS).scaled(STRING_FACTOR).plus(extra)
        if args[0].type.kind == "string":
            cost = cost.plus(args[0].size.scaled(STRING_FACTOR))
        return Estimate(cost)

    return estimate


def _validate(_target: Argument | None, args: list[Argument]) -> Estimate | None:
    return Estimate(args[0].size.scaled(STRING_FACTOR).scaled(128 * REGEX_FACTOR))


_BY_FUNCTION: Final[dict[str, Estimator]] = {
    "check": _fixed(CHECK_COST),
    "fieldSelector": _selector,
    "labelSelector": _selector,
    **dict.fromkeys(("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"), _traversal),
    "includes": _includes,
    "url": _first(STRING_FACTOR, sized=True),
    **dict.fromkeys(("lowerAscii", "upperAscii", "substring", "trim"), _transformed),
    "replace": _replace,
    "split": _split,
    "join": _join,
    "find": _find,
    "findAll": _find,
    **dict.fromkeys(
        ("cidr", "isIP", "isCIDR", "quantity", "isQuantity", "semver", "isSemver", "ip"),
        _first(STRING_FACTOR),
    ),
    "ip.isCanonical": _first(2 * STRING_FACTOR),
    "containsIP": _contains(NOTHING),
    "containsCIDR": _contains(_ADDRESS.scaled(STRING_FACTOR).plus(ONE)),
    "validate": _validate,
}


def _allocated(size: Bounds, factor: float, result: Bounds | None = None) -> Estimate:
    cost = size.scaled(factor).plus(exactly(1 + LIST_COST))
    return Estimate(cost, size if result is None else result)


def _slice(target: Argument | None, args: list[Argument]) -> Estimate | None:
    if target is None:
        return None
    start = _number(args[0], 0)
    end = _number(args[1], target.size.high)
    return _allocated(exactly((end - start) % 2**64), 1)


def _range(_target: Argument | None, args: list[Argument]) -> Estimate | None:
    return _allocated(exactly(_number(args[0], MOST)), 1)


def _flatten(target: Argument | None, args: list[Argument]) -> Estimate | None:
    depth = _number(args[0], MOST) if args else 1
    return _allocated(target.size, depth) if target else None


def _reverse(target: Argument | None, _args: list[Argument]) -> Estimate | None:
    return _allocated(target.size, 1) if target else None


def _self_compared(kind: str, *, keys: bool = False) -> Estimator:
    factor = 2 + (STRING_FACTOR if kind in {"string", "bytes"} else 0)

    def estimate(target: Argument | None, args: list[Argument]) -> Estimate | None:
        compared = args[0] if keys else target
        return _allocated(compared.size.times(compared.size), factor) if compared else None

    return estimate


def _sets(factor: int) -> Estimator:
    def estimate(_target: Argument | None, args: list[Argument]) -> Estimate | None:
        return Estimate(args[0].size.times(args[1].size).scaled(factor).plus(ONE))

    return estimate


_KINDS = ("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes")
# These overloads of CEL spell out the names of the time types.
_FULL = {"duration": "google.protobuf.Duration", "timestamp": "google.protobuf.Timestamp"}
_BY_OVERLOAD: Final[dict[str, Estimator]] = {
    "list_slice": _slice,
    "list_flatten": _flatten,
    "list_flatten_int": _flatten,
    "lists_range": _range,
    "list_reverse": _reverse,
    "list_distinct": _self_compared(""),
    **{f"list_{kind}_sort": _self_compared(kind) for kind in _KINDS},
    **{f"list_{kind}_sortByAssociatedKeys": _self_compared(kind, keys=True) for kind in _KINDS},
    "list_sets_contains_list": _sets(1),
    "list_sets_intersects_list": _sets(1),
    "list_sets_equivalent_list": _sets(2),
    "cidr_ip": _fixed(1),
}


def estimate_call(
    function: str, overload: str, *, target: Argument | None, args: list[Argument]
) -> Estimate | None:
    """Return the cost of a library call without its arguments; ``None`` for other calls."""
    estimator = _BY_OVERLOAD.get(overload) or _BY_FUNCTION.get(function)
    if estimator is not None:
        return estimator(target, args)
    if function == "_==_" and _is_opaque(args):
        return Estimate(ONE)
    return None


def _is_opaque(args: list[Argument]) -> bool:
    """Return whether a call compares two values of Kubernetes' own types."""
    first, second = (argument.type for argument in args)
    own = first.kind in {"object", "opaque"} and first.name.startswith(("kubernetes.", "net."))
    return own and first == second
