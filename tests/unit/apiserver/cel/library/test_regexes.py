"""Finding by pattern."""

from typing import Any

import pytest

from tests.unit.apiserver.cel.evaluating import problem, result


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("'abc 123'.find('[0-9]+')", "123"),
        ("'abc'.find('[0-9]+')", ""),
        ("'1 2 3'.findAll('[0-9]')", ["1", "2", "3"]),
        ("'1 2 3'.findAll('[0-9]', 2)", ["1", "2"]),
        ("'1 2'.findAll('[0-9]', 0)", []),
        ("'1 2'.findAll('[0-9]', -1)", ["1", "2"]),
    ],
)
def test_what_matches_is_found(source: str, value: Any) -> None:
    """Up to a number, or all."""
    assert result(source) == value


def test_a_broken_pattern_is_an_error() -> None:
    """When it is only known at run time."""
    assert "error parsing regexp" in problem("'a'.find(p)", p="(")
