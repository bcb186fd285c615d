"""What evaluations cost."""

import pytest

from kubewright.apiserver.cel.cost import Budget, BudgetError, cost_of, scaled, size_of
from kubewright.apiserver.cel.values import NONE, Optional


def test_a_budget_is_spent_and_then_exceeded() -> None:
    """All rules of one object share it."""
    budget = Budget(10)

    budget.spend(10)

    with pytest.raises(BudgetError, match="running out of cost budget"):
        budget.spend(1)


def test_sizes_are_those_that_the_server_counts() -> None:
    """Values without a size count as one."""
    assert [size_of(one) for one in ("abc", [1, 2], {"a": 1}, 5, None)] == [3, 2, 1, 1, 1]
    assert (size_of(Optional("ab")), size_of(NONE)) == (2, 1)
    assert scaled(11, 0.1) == 2


def test_a_call_costs_by_its_overload_or_one() -> None:
    """Some costs depend on the result."""
    assert cost_of("_+_", ["add_int64"]) == 1
    tracker = cost_of("contains", ["contains_string"])
    assert not isinstance(tracker, int)
    assert tracker(("x" * 100, "y" * 100), True) > tracker(("x", "y"), True)
