from typing import Any

import pytest

from kubewright.apiserver.fieldmanager import fieldset, shape
from kubewright.apiserver.fieldmanager.conflict import ConflictsError
from kubewright.apiserver.fieldmanager.entries import Entry, Managed, Owner, owner
from kubewright.apiserver.fieldmanager.ownership import ANCIENT, MAX_UPDATERS, Ownership, reconciled
from kubewright.apiserver.schema.tree import Schema
from tests.unit.apiserver.fieldmanager import custom

OLD = "example.com/v1beta1"


def updater(name: str, version: str = custom.VERSION) -> Owner:
    return owner(name, "Update", version, "")


def renamed(obj: dict[str, Any], version: str) -> tuple[dict[str, Any], Schema] | None:
    """Convert: the old version calls the size "amount"."""
    if version == "example.com/v0":
        return None
    spec = dict(obj.get("spec", {}))
    before, after = ("size", "amount") if version == OLD else ("amount", "size")
    if before in spec:
        spec[after] = spec.pop(before)
    schema = custom.schema(amount=custom.INTEGER) if version == OLD else custom.schema()
    return {**obj, "apiVersion": version, "spec": spec}, schema


def test_oldest_updaters_are_merged_when_there_are_too_many() -> None:
    """Objects that many controllers touch must not grow without bound."""
    ownership = Ownership(custom.schema(), custom.VERSION)
    managed: Managed = {}
    old = custom.thing()
    for number in range(MAX_UPDATERS + 2):
        new = custom.thing(labels={**old["spec"].get("labels", {}), f"l{number}": "x"})
        who, now = updater(f"m{number:02}"), f"2026-01-01T12:00:{number:02}Z"
        managed = ownership.updated(old, new, managed, who, now=now)
        old = new

    assert len(managed) == MAX_UPDATERS
    ancient = managed[updater(ANCIENT)]
    assert set(ancient.fields["f:spec"]["f:labels"]) == {".", "f:l0", "f:l1", "f:l2"}
    assert ancient.time == "2026-01-01T12:00:02Z"


def test_owners_in_another_version_lose_what_it_is_called_there() -> None:
    """The change is compared in the version in which the owner is recorded."""
    ownership = Ownership(custom.schema(), custom.VERSION, convert=renamed)
    managed = {
        updater("old", OLD): Entry({"f:spec": {"f:amount": {}, "f:text": {}}}, OLD),
        updater("gone", "example.com/v0"): Entry({"f:spec": {"f:x": {}}}, "example.com/v0"),
    }

    found = ownership.updated(
        custom.thing(size=1, text="x"),
        custom.thing(size=2, text="x"),
        managed,
        updater("me"),
        now=custom.NOON,
    )

    assert found[updater("old", OLD)].fields == {"f:spec": {"f:text": {}}}
    assert found[updater("me")].fields == {"f:spec": {"f:size": {}}}
    assert updater("gone", "example.com/v0") not in found


def test_what_was_applied_in_another_version_is_pruned_in_this() -> None:
    """An applier that moves to a new version still gives up what it leaves out."""
    ownership = Ownership(custom.schema(), custom.VERSION, convert=renamed)
    me = owner("me", "Apply", custom.VERSION, "")
    managed = {me: Entry({"f:spec": {"f:amount": {}, "f:text": {}}}, OLD)}

    obj, found = ownership.applied(
        custom.thing(size=1, text="x"),
        custom.thing(text="x"),
        managed,
        me,
        force=False,
        now=custom.NOON,
    )

    assert obj["spec"] == {"text": "x"}
    assert found[me] == Entry({"f:spec": {"f:text": {}}}, custom.VERSION, custom.NOON)


def test_stripped_fields_are_neither_gained_nor_contested() -> None:
    """What the strategy resets cannot conflict."""
    ownership = Ownership(custom.schema(), custom.VERSION, strip=fieldset.of(("spec", "size")))
    me = owner("me", "Apply", custom.VERSION, "")
    managed = {updater("other"): Entry({"f:spec": {"f:size": {}}}, custom.VERSION)}

    _, found = ownership.applied(
        custom.thing(size=1), custom.thing(size=2, text="x"), managed, me, force=False, now=""
    )

    assert found[me].fields == {"f:spec": {"f:text": {}}}
    assert found[updater("other")].fields == {"f:spec": {"f:size": {}}}


def test_conflicts_are_raised_unless_forced() -> None:
    """Setting the same value is not a conflict."""
    ownership = Ownership(custom.schema(), custom.VERSION)
    me = owner("me", "Apply", custom.VERSION, "")
    managed = {updater("other"): Entry({"f:spec": {"f:size": {}, "f:text": {}}}, custom.VERSION)}
    live, config = custom.thing(size=1, text="x"), custom.thing(size=2, text="x")

    with pytest.raises(ConflictsError) as caught:
        ownership.applied(live, config, managed, me, force=False, now=custom.NOON)
    _, found = ownership.applied(live, config, managed, me, force=True, now=custom.NOON)

    assert [conflict.path for conflict in caught.value.conflicts] == [("f:spec", "f:size")]
    assert found[updater("other")].fields == {"f:spec": {"f:text": {}}}


ITEM = 'k:{"name":"a","port":80}'


def test_what_has_become_atomic_is_owned_as_a_whole() -> None:
    """A CRD may change a list or map from granular to atomic under existing owners."""
    fields = {
        "f:spec": {
            "f:size": {},
            "f:whole": {".": {}, "f:a": {}},
            "f:plain": {'v:"x"': {}},
            "f:items": {ITEM: {"f:more": {"f:a": {}}}},
        }
    }
    atomic = {**custom.ITEM["properties"]["more"], "x-kubernetes-map-type": "atomic"}
    item = {**custom.ITEM, "properties": {**custom.ITEM["properties"], "more": atomic}}
    found = shape.root(custom.schema(items={**custom.SPEC["items"], "items": item}))

    assert reconciled(fields, found) == {
        "f:spec": {"f:size": {}, "f:whole": {}, "f:plain": {}, "f:items": {ITEM: {"f:more": {}}}}
    }


def test_what_fits_stays_the_same_object() -> None:
    """Nearly always nothing has changed, and nothing is copied."""
    fields = {
        "f:spec": {"f:labels": {"f:a": {}}, "f:free": {"f:x": {"f:y": {}}}, "f:gone": {"f:x": {}}}
    }

    assert reconciled(fields, shape.root(custom.schema())) is fields
