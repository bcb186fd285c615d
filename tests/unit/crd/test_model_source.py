"""Models written as source."""

from typing import Any

import pytest

from kubewright.crd.expressions import Workshop
from kubewright.crd.model_source import ModelWriter, annotation_for


def source_of(properties: dict[str, Any], **node: Any) -> str:
    """Return the source of the class for an object with *properties*."""
    workshop = Workshop()
    schema = {"type": "object", **({"properties": properties} if properties else {}), **node}
    workshop.survey.add(schema, "Shop")
    assert ModelWriter(workshop, "Shop", schema).write()
    return "\n\n".join(workshop.blocks)


@pytest.mark.parametrize(
    ("node", "line"),
    [
        ({"type": "string"}, "a: str | None = None"),
        ({"type": "string", "default": "b"}, "a: str = 'b'"),
        ({"type": "boolean", "default": False}, "a: bool = False"),
        ({"type": "array", "items": {"type": "string"}}, "a: list[str] = []"),
        ({"type": "array", "items": {"type": "string"}, "default": ["b"]}, "a: list[str] = ['b']"),
        (
            {"type": "array", "items": {"type": "string"}, "default": []},
            "a: Annotated[list[str], kw.Default([])] = []",
        ),
        (
            {"type": "object", "additionalProperties": {"type": "boolean"}},
            "a: dict[str, bool] = {}",
        ),
        ({"type": "string", "nullable": True}, "a: Annotated[str | None, kw.Nullable()] = None"),
        (
            {"type": "string", "format": "date-time", "default": "2026-01-01T00:00:00Z"},
            "a: Annotated[datetime, kw.Default('2026-01-01T00:00:00Z')] | None = None",
        ),
        ({"x-kubernetes-preserve-unknown-fields": True}, "a: Any = None"),
        ({"type": "object"}, "a: ShopA | None = None"),
    ],
)
def test_an_optional_field_is_written_as_people_do(node: Any, line: str) -> None:
    """Lists are empty, other things are None, and defaults are Python's own."""
    assert f"    {line}" in source_of({"a": node}).splitlines()


@pytest.mark.parametrize(
    ("node", "line"),
    [
        ({"type": "string"}, "a: str"),
        ({"type": "array", "items": {"type": "string"}}, "a: list[str]"),
        (
            {"type": "string", "default": "b"},
            "a: Annotated[str, kw.Default('b'), kw.Required()] = 'b'",
        ),
        ({"type": "string", "nullable": True}, "a: Annotated[str | None, kw.Nullable()]"),
    ],
)
def test_a_required_field_has_no_default(node: Any, line: str) -> None:
    """Unless the schema gives it one."""
    assert f"    {line}" in source_of({"a": node}, required=["a"]).splitlines()


def test_a_default_of_nothing_builds_the_model() -> None:
    """Where the defaults inside make it whole."""
    inner = {"type": "object", "properties": {"b": {"type": "string", "default": "c"}}}

    source = source_of({"a": {**inner, "default": {}}})

    assert "    a: ShopA = kw.field(default_factory=ShopA)" in source


def test_descriptions_become_docstrings_and_strings_under_fields() -> None:
    """Those of objects go to the class, the others under the field."""
    source = source_of(
        {
            "a": {"type": "string", "description": "The a."},
            "b": {"type": "object", "description": "The b."},
        },
        description="The shop.",
    )

    assert 'class Shop(kw.Model):\n    """The shop."""' in source
    assert '    a: str | None = None\n    """The a."""' in source
    assert 'class ShopB(kw.Model):\n    """The b."""' in source


def test_rules_of_an_object_stand_above_its_class() -> None:
    """They are about all fields together."""
    source = source_of({}, **{"x-kubernetes-validations": [{"rule": "true"}]})

    assert source == "@kw.rules(kw.Rule('true'))\nclass Shop(kw.Model):\n    pass"


def test_required_fields_that_are_not_there_are_patched_in() -> None:
    """Real CRDs have them, and the server does enforce them."""
    source = source_of({"a": {"type": "string"}}, required=["ghost"])

    assert "@kw.rules(kw.SchemaPatch({'required': ['ghost']}))" in source


def test_an_attempt_that_ends_verbatim_leaves_no_classes() -> None:
    """Nobody would refer to them."""
    workshop = Workshop()
    node = {"type": "array", "items": {"type": "object"}, "x-odd": None}
    workshop.survey.add({"properties": {"shop": node}}, "")

    found = annotation_for(workshop, node, "Shop")

    assert found.is_raw
    assert workshop.blocks == []
