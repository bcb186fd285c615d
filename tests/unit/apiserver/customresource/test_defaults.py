"""Defaults in a schema must be valid themselves."""

from typing import Any

import pytest

from kubewright.apiserver.customresource.defaults import validate_defaults
from tests.unit.apiserver.customresource.samples import schema_of

Json = dict[str, Any]


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        ({"type": "string", "default": "x"}, []),
        ({"type": "string", "default": None}, []),
        ({"x-kubernetes-int-or-string": True, "default": []}, []),
        (
            {"type": "integer", "default": "x"},
            ['Invalid value: "string":  in body must be of type integer: "string"'],
        ),
        (
            {"type": "object", "default": {"b": 1}},
            ['Invalid value: {"b":1}: must not have unknown fields'],
        ),
        (
            {
                "type": "integer",
                "default": 3,
                "x-kubernetes-validations": [{"rule": "self > 5", "message": "big"}],
            },
            ["Invalid value: 3: big"],
        ),
    ],
)
def test_bad_defaults_are_refused(source: Json, texts: list[str]) -> None:
    """They would end up in objects that nobody could change any more."""
    errors = validate_defaults(schema_of(a={"type": "array", "items": source}), "s")

    path = "s.properties[spec].properties[a].items.default"
    assert [str(error) for error in errors] == [f"{path}: {text}" for text in texts]
