"""Several versions of one kind: served, stored and converted."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.crds import CRDS, Installed, Installer, object_of, version, wait_until
from tests.conformance.hooks import Hook, serving
from tests.conformance.wire import Wire

pytestmark = pytest.mark.crd
TEXT = {"type": "string"}


def test_each_version_shows_the_same_object(api: Wire, install: Installer) -> None:
    """Without a webhook only the apiVersion changes; each prunes by its own schema."""
    one = version("v1", schema=object_of(a=TEXT, b=TEXT))
    two = version("v2", schema=object_of(a=TEXT), storage=False)
    widgets = install.shared(one, two)
    made = widgets.create(spec={"a": "1", "b": "2"}).ok(201)

    other = api.get(widgets.path("a", version="v2")).ok()

    assert other["apiVersion"] == f"{widgets.group}/v2"
    assert other["spec"] == {"a": "1"}
    assert other["metadata"]["uid"] == made["metadata"]["uid"]
    assert other["metadata"]["resourceVersion"] == made["metadata"]["resourceVersion"]


def test_the_best_version_is_preferred(api: Wire, install: Installer) -> None:
    """Stable before beta before alpha, higher before lower, whatever the order."""
    order = ["v1alpha1", "v1", "v2beta1", "v10", "foo1", "v2", "v1beta2"]
    widgets = install.shared(
        *(version(name, storage=name == "v1") for name in order),
    )

    group = api.get(f"/apis/{widgets.group}").ok()

    assert [one["version"] for one in group["versions"]] == [
        "v10",
        "v2",
        "v1",
        "v2beta1",
        "v1beta2",
        "v1alpha1",
        "foo1",
    ]
    assert group["preferredVersion"]["version"] == "v10"


def test_a_deprecated_version_warns(api: Wire, install: Installer) -> None:
    """In a header that kubectl prints; the text is the CRD's or a usual one."""
    old = version("v1", deprecated=True)
    older = version("v0", deprecated=True, deprecationWarning="use v2", storage=False)
    widgets = install.shared(old, older, version("v2", storage=False))

    usual = api.get(widgets.path(version="v1")).warnings()
    own = api.get(widgets.path(version="v0")).warnings()
    new = api.get(widgets.path(version="v2")).warnings()

    group = widgets.group
    assert usual == [f"{group}/v1 Widget is deprecated; use {group}/v2 Widget"]
    assert own == ["use v2"]
    assert new == []


def test_stored_versions_are_remembered(api: Wire, install: Installer) -> None:
    """A new storage version is added to those that may be in the store."""
    widgets = install(version("v1"), version("v2", storage=False))
    found = widgets.definition()
    for one in found["spec"]["versions"]:
        one["storage"] = one["name"] == "v2"

    updated = api.put(f"{CRDS}/{widgets.name}", found).ok()

    assert updated["status"]["storedVersions"] == ["v1", "v2"]


def convert(review: dict[str, Any]) -> dict[str, Any]:
    """Turn ``spec.text`` of v1 into ``spec.words`` of v2, and back."""
    request = review["request"]
    wanted = request["desiredAPIVersion"]
    converted = []
    for one in request["objects"]:
        spec = one.get("spec", {})
        if wanted.endswith("/v2"):
            spec = {"words": spec.get("text", "").split()}
        else:
            spec = {"text": " ".join(spec.get("words", []))}
        converted.append({**one, "apiVersion": wanted, "spec": spec})
    response = {
        "uid": request["uid"],
        "convertedObjects": converted,
        "result": {"status": "Success"},
    }
    return {"apiVersion": review["apiVersion"], "kind": "ConversionReview", "response": response}


@pytest.fixture
def hook(tmp_path: Path) -> Iterator[Hook]:
    """The webhook that converts."""
    with serving(tmp_path, convert) as hook:
        yield hook


@pytest.fixture
def converted(install: Installer, hook: Hook) -> Installed:
    """A kind of two versions, stored as v1."""
    return install(
        version("v1", schema=object_of(text=TEXT)),
        version("v2", schema=object_of(words={"type": "array", "items": TEXT}), storage=False),
        conversion={
            "strategy": "Webhook",
            "webhook": {
                "clientConfig": hook.client_config("/convert"),
                "conversionReviewVersions": ["v1"],
            },
        },
    )


def test_a_webhook_converts_what_is_read(api: Wire, converted: Installed) -> None:
    """One object, a list, and a watch."""
    converted.create("a", spec={"text": "x y"}).ok(201)
    collection = converted.path(version="v2")

    one = api.get(f"{collection}/a").ok()
    listed = api.get(collection).ok()["items"]
    with api.watch(collection, resourceVersion="0") as events:
        event = next(events)["object"]

    assert one["spec"] == listed[0]["spec"] == event["spec"] == {"words": ["x", "y"]}
    assert one["apiVersion"] == event["apiVersion"] == f"{converted.group}/v2"


def test_a_webhook_converts_what_is_written(api: Wire, converted: Installed) -> None:
    """It is validated as it came, and stored in the storage version."""
    made = converted.create("a", version="v2", spec={"words": ["x", "y"]}).ok(201)
    patched = api.patch(converted.path("a", version="v2"), {"spec": {"words": ["z"]}}).ok()

    assert made["spec"] == {"words": ["x", "y"]}
    assert patched["spec"] == {"words": ["z"]}
    assert api.get(converted.path("a")).ok()["spec"] == {"text": "z"}


def test_the_review_says_what_is_wanted(api: Wire, converted: Installed, hook: Hook) -> None:
    """Objects, a uid and the version to convert to."""
    converted.create("a", spec={"text": "x"}).ok(201)
    hook.asked.clear()

    api.get(converted.path("a", version="v2")).ok()

    review = hook.asked[-1]
    assert (review["kind"], review["apiVersion"]) == (
        "ConversionReview",
        "apiextensions.k8s.io/v1",
    )
    assert review["request"]["desiredAPIVersion"] == f"{converted.group}/v2"
    assert review["request"]["uid"]
    assert [one["metadata"]["name"] for one in review["request"]["objects"]] == ["a"]


@pytest.mark.parametrize("way", ["failure", "identity", "count"])
def test_a_webhook_that_does_wrong_is_an_error(
    api: Wire, converted: Installed, hook: Hook, way: str
) -> None:
    """It may say no, but not rename objects or lose them."""
    converted.create("a", spec={"text": "x"}).ok(201)

    def wrong(review: dict[str, Any]) -> dict[str, Any]:
        answer = convert(review)
        if way == "failure":
            result = {"status": "Failure", "message": "not today"}
            answer["response"] |= {"result": result, "convertedObjects": []}
        elif way == "identity":
            answer["response"]["convertedObjects"][0]["metadata"]["name"] = "other"
        else:
            answer["response"]["convertedObjects"] = []
        return answer

    hook.answer = wrong
    reply = api.get(converted.path("a", version="v2"))
    hook.answer = convert

    assert reply.status == 500, reply.text
    message = reply.json()["message"]
    assert "conversion webhook for" in message
    assert {"failure": "not today", "identity": "name", "count": "returned 0 objects"}[
        way
    ] in message


def test_a_webhook_that_is_away_is_an_error(api: Wire, converted: Installed) -> None:
    """Only versions that need it are affected."""
    converted.create("a", spec={"text": "x"}).ok(201)
    found = converted.definition()
    config = found["spec"]["conversion"]["webhook"]["clientConfig"]
    config["url"] = "https://127.0.0.1:9/convert"
    api.put(f"{CRDS}/{converted.name}", found).ok()

    path = converted.path("a", version="v2")
    reply = wait_until(api, path, lambda reply: reply.status != 200)

    assert reply.status == 500, reply.text
    assert "conversion webhook for" in reply.json()["message"]
    assert api.get(converted.path("a")).ok()["spec"] == {"text": "x"}
