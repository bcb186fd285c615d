"""Defaults and null in custom resources."""

from typing import Any

import pytest

from tests.conformance.crds import CRDS, Installed, Installer, object_of, version, wait_until
from tests.conformance.wire import Wire, with_query

pytestmark = pytest.mark.crd
TEXT = {"type": "string"}
SPEC = object_of(
    text={**TEXT, "default": "a"},
    number={"type": "integer", "default": 3},
    flag={"type": "boolean", "default": False},
    box={**object_of(inner={**TEXT, "default": "b"}), "default": {}},
    open=object_of(inner={**TEXT, "default": "c"}),
    items={"type": "array", "items": object_of(inner={**TEXT, "default": "d"})},
    map={"type": "object", "additionalProperties": object_of(inner={**TEXT, "default": "e"})},
    filled={"type": "array", "items": TEXT, "default": ["x"]},
    nullable={**TEXT, "nullable": True},
    nulldefault={**TEXT, "nullable": True, "default": "f"},
)
ALWAYS = {
    "text": "a",
    "number": 3,
    "flag": False,
    "box": {"inner": "b"},
    "filled": ["x"],
    "nulldefault": "f",
}


@pytest.fixture
def widgets(install: Installer) -> Installed:
    """A kind with defaults at every depth."""
    return install.shared(version(schema=SPEC))


@pytest.mark.parametrize(
    ("sent", "changed"),
    [
        ({}, {}),
        ({"text": "z", "flag": True}, {"text": "z", "flag": True}),
        ({"text": ""}, {"text": ""}),
        ({"box": {"inner": "z"}}, {"box": {"inner": "z"}}),
        ({"open": {}}, {"open": {"inner": "c"}}),
        ({"items": [{}, {"inner": "z"}]}, {"items": [{"inner": "d"}, {"inner": "z"}]}),
        ({"map": {"k": {}}}, {"map": {"k": {"inner": "e"}}}),
        ({"filled": []}, {"filled": []}),
    ],
    ids=["nothing", "given", "empty text", "box", "open", "array", "map", "empty array"],
)
def test_defaults_fill_what_is_absent(
    widgets: Installed, sent: dict[str, Any], changed: dict[str, Any]
) -> None:
    """From the outside in: a default of an object opens the way for those inside."""
    assert widgets.create(spec=sent).ok(201)["spec"] == {**ALWAYS, **changed}


@pytest.mark.parametrize(
    ("sent", "changed"),
    [
        ({"text": None}, {}),
        ({"nullable": None}, {"nullable": None}),
        ({"nulldefault": None}, {"nulldefault": None}),
    ],
    ids=["not nullable", "nullable", "nullable with a default"],
)
def test_null_is_dropped_for_a_default_or_kept_if_it_may_be(
    widgets: Installed, sent: dict[str, Any], changed: dict[str, Any]
) -> None:
    """Null is a value only where the schema says so."""
    assert widgets.create(spec=sent).ok(201)["spec"] == {**ALWAYS, **changed}


@pytest.mark.since("1.35", reason="older servers refuse it as a value of the wrong type")
def test_null_without_a_default_is_dropped(install: Installer) -> None:
    """Where null may not be, it stands for nothing."""
    widgets = install.shared(version(schema=object_of(plain=TEXT, other=TEXT)))

    assert widgets.create(spec={"plain": None, "other": "x"}).ok(201)["spec"] == {"other": "x"}


def test_defaults_are_filled_in_on_update_and_patch(api: Wire, widgets: Installed) -> None:
    """What is removed comes back as its default."""
    made = widgets.create(spec={"text": "z"}).ok(201)
    del made["spec"]["text"]

    replaced = api.put(widgets.path("a"), made).ok()
    patched = api.patch(widgets.path("a"), {"spec": {"number": None}}).ok()

    assert replaced["spec"]["text"] == "a"
    assert patched["spec"]["number"] == 3


def test_old_objects_get_new_defaults_when_read(api: Wire, install: Installer) -> None:
    """A default that is added later holds for what was stored before."""
    widgets = install(version(schema=object_of(a=TEXT, b=TEXT)))
    widgets.create(spec={"a": "1"}).ok(201)
    found = widgets.definition()
    spec = found["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    spec["properties"]["b"]["default"] = "new"

    api.put(f"{CRDS}/{widgets.name}", found).ok()
    reply = wait_until(api, widgets.path("a"), lambda reply: "b" in reply.ok()["spec"])
    listed = api.get(widgets.path()).ok()["items"][0]["spec"]

    assert reply.ok()["spec"] == listed == {"a": "1", "b": "new"}


def test_defaults_are_owned_by_nobody(api: Wire, widgets: Installed) -> None:
    """So another manager may set them without a conflict."""
    body = widgets.body("a", spec={"text": "z"})
    api.apply(widgets.path("a"), body, owner="one").ok(201)

    applied = api.apply(widgets.path("a"), widgets.body("a", spec={"number": 9}), owner="two").ok()

    owned = {one["manager"]: one["fieldsV1"] for one in applied["metadata"]["managedFields"]}
    assert owned == {"one": {"f:spec": {"f:text": {}}}, "two": {"f:spec": {"f:number": {}}}}


def test_a_dry_run_shows_them(api: Wire, widgets: Installed) -> None:
    """Kubectl diff shows what would be."""
    made = api.post(with_query(widgets.path(), dryRun="All"), widgets.body("a", spec={})).ok(201)

    assert made["spec"] == ALWAYS


def test_a_default_is_validated_with_the_whole(install: Installer) -> None:
    """Rules of the parent see the defaults of its children."""
    schema = {**object_of(a={**TEXT, "default": "x"}, b=TEXT), "required": ["a"]}
    widgets = install.shared(version(schema=schema))

    assert widgets.create(spec={"b": "y"}).ok(201)["spec"] == {"a": "x", "b": "y"}
