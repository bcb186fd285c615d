from typing import Any

from kubewright.apiserver.fieldmanager import shape
from kubewright.apiserver.fieldmanager.entries import Entry, owner
from kubewright.apiserver.fieldmanager.extract import fields_of
from kubewright.apiserver.fieldmanager.fieldset import FieldSet
from kubewright.apiserver.fieldmanager.prune import pruned
from tests.unit.apiserver.fieldmanager import custom

ROOT = shape.root(custom.schema())
ME = owner("me", "Apply", custom.VERSION, "")
OTHER = owner("other", "Update", custom.VERSION, "")


def fields(**spec: Any) -> FieldSet:
    return fields_of(custom.thing(**spec), ROOT)


def prune(merged: Any, *, last: FieldSet, now: FieldSet, others: FieldSet) -> Any:
    managed = {ME: Entry(now, custom.VERSION), OTHER: Entry(others, custom.VERSION)}
    before = Entry(last, custom.VERSION)
    found = pruned(custom.thing(**merged), managed, ME, before, lambda obj, _: (obj, ROOT))
    return found["spec"]


def test_only_what_the_applier_gave_up_and_nobody_owns_goes() -> None:
    """Fields of others stay; a struct without any owned field is removed."""
    found = prune(
        {
            "size": 1,
            "text": "x",
            "struct": {"a": 1, "b": 2},
            "labels": {"mine": "1", "shared": "2"},
        },
        last=fields(text="x", struct={"a": 1}, labels={"mine": "1", "shared": "2"}),
        now=fields(labels={}),
        others=fields(labels={"shared": "2"}),
    )

    assert found == {"size": 1, "labels": {"shared": "2"}}


def test_element_stays_while_somebody_else_applies_it() -> None:
    """Its key fields stay with it, or it would be another element."""
    found = prune(
        {"items": [{"name": "a", "value": "1", "more": {"a": 1}}, {"name": "b", "value": "1"}]},
        last=fields(items=[{"name": "a", "value": "1"}, {"name": "b", "value": "1"}]),
        now={},
        others=fields(items=[{"name": "a", "more": {"a": 1}}]),
    )

    assert found == {"items": [{"name": "a", "more": {"a": 1}}]}


def test_version_that_is_gone_prunes_nothing() -> None:
    """Fields that were applied in a version that no longer exists cannot be pruned."""
    managed = {ME: Entry({}, custom.VERSION)}

    obj = custom.thing(size=1)
    found = pruned(obj, managed, ME, Entry(fields(size=1), "example.com/v0"), lambda *_: None)

    assert found is obj
