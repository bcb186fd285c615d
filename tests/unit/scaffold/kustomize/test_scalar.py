"""What a text without quotation marks is read as, by Go's rules."""

from typing import Any

import pytest

from kubewright.scaffold.kustomize.problem import ProblemError
from kubewright.scaffold.kustomize.scalar import Scalar, resolved, scalar_of, text


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("on", "on"),
        ("true", True),
        ("~", None),
        ("0644", 420),
        ("0o17", 15),
        ("-0x1F", -31),
        ("1_000", 1000),
        ("08", 8),
        ("1e3", 1000),
        (".5", 0.5),
        ("99999999999999999999", 100000000000000000000),
        ("1e400", "1e400"),
        ("1.2.3", "1.2.3"),
        ("2020-01-01", "2020-01-01T00:00:00Z"),
        ("2020-1-1t1:2:3.50+02:00", "2020-01-01T01:02:03.5+02:00"),
        ("2020-01-01T10:00:00", "2020-01-01T10:00:00"),
        ("2020-02-30", "2020-02-30"),
    ],
)
def test_texts_are_read_as_go_reads_them(written: str, value: Any) -> None:
    """A mode 0644 that became the decimal 644 would open files to the wrong people."""
    assert Scalar(written).value == value


def test_kustomizations_are_read_by_older_rules() -> None:
    """There, ``on`` is true and a date is a text."""
    assert resolved("on", old=True) == ("bool", True)
    assert resolved("2020-01-01", old=True) == ("str", "2020-01-01")


def test_quotation_marks_keep_a_text_a_text() -> None:
    """A number that replaces ``"5"`` arrives as a text, as whoever quoted it wanted."""
    assert Scalar("5", "str", quoted=True).holding("7", "int").value == "7"
    assert text("5").value == "5"


@pytest.mark.parametrize(
    ("scalar", "why"),
    [
        (Scalar("abc", "int"), "'abc' was put where there was an integer"),
        (Scalar(".inf"), "JSON has no .inf"),
    ],
)
def test_what_json_cannot_say_is_a_problem(scalar: Scalar, why: str) -> None:
    """The server would refuse it later, with less of a hint."""
    with pytest.raises(ProblemError) as caught:
        _ = scalar.value

    assert str(caught.value) == why


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (5, "5"),
        (1_000_000, "1e+06"),
        (1234567.5, "1.2345675e+06"),
        (0.00001, "1e-05"),
        (1.5, "1.5"),
        (0, "0"),
        (True, "true"),
        (None, "null"),
    ],
)
def test_numbers_after_a_json_patch_are_written_as_go_writes_them(value: Any, written: str) -> None:
    """A replacement that copies one into a text copies exactly this."""
    assert scalar_of(value).text == written
