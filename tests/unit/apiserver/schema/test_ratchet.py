"""New values find the old ones that they came from."""

from typing import Any

import pytest

from kubewright.apiserver.schema.ratchet import Correlated, same
from kubewright.apiserver.schema.tree import parse

Json = dict[str, Any]

ITEM: Json = {"type": "object", "properties": {"k": {"type": "string"}, "v": {"type": "integer"}}}
SCHEMA = parse(
    {
        "type": "object",
        "properties": {
            "atomic": {"type": "array", "items": ITEM},
            "keyed": {
                "type": "array",
                "items": ITEM,
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["k"],
            },
            "map": {"type": "object", "additionalProperties": {"type": "integer"}},
        },
    }
)
A: Json = {"k": "a", "v": 1}
B: Json = {"k": "b", "v": 2}


@pytest.mark.parametrize(
    ("new", "old", "unchanged"),
    [
        ({"keyed": [B, A]}, {"keyed": [A, B]}, True),
        ({"keyed": [A]}, {"keyed": [A, B]}, False),
        ({"keyed": [{"k": "a", "v": 2}]}, {"keyed": [A]}, False),
        ({"atomic": [B, A]}, {"atomic": [A, B]}, False),
        ({"atomic": [A]}, {"atomic": [A]}, True),
        ({"map": {"x": 1}}, {"map": {"x": 1}}, True),
        ({"map": {"x": 1}}, {"map": {"y": 1}}, False),
        ({"map": {"x": 1}}, {}, False),
        ({"unknown": 1}, {"unknown": 1}, False),
    ],
)
def test_objects_are_compared_as_their_schema_says(
    new: Json, old: Json, *, unchanged: bool
) -> None:
    """The order of list-maps does not count; what has no schema is never the same."""
    assert Correlated(new, old, SCHEMA).unchanged() is unchanged


def test_elements_are_found_by_their_keys() -> None:
    """Elements of a list-map may have moved."""
    pair = Correlated({"keyed": [B, A]}, {"keyed": [A]}, SCHEMA).key("keyed")
    assert pair is not None

    found = pair.index(1)

    assert pair.index(0) is None
    assert found is not None
    assert found.old is A


def test_true_is_not_one() -> None:
    """JSON keeps them apart, Python does not."""
    assert not same(True, 1)
    assert not same([{"a": 1}], [{"a": True}])
    assert same({"a": [1, 2.0]}, {"a": [1.0, 2]})
