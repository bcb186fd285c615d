from typing import Any

import pytest

from kubewright.apiserver.fieldmanager import shape
from kubewright.apiserver.fieldmanager.extract import ElementError, fields_of
from tests.unit.apiserver.fieldmanager import custom


def owned(**spec: Any) -> Any:
    found = fields_of(custom.thing(**spec), shape.root(custom.schema()))
    return found.get("f:spec")


@pytest.mark.parametrize(
    ("spec", "fields"),
    [
        ({"size": 1, "flag": None}, {"f:flag": {}, "f:size": {}}),
        ({"labels": {"b": "1", "a": "2"}}, {"f:labels": {"f:a": {}, "f:b": {}}}),
        ({"labels": {}}, {"f:labels": {}}),
        ({"whole": {"a": 1}, "plain": ["x"]}, {"f:plain": {}, "f:whole": {}}),
        ({"set": ["b", "a"]}, {"f:set": {'v:"a"': {}, 'v:"b"': {}}}),
        ({"set": []}, None),
        (
            {"items": [{"name": "a", "value": "x"}]},
            {"f:items": {'k:{"name":"a","port":80}': {".": {}, "f:name": {}, "f:value": {}}}},
        ),
        (
            {"free": {"a": {"b": 1}, "l": [1]}},
            {"f:free": {"f:a": {".": {}, "f:b": {}}, "f:l": {}}},
        ),
        ({"set": ["a", "a"]}, {"f:set": {'v:"a"': {}}}),
    ],
)
def test_applier_owns_what_it_says(spec: dict[str, Any], fields: Any) -> None:
    """Leaves, elements and keys of maps are owned; structs are only the way to them."""
    assert owned(**spec) == fields


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"items": [{"value": "x"}]}, None),
        ({"items": [None]}, "may not have a null element"),
        ({"items": ["x"]}, "may not have non-map elements"),
        ({"set": [{}]}, "has an element that's a map type"),
        ({"set": [[]]}, "associative list with lists as elements"),
        ({"set": [None]}, "has an element that's an explicit null"),
    ],
)
def test_elements_without_identity_are_refused(spec: dict[str, Any], message: str | None) -> None:
    """An element that has one of its keys by default has an identity."""
    if message is None:
        assert list(owned(**spec)["f:items"]) == ['k:{"port":80}']
        return
    with pytest.raises(ElementError, match=message):
        owned(**spec)


def test_element_without_any_key_is_refused() -> None:
    """The message names the keys as the schema lists them."""
    keyed = {**custom.SPEC["items"], "x-kubernetes-list-map-keys": ["b", "a"]}
    found = shape.root(custom.schema(items=keyed))

    with pytest.raises(ElementError, match=r'omits all key fields \["b" "a"\]'):
        fields_of(custom.thing(items=[{}]), found)
