"""Pruning: what the schema does not know is not stored."""

from typing import Any

import pytest

from tests.conformance.crds import ANYTHING, Installed, Installer, object_of, version, wait_until
from tests.conformance.wire import Wire

pytestmark = pytest.mark.crd
TEXT = {"type": "string"}
SPEC = object_of(
    known=TEXT,
    box=object_of(known=TEXT),
    items={"type": "array", "items": object_of(known=TEXT)},
    map={"type": "object", "additionalProperties": object_of(known=TEXT)},
    open=ANYTHING,
    half={**ANYTHING, "properties": {"closed": object_of(known=TEXT)}},
    embedded={**ANYTHING, "x-kubernetes-embedded-resource": True},
    shaped={
        **object_of(kind=TEXT, spec=object_of(known=TEXT)),
        "x-kubernetes-embedded-resource": True,
    },
    quantity={"x-kubernetes-int-or-string": True},
)


@pytest.fixture
def widgets(install: Installer) -> Installed:
    """A kind with closed, open and half-open parts."""
    return install.shared(version(schema=SPEC, subresources={"status": {}}))


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ({"known": "a", "unknown": "b"}, {"known": "a"}),
        ({"box": {"known": "a", "unknown": {"deep": 1}}}, {"box": {"known": "a"}}),
        ({"items": [{"known": "a", "unknown": 1}, {}]}, {"items": [{"known": "a"}, {}]}),
        ({"map": {"any": {"known": "a", "unknown": 1}}}, {"map": {"any": {"known": "a"}}}),
        (
            {"open": {"any": {"deep": [1, {"a": None}]}}},
            {"open": {"any": {"deep": [1, {"a": None}]}}},
        ),
        (
            {"half": {"any": 1, "closed": {"known": "a", "unknown": 1}}},
            {"half": {"any": 1, "closed": {"known": "a"}}},
        ),
        ({"quantity": "1Gi"}, {"quantity": "1Gi"}),
    ],
    ids=["root", "object", "array", "map", "open", "closed inside of open", "int or string"],
)
def test_only_what_the_schema_knows_is_stored(
    widgets: Installed, sent: dict[str, Any], kept: dict[str, Any]
) -> None:
    """At every depth, and not where the schema says otherwise."""
    assert widgets.create(spec=sent).ok(201)["spec"] == kept


def test_beside_the_spec_nothing_is_kept(widgets: Installed) -> None:
    """The root is an object like any other, with metadata that is known."""
    made = widgets.create(spec={"known": "a"}, extra={"a": 1}).ok(201)

    assert "extra" not in made


def test_unknown_metadata_is_dropped(widgets: Installed) -> None:
    """The schema of metadata is the same for all kinds."""
    made = widgets.create(metadata={"colour": "red", "labels": {"a": "b"}}).ok(201)

    assert "colour" not in made["metadata"]
    assert made["metadata"]["labels"] == {"a": "b"}


@pytest.mark.parametrize("kind", ["merge", "json", "apply"])
def test_patches_are_pruned_too(api: Wire, widgets: Installed, kind: str) -> None:
    """Whatever way it comes in."""
    widgets.create(spec={"known": "a"}).ok(201)
    body: Any = {"spec": {"unknown": 1, "known": "b"}}
    if kind == "json":
        body = [
            {"op": "add", "path": "/spec/unknown", "value": 1},
            {"op": "replace", "path": "/spec/known", "value": "b"},
        ]
    path = widgets.path("a")
    if kind == "apply":
        path += "?fieldManager=test&force=true&fieldValidation=Ignore"
        body = widgets.body("a", spec={"known": "b"})

    assert api.patch(path, body, kind).ok()["spec"] == {"known": "b"}


def test_embedded_objects_keep_their_metadata(widgets: Installed) -> None:
    """apiVersion, kind and metadata are known in them; the rest as the schema says."""
    inner = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "labels": {"b": "c"}}}
    sent = {
        "embedded": {**inner, "any": 1},
        "shaped": {**inner, "spec": {"known": "a", "unknown": 1}, "any": 1},
    }

    made = widgets.create(spec=sent).ok(201)["spec"]

    assert made["embedded"] == {**inner, "any": 1}
    assert made["shaped"] == {**inner, "spec": {"known": "a"}}


def test_embedded_objects_are_checked_as_objects(widgets: Installed) -> None:
    """They must say what they are, and be named as objects are."""
    nameless = widgets.create(spec={"embedded": {"apiVersion": "v1"}}).causes()
    bad = {"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": {"a b": "c"}}}
    labelled = widgets.create(spec={"embedded": bad}).causes()

    assert ("FieldValueRequired", "spec.embedded.kind") in [one[:2] for one in nameless]
    assert "spec.embedded.metadata.labels" in [field for _, field, _ in labelled]


def test_what_was_stored_before_is_pruned_when_read(api: Wire, install: Installer) -> None:
    """A schema that shrinks hides the old fields at once."""
    widgets = install(version(schema=object_of(a=TEXT, b=TEXT)))
    widgets.create(spec={"a": "1", "b": "2"}).ok(201)
    found = widgets.definition()
    del found["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"][
        "properties"
    ]["b"]

    definition = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{widgets.name}"
    api.put(definition, found).ok()
    reply = wait_until(api, widgets.path("a"), lambda reply: "b" not in reply.ok()["spec"])

    assert reply.ok()["spec"] == {"a": "1"}
