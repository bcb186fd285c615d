"""Which of two resource versions is newer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.cache.versions import is_comparable, is_newer


@given(st.integers(1, 10**30), st.integers(1, 10**30))
def test_numbers_of_any_length_are_ordered_as_numbers(one: int, other: int) -> None:
    """A version may be longer than any machine integer."""
    assert is_newer(str(one), str(other)) is (one > other)


@pytest.mark.parametrize("version", ["", "0", "012", "-1", "1.5", "abc", "²", "\u0661"])
def test_what_is_no_plain_number_cannot_be_ordered(version: str) -> None:
    """Guessing an order would hide new objects behind old ones."""
    assert not is_comparable(version)
    assert is_newer(version, "7") is None
    assert is_newer("7", version) is (None if version else True)


def test_equal_versions_are_not_newer_whatever_they_look_like() -> None:
    """Equality needs no order."""
    assert is_newer("abc", "abc") is False
    assert is_newer("7", "7") is False
