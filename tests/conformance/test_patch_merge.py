"""JSON merge patch, RFC 7386: a document laid over the object."""

from typing import Any

import pytest

from tests.conformance.bodies import CONTAINER, deployment
from tests.conformance.crds import Things
from tests.conformance.wire import Wire


@pytest.fixture
def path(api: Wire, things: Things) -> str:
    """The path of an object with two entries and a label."""
    api.post(things.path, things.body("a", labels={"app": "x"}, k="1", m="2")).ok(201)
    return f"{things.path}/a"


@pytest.mark.parametrize(
    ("patch", "data"),
    [
        ({"data": {"n": "3"}}, {"k": "1", "m": "2", "n": "3"}),
        ({"data": {"k": "3"}}, {"k": "3", "m": "2"}),
        ({"data": {"k": None}}, {"m": "2"}),
        ({"data": {"k": None, "none": None}}, {"m": "2"}),
        ({"data": None}, None),
        ({}, {"k": "1", "m": "2"}),
        ({"data": {}}, {"k": "1", "m": "2"}),
    ],
)
def test_objects_are_merged_and_null_removes(
    api: Wire, path: str, patch: dict[str, Any], data: dict[str, str] | None
) -> None:
    """What is not named stays."""
    patched = api.patch(path, patch).ok()

    assert patched.get("data") == data
    assert patched["metadata"]["labels"] == {"app": "x"}


def test_lists_are_replaced_whole(api: Wire, deployments: str) -> None:
    """That is the difference from the strategic patch."""
    api.post(deployments, deployment("a")).ok(201)
    containers = [{"name": "other", "image": "other"}]

    patch = {"spec": {"template": {"spec": {"containers": containers}}}}
    patched = api.patch(f"{deployments}/a", patch).ok()

    found = patched["spec"]["template"]["spec"]["containers"]
    assert [one["name"] for one in found] == ["other"]
    assert CONTAINER["name"] == "main"


def test_labels_are_added_and_removed(api: Wire, path: str) -> None:
    """Kubectl label does this."""
    patched = api.patch(path, {"metadata": {"labels": {"app": None, "new": "1"}}}).ok()

    assert patched["metadata"]["labels"] == {"new": "1"}


@pytest.mark.parametrize("body", [b"[]", b"1", b"{", b'"a"'], ids=lambda body: body.decode())
def test_a_body_that_is_no_object_is_refused(api: Wire, path: str, body: bytes) -> None:
    """As a mistake of the client."""
    reply = api.patch(path, body)

    assert reply.status in (400, 422, 500), reply.text  # old servers take the blame
    assert api.get(path).ok()["data"] == {"k": "1", "m": "2"}


def test_kind_and_version_cannot_be_patched(api: Wire, path: str, things: Things) -> None:
    """An object does not become another."""
    reply = api.patch(path, {"kind": "Other"})

    assert reply.status in (200, 400, 422, 500), reply.text
    assert api.get(path).ok()["kind"] == things.kind


def test_what_is_not_there_cannot_be_patched(api: Wire, things: Things) -> None:
    """Only apply creates."""
    api.patch(f"{things.path}/none", {}).refused(404, "NotFound")


def test_a_patch_is_retried_if_it_names_no_version(api: Wire, path: str) -> None:
    """Many patches one after the other all land, whoever wrote in between."""
    for number in range(5):
        api.patch(path, {"data": {f"n{number}": "1"}}).ok()

    assert len(api.get(path).ok()["data"]) == 7
