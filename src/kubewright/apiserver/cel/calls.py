"""Closures that call functions, with fast ones for one and two arguments."""

import operator
from collections.abc import Callable
from typing import Any, Final

from kubewright.apiserver.cel.celtype import Type
from kubewright.apiserver.cel.cost import Tracker, cost_of, over_limit
from kubewright.apiserver.cel.declarations import Overload, find_overloads
from kubewright.apiserver.cel.errors import CostLimitError, EvaluationError
from kubewright.apiserver.cel.expression import Call
from kubewright.apiserver.cel.loops import COST, LIMIT, Frame, Run
from kubewright.apiserver.cel.values import NO_OVERLOAD, runtime_type

# Their bodies check the types of their arguments themselves.
_SELF_CHECKED: Final = frozenset(
    [
        "_==_",
        "_!=_",
        "_+_",
        "_-_",
        "_*_",
        "_/_",
        "_%_",
        "_<_",
        "_<=_",
        "_>_",
        "_>=_",
        "!_",
        "-_",
        "@in",
        "size",
        "contains",
        "startsWith",
        "endsWith",
        "matches",
        "dyn",
        "type",
        "includes",
        "flatten",
    ]
)
_SCALARS: Final = frozenset({"bool", "int", "uint", "double"})


def logical(terms: list[Run], *, stop: bool) -> Run:
    """``&&`` and ``||``: a term that decides the result overrides errors in others."""

    def run(frame: Frame) -> bool:
        error: EvaluationError | None = None
        for term in terms:
            try:
                found = term(frame)
            except CostLimitError:
                raise
            except EvaluationError as problem:
                error = error or problem
                continue
            decided = found is stop
            if decided:
                return stop
            if found is not (not stop):
                error = error or EvaluationError(NO_OVERLOAD)
        if error is not None:
            raise error
        return not stop

    return run


def unary(first: Run, body: Callable[..., Any], cost: Tracker | int) -> Run:
    """Return a closure that calls *body* with one argument."""
    if isinstance(cost, int):

        def run(frame: Frame) -> Any:
            value = first(frame)
            frame[COST] += cost
            return body(value)

        return run
    return nary([first], body, cost)


def binary(first: Run, second: Run, body: Callable[..., Any], cost: Tracker | int) -> Run:
    """Return a closure that calls *body* with two arguments."""
    if isinstance(cost, int):

        def run(frame: Frame) -> Any:
            left = first(frame)
            right = second(frame)
            frame[COST] += cost
            return body(left, right)

        return run
    return nary([first, second], body, cost)


def nary(args: list[Run], body: Callable[..., Any], cost: Tracker | int) -> Run:
    """Return a closure that calls *body* with any number of arguments."""

    def run(frame: Frame) -> Any:
        values = tuple([arg(frame) for arg in args])
        if frame[COST] > frame[LIMIT]:
            raise over_limit()
        result = body(*values)
        frame[COST] += cost if isinstance(cost, int) else cost(values, result)
        return result

    return run


def body_of(node: Call) -> tuple[Callable[..., Any], Tracker | int]:
    """Return the function behind a call, and its cost."""
    overloads = find_overloads(node.function)
    assert overloads is not None
    kinds = [operand.type.kind for operand in node.operands]
    if node.function == "_==_" and kinds[0] == kinds[1] and kinds[0] in _SCALARS:
        return operator.eq, 1  # Python compares scalars as CEL does
    chosen = [each for each in overloads if each.id in node.overloads]
    cost = cost_of(node.function, node.overloads)
    if node.function in _SELF_CHECKED:
        return chosen[0].body, cost
    sure = len(chosen) == 1 and not any(_may_differ(each.type) for each in node.operands)
    return (chosen[0].body if sure else _dispatched(node.function, chosen)), cost


def _may_differ(found: Type) -> bool:
    """Return whether a value can have another type than the checker found."""
    return found.is_wild() or found.declared.nullable or any(map(_may_differ, found.params))


def _dispatched(function: str, overloads: list[Overload]) -> Callable[..., Any]:
    def call(*values: Any) -> Any:
        for overload in overloads:
            if overload.takes(values):
                return overload.body(*values)
        shown = ", ".join(runtime_type(value).name for value in values)
        raise EvaluationError(f"{NO_OVERLOAD}: {function}({shown})")

    return call
