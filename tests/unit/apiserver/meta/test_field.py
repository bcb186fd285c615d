"""Errors of fields: the texts that clients match on."""

import math
from typing import Any

import pytest

from kubewright.apiserver.effort import TooMuchError
from kubewright.apiserver.meta import field


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (7, "7"),
        (10**30, "1" + "0" * 30),
        ("plain é", '"plain é"'),
        ('a"b\\c\n\t', r'"a\"b\\c\n\t"'),
        ("\x00\x7f\u200b\U000e0001", r'"\x00\x7f\u200b\U000e0001"'),
        (1.0, "1"),
        (0.25, "0.25"),
        (1e6, "1e+06"),
        (1234567.5, "1.2345675e+06"),
        (0.00001, "1e-05"),
        (-2.5e-7, "-2.5e-07"),
        (math.inf, "+Inf"),
        (math.nan, "NaN"),
        ({"b": 1, "a": "<&>"}, '{"a":"\\u003c\\u0026\\u003e","b":1}'),
        ([1, "x"], '[1,"x"]'),
    ],
)
def test_values_are_shown_as_go_prints_them(value: Any, text: str) -> None:
    """Messages are compared with those of a real server, value included."""
    assert field.shown(value) == text


@pytest.mark.parametrize(
    ("error", "reason", "text"),
    [
        (field.invalid("a", 1, "must be x"), "Invalid", "a: Invalid value: 1: must be x"),
        (field.invalid("a", 1, ""), "Invalid", "a: Invalid value: 1"),
        (field.required("a"), "Required", "a: Required value"),
        (field.required("a", "why"), "Required", "a: Required value: why"),
        (
            field.not_supported("a", "z", ("y", "x")),
            "NotSupported",
            'a: Unsupported value: "z": supported values: "x", "y"',
        ),
        (
            field.not_supported("a", "z", ("y", "x"), sort=False),
            "NotSupported",
            'a: Unsupported value: "z": supported values: "y", "x"',
        ),
        (field.not_supported("a", "z", ()), "NotSupported", 'a: Unsupported value: "z"'),
        (field.duplicate("a", "x"), "Duplicate", 'a: Duplicate value: "x"'),
        (field.forbidden("a", "no"), "Forbidden", "a: Forbidden: no"),
        (field.too_long("a", 9), "TooLong", "a: Too long: may not be more than 9 bytes"),
        (field.too_many("a", 2, 1), "TooMany", "a: Too many: 2: must have at most 1 item"),
        (field.too_many("a", 3, 2), "TooMany", "a: Too many: 3: must have at most 2 items"),
        (field.not_found("a", "x"), "NotFound", 'a: Not found: "x"'),
        (field.type_invalid("a", [], "why"), "TypeInvalid", "a: Invalid value: []: why"),
    ],
)
def test_each_sort_of_error_has_its_reason_and_text(
    error: field.FieldError, reason: str, text: str
) -> None:
    """Clients show the text, and programs read the reason."""
    assert str(error) == text
    assert error.cause == {
        "reason": f"FieldValue{reason}",
        "message": text.removeprefix("a: "),
        "field": "a",
    }


def test_a_rule_that_cannot_be_checked_is_an_internal_error() -> None:
    """It is not the fault of the value."""
    assert field.internal("a", "broken").reason == "InternalError"
    assert str(field.internal("a", "broken")) == "a: Internal error: broken"


def test_errors_that_repeat_a_long_list_are_bounded() -> None:
    """Each of 60,000 unknown items may show all of them: that is more than there is memory."""
    scopes = ["x" * 1000] * 1000

    with pytest.raises(TooMuchError), field.metered():
        [field.invalid("spec.scopes", scopes, "unsupported scope") for _ in scopes]

    assert str(field.invalid("spec.scopes", scopes, "unsupported scope"))
