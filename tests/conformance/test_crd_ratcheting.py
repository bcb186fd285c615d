"""Ratcheting: what was wrong before the rule came may stay, as long as it is not touched."""

import time
from typing import Any

import pytest

from tests.conformance.crds import CRDS, Installed, Installer, object_of, version
from tests.conformance.wire import Wire

pytestmark = [pytest.mark.crd, pytest.mark.since("1.33", reason="ratcheting is on since then")]
TEXT = {"type": "string"}
BEFORE = object_of(
    t=TEXT,
    other=TEXT,
    list={"type": "array", "items": TEXT},
    keyed={
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
        "items": {**object_of(k=TEXT, v=TEXT), "required": ["k"]},
    },
    box=object_of(a=TEXT, b=TEXT),
)


def tightened() -> dict[str, Any]:
    """Return the schema with rules that the old object breaks."""
    short = {"maxLength": 3}
    rule = [{"rule": "self.a == 'good'", "message": "a must be good"}]
    keyed = BEFORE["properties"]["keyed"]
    item = {**object_of(k=TEXT, v={**TEXT, **short}), "required": ["k"]}
    return object_of(
        t={**TEXT, **short},
        other={**TEXT, "enum": ["x", "y"]},
        list={"type": "array", "items": {**TEXT, **short}},
        keyed={**keyed, "items": item},
        box={**object_of(a={**TEXT, "maxLength": 20}, b=TEXT), "x-kubernetes-validations": rule},
    )


@pytest.fixture
def old(api: Wire, install: Installer) -> Installed:
    """A kind whose rules came after its object."""
    widgets = install(version(schema=BEFORE))
    spec = {
        "t": "too long",
        "other": "x",
        "list": ["too long"],
        "keyed": [{"k": "a", "v": "too long"}, {"k": "b", "v": "ok"}],
        "box": {"a": "bad", "b": "1"},
    }
    widgets.create("old", spec=spec).ok(201)
    found = widgets.definition()
    schema = found["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    schema["properties"]["spec"] = tightened()
    api.put(f"{CRDS}/{widgets.name}", found).ok()
    deadline = time.monotonic() + 20
    while widgets.create("new", spec={"t": "too long"}).status != 422:
        assert time.monotonic() < deadline, "the new schema does not hold"
        api.delete(widgets.path("new")).ok()
    return widgets


def test_what_is_not_touched_may_stay(api: Wire, old: Installed) -> None:
    """A label, another field, another element: all are fine."""
    path = old.path("old")

    api.patch(path, {"metadata": {"labels": {"a": "b"}}}).ok()
    api.patch(path, {"spec": {"other": "y"}}).ok()
    moved = [{"k": "b", "v": "new"}, {"k": "a", "v": "too long"}]
    api.patch(path, {"spec": {"keyed": moved}}).ok()

    assert api.get(path).ok()["spec"]["t"] == "too long"


def test_what_is_touched_must_be_right(api: Wire, old: Installed) -> None:
    """A changed value is judged by the new rules, wherever it is."""
    path = old.path("old")

    changes: list[tuple[dict[str, Any], str]] = [
        ({"t": "also long"}, "spec.t"),
        ({"other": "z"}, "spec.other"),
        ({"list": ["too long", "again long"]}, "spec.list[1]"),
        ({"keyed": [{"k": "a", "v": "also long"}]}, "spec.keyed[0].v"),
        ({"box": {"b": "2"}}, "spec.box"),
    ]
    for change, field in changes:
        causes = api.patch(path, {"spec": change}).causes()
        assert field in [name for _, name, _ in causes], (change, causes)


def test_what_is_mended_stays_mended(api: Wire, old: Installed) -> None:
    """There is no way back to the wrong value."""
    path = old.path("old")
    api.patch(path, {"spec": {"t": "ok"}}).ok()

    causes = api.patch(path, {"spec": {"t": "too long"}}).causes()

    # The other cause says that CEL rules were not asked.
    assert [field for _, field, _ in causes if field != "<nil>"] == ["spec.t"]
