"""Constraints: narrower ones break, wider ones do not."""

from typing import Any

import pytest

from kubewright.crd.comparison.constraint import compared_constraints

Schema = dict[str, Any]
INT_OR_STRING = [{"type": "integer"}, {"type": "string"}]

NARROWER: list[tuple[Schema, Schema, str]] = [
    ({}, {"minimum": 1}, "breaks minimum-narrowed"),
    ({"minimum": 1}, {"minimum": 2}, "breaks minimum-narrowed"),
    ({"minimum": 1}, {"minimum": 1, "exclusiveMinimum": True}, "breaks minimum-narrowed"),
    ({"maximum": 2}, {"maximum": 1}, "breaks maximum-narrowed"),
    ({"maximum": 2}, {"maximum": 2, "exclusiveMaximum": True}, "breaks maximum-narrowed"),
    ({}, {"maxLength": 3}, "breaks max-length-narrowed"),
    ({"minItems": 1}, {"minItems": 2}, "breaks min-items-narrowed"),
    ({"maxProperties": 2}, {"maxProperties": 1}, "breaks max-properties-narrowed"),
    ({}, {"multipleOf": 2}, "breaks multiple-of-narrowed"),
    ({"multipleOf": 2}, {"multipleOf": 4}, "breaks multiple-of-narrowed"),
    ({"multipleOf": 0.2}, {"multipleOf": 0.1}, "breaks multiple-of-narrowed"),
    ({}, {"pattern": "a"}, "breaks pattern-added"),
    ({"pattern": "a"}, {"pattern": "b"}, "breaks pattern-changed"),
    ({"type": "string"}, {"type": "string", "format": "uuid"}, "breaks format-narrowed"),
    ({"type": "integer"}, {"type": "integer", "format": "int32"}, "breaks format-narrowed"),
    (
        {"type": "integer", "format": "int64"},
        {"type": "integer", "format": "int32"},
        "breaks format-narrowed",
    ),
    ({"type": "number"}, {"type": "number", "format": "float"}, "breaks format-narrowed"),
    (
        {"type": "number", "format": "double"},
        {"type": "number", "format": "float"},
        "breaks format-narrowed",
    ),
    ({}, {"enum": ["a"]}, "breaks enum-added"),
    ({"enum": [1, True]}, {"enum": [True]}, "breaks enum-narrowed"),
    ({}, {"oneOf": [{"required": ["a"]}]}, "breaks logic-added"),
    ({"not": {"minimum": 1}}, {"not": {"minimum": 2}}, "breaks logic-changed"),
    ({"nullable": True}, {}, "breaks nullable-removed"),
]
WIDER: list[tuple[Schema, Schema, str]] = [
    ({"minimum": 1}, {}, "safe minimum-widened"),
    ({"minimum": 2, "exclusiveMinimum": True}, {"minimum": 2}, "safe minimum-widened"),
    ({"maximum": 1}, {"maximum": 2}, "safe maximum-widened"),
    ({"maxLength": 3}, {"maxLength": 4}, "safe max-length-widened"),
    ({"minLength": 3}, {}, "safe min-length-widened"),
    ({"multipleOf": 4}, {"multipleOf": 2}, "safe multiple-of-widened"),
    ({"multipleOf": 4}, {}, "safe multiple-of-widened"),
    ({"pattern": "a"}, {}, "safe pattern-removed"),
    ({"type": "string", "format": "uuid"}, {"type": "string"}, "safe format-widened"),
    ({"type": "string"}, {"type": "string", "format": "password"}, "safe format-widened"),
    ({"type": "integer", "format": "int32"}, {"type": "integer"}, "safe format-widened"),
    ({"type": "number", "format": "float"}, {"type": "number"}, "safe format-widened"),
    ({"type": "integer"}, {"type": "number", "format": "float"}, "safe format-widened"),
    ({"type": "number"}, {"type": "number", "format": "double"}, "safe format-widened"),
    ({"enum": ["a"]}, {"enum": ["a", "b"]}, "safe enum-widened"),
    ({"enum": ["a"]}, {}, "safe enum-removed"),
    ({"anyOf": [{"minimum": 1}]}, {}, "safe logic-removed"),
    ({}, {"nullable": True}, "safe nullable-added"),
]


@pytest.mark.parametrize(("old", "new", "expected"), NARROWER + WIDER)
def test_each_constraint_is_narrower_or_wider(old: Schema, new: Schema, expected: str) -> None:
    """Objects that were valid are refused, or they are not: nothing in between."""
    found = [f"{one.severity} {one.rule}" for one in compared_constraints(old, new, ".a")]

    assert found == [expected]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"enum": ["a", "b"]}, {"enum": ["b", "a"]}),
        ({"minimum": 1}, {"minimum": 1.0}),
        ({"nullable": False}, {}),
        ({"format": ""}, {}),
        ({}, {"x-kubernetes-int-or-string": True, "anyOf": INT_OR_STRING}),
    ],
)
def test_what_means_the_same_is_no_change(old: Schema, new: Schema) -> None:
    """A generator that writes a CRD another way breaks nobody."""
    assert list(compared_constraints(old, new, ".a")) == []


def test_a_text_says_both_values() -> None:
    """Who reads it need not look into either file."""
    old: Schema = {"maximum": 9, "enum": [1, 2]}
    new: Schema = {"maximum": 5, "exclusiveMaximum": True, "enum": [2, 3], "maxLength": 3}

    assert [one.text for one in compared_constraints(old, new, ".a")] == [
        "the maximum is 5 (excluded) now, and was 9: values beyond it are refused",
        "the largest length is 3 now, and there was none: values beyond it are refused",
        "1 is not allowed any more: it is refused",
        "3 is allowed, too",
    ]
