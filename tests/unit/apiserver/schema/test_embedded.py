"""Objects inside of objects."""

from typing import Any

import pytest

from kubewright.apiserver.schema.embedded import validate_embedded
from kubewright.apiserver.schema.tree import parse

EMBEDDED = {"type": "object", "x-kubernetes-embedded-resource": True}


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        ({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}, []),
        ({}, ["x.apiVersion: Required value", "x.kind: Required value"]),
        (
            {"apiVersion": "", "kind": ""},
            [
                'x.apiVersion: Invalid value: "": must not be empty',
                'x.kind: Invalid value: "": must not be empty',
            ],
        ),
        (
            {"apiVersion": "a/b/c", "kind": "A"},
            ['x.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'],
        ),
        (
            {"apiVersion": "v1", "kind": "A", "metadata": {"name": "a/b", "generateName": "%"}},
            [
                "x.metadata.name: Invalid value: \"a/b\": may not contain '/'",
                "x.metadata.generateName: Invalid value: \"%\": may not contain '%'",
            ],
        ),
    ],
)
def test_embedded_objects_say_what_they_are(value: Any, texts: list[str]) -> None:
    """Their metadata follows the rules of every object."""
    schema = parse({"type": "object", "properties": {"x": EMBEDDED}})

    assert [str(error) for error in validate_embedded({"x": value}, schema)] == texts


def test_they_are_found_in_lists_and_maps() -> None:
    """Embedded objects can be anywhere in a schema."""
    inner = {"type": "object", "additionalProperties": {"type": "array", "items": EMBEDDED}}
    schema = parse({"type": "object", "properties": {"x": inner}})

    errors = validate_embedded({"x": {"k": [{"apiVersion": "v1", "kind": "A_"}]}}, schema)

    assert [error.path for error in errors] == ["x[k][0].kind"]
    assert "may have mixed case, but should otherwise match: a DNS-1035 label" in errors[0].text
