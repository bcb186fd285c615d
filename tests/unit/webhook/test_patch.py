"""The JSON patch for what a defaulter has changed."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright import _json
from kubewright._json import canonical, loads
from kubewright.api.merge import merged
from kubewright.api.patches import json_equal
from kubewright.webhook.patch import patch_of
from tests.unit.webhook.reviews import Shelf, Shop, document, patched


def patch_between(sent: Any, before: Any, after: Any) -> list[dict[str, Any]]:
    """Return the patch for documents in place of bytes."""
    return patch_of(_json.encode(sent), canonical(before), canonical(after))


def test_only_what_changed_is_in_the_patch() -> None:
    """Whatever else is in the object belongs to its user and to other webhooks."""
    before = {"name": "a", "size": 1, "colour": "red"}

    patch = patch_between(before | {"smell": "roses"}, before, {"name": "a", "size": 2, "door": 1})

    assert patch == [
        {"op": "replace", "path": "/size", "value": 2},
        {"op": "remove", "path": "/colour"},
        {"op": "add", "path": "/door", "value": 1},
    ]


def test_an_object_that_stays_as_it_is_needs_no_patch() -> None:
    """Kubernetes would otherwise validate, and maybe call webhooks again, for nothing."""
    assert patch_between(document(), {"spec": {"size": 1}}, {"spec": {"size": 1}}) == []


def test_a_default_that_was_not_sent_is_added_only_if_it_is_changed() -> None:
    """A typed object encodes its defaults; nobody asked for them to be stored."""
    before = {"spec": {"size": 1}}

    assert patch_between({"spec": {}}, before, {"spec": {"size": 1, "a": 2}}) == [
        {"op": "add", "path": "/spec/a", "value": 2}
    ]
    assert patch_between({"spec": {}}, before, {"spec": {"size": 3}}) == [
        {"op": "add", "path": "/spec/size", "value": 3}
    ]


def test_a_null_that_was_sent_is_replaced() -> None:
    """Go sends null for what is empty, so the member is there, and has no members of its own."""
    sent = {"list": None, "part": None}

    patch = patch_between(sent, {}, {"list": [1], "part": {"a": 1}})

    assert patched(sent, patch) == {"list": [1], "part": {"a": 1}}


def test_an_object_in_place_of_something_else_is_put_whole() -> None:
    """There are no members to compare; a patch of them would not apply."""
    sent = {"a": 3, "b": {"c": 1}}

    patch = patch_between(sent, sent, {"a": {"x": 1}, "b": 3})

    assert patched(sent, patch) == {"a": {"x": 1}, "b": 3}


def test_names_are_escaped_as_json_pointers_are() -> None:
    """The keys of annotations have slashes: the patch would miss its place, and be refused."""
    sent = {"annotations": {"example.com/a": "1", "~": "2"}}

    patch = patch_between(sent, sent, {"annotations": {"example.com/a": "3"}})

    assert patch == [
        {"op": "replace", "path": "/annotations/example.com~1a", "value": "3"},
        {"op": "remove", "path": "/annotations/~0"},
    ]


def test_items_keep_their_unknown_fields_when_one_is_put_in_front() -> None:
    """A sidecar is put in front of containers, and must not take over what they have."""
    sent = document(shelves=[{"name": "a", "smell": "oak"}])
    shop = _json.convert(sent, Shop)
    before = canonical(shop)
    shop.spec.shelves.insert(0, Shelf(name="new"))

    patch = patch_of(_json.encode(sent), before, canonical(shop))

    shelves = patched(sent, patch)["spec"]["shelves"]
    assert shelves == [{"name": "new", "depth": 1}, {"name": "a", "smell": "oak"}]


def test_a_part_that_became_empty_keeps_its_unknown_fields() -> None:
    """An older operator than the CRD sets its last field back to nothing; the others stay."""
    sent = document()
    shop = _json.convert(sent, Shop)
    before = canonical(shop)
    shop.spec = type(shop.spec)(size=2)

    patch = patch_of(_json.encode(sent), before, canonical(shop))

    assert patched(sent, patch)["spec"] == {"size": 2, "smell": "roses"}


@pytest.mark.parametrize("sent", [b' { "a" : { "b" : 1 } , "c" : [ ] } ', b'{"a":{"b":1},"c":[]}'])
def test_the_spaces_that_were_sent_do_not_matter(sent: bytes) -> None:
    """Not every client of `Routes` writes JSON as Go does."""
    patch = patch_of(sent, b'{"a":{"b":1}}', b'{"a":{"b":2}}')

    assert patch == [{"op": "replace", "path": "/a/b", "value": 2}]


# --- properties: a document of known fields (small names) with unknown ones (X, Y) mixed in ---

scalars = st.none() | st.booleans() | st.integers(-1, 2) | st.floats(0, 2) | st.sampled_from("x/~")
names = st.sampled_from(["a", "b", "name", "port", "x/y", "~", ""])
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4),
    max_leaves=12,
)
objects = st.dictionaries(names, values, max_size=4)


@st.composite
def with_unknown(draw: st.DrawFn, value: Any) -> Any:
    """Return *value* with members that a class does not know."""
    if isinstance(value, list):
        return [draw(with_unknown(one)) for one in value]
    if not isinstance(value, dict):
        return value
    grown = {key: draw(with_unknown(one)) for key, one in value.items()}
    return grown | draw(st.dictionaries(st.sampled_from(["X", "Y"]), values, max_size=2))


def unknown_in(value: Any, path: str = "") -> dict[str, Any]:
    """Return the unknown members of objects within objects, by their paths."""
    found: dict[str, Any] = {}
    for key, one in value.items() if isinstance(value, dict) else ():
        if key in ("X", "Y"):
            found[f"{path}/{key}"] = one
        else:
            found |= unknown_in(one, f"{path}/{key}")
    return found


@given(objects, objects)
def test_applied_to_what_was_read_the_patch_gives_what_was_made_of_it(
    before: dict[str, Any], after: dict[str, Any]
) -> None:
    """Nothing that a defaulter does is lost on the way to the server."""
    patch = patch_between(before, before, after)

    assert json_equal(patched(before, patch), after)


@given(st.data())
def test_applied_to_what_was_sent_the_patch_makes_the_same_changes(data: st.DataObject) -> None:
    """Fields that the class does not know are as they would be after an update by a client."""
    before, after = data.draw(objects), data.draw(objects)
    sent = data.draw(with_unknown(before))

    found = patched(sent, patch_between(sent, before, after))

    assert json_equal(found, merged(sent, before, after))


@given(st.data())
def test_what_was_sent_may_differ_from_what_was_read(data: st.DataObject) -> None:
    """A class adds defaults, drops nulls and writes times otherwise; the patch must still apply."""
    sent, before, after = data.draw(objects), data.draw(objects), data.draw(objects)

    found = patched(sent, patch_between(sent, before, after))

    assert json_equal(found, merged(sent, before, after))


@given(st.data())
def test_unknown_fields_survive_every_change_around_them(data: st.DataObject) -> None:
    """A cluster may have a newer CRD than the operator; its users must not lose data."""
    before = data.draw(objects)
    sent = data.draw(with_unknown(before))
    after = copy.deepcopy(before) | {"a": {"b": data.draw(scalars)}, "new": data.draw(values)}

    found = unknown_in(patched(sent, patch_between(sent, before, after)))

    stay = {path: one for path, one in unknown_in(sent).items() if not path.startswith("/a/")}
    assert all(path in found and json_equal(found[path], one) for path, one in stay.items())


@given(objects, objects)
def test_no_change_gives_no_patch(sent: dict[str, Any], before: dict[str, Any]) -> None:
    """Whatever was sent."""
    shuffled = dict(reversed(list(before.items())))

    assert patch_between(sent, before, loads(canonical(shuffled))) == []
