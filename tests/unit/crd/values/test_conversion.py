import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.apiserver.customresource.structural import validate_structural
from kubewright.crd.values.conversion import structural_schema
from kubewright.crd.values.inference import INT_OR_STRING, OPEN, inferred_schema

TEXT = {"type": "string"}
OBJECT = {"type": "object", **OPEN}


def convert(schema: Any, **definitions: Any) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return what becomes of the schema of a value ``a``, and the notes."""
    document = {"properties": {"a": schema}, "$defs": definitions}
    found = structural_schema(document, {}, {})
    return found.schema["properties"]["a"], found.notes


@pytest.mark.parametrize(
    ("schema", "found"),
    [
        (True, OPEN),
        ({}, OPEN),
        ({"description": "Any."}, {"description": "Any.", **OPEN}),
        ({"type": "string", "title": "A", "default": "x", "examples": [1]}, {**TEXT, "title": "A"}),
        ({"type": ["string", "null"]}, {**TEXT, "nullable": True}),
        ({"type": ["string", "integer"]}, INT_OR_STRING),
        ({"type": ["integer", "number"]}, {"type": "number"}),
        ({"enum": ["a", "b"]}, {**TEXT, "enum": ["a", "b"]}),
        ({"const": 1}, {"type": "integer", "enum": [1]}),
        (
            {"type": "integer", "exclusiveMinimum": 0},
            {"type": "integer", "minimum": 0, "exclusiveMinimum": True},
        ),
        (
            {"type": "integer", "minimum": 0, "exclusiveMinimum": True},
            {"type": "integer", "minimum": 0, "exclusiveMinimum": True},
        ),
        (
            {"type": "integer", "minimum": 0, "exclusiveMinimum": False},
            {"type": "integer", "minimum": 0},
        ),
        ({"type": "object"}, OBJECT),
        ({"type": "object", "additionalProperties": False}, {"type": "object"}),
        ({"type": "object", "additionalProperties": True}, OBJECT),
        (
            {"type": "object", "additionalProperties": TEXT},
            {"type": "object", "additionalProperties": TEXT},
        ),
        ({"properties": {"b": TEXT}}, {"type": "object", "properties": {"b": TEXT}}),
        (
            {"properties": {"b": TEXT}, "additionalProperties": True},
            {**OBJECT, "properties": {"b": TEXT}},
        ),
        ({"patternProperties": {"^x": TEXT}, "type": "object"}, OBJECT),
        ({"type": "array"}, {"type": "array", "items": OPEN}),
        ({"items": TEXT, "minItems": 1}, {"type": "array", "items": TEXT, "minItems": 1}),
        (
            {"type": "string", "format": "ipv4", "pattern": "^1"},
            {**TEXT, "format": "ipv4", "pattern": "^1"},
        ),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, INT_OR_STRING),
        (
            {"oneOf": [{"type": "null"}, {"type": "string", "minLength": 1}]},
            {**TEXT, "minLength": 1, "nullable": True},
        ),
        (
            {"anyOf": [{"type": "string", "maxLength": 1}, {"type": "string", "enum": ["long"]}]},
            {**TEXT, "anyOf": [{"maxLength": 1}, {"enum": ["long"]}]},
        ),
        (
            {
                "type": "object",
                "properties": {"b": TEXT, "c": TEXT},
                "oneOf": [{"required": ["b"]}, {"required": ["c"]}],
            },
            {
                "type": "object",
                "properties": {"b": TEXT, "c": TEXT},
                "oneOf": [{"required": ["b"]}, {"required": ["c"]}],
            },
        ),
        ({"type": "string", "not": {"enum": ["latest"]}}, {**TEXT, "not": {"enum": ["latest"]}}),
        ({"allOf": [{"type": "string"}, {"minLength": 1}]}, {**TEXT, "minLength": 1}),
        (
            {"$ref": "#/$defs/word", "description": "Mine."},
            {**TEXT, "maxLength": 9, "description": "Mine."},
        ),
    ],
)
def test_what_a_crd_can_say_is_said(schema: Any, found: dict[str, Any]) -> None:
    """And without a note."""
    word = {"type": "string", "maxLength": 9, "description": "A word."}

    made, notes = convert(schema, word=word)

    assert made == found
    assert [note for note in notes if "pattern" not in note] == []


@pytest.mark.parametrize(
    ("schema", "found", "note"),
    [
        (False, OPEN, "a: it is not a schema that a CRD can have, so everything is allowed"),
        (3, OPEN, "a: it is not a schema"),
        ({"type": ["string", "object"]}, OPEN, "a: it may be string or object, so everything"),
        (
            {"$ref": "#/$defs/loop"},
            {"type": "object", "properties": {"next": OPEN}},
            "a.next: it refers to itself (#/$defs/loop), so everything is allowed",
        ),
        (
            {"$ref": "https://example.com/x.json"},
            OPEN,
            "a: https://example.com/x.json is not in this file",
        ),
        (
            {"type": "array", "items": [TEXT]},
            {"type": "array", "items": OPEN},
            "a: its items differ",
        ),
        (
            {"type": "array", "items": TEXT, "uniqueItems": True},
            {"type": "array", "items": TEXT},
            "a: uniqueItems is left out",
        ),
        ({"type": "string", "pattern": "(?!x)"}, TEXT, "a: its pattern is left out: Go's regular"),
        ({"type": "string", "format": "port"}, TEXT, "a: the format 'port' is left out"),
        ({"type": "string", "if": {}}, TEXT, "a: if is left out, which a CRD cannot say"),
        (
            {"type": "object", "anyOf": [{"required": ["b"]}, {}]},
            OBJECT,
            "a: anyOf is left out: a branch checks nothing but the type",
        ),
        (
            {"type": "object", "oneOf": [{"properties": {"b": {"enum": [1]}}}]},
            OBJECT,
            "a: oneOf is left out: it names b, which is not among the properties",
        ),
        (
            {"properties": {"b": TEXT}, "additionalProperties": TEXT},
            {**OBJECT, "properties": {"b": TEXT}},
            "a: additionalProperties beside properties",
        ),
    ],
)
def test_what_a_crd_cannot_say_is_left_out_with_a_note(
    schema: Any, found: dict[str, Any], note: str
) -> None:
    """An API server would refuse the CRD, or check less than people believe."""
    loop = {"type": "object", "properties": {"next": {"$ref": "#/$defs/loop"}}}

    made, notes = convert(schema, loop=loop)

    assert made == found
    assert [one for one in notes if one.startswith(note)], notes


def test_what_values_yaml_has_is_not_required() -> None:
    """Users say in a spec only what they want to be different."""
    schema = {
        "required": ["size", "host"],
        "properties": {"size": {"type": "integer"}, "host": TEXT},
    }

    found = structural_schema(schema, {"size": 1}, {})

    assert found.schema["required"] == ["host"]


def test_items_of_lists_are_whole() -> None:
    """A list of the user replaces that of the chart."""
    item = {"type": "object", "required": ["name"], "properties": {"name": TEXT}}
    schema = {"properties": {"hosts": {"type": "array", "items": item}}}

    found = structural_schema(schema, {"hosts": [{"name": "a"}]}, {})

    assert found.schema["properties"]["hosts"]["items"] == item


@pytest.mark.parametrize(("more", "kept"), [({}, True), ({"additionalProperties": False}, False)])
def test_values_that_the_schema_does_not_name_stay_allowed(
    more: dict[str, Any], kept: bool
) -> None:
    """Many schemas are about some of the values only, and JSON schema allows the others."""
    values = "size: 1\nextra: x\n"
    schema = {"properties": {"size": {"type": "integer"}}, **more}

    found = structural_schema(schema, {"size": 1, "extra": "x"}, inferred_schema(values))

    assert ("extra" in found.schema["properties"]) is kept


def test_a_comment_describes_what_the_schema_does_not() -> None:
    """Charts often have the words in one file, and the types in the other."""
    schema = {"properties": {"size": {"type": "integer"}, "tag": {**TEXT, "description": "Mine."}}}

    found = structural_schema(
        schema, {}, inferred_schema("# How many.\nsize: 1\n# Which.\ntag: ''\n")
    )

    descriptions = [one["description"] for one in found.schema["properties"].values()]
    assert descriptions == ["How many.", "Mine."]


def test_a_schema_that_is_not_of_an_object_checks_nothing() -> None:
    """A spec is an object."""
    assert structural_schema({"type": "string"}, {}, {}).schema == OBJECT


WORDS = st.sampled_from(["a", "b", "size"])
TYPES = st.sampled_from(["string", "integer", "number", "boolean", "object", "array", "null"])


def schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Return schemas whose parts are *inner*."""
    several = st.lists(inner, max_size=3)
    numbers = st.integers(0, 5)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.one_of(TYPES, st.lists(TYPES, min_size=1, max_size=2, unique=True)),
            "properties": st.dictionaries(WORDS, inner, max_size=3),
            "required": st.lists(WORDS, min_size=1, max_size=2, unique=True),
            "additionalProperties": st.one_of(st.booleans(), inner),
            "patternProperties": st.dictionaries(WORDS, inner, max_size=1),
            "items": st.one_of(inner, several),
            "anyOf": several,
            "oneOf": several,
            "allOf": several,
            "not": inner,
            "enum": st.lists(st.one_of(WORDS, numbers, st.none()), min_size=1, unique=True),
            "const": numbers,
            "$ref": st.sampled_from(["#", "#/properties/a", "#/no", "x.json"]),
            "pattern": st.sampled_from(["^a", "(?!b)", "["]),
            "format": st.sampled_from(["ipv4", "port"]),
            "minimum": numbers,
            "exclusiveMinimum": st.one_of(numbers, st.booleans()),
            "minLength": numbers,
            "uniqueItems": st.booleans(),
            "default": numbers,
            "if": inner,
        },
    )


@given(
    st.recursive(st.one_of(st.booleans(), st.just({})), schemas, max_leaves=12),
    st.dictionaries(WORDS, st.one_of(st.integers(), st.just({"a": 1})), max_size=2),
)
def test_whatever_a_chart_says_becomes_a_structural_schema(
    document: Any, defaults: dict[str, Any]
) -> None:
    """API servers refuse a CRD whose schema is not structural, as a whole."""
    inferred = inferred_schema(json.dumps(defaults))
    said = document if isinstance(document, dict) else {"properties": {"a": document}}

    made = structural_schema(said, defaults, inferred).schema

    whole = {"type": "object", "properties": {"spec": made}}
    assert [str(one) for one in validate_structural(whole, "")] == []
