"""Doubles as text."""

import pytest

from kubewright.apiserver.cel.doubles import double_text, plain_digits, shortest_digits


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "-0"),
        (1.0, "1"),
        (100000.0, "100000"),
        (1000000.0, "1e+06"),
        (0.0001, "0.0001"),
        (0.00001, "1e-05"),
        (-1.5e300, "-1.5e+300"),
        (0.1, "0.1"),
        (float("inf"), "+Inf"),
        (float("nan"), "NaN"),
    ],
)
def test_doubles_are_written_as_go_writes_them(value: float, text: str) -> None:
    """Go writes an exponent from a million on."""
    assert double_text(value) == text


def test_digits_and_their_point_are_kept_apart() -> None:
    """All output formats use the same digits."""
    assert shortest_digits(120.5) == ("1205", 3)
    assert shortest_digits(0.0012) == ("12", -2)
    assert [plain_digits("12", point) for point in (-2, 1, 4)] == ["0.0012", "1.2", "1200"]
