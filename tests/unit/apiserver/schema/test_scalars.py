"""Single values."""

from typing import Any

import pytest

from kubewright.apiserver.schema import scalars
from kubewright.apiserver.schema.mismatch import MismatchError, Problems
from kubewright.apiserver.schema.scalars import Check
from kubewright.apiserver.schema.tree import parse

BOOL = scalars.scalar(parse({"type": "boolean"}), "bool")
FLOAT = scalars.scalar(parse({"type": "number"}), "float64")


@pytest.mark.parametrize(
    ("check", "value", "read"),
    [
        (BOOL, True, True),
        (BOOL, None, False),
        (FLOAT, 2.0, 2),
        (FLOAT, 2.5, 2.5),
        (scalars.quantity, 1.5, "1500m"),
        (scalars.quantity, " 1Gi ", "1Gi"),
        (scalars.quantity, None, "0"),
        (scalars.int_or_string, "50%", "50%"),
        (scalars.int_or_string, None, 0),
    ],
)
def test_values_become_what_go_makes_of_them(check: Check, value: Any, read: Any) -> None:
    """Null becomes the empty value of the type."""
    assert repr(check(value, None, Problems())) == repr(read)


@pytest.mark.parametrize(
    ("check", "value", "text"),
    [
        (BOOL, 1, "json: cannot unmarshal number into Go value of type bool"),
        (FLOAT, "x", "json: cannot unmarshal string into Go value of type float64"),
        (scalars.quantity, True, "quantities must match the regular expression"),
        (scalars.int_or_string, 2**31, "number 2147483648 into Go value of type int32"),
        (scalars.int_or_string, 3.0, "number 3.0 into Go value of type int32"),
    ],
)
def test_other_values_are_refused(check: Check, value: Any, text: str) -> None:
    """The messages are Go's."""
    with pytest.raises(MismatchError) as caught:
        check(value, None, Problems())

    assert text in str(caught.value)


def test_free_values_are_counted_and_left_alone() -> None:
    """The keys in them may be repeated too."""
    problems = Problems()
    value = {"a": [{"b": 1}, {"c": {"d": 1}}], "e": None}

    assert scalars.anything(value, None, problems) is value
    assert problems.keys == 5
