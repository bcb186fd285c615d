from typing import Any

import pytest

from kubewright.apiserver.fieldmanager import shape
from kubewright.apiserver.fieldmanager.compare import compare, same
from kubewright.apiserver.schema import definitions
from tests.unit.apiserver.fieldmanager import custom


@pytest.mark.parametrize(
    ("old", "new", "changed", "removed"),
    [
        ({"size": 1}, {"size": 1}, {}, {}),
        ({"size": 1}, {"size": 2, "text": "x"}, {"f:size": {}, "f:text": {}}, {}),
        ({"size": 1}, {}, {}, {"f:size": {}}),
        ({}, {"struct": {"b": 1, "a": 2}}, {"f:struct": {".": {}, "f:a": {}, "f:b": {}}}, {}),
        ({"labels": {"a": "1"}}, {"labels": {}}, {}, {"f:labels": {"f:a": {}}}),
        ({"whole": {"a": 1}}, {"whole": {"a": 2}}, {"f:whole": {}}, {}),
        ({"plain": ["a"]}, {"plain": ["b"]}, {"f:plain": {}}, {}),
        ({"set": ["a"]}, {"set": ["b"]}, {"f:set": {'v:"b"': {}}}, {"f:set": {'v:"a"': {}}}),
        ({"set": None}, {"set": []}, {"f:set": {}}, {}),
        (
            {"items": [{"name": "a", "value": "1"}]},
            {"items": [{"name": "a", "port": 80, "value": "2"}]},
            {"f:items": {'k:{"name":"a","port":80}': {"f:port": {}, "f:value": {}}}},
            {},
        ),
        ({"free": {"a": 1}}, {"free": {"a": True}}, {"f:free": {"f:a": {}}}, {}),
        ({"free": {"a": [1]}}, {"free": {"a": [1.0]}}, {}, {}),
        (
            {"free": {"a": {"b": 1}}},
            {"free": {"a": 1}},
            {"f:free": {"f:a": {}}},
            {"f:free": {"f:a": {"f:b": {}}}},
        ),
        (
            {"free": {"a": [1]}},
            {"free": {"a": {"b": 1}}},
            {"f:free": {"f:a": {".": {}, "f:b": {}}}},
            {},
        ),
    ],
)
def test_changes_are_named(old: Any, new: Any, changed: Any, removed: Any) -> None:
    """What is new or different counts as changed; what is gone as removed."""
    found = compare(custom.thing(**old), custom.thing(**new), shape.root(custom.schema()))

    assert found.changed.get("f:spec", {}) == changed
    assert found.removed.get("f:spec", {}) == removed


@pytest.mark.parametrize(
    ("old", "new", "changed", "removed"),
    [
        (["a", "a"], ["a"], ['v:"a"'], ['v:"a"']),
        (["a"], ["a", "a"], ['v:"a"'], ['v:"a"']),
        (["a", "a"], ["a", "a", "a"], ['v:"a"'], []),
        (["a", "a"], ["a", "a"], [], []),
    ],
)
def test_elements_that_are_there_twice_are_one(
    old: list[str], new: list[str], changed: list[str], removed: list[str]
) -> None:
    """Old objects may hold duplicates; ownership of them is by the lot."""
    found = compare(custom.thing(set=old), custom.thing(set=new), shape.root(custom.schema()))

    assert list(found.changed.get("f:spec", {}).get("f:set", {})) == changed
    assert list(found.removed.get("f:spec", {}).get("f:set", {})) == removed


def test_implied_fields_are_no_change() -> None:
    """A pod without resources and one with empty resources are the same to the real server."""
    pod = definitions.find("", "v1", "Pod")
    assert pod is not None
    bare = {"spec": {"containers": [{"name": "x"}]}}
    full = {"metadata": {}, "spec": {"containers": [{"name": "x", "resources": {}}]}, "status": {}}

    assert compare(bare, full, shape.root(pod)) == ({}, {})
    added = compare({}, bare, shape.root(pod)).changed["f:spec"]["f:containers"]
    assert added == {'k:{"name":"x"}': {".": {}, "f:name": {}, "f:resources": {}}}


def test_equality_tells_one_from_true() -> None:
    """In Python, 1 and True are equal."""
    assert same({"a": [1, True]}, {"a": [1.0, True]})
    assert not same({"a": [1]}, {"a": [True]})
