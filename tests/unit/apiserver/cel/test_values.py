"""Values, and when they are equal."""

import pytest

from kubewright.apiserver.cel import values
from kubewright.apiserver.cel.errors import EvaluationError
from kubewright.apiserver.cel.values import NONE, Duration, MapList, Optional, SetList, UInt


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (1, 1.0, True),
        (UInt(1), 1, True),
        (True, 1, False),
        ("1", 1, False),
        ([1, 2], [1.0, 2.0], True),
        ([1, 2], [2, 1], False),
        (SetList([1, 2]), [2, 1], True),
        (SetList([1, 2]), [1, 3], False),
        (MapList([{"k": 1}, {"k": 2}], ("k",)), [{"k": 2}, {"k": 1}], True),
        ({"a": 1}, {"a": 1.0}, True),
        ({"a": 1}, {"b": 1}, False),
        (None, None, True),
        (None, False, False),
        (float("nan"), float("nan"), False),
        (Optional(1), Optional(1.0), True),
        (NONE, Optional(None), False),
    ],
)
def test_values_are_equal_by_amount_and_never_across_kinds(
    left: object, right: object, same: bool
) -> None:
    """The left one decides whether order counts."""
    assert values.equal(left, right) == same


def test_true_is_not_the_key_one() -> None:
    """In Python, True and 1 are the same key."""
    keys = {values.map_key(key): key for key in (True, 1, False, 0)}

    assert len(keys) == 4
    assert [values.key_value(key) for key in keys] == [True, 1, False, 0]


def test_what_has_no_value_size_or_type_is_an_error() -> None:
    """The messages are those of the real server."""
    assert values.size("é") == values.size([1]) == 1
    for call in (NONE.get, lambda: values.size(1), lambda: values.runtime_type(object())):
        with pytest.raises(EvaluationError):
            call()


def test_the_zero_of_each_kind_is_known() -> None:
    """Optionals of non-zero values leave it out."""
    zeros = [0, "", [], {}, False, None, 0.0, Duration(0), NONE]

    assert all(map(values.is_zero, zeros))
    assert not any(map(values.is_zero, [1, "0", [0], True, Duration(1), Optional(1)]))
    assert values.contains([1, "a"], "a")
    assert not values.contains([1], "1")
