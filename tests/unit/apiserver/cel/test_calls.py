"""Calls: which body, and errors that do not matter."""

from kubewright.apiserver.cel.calls import logical
from kubewright.apiserver.cel.errors import EvaluationError
from kubewright.apiserver.cel.loops import Frame
from tests.unit.apiserver.cel.evaluating import problem, result


def fails(frame: Frame) -> bool:
    raise EvaluationError("broken")


def test_a_term_that_decides_outweighs_an_error() -> None:
    """The position of the deciding term does not matter."""
    for terms in ([fails, lambda _: False], [lambda _: False, fails]):
        assert logical(list(terms), stop=False)([0, 0]) is False
        assert result("1 / x > 0 || true", x=0) is True
    assert problem("1 / x > 0 && true", x=0) == "division by zero"


def test_values_of_unknown_type_find_their_overload_when_they_are_there() -> None:
    """A dynamic value without a matching overload is an error."""
    assert result("x.indexOf(y)", x="abc", y="c") == 2
    assert result("x.indexOf(y)", x=[1, 2], y=2) == 1
    assert "no such overload" in problem("x.indexOf(y)", x=1, y=2)
