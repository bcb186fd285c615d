"""Bounds of numbers."""

from typing import Any

import pytest

from kubewright.apiserver.schema.numbers import is_whole
from kubewright.apiserver.schema.tree import parse
from kubewright.apiserver.schema.validate import validate

Json = dict[str, Any]


@pytest.mark.parametrize(
    ("source", "value", "text"),
    [
        ({"minimum": 1}, 0, "x: Invalid value: 0: x in body should be greater than or equal to 1"),
        (
            {"minimum": 1.5, "exclusiveMinimum": True},
            1.5,
            "x: Invalid value: 1.5: x in body should be greater than 1.5",
        ),
        ({"maximum": 2}, 3, "x: Invalid value: 3: x in body should be less than or equal to 2"),
        (
            {"maximum": 1000000, "exclusiveMaximum": True},
            1e7,
            "x: Invalid value: 1e+07: x in body should be less than 1e+06",
        ),
        ({"multipleOf": 2}, 3, "x: Invalid value: 3: x in body should be a multiple of 2"),
        ({"multipleOf": 0.5}, 1.2, "x: Invalid value: 1.2: x in body should be a multiple of 0.5"),
        (
            {"multipleOf": 0.5},
            2,  # Go makes an integer of the factor
            "x: Invalid value: 0: factor MultipleOf declared for x must be positive: 0",
        ),
        (
            {"type": "integer", "format": "int32"},
            2**31,
            (
                '<nil>: Invalid value: "": Checked value must be of type integer with format int32'
                " in x"
            ),
        ),
    ],
)
def test_numbers_out_of_bounds(source: Json, value: Any, text: str) -> None:
    """Integers and floats are compared as what they are."""
    schema = parse({"type": "object", "properties": {"x": source}})

    assert [str(error) for error in validate({"x": value}, schema)] == [text]


@pytest.mark.parametrize(
    ("number", "whole"),
    [(2.0, True), (0.1 * 3 / 0.1, True), (2.1, False), (2.0**53, False), (0.0, True)],
)
def test_nearly_whole_numbers_count(number: float, *, whole: bool) -> None:
    """Division of floats is not exact, and JSON holds 53 bits."""
    assert is_whole(number) is whole
