"""Sets and list-maps."""

from typing import Any

import pytest

from kubewright.apiserver.schema.listtype import validate_lists
from kubewright.apiserver.schema.tree import parse

Json = dict[str, Any]

SET: Json = {"type": "array", "items": {}, "x-kubernetes-list-type": "set"}


def keyed(*keys: str) -> Json:
    """Return a list-map."""
    return {
        "type": "array",
        "items": {"type": "object", "properties": {"s": SET}},
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": list(keys),
    }


@pytest.mark.parametrize(
    ("source", "value", "texts"),
    [
        (SET, ["a", "a", "a", "b"], ['x[1]: Duplicate value: "a"']),
        (SET, [1, True, "1", {"a": 1}], []),
        (SET, [{"a": 1, "b": 2}, {"b": 2, "a": 1}], ['x[1]: Duplicate value: {"a":1,"b":2}']),
        (keyed("k"), [{"k": 1}, {"k": 1}], ['x[1]: Duplicate value: {"k":1}']),
        (keyed("k"), [{}, {"v": 1}], ["x[1]: Duplicate value: {}"]),
        (keyed("k", "j"), [{"k": 1, "j": 1}, {"k": 1, "j": 2}], []),
        (
            keyed("k"),
            ["a"],
            ['x[0]: Invalid value: "a": must be an object for an array of list-type map'],
        ),
        (keyed("k"), [{"k": 1, "s": [1, 1]}], ["x[0].s[1]: Duplicate value: 1"]),
        ({"additionalProperties": SET}, {"k": [1, 1]}, ["x[k][1]: Duplicate value: 1"]),
    ],
)
def test_repeated_elements_are_named(source: Json, value: Any, texts: list[str]) -> None:
    """Each duplicate is reported once, at its second occurrence."""
    schema = parse({"type": "object", "properties": {"x": source}})

    assert [str(error) for error in validate_lists({"x": value}, schema)] == texts
