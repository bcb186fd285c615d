"""Schemas are finished the same way everywhere."""

from kubewright.crd.finishing import Options, finished, in_order


def test_all_keys_are_sorted_and_lists_keep_their_order() -> None:
    """The order of an enum or of rules has a meaning; that of keys has none."""
    made = in_order({"b": [{"d": 1, "c": 2}, 0], "a": 3})

    assert list(made) == ["a", "b"]
    assert list(made["b"][0]) == ["c", "d"]
    assert made["b"][1] == 0


def test_descriptions_are_cut_at_every_depth() -> None:
    """In fields, items and values of maps, but not in defaults."""
    deep = {"description": "One. Two."}
    schema = {
        "properties": {"a": {"items": deep}, "b": {"additionalProperties": deep}},
        "default": {"description": "One. Two."},
    }

    made = finished(schema, Options(max_description_length=5))

    assert made["properties"]["a"]["items"] == {"description": "One."}
    assert made["properties"]["b"]["additionalProperties"] == {"description": "One."}
    assert made["default"] == {"description": "One. Two."}
