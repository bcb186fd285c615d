from typing import Any

import pytest

from kubewright.apiserver.fieldmanager import shape
from kubewright.apiserver.fieldmanager.merge import merged, with_named, without
from tests.unit.apiserver.fieldmanager import custom

ROOT = shape.root(custom.schema())


@pytest.mark.parametrize(
    ("live", "config", "result"),
    [
        ({"size": 1, "text": "x"}, {"size": 2}, {"size": 2, "text": "x"}),
        ({"labels": {"a": "1"}}, {"labels": {"b": "2"}}, {"labels": {"a": "1", "b": "2"}}),
        ({"labels": {"a": "1"}}, {"labels": None}, {"labels": {"a": "1"}}),
        ({"labels": {"a": "1"}}, {"labels": {}}, {"labels": {"a": "1"}}),
        ({"whole": {"a": 1}}, {"whole": {}}, {"whole": {}}),
        ({"plain": ["a"]}, {"plain": ["b"]}, {"plain": ["b"]}),
        ({"text": "x"}, {"text": None}, {"text": None}),
        ({"free": {"a": {"b": 1}}}, {"free": {"a": 1}}, {"free": {"a": 1}}),
    ],
)
def test_configuration_is_laid_over_the_live_object(live: Any, config: Any, result: Any) -> None:
    """What is owned as a whole is replaced, the rest is merged; nothing is removed."""
    before = custom.thing(**live)

    found = merged(before, custom.thing(**config), ROOT)

    assert found["spec"] == result
    assert before["spec"] == live


@pytest.mark.parametrize(
    ("live", "config", "result"),
    [
        ("abc", "b", "abc"),
        ("abc", "cb", "acb"),
        ("abc", "xb", "axbc"),
        ("abc", "bx", "abcx"),
        ("ab", "cd", "abcd"),
        ("", "ba", "ba"),
        ("ab", "", "ab"),
    ],
)
def test_elements_keep_the_order_of_both_lists(live: str, config: str, result: str) -> None:
    """The configuration orders its own elements; the others stay beside their neighbours."""
    found = merged(custom.thing(set=list(live)), custom.thing(set=list(config)), ROOT)

    assert "".join(found["spec"]["set"]) == result


def test_elements_are_merged_by_key() -> None:
    """A default counts as the key."""
    live = custom.thing(items=[{"name": "a", "port": 80, "value": "1", "more": {"a": 1}}])
    config = custom.thing(items=[{"name": "a", "more": {"b": 2}}])

    found = merged(live, config, ROOT)["spec"]["items"]

    assert found == [{"name": "a", "port": 80, "value": "1", "more": {"a": 1, "b": 2}}]


def test_fields_are_taken_out() -> None:
    """A map that has nothing left is null, not empty."""
    obj = custom.thing(size=1, labels={"a": "1"}, items=[{"name": "a"}, {"name": "b"}])
    fields = {
        "f:spec": {
            "f:size": {},
            "f:labels": {"f:a": {}},
            "f:items": {'k:{"name":"a","port":80}': {".": {}, "f:name": {}}},
        }
    }

    assert without(obj, fields, ROOT)["spec"] == {"labels": None, "items": [{"name": "b"}]}


def test_declared_fields_above_others_are_named() -> None:
    """Map keys and list elements are not added: they may belong to another owner."""
    fields = {"f:spec": {"f:labels": {"f:a": {}}, "f:free": {"f:x": {"f:y": {}}}}}

    assert with_named(fields, ROOT) == {
        "f:spec": {
            ".": {},
            "f:labels": {".": {}, "f:a": {}},
            "f:free": {".": {}, "f:x": {"f:y": {}}},
        }
    }
