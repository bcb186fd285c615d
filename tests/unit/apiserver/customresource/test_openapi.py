"""Rules for each schema in a definition."""

from typing import Any

import pytest

from kubewright.apiserver.customresource.openapi import validate_schema

Json = dict[str, Any]

STRING: Json = {"type": "string"}


def problems(source: Json) -> list[str]:
    """Return what is wrong with a field ``a``, without the path to it."""
    errors = validate_schema({"type": "object", "properties": {"a": source}}, "s", None)
    return [str(error).removeprefix("s.properties[a].") for error in errors]


def list_of(items: Json, kind: str, *keys: str) -> Json:
    """Return a list with a type."""
    source: Json = {"type": "array", "items": items, "x-kubernetes-list-type": kind}
    return {**source, "x-kubernetes-list-map-keys": list(keys)} if keys else source


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        (
            {"type": "foo"},
            [
                (
                    'type: Unsupported value: "foo": supported values: "array", "boolean",'
                    ' "integer", "number", "object", "string"'
                )
            ],
        ),
        (
            {"type": "array", "items": STRING, "uniqueItems": True},
            [
                (
                    "uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime"
                    " complexity becomes quadratic"
                )
            ],
        ),
        (
            {"properties": {"b": STRING}, "additionalProperties": False},
            [
                (
                    "additionalProperties: Forbidden: additionalProperties and properties are"
                    " mutual exclusive"
                )
            ],
        ),
        ({"$ref": "x"}, ["$ref: Forbidden: $ref is not supported"]),
        (
            {"type": "object", "x-kubernetes-preserve-unknown-fields": False},
            [
                (
                    "x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or"
                    " undefined"
                )
            ],
        ),
        (
            {"type": "string", "x-kubernetes-map-type": "foo"},
            [
                (
                    'type: Invalid value: "string": must be object if x-kubernetes-map-type is'
                    " specified"
                ),
                (
                    'x-kubernetes-map-type: Unsupported value: "foo": supported values: "atomic",'
                    ' "granular"'
                ),
            ],
        ),
        (
            list_of(STRING, "foo"),
            [
                (
                    'x-kubernetes-list-type: Unsupported value: "foo": supported values: "atomic",'
                    ' "set", "map"'
                )
            ],
        ),
        (
            list_of({"type": "object"}, "set"),
            [
                (
                    "items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a"
                    " list with x-kubernetes-list-type=set"
                )
            ],
        ),
        (
            list_of({**STRING, "nullable": True}, "set"),
            ["items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is set"],
        ),
        (
            list_of(STRING, "map"),
            [
                (
                    "x-kubernetes-list-map-keys: Required value: must not be empty if"
                    " x-kubernetes-list-type is map"
                ),
                (
                    'items.type: Invalid value: "string": must be object if parent array\'s'
                    " x-kubernetes-list-type is map"
                ),
            ],
        ),
        (
            list_of({"type": "object", "properties": {"k": STRING}}, "map", "k", "z"),
            [
                (
                    'x-kubernetes-list-map-keys: Invalid value: ["k","z"]: entries must all be'
                    " names of item properties"
                ),
                (
                    "items.properties[k].default: Required value: this property is in"
                    " x-kubernetes-list-map-keys, so it must have a default or be a required"
                    " property"
                ),
            ],
        ),
        (
            list_of({"type": "object", "required": ["k"], "properties": {"k": STRING}}, "map", "k"),
            [],
        ),
    ],
)
def test_fields_with_wrong_extensions(source: Json, texts: list[str]) -> None:
    """The messages are those of the real server."""
    assert problems(source) == texts


def test_top_level_meta_fields_have_no_defaults() -> None:
    """The server sets these fields itself."""
    source = {"type": "object", "properties": {"kind": {**STRING, "default": "x"}}}

    assert [str(error) for error in validate_schema(source, "s", None)] == [
        "s.properties[kind].default: Forbidden: must not be set in top-level kind"
    ]


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ({"rule": " "}, "rule: Required value: rule is not specified"),
        (
            {"rule": "true", "message": " "},
            'message: Invalid value: " ": must be non-empty if specified',
        ),
        (
            {"rule": "true\n"},
            None,
        ),
        (
            {"rule": "true\n&& true"},
            "message: Required value: message must be specified if rule contains line breaks",
        ),
        (
            {"rule": "true", "messageExpression": " "},
            "messageExpression: Required value: messageExpression must be non-empty if specified",
        ),
        (
            {"rule": "true", "fieldPath": ".x"},
            'fieldPath: Invalid value: ".x": must be a valid path',
        ),
    ],
)
def test_rules_say_what_they_need(rule: Json, text: str | None) -> None:
    """Missing fields of a rule are reported before it is compiled."""
    source = {"type": "object", "properties": {"b": STRING}, "x-kubernetes-validations": [rule]}

    assert problems(source) == ([f"x-kubernetes-validations[0].{text}"] if text else [])
