"""Schemas in words."""

from typing import Any

import pytest

from kubewright.crd.known import INT_OR_STRING, QUANTITY
from kubewright.scaffold.reference.words import code, constraints_of, rules_of, type_words


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string"}, "string"),
        ({"type": "integer", "format": "int32"}, "integer (int32)"),
        ({"type": "integer", "format": "int64"}, "integer"),
        ({"type": "string", "format": "date-time"}, "time"),
        (INT_OR_STRING, "integer or string"),
        (QUANTITY, "quantity"),
        ({"type": "array", "items": {"type": "object"}}, "list of object"),
        ({"type": "array"}, "list of anything"),
        (
            {"type": "object", "additionalProperties": {"type": "string"}},
            "map of string to string",
        ),
        ({"type": "object", "additionalProperties": True}, "map of string to anything"),
        ({"type": "object", "x-kubernetes-embedded-resource": True}, "Kubernetes object"),
        ({"type": "object"}, "object"),
        ({"x-kubernetes-preserve-unknown-fields": True}, "anything"),
    ],
)
def test_a_type_is_said_in_words(schema: dict[str, Any], words: str) -> None:
    """A reader knows JSON, and need not know JSON Schema."""
    assert type_words(schema) == words


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"enum": ["a", "", 3, None]}, ['one of `a`, `""`, `3`, `null`']),
        ({"minimum": 1, "maximum": 9}, ["at least 1", "at most 9"]),
        (
            {"minimum": 1, "exclusiveMinimum": True, "maximum": 9, "exclusiveMaximum": True},
            ["more than 1", "less than 9"],
        ),
        ({"minLength": 1, "maxLength": 2}, ["at least 1 character", "at most 2 characters"]),
        ({"maxProperties": 1}, ["at most 1 entry"]),
        ({"multipleOf": 5}, ["a multiple of 5"]),
        ({"pattern": "^a|b$"}, ["matches `^a|b$`"]),
        ({"type": "string", "format": "uuid"}, ["format `uuid`"]),
        ({"nullable": True}, ["may be null"]),
        ({"x-kubernetes-list-type": "set"}, ["no item twice"]),
        (
            {"x-kubernetes-list-map-keys": ["name", "port"]},
            ["no two items with the same `name` and `port`"],
        ),
        ({"x-kubernetes-preserve-unknown-fields": True}, ["other fields are kept"]),
        ({"x-kubernetes-map-type": "atomic"}, ["applied as a whole"]),
        (
            {"oneOf": [{"required": ["a"]}, {"required": ["b", "c"]}]},
            ["exactly one of `a`, `b` with `c`"],
        ),
        ({"oneOf": [{"minimum": 1}]}, []),
        (QUANTITY, []),
    ],
)
def test_constraints_are_said_in_words(schema: dict[str, Any], words: list[str]) -> None:
    """Each in a phrase; what has no short name is left to the schema itself."""
    assert list(constraints_of(schema)) == words


def test_a_rule_is_its_message_and_its_expression() -> None:
    """The message for people, the expression for those who must satisfy it."""
    rules = [{"rule": "self.a", "message": "a is needed"}, {"rule": "self.b"}, "strange"]

    assert list(rules_of({"x-kubernetes-validations": rules})) == [
        "a is needed (`self.a`)",
        "`self.b`",
    ]


def test_code_with_backquotes_has_a_longer_fence() -> None:
    """A pattern may hold any sign."""
    assert code("a`b\n  c") == "`` a`b c ``"
