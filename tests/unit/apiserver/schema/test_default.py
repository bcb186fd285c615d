"""Defaults of custom resources."""

from typing import Any

import pytest

from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.schema.default import default
from kubewright.apiserver.schema.tree import parse

Json = dict[str, Any]

SOURCE: Json = {
    "type": "object",
    "properties": {
        "plain": {"type": "string", "default": "d"},
        "nullable": {"type": "string", "default": "d", "nullable": True},
        "inner": {
            "type": "object",
            "default": {},
            "properties": {"x": {"type": "integer", "default": 3}},
        },
        "list": {
            "type": "array",
            "items": {"type": "object", "properties": {"y": {"type": "string", "default": "z"}}},
        },
        "map": {"type": "object", "additionalProperties": {"type": "integer", "default": 9}},
    },
}
DONE: Json = {"plain": "d", "nullable": "d", "inner": {"x": 3}}


@pytest.mark.parametrize(
    ("given", "added"),
    [
        ({}, {}),
        ({"plain": None, "nullable": None}, {"nullable": None}),
        ({"plain": ""}, {"plain": ""}),
        ({"inner": {"x": None}}, {}),
        ({"list": [{}, {"y": "a"}]}, {"list": [{"y": "z"}, {"y": "a"}]}),
        ({"map": {"a": None, "b": 1}}, {"map": {"a": 9, "b": 1}}),
        ({"inner": "wrong"}, {"inner": "wrong"}),
    ],
)
def test_what_is_missing_or_wrongly_null_is_filled_in(given: Json, added: Json) -> None:
    """Also inside of what a default has just made; a second time changes nothing."""
    schema = parse(SOURCE)

    default(given, schema)
    once = repr(given)
    default(given, schema)

    assert given == DONE | added
    assert repr(given) == once


def test_objects_do_not_share_their_defaults() -> None:
    """A change of one must not reach the schema."""
    schema = parse(SOURCE)
    first: Json = {}
    second: Json = {}
    default(first, schema)

    first["inner"]["x"] = 100
    default(second, schema)

    assert second["inner"] == {"x": 3}


def test_defaults_that_would_fill_the_memory_are_refused() -> None:
    """A list of nulls, each of which stands for half a megabyte: no object of that size is kept."""
    text = {"type": "string", "default": "x" * 500_000}
    schema = parse({"type": "array", "items": {"type": "object", "properties": {"a": text}}})

    with pytest.raises(StatusError, match="request is too large"):
        default([{} for _ in range(1000)], schema)
