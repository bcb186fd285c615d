"""Label selectors that cannot be read."""

import pytest

from kubewright.apiserver.meta.selector_problem import label_selector_problem

PREFIX = "unable to parse requirement: "


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("l in (", f"{PREFIX}found '', expected: ',', ')' or identifier"),
        ("a b", f"{PREFIX}found 'b', expected: in, notin, =, ==, !=, gt, lt"),
        ("l=1,", "found '', expected: identifier after ','"),
        ("l in", f"{PREFIX}found '' expected: '('"),
        ("l in (1 2)", f"{PREFIX}found '2', expected: ',' or ')'"),
        ("l in (1,=)", f"{PREFIX}found '=', expected: ',', or identifier"),
        ("!l b", "found 'b', expected: ',' or 'end of string'"),
        ("(", "found '(', expected: !, identifier, or 'end of string'"),
        ("!", f"{PREFIX}found '', expected: identifier"),
        ("l = = 1", f"{PREFIX}found '=', expected: identifier"),
    ],
)
def test_a_problem_is_told_as_kubernetes_does(text: str, problem: str) -> None:
    """Which token was found, and what could have stood there."""
    assert label_selector_problem(text) == problem


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("_=1", f'{PREFIX}<nil>: Invalid value: "_": name part must consist of'),
        ("l=é", f'{PREFIX}values[0]: Invalid value: "é": a valid label must be an empty string'),
        ("l>a", f"{PREFIX}values[0]: Invalid value: \"a\": for 'Gt', 'Lt' operators, the value"),
        ("l in (_,-)", f'{PREFIX}[values[0]: Invalid value: "-": a valid label'),
    ],
)
def test_keys_and_values_are_checked(text: str, start: str) -> None:
    """As labels are, with the place of the value."""
    assert label_selector_problem(text).startswith(start)


@pytest.mark.parametrize("text", ["", "l", "!l", "l=", "l in (,)", "l in ()", "in in (in)", "l>1"])
def test_nothing_is_wrong_with_a_good_selector(text: str) -> None:
    """Empty values are values."""
    assert not label_selector_problem(text)
