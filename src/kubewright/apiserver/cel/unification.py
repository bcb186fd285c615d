"""Unifies types: which type is assignable to which, and what type parameters are bound to."""

from collections.abc import Sequence
from dataclasses import replace

from kubewright.apiserver.cel.celtype import DYN, Type

_NULLABLE = frozenset({"opaque", "object", "duration", "timestamp"})
_NESTED = frozenset({"opaque", "list", "map"})

Bindings = dict[str, Type]
"""The types that type parameters are bound to, by name."""


def assignable(bindings: Bindings, left: Sequence[Type], right: Sequence[Type]) -> Bindings | None:
    """Return bindings with which each type of *left* is assignable to *right*, or ``None``."""
    if len(left) != len(right):
        return None
    trial = dict(bindings)
    return trial if all(_fits(trial, a, b) for a, b in zip(left, right, strict=True)) else None


def _fits(bindings: Bindings, left: Type, right: Type) -> bool:  # noqa: PLR0911  # one answer for each kind
    if right.kind == "param":
        valid, bound = _binds(bindings, left, right)
        if valid or bound:
            return valid
    if left.kind == "param":
        return _binds(bindings, right, left)[0]
    if left.is_wild() or right.is_wild():
        return True
    if left.kind == "null" or right.kind == "null":
        other = right if left.kind == "null" else left
        return other.kind in _NULLABLE or other.kind == "null"
    if left.kind == "type":
        return right.kind == "type"
    if left.kind not in _NESTED:
        return left == right
    same = left.kind == right.kind and left.name == right.name
    return same and _fit_all(bindings, left.params, right.params)


def _fit_all(bindings: Bindings, left: Sequence[Type], right: Sequence[Type]) -> bool:
    return len(left) == len(right) and all(
        _fits(bindings, a, b) for a, b in zip(left, right, strict=True)
    )


def _binds(bindings: Bindings, wanted: Type, parameter: Type) -> tuple[bool, bool]:
    """Return whether *parameter* can be bound to *wanted*, and whether it was bound before."""
    if wanted == parameter:
        return True, True
    known = bindings.get(parameter.name)
    if known is None:
        if _mentions(bindings, parameter, wanted):
            return False, False
        bindings[parameter.name] = wanted
        return True, False
    if wanted == known:
        return True, True
    if not _fits(bindings, wanted, known):
        return False, True
    general = more_general(wanted, known)
    if not _mentions(bindings, parameter, general):
        bindings[parameter.name] = general
    return True, True


def _mentions(bindings: Bindings, parameter: Type, within: Type) -> bool:
    if within == parameter:
        return True
    if within.kind == "param":
        known = bindings.get(within.name)
        return known is not None and _mentions(bindings, parameter, known)
    return any(_mentions(bindings, parameter, each) for each in within.params)


def more_general(left: Type, right: Type) -> Type:
    """Return the more general of two compatible types."""
    return left if _is_equal_or_vaguer(left, right) else right


def _is_equal_or_vaguer(left: Type, right: Type) -> bool:
    if left.is_wild() or left.kind == "param":
        return left.kind != "error"
    if right.kind in {"dyn", "param"}:
        return False
    if left.kind != right.kind:
        return False
    if left.kind == "type":
        return True
    if left.kind not in _NESTED:
        return left == right
    return (
        left.name == right.name
        and len(left.params) == len(right.params)
        and all(map(_is_equal_or_vaguer, left.params, right.params))
    )


def substitute(bindings: Bindings, found: Type, *, free_to_dyn: bool = False) -> Type:
    """Return a type with its bound type parameters replaced."""
    if found.kind == "param":
        known = bindings.get(found.name)
        if known is not None:
            return substitute(bindings, known, free_to_dyn=free_to_dyn)
        return DYN if free_to_dyn else found
    if not found.params:
        return found
    params = tuple(substitute(bindings, each, free_to_dyn=free_to_dyn) for each in found.params)
    # A type keeps what its schema declares.
    unchanged = all(a is b for a, b in zip(params, found.params, strict=True))
    return found if unchanged else replace(found, params=params)
