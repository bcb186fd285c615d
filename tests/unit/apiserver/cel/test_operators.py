"""Operators: overflow, division, order."""

from typing import Any

import pytest

from kubewright.apiserver.cel import operators
from kubewright.apiserver.cel.errors import EvaluationError
from kubewright.apiserver.cel.values import Duration, Timestamp, UInt

MOST = 2**63 - 1


@pytest.mark.parametrize(
    ("operator", "left", "right", "value"),
    [
        ("add", 1, 2, 3),
        ("add", "a", "b", "ab"),
        ("add", [1], [2], [1, 2]),
        ("add", Timestamp(5), Duration(3), Timestamp(8)),
        ("subtract", Timestamp(5), Timestamp(3), Duration(2)),
        ("multiply", 1.5, 2.0, 3.0),
        ("divide", -7, 2, -3),
        ("modulo", -7, 2, -1),
        ("divide", 1.0, 0.0, float("inf")),
        ("less", 1, 1.5, True),
        ("greater_equal", UInt(2), 2, True),
        ("is_in", 1, {1: 2}, True),
        ("is_in", "a", ["b"], False),
        ("index", [1, 2], 1.0, 2),
        ("index", {"a": 1}, "a", 1),
    ],
)
def test_operators_calculate_as_go_does(operator: str, left: Any, right: Any, value: Any) -> None:
    """Integer division rounds towards zero."""
    assert getattr(operators, operator)(left, right) == value


@pytest.mark.parametrize(
    ("operator", "args"),
    [
        ("add", (MOST, 1)),
        ("subtract", (-MOST, 2)),
        ("multiply", (MOST, 2)),
        ("subtract", (UInt(0), UInt(1))),
        ("divide", (1, 0)),
        ("divide", (-MOST - 1, -1)),
        ("modulo", (1, 0)),
        ("negate", (-MOST - 1,)),
        ("add", (1, "a")),
        ("logical_not", (1,)),
        ("compare", (1, "a")),
        ("index", ([1], 1)),
        ("index", ([1], -1)),
        ("index", ({}, "a")),
        ("list_index", ("a",)),
    ],
)
def test_what_cannot_be_calculated_is_an_error(operator: str, args: tuple[Any, ...]) -> None:
    """Numbers must not wrap around, and Python's errors must not leak."""
    with pytest.raises(EvaluationError):
        getattr(operators, operator)(*args)
