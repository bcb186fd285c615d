"""Defaults against the rules of their own fields."""

from typing import Annotated, Any

import pytest

from kubewright import crd as kw
from kubewright.api.model import Model, field
from kubewright.crd.conformity import problems
from kubewright.errors import SchemaError


@pytest.mark.parametrize(
    ("value", "schema", "told"),
    [
        (0, {"minimum": 1}, "is below the minimum 1"),
        (1, {"minimum": 1, "exclusiveMinimum": True}, "is not above 1"),
        (3, {"maximum": 2}, "is above the maximum 2"),
        (2, {"maximum": 2, "exclusiveMaximum": True}, "is not below 2"),
        (3, {"multipleOf": 2}, "is not a multiple of 2"),
        ("c", {"enum": ["a", "b"]}, "is none of 'a', 'b'"),
        (True, {"enum": [1]}, "is none of 1"),
        ("b", {"pattern": "^a"}, "does not match the pattern '^a'"),
        ("a", {"minLength": 2}, "has fewer characters than 2"),
        ("abc", {"maxLength": 2}, "has more characters than 2"),
        ([], {"minItems": 1}, "has fewer items than 1"),
        ([1, 2], {"maxItems": 1}, "has more items than 1"),
        ({}, {"minProperties": 1}, "has fewer entries than 1"),
        ({"a": 1, "b": 2}, {"maxProperties": 1}, "has more entries than 1"),
        ([1, 0], {"items": {"minimum": 1}}, "is below the minimum 1 (at [1])"),
        ({"a": {"b": 0}}, {"properties": {"a": {"properties": {"b": {"minimum": 1}}}}},
         "is below the minimum 1 (at .a.b)"),
        ({"a": 0}, {"additionalProperties": {"minimum": 1}}, "is below the minimum 1 (at .a)"),
    ],
)  # fmt: skip
def test_a_value_that_breaks_a_rule_is_told(value: Any, schema: dict[str, Any], told: str) -> None:
    """Each keyword that the server checks."""
    assert list(problems(value, schema)) == [told]


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        (1, {"minimum": 1, "maximum": 1, "multipleOf": 1, "enum": [1]}),
        (0.3, {"multipleOf": 0.1}),
        ("50%", {"minimum": 1, "x-kubernetes-int-or-string": True}),
        (5, {"pattern": "^a", "maxLength": 0}),
        (None, {"enum": ["a"], "nullable": True}),
        ({"a": 1}, {"x-kubernetes-preserve-unknown-fields": True}),
    ],
)
def test_a_value_that_keeps_the_rules_passes(value: Any, schema: dict[str, Any]) -> None:
    """A keyword says nothing of values of other types."""
    assert list(problems(value, schema)) == []


class Inner(Model):
    size: Annotated[int, kw.Minimum(1)] = 1


class Nested(Model):
    inner: Inner = field(default_factory=lambda: Inner(size=0))


class Small(Model):
    replicas: Annotated[int, kw.Minimum(1)] = 0


class Marked(Model):
    name: Annotated[str | None, kw.Pattern("^a"), kw.Default("b")] = None


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (Small, "Small.replicas: the default 0 is below the minimum 1"),
        (Marked, "Marked.name: the default 'b' does not match the pattern '^a'"),
        (Nested, "Nested.inner: the default {'size': 0} is below the minimum 1 (at .size)"),
    ],
)
def test_a_default_that_the_server_refuses_is_refused_here(kind: Any, told: str) -> None:
    """The message names the field of the class."""
    with pytest.raises(SchemaError) as caught:
        kw.schema_of(kind)

    assert str(caught.value) == told
