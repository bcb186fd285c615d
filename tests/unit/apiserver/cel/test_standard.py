"""Functions that every CEL has."""

from typing import Any

import pytest

from tests.unit.apiserver.cel.evaluating import problem, result


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("size('é') + size([1]) + size({'a': 1})", 3),
        ("'abc'.contains('b') && 'abc'.startsWith('a') && 'abc'.endsWith('c')", True),
        ("'abc'.matches('^a.c$')", True),
        ("timestamp('2020-02-03T04:05:06Z').getFullYear()", 2020),
        ("timestamp('2020-02-03T04:05:06Z').getMonth()", 1),
        ("duration('90m').getHours()", 1),
        ("optional.of(1).hasValue()", True),
        ("optional.ofNonZeroValue(0).hasValue()", False),
        ("[1, 2].first().value() + [1, 2].last().value()", 3),
        ("dyn(1) == 1", True),
    ],
)
def test_they_come_to_what_the_server_says(source: str, value: Any) -> None:
    """There is one example for each function and operator."""
    assert result(source) == value


@pytest.mark.parametrize("source", ["size(x)", "x.contains('a')", "x.matches('a')", "-x", "!x"])
def test_a_value_of_another_kind_is_no_overload(source: str) -> None:
    """Its type is only known when it is there."""
    assert "no such overload" in problem(source, x=None)
