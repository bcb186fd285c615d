"""Structural schemas."""

from typing import Any

import pytest

from kubewright.apiserver.customresource.structural import unsupported, validate_structural

Json = dict[str, Any]

STRING: Json = {"type": "string"}


def problems(**fields: Json) -> list[str]:
    """Return what is wrong with a schema with these fields."""
    source = {"type": "object", "properties": fields}
    return [str(error) for error in validate_structural(source, "s")]


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        ({}, ["type: Required value: must not be empty for specified object fields"]),
        ({"type": "array"}, ["items: Required value: must be specified"]),
        (
            {"type": "array", "items": {}},
            ["items.type: Required value: must not be empty for specified array items"],
        ),
        (
            {"type": "string", "pattern": "(?=a)"},
            [
                (
                    'pattern: Invalid value: "(?=a)": must be a valid regular expression, but'
                    " isn't: error parsing regexp: invalid or unsupported Perl syntax: `(?=`"
                )
            ],
        ),
        (
            {**STRING, "anyOf": [{"type": "string", "default": "a"}]},
            [
                "anyOf[0].default: Forbidden: must be undefined to be structural",
                "anyOf[0].type: Forbidden: must be empty to be structural",
            ],
        ),
        (
            {"x-kubernetes-int-or-string": True, "x-kubernetes-preserve-unknown-fields": True},
            [
                (
                    "x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if"
                    " x-kubernetes-int-or-string is true"
                )
            ],
        ),
        (
            {"type": "object", "x-kubernetes-embedded-resource": True},
            [
                (
                    "properties: Required value: must not be empty if"
                    " x-kubernetes-embedded-resource is true without"
                    " x-kubernetes-preserve-unknown-fields"
                )
            ],
        ),
        (
            {"type": "string", "x-kubernetes-embedded-resource": True, "properties": {"b": STRING}},
            [
                (
                    'type: Invalid value: "string": must be object if'
                    " x-kubernetes-embedded-resource is true"
                )
            ],
        ),
    ],
)
def test_fields_that_are_not_structural(source: Json, texts: list[str]) -> None:
    """The messages are those of the real server."""
    assert problems(a=source) == [f"s.properties[a].{text}" for text in texts]


def test_what_the_root_restricts_it_declares() -> None:
    """Pruning removes fields that are declared only inside allOf and the like."""
    source = {"type": "object", "oneOf": [{"properties": {"b": {"items": {}}}}, {"not": {}}]}

    assert [str(error) for error in validate_structural(source, "s")] == [
        "s.properties[b]: Required value: because it is defined in s.oneOf[0].properties[b]"
    ]


@pytest.mark.parametrize(
    "source",
    [
        {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]},
        {
            "x-kubernetes-int-or-string": True,
            "allOf": [{"anyOf": [{"type": "integer"}, {"type": "string"}]}, {"pattern": "^a"}],
        },
        {"x-kubernetes-preserve-unknown-fields": True},
        {"type": "object", "additionalProperties": True},
    ],
)
def test_fields_that_are(source: Json) -> None:
    """Integers or strings may say so in the way of old tools."""
    assert problems(a=source) == []


@pytest.mark.parametrize(
    ("metadata", "texts"),
    [
        ({"type": "object", "properties": {"name": {"type": "string", "pattern": "a"}}}, []),
        ({"type": "string"}, ['.type: Invalid value: "string": must be object']),
        (
            {"type": "object", "description": "x"},
            [
                (
                    ": Forbidden: must not specify anything other than name and generateName, but"
                    " metadata is implicitly specified"
                )
            ],
        ),
    ],
)
def test_metadata_says_only_what_a_name_is(metadata: Json, texts: list[str]) -> None:
    """The rest is the same for all kinds."""
    assert problems(metadata=metadata) == [f"s.properties[metadata]{text}" for text in texts]


def test_the_root_is_an_object_with_fields() -> None:
    """A map or a scalar cannot be a resource."""
    map_of = {"type": "object", "additionalProperties": STRING}

    assert [str(error) for error in validate_structural({"type": "string"}, "s")] == [
        's.type: Invalid value: "string": must be object at the root'
    ]
    assert [str(error) for error in validate_structural(map_of, "s")] == [
        "s.additionalProperties: Forbidden: must not be used at the root"
    ]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ({"properties": {"a": {"$ref": "#/x"}}}, "OpenAPIV3Schema '$ref' is not supported"),
        ({"items": [STRING]}, "OpenAPIV3Schema 'items' must be a schema, but is an array"),
        ({"type": "object"}, ""),
    ],
)
def test_what_cannot_be_read_at_all(source: Json, text: str) -> None:
    """References and lists of schemas have no place in a structural schema."""
    assert unsupported(source) == text
