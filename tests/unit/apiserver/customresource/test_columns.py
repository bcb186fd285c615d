"""Printer columns."""

from typing import Any

import pytest

from kubewright.apiserver.customresource.columns import (
    AGE,
    cells,
    columns_of,
    headers,
    validate_column,
)

Json = dict[str, Any]

OBJ: Json = {
    "metadata": {"creationTimestamp": "2026-01-01T00:00:00Z"},
    "spec": {"size": 3, "ratio": 0.5, "on": True, "tags": ["a", "b"], "when": "soon"},
}


def age(text: str) -> str:
    """Return how long ago a time was, in a world that stands still."""
    if not text.endswith("Z"):
        raise ValueError(text)
    return "5d"


@pytest.mark.parametrize(
    ("kind", "path", "cell"),
    [
        ("integer", ".spec.size", 3),
        ("integer", ".spec.ratio", 0),
        ("number", ".spec.ratio", 0.5),
        ("boolean", ".spec.on", True),
        ("string", ".spec.size", "3"),
        ("string", ".spec.tags", '["a","b"]'),
        ("string", ".spec.on", "true"),
        ("integer", ".spec.on", None),
        ("boolean", ".spec.size", None),
        ("string", ".spec.missing", None),
        ("date", ".metadata.creationTimestamp", "5d"),
        ("date", ".spec.when", "<invalid>"),
        ("string", ".spec[", None),
    ],
)
def test_cells_are_of_the_type_of_their_column(kind: str, path: str, cell: Any) -> None:
    """A value of another type leaves the cell empty."""
    column = {"name": "X", "type": kind, "jsonPath": path}

    assert cells(OBJ, [column], age) == [cell]


def test_a_definition_without_columns_shows_the_age() -> None:
    """The default column is that of the real server."""
    assert columns_of({}) == (AGE,)
    assert cells(OBJ, columns_of({}), age) == ["5d"]


def test_headers_describe_themselves() -> None:
    """A column without a description shows its path."""
    column = {"name": "Size", "type": "integer", "jsonPath": ".spec.size", "priority": 1}

    assert headers([column]) == [
        {
            "name": "Size",
            "type": "integer",
            "format": "",
            "description": "Custom resource definition column (in JSONPath format): .spec.size",
            "priority": 1,
        }
    ]


def test_bad_columns_are_refused() -> None:
    """The messages are those of the real server."""
    errors = validate_column({"type": "foo", "format": "bar", "jsonPath": "spec"}, "c")

    assert [str(error) for error in errors] == [
        "c.name: Required value",
        'c.type: Invalid value: "foo": must be one of boolean,date,integer,number,string',
        (
            'c.format: Invalid value: "bar": must be one of'
            " byte,date,date-time,double,float,int32,int64,password"
        ),
        'c.JSONPath: Invalid value: "spec": must be a simple json path starting with .',
    ]
    assert [str(error) for error in validate_column({"name": "a"}, "c")] == [
        "c.type: Required value: must be one of boolean,date,integer,number,string",
        "c.JSONPath: Required value",
    ]
