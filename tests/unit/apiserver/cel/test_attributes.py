"""Fields and items, there or not."""

from typing import Any

import pytest

from tests.unit.apiserver.cel.evaluating import problem, result

DATA: dict[str, Any] = {"a": {"b": 1, "n": None}, "l": [1, 2]}


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("d.a.b", 1),
        ("d['a']['b']", 1),
        ("d.l[1]", 2),
        ("has(d.a.b)", True),
        ("has(d.a.c)", False),
        ("d.?a.?c.orValue(5)", 5),
        ("d.l[?9].orValue(5)", 5),
        ("d.?a.b.value()", 1),
        ("d.a.n", None),
    ],
)
def test_parts_are_read(source: str, value: Any) -> None:
    """Optional fields are read with a question mark."""
    assert result(source, d=DATA) == value


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("d.x", "no such key: x"),
        ("d.l[9]", "index out of bounds: 9"),
        ("d.l['a']", ""),
        ("has(d.x.y)", "no such key: x"),
    ],
)
def test_what_is_missing_is_named(source: str, text: str) -> None:
    """The error names the missing key."""
    assert text in problem(source, d=DATA)
