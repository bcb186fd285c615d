"""The OpenAPI document in protobuf, read back field by field."""

import struct
from typing import Any

import pytest

from kubewright.apiserver.openapi.protobuf import encode
from kubewright.apiserver.wire.protobuf.wire import fields


def at(message: bytes, *path: int) -> Any:
    """Return the value of the field at *path*; the last one, if it is repeated."""
    value: Any = message
    for number in path:
        value = {one: found for one, _, found in fields(value)}[number]
    return value


def schema(**content: Any) -> bytes:
    """Return a schema as the only definition of a document."""
    found: bytes = at(encode({"definitions": {"Shop": content}}), 9, 1, 2)
    return found


@pytest.mark.parametrize(
    ("key", "value", "path", "expected"),
    [
        ("$ref", "#/definitions/A", (1,), b"#/definitions/A"),
        ("description", "é", (4,), "é".encode()),
        ("default", {"a": 1}, (5, 2), b'{"a":1}\n'),
        ("minimum", 1.5, (9,), struct.pack("<d", 1.5)),
        ("maxLength", 300, (11,), 300),
        ("required", ["a", "b"], (19,), b"b"),
        ("enum", ["a"], (20, 2), b'"a"\n'),
        ("additionalProperties", {"type": "string"}, (21, 1, 22, 1), b"string"),
        ("additionalProperties", True, (21, 2), 1),
        ("type", "object", (22, 1), b"object"),
        ("items", {"type": "string"}, (23, 1, 22, 1), b"string"),
        ("properties", {"a": {"format": "byte"}}, (25, 1, 2, 2), b"byte"),
        ("x-kubernetes-list-type", "map", (31, 2, 2), b'"map"\n'),
    ],
)
def test_schema_is_written_with_the_numbers_of_gnostic(
    key: str, value: Any, path: tuple[int, ...], expected: Any
) -> None:
    """A wrong number is another field to kubectl, and Helm refuses the chart."""
    assert at(schema(**{key: value}), *path) == expected


def test_operation_says_its_kind_and_its_parameters() -> None:
    """Here kubectl asks whether a kind takes the parameter fieldValidation."""
    operation = {
        "parameters": [{"name": "fieldValidation", "in": "query", "type": "string"}],
        "responses": {"200": {"description": "OK"}},
        "x-kubernetes-group-version-kind": {"group": "", "version": "v1", "kind": "Pod"},
    }

    post = at(encode({"paths": {"/api/v1/pods": {"post": operation}}}), 8, 2, 2, 4)

    assert at(post, 8, 1, 2, 3, 4) == b"fieldValidation"
    assert at(post, 9, 1, 2, 1, 1) == b"OK"
    assert at(post, 13, 1) == b"x-kubernetes-group-version-kind"
    assert at(post, 13, 2, 2) == b'{"group":"","version":"v1","kind":"Pod"}\n'


def test_body_is_another_kind_of_parameter() -> None:
    """Each value of ``in`` has its own message."""
    body = {"name": "body", "in": "body", "required": True, "schema": {"type": "object"}}

    put = at(encode({"paths": {"/a": {"put": {"parameters": [body]}}}}), 8, 2, 2, 3)

    assert at(put, 8, 1, 1, 2) == b"body"
    assert at(put, 8, 1, 1, 4) == 1
