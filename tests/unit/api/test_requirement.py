import pytest

from kubewright.api.requirement import Operator, Requirement, parse_int64


@pytest.mark.parametrize(
    ("operator", "values"),
    [
        (Operator.IN, ()),
        (Operator.NOT_IN, ()),
        (Operator.EXISTS, ("a",)),
        (Operator.DOES_NOT_EXIST, ("a",)),
        (Operator.EQUALS, ()),
        (Operator.NOT_EQUALS, ("a", "b")),
        (Operator.GREATER_THAN, ("1", "2")),
    ],
)
def test_a_requirement_has_as_many_values_as_its_operator_takes(
    operator: Operator, values: tuple[str, ...]
) -> None:
    """The same numbers as in NewRequirement of apimachinery."""
    with pytest.raises(ValueError, match=r"takes .* not \d"):
        Requirement("key", operator, values)


def test_a_requirement_matches_alone() -> None:
    """Requirements are useful without a selector around them."""
    assert Requirement("a", Operator.GREATER_THAN, ("3",)).matches({"a": "4"})
    assert not Requirement("a", Operator.EQUALS, ("3",)).matches({"a": "4"})


@pytest.mark.parametrize(
    ("text", "number"),
    [("0", 0), ("+7", 7), ("-7", -7), ("007", 7), ("9223372036854775807", 2**63 - 1),
     ("9223372036854775808", None), ("", None), ("1_0", None), (" 1", None), ("٣", None),
     ("1.0", None), ("9" * 5000, None)],
)  # fmt: skip
def test_numbers_are_read_as_go_reads_them(text: str, number: int | None) -> None:
    """Python's int takes more than ParseInt, and would select other objects than the server."""
    assert parse_int64(text) == number


def test_two_ways_of_writing_a_requirement_are_one() -> None:
    """Values are a set, so neither their order nor a repetition makes a difference."""
    one = Requirement("a", Operator.IN, ("y", "x", "y"))

    assert one == Requirement("a", Operator.IN, ("x", "y"))
    assert str(one) == "a in (x,y)"


def test_keys_and_values_are_checked() -> None:
    """A requirement that exists is one that the server takes."""
    with pytest.raises(ValueError, match="is not a valid key"):
        Requirement("-", Operator.EXISTS)
    with pytest.raises(ValueError, match="is not a valid label value"):
        Requirement("a", Operator.IN, ("x", "y/z"))
