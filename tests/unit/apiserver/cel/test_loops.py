"""Loops: what they go through, and where they stop."""

from typing import Any

import pytest

from kubewright.apiserver.cel import CostLimitError
from kubewright.apiserver.cel.errors import EvaluationError
from kubewright.apiserver.cel.loops import double, single
from tests.unit.apiserver.cel.evaluating import problem, result


def test_lists_give_items_and_maps_give_keys() -> None:
    """A loop with two variables also gets the index or the value."""
    assert [one for one, _ in single([5, 6])] == [5, 6]
    assert [one for one, _ in single({"a": 1})] == ["a"]
    assert list(double([5])) == [(0, 5)]
    assert list(double({"a": 1})) == [("a", 1)]
    with pytest.raises(EvaluationError, match=r"got 'types\.Int', expected iterable type"):
        single(1)


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("l.all(i, i > 0)", True),
        ("l.exists(i, 1 / (i - 1) > 0)", True),
        ("l.exists_one(i, i > 2)", True),
        ("l.map(i, i > 1, i * 2)", [4, 6]),
        ("l.filter(i, i != 2)", [1, 3]),
        ("l.transformMap(i, v, v)", {0: 1, 1: 2, 2: 3}),
        ("[].all(i, false)", True),
        ("[].exists(i, true)", False),
    ],
)
def test_loops_come_to_what_they_should(source: str, value: Any) -> None:
    """An error is outvoted by one that decides."""
    assert result(source, l=[1, 2, 3]) == value


def test_errors_and_limits_end_a_loop() -> None:
    """A rule must not run forever."""
    assert "division by zero" in problem("l.all(i, 1 / (i - 1) >= 0)", l=[1, 2, 3])
    with pytest.raises(CostLimitError):
        result("l.all(a, l.all(b, l.all(c, true)))", l=list(range(200)))
