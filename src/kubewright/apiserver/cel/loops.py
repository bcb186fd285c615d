"""Comprehensions as Python loops, one for each kind of macro.

The server charges for evaluating the condition and the accumulator. The loops here need neither,
and charge the same.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from typing import Any, Final

from kubewright.apiserver.cel.cost import over_limit
from kubewright.apiserver.cel.errors import CostLimitError, EvaluationError
from kubewright.apiserver.cel.operators import no_overload, shown_key
from kubewright.apiserver.cel.values import key_value, map_key

Frame = list[Any]
"""The state of an evaluation: its cost so far, its limit, then the variables."""
Run = Callable[[Frame], Any]
Pairs = Callable[[Any], Iterable[tuple[Any, Any]]]

COST: Final = 0
LIMIT: Final = 1
_GO_TYPES: Final = {bool: "Bool", int: "Int", str: "String", float: "Double", bytes: "Bytes"}


def _not_iterable(value: Any) -> EvaluationError:
    name = _GO_TYPES.get(type(value), type(value).__name__)
    return EvaluationError(f"got 'types.{name}', expected iterable type")


def single(value: Any) -> Sequence[tuple[Any, Any]] | Iterable[tuple[Any, Any]]:
    """Return the pairs that a loop with one variable iterates: items, or keys of a map."""
    if isinstance(value, list):
        return zip(value, repeat(None))
    if isinstance(value, dict):
        return ((key_value(key), None) for key in value)
    raise _not_iterable(value)


def double(value: Any) -> Iterable[tuple[Any, Any]]:
    """Return the pairs that a loop with two variables iterates."""
    if isinstance(value, list):
        return enumerate(value)
    if isinstance(value, dict):
        return ((key_value(key), item) for key, item in value.items())
    raise _not_iterable(value)


def quantified(over: Run, pairs: Pairs, slots: tuple[int, int], test: Run, *, until: bool) -> Run:
    """``all`` runs *until* a false result, ``exists`` until a true one, which overrides errors."""
    first, second = slots
    condition = 3 if until else 2

    def run(frame: Frame) -> bool:
        error: EvaluationError | None = None
        decided = False
        for one, two in pairs(over(frame)):
            frame[first], frame[second] = one, two
            frame[COST] += condition
            if decided:
                break
            frame[COST] += 1
            if frame[COST] > frame[LIMIT]:
                raise over_limit()
            try:
                found = test(frame)
            except CostLimitError:
                raise
            except EvaluationError as problem:
                error = error or problem
                continue
            if found is until:
                decided = True
            elif found is not (not until):
                error = error or EvaluationError("no such overload")
        frame[COST] += 1
        if error is not None and not decided:
            raise error
        return until if decided else not until

    return run


def counted(over: Run, pairs: Pairs, slots: tuple[int, int], test: Run) -> Run:
    """``exists_one``."""
    first, second = slots

    def run(frame: Frame) -> bool:
        count = 0
        for one, two in pairs(over(frame)):
            frame[first], frame[second] = one, two
            found = test(frame)
            if found is True:
                count += 1
                frame[COST] += 2
            elif found is not False:
                no_overload()
            if frame[COST] > frame[LIMIT]:
                raise over_limit()
        frame[COST] += 2
        return count == 1

    return run


def _chosen(test: Run | None, frame: Frame) -> bool:
    if test is None:
        return True
    found = test(frame)
    return found if found is True or found is False else bool(no_overload())


def listed(  # the parts of a loop
    over: Run, pairs: Pairs, slots: tuple[int, int], test: Run | None, item: Run, *, cost: int
) -> Run:
    """``map``, ``filter`` and ``transformList``; *cost* is the cost of appending one item."""
    first, second = slots

    def run(frame: Frame) -> list[Any]:
        result: list[Any] = []
        for one, two in pairs(over(frame)):
            frame[first], frame[second] = one, two
            if _chosen(test, frame):
                result.append(item(frame))
                frame[COST] += cost
            if frame[COST] > frame[LIMIT]:
                raise over_limit()
        frame[COST] += 1
        return result

    return run


def mapped(  # the parts of a loop
    over: Run, pairs: Pairs, slots: tuple[int, int], test: Run | None, key: Run | None, item: Run
) -> Run:
    """``transformMap``, and ``transformMapEntry`` when there is no *key*."""
    first, second = slots

    def run(frame: Frame) -> dict[Any, Any]:
        result: dict[Any, Any] = {}
        for one, two in pairs(over(frame)):
            frame[first], frame[second] = one, two
            if _chosen(test, frame):
                frame[COST] += 2
                name = key(frame) if key is not None else None
                found = item(frame)
                _insert(result, found if key is None else {map_key(name): found})
            if frame[COST] > frame[LIMIT]:
                raise over_limit()
        frame[COST] += 1
        return result

    return run


def _insert(result: dict[Any, Any], added: Any) -> None:
    if type(added) is not dict:
        no_overload()
    for key, value in added.items():
        if key in result:
            shown = shown_key(key_value(key))
            raise EvaluationError(f"insert failed: key {shown} already exists")
        result[key] = value
