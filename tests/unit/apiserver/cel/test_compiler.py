"""Programs: constants once, variables in their places."""

import pytest

from kubewright.apiserver.cel import CompileError, celtype, compile_rule
from tests.unit.apiserver.cel.evaluating import result


def test_constants_cost_nothing_and_variables_are_read_each_time() -> None:
    """A program is made once and run for every object."""
    program = compile_rule("x in [1, 2, 3]", {"x": celtype.INT})

    assert [program.evaluate({"x": x}) for x in (1, 4, 3)] == [True, False, True]


def test_names_inside_a_loop_hide_those_outside() -> None:
    """The outer names are visible again after the loop."""
    assert result("[1].map(x, x + 1) == [2] && x == 5", x=5) is True
    with pytest.raises(CompileError, match="undeclared reference to 'i'"):
        compile_rule("[1].all(i, true) && i == 1", {})


def test_types_are_values() -> None:
    """Types can be compared like any value."""
    assert result("type(x) == int && type(type(x)) == type", x=1) is True
    assert result("x ? 1 : 1 / 0", x=True) == 1
