"""Schemas as trees."""

from kubewright.apiserver.schema.tree import UNSET, parse


def test_a_schema_becomes_a_tree() -> None:
    """Kubernetes' extensions become attributes of the nodes."""
    tree = parse(
        {
            "type": "object",
            "required": ["a"],
            "properties": {
                "a": {"type": "string", "default": None, "nullable": True},
                "l": {
                    "type": "array",
                    "items": {"x-kubernetes-int-or-string": True},
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["k"],
                },
                "m": {"additionalProperties": {"x-kubernetes-embedded-resource": True}},
                "o": {"x-kubernetes-map-type": "atomic", "format": "int-or-string"},
            },
        }
    )

    first, listed, map_of, atomic = tree.children()
    assert (tree.required, tree.default is UNSET) == (("a",), True)
    assert (first.default, first.nullable) == (None, True)
    assert (listed.list_type, listed.list_map_keys) == ("map", ("k",))
    assert listed.items is not None
    assert listed.items.int_or_string
    assert map_of.is_map
    assert map_of.additional is not None
    assert map_of.additional.embedded_resource
    assert (atomic.map_type, atomic.int_or_string) == ("atomic", True)


def test_any_value_at_any_key_has_a_free_schema() -> None:
    """``additionalProperties: true`` says no more than that."""
    tree = parse({"type": "object", "additionalProperties": True})

    assert tree.additional is not None
    assert tree.additional.preserve_unknown
    assert repr(tree) == "Schema(object)"
