"""Which defaults are valid for a server."""

from typing import Any

import pytest

import kubewright as kw
from kubewright.crd import schema_of
from kubewright.crd.defaults import built_of, check_default, completes
from kubewright.errors import SchemaError


@pytest.mark.parametrize(
    ("schema", "answer"),
    [
        ({}, False),
        ({"properties": {"a": {"default": 1}}}, True),
        ({"properties": {"a": {}}}, False),
        ({"properties": {"a": {"default": 1}, "b": {}}, "required": ["b"]}, False),
        ({"properties": {"a": {"default": 1}}, "required": ["a"]}, True),
    ],
)
def test_an_empty_object_is_a_default_if_the_server_completes_it(
    schema: dict[str, Any], answer: bool
) -> None:
    """Otherwise the server would refuse its own default."""
    assert completes(schema) is answer


def test_a_value_without_json_is_refused() -> None:
    """The message names the field."""
    with pytest.raises(SchemaError, match=r"^Shop\.size: the default has no JSON form"):
        built_of(object(), "Shop.size")


def test_sets_are_sorted() -> None:
    """Their order differs from run to run, and manifests must not."""
    assert built_of({"c", "a", "b"}, "x") == ["a", "b", "c"]


def test_a_default_that_fits_passes() -> None:
    """Given as JSON, as the server will see it."""
    check_default(["a"], set[str], "x")
    with pytest.raises(SchemaError, match="does not fit"):
        check_default([1], set[str], "x")


def test_a_default_with_rules_is_written_out() -> None:
    """The server tries CEL rules on the default before it fills in the defaults inside."""

    @kw.rules(kw.Rule("self.low <= self.high"))
    class Range(kw.Model):
        low: int = 1
        high: int = 3

    class Plain(kw.Model):
        size: int = 2

    class Spec(kw.Model):
        range: Range = kw.field(default_factory=Range)
        plain: Plain = kw.field(default_factory=Plain)

    properties = schema_of(Spec)["properties"]

    assert properties["range"]["default"] == {"low": 1, "high": 3}
    assert properties["plain"]["default"] == {}
