"""Namespaces: where objects live, and how they end."""

import secrets
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.conformance.bodies import config_map
from tests.conformance.crds import Things, things_in
from tests.conformance.wire import Wire

NAMESPACES = "/api/v1/namespaces"


@pytest.fixture
def mine(api: Wire) -> Iterator[str]:
    """A namespace to delete."""
    name = f"test-{secrets.token_hex(4)}"
    api.post(NAMESPACES, {"metadata": {"name": name}}).ok(201)
    yield name
    api.delete(f"{NAMESPACES}/{name}")


def gone(api: Wire, path: str) -> None:
    """Wait until *path* answers 404."""
    deadline = time.monotonic() + 30
    while (reply := api.get(path)).status != 404:
        assert time.monotonic() < deadline, reply.text
        time.sleep(0.1)


def test_a_new_one_is_active_and_has_a_finalizer(api: Wire, mine: str) -> None:
    """Of its own kind: in the spec, so that it is not deleted before its content."""
    found = api.get(f"{NAMESPACES}/{mine}").ok()

    assert found["spec"] == {"finalizers": ["kubernetes"]}
    assert found["status"] == {"phase": "Active"}


@pytest.mark.since("1.21", reason="the label with the name")
def test_it_carries_its_name_as_a_label(api: Wire, mine: str) -> None:
    """Network policies and webhooks select by it; it cannot be taken off."""
    path = f"{NAMESPACES}/{mine}"
    before = api.get(path).ok()["metadata"]["labels"]
    after = api.patch(path, {"metadata": {"labels": {"kubernetes.io/metadata.name": "x"}}})

    assert before == {"kubernetes.io/metadata.name": mine}
    assert after.status in (200, 422), after.text
    assert api.get(path).ok()["metadata"]["labels"] == before


@pytest.mark.parametrize("name", ["default", "kube-system", "kube-public", "kube-node-lease"])
def test_the_first_ones_are_there(api: Wire, name: str) -> None:
    """A client finds them without waiting; the server makes them again if need be."""
    deadline = time.monotonic() + 20
    while api.get(f"{NAMESPACES}/{name}").status != 200:
        assert time.monotonic() < deadline
        time.sleep(0.2)


def test_default_cannot_be_deleted(api: Wire) -> None:
    """Nor can the system's."""
    for name in ("default", "kube-system"):
        status = api.delete(f"{NAMESPACES}/{name}").refused(403, "Forbidden")
        assert "this namespace may not be deleted" in status["message"]


def test_objects_need_an_existing_namespace(api: Wire, things: Things, namespace: str) -> None:
    """Nothing is created in what is not there."""
    path = things.path.replace(namespace, "not-there")

    status = api.post(path, things.body("a")).refused(404, "NotFound")

    assert status["message"] == 'namespaces "not-there" not found'
    assert status["details"] == {"name": "not-there", "kind": "namespaces"}


def test_a_list_in_what_is_not_there_is_empty(api: Wire, things: Things, namespace: str) -> None:
    """It is no error to look."""
    assert api.get(things.path.replace(namespace, "not-there")).ok()["items"] == []


def terminating(api: Wire, mine: str) -> dict[str, Any]:
    """Delete the namespace while its content holds it."""
    configmaps = f"{NAMESPACES}/{mine}/configmaps"
    body = config_map("held")
    body["metadata"]["finalizers"] = ["example.com/a"]
    api.post(configmaps, body).ok(201)
    found: dict[str, Any] = api.delete(f"{NAMESPACES}/{mine}").ok(200)
    return found


def test_a_deleted_one_is_terminating_and_takes_nothing_new(api: Wire, mine: str) -> None:
    """What exists can still be read, changed and deleted."""
    deleted = terminating(api, mine)
    configmaps = f"{NAMESPACES}/{mine}/configmaps"

    refused = api.post(configmaps, config_map("new")).refused(403, "Forbidden")
    api.patch(f"{configmaps}/held", {"data": {"k": "v"}}).ok()

    assert deleted["status"]["phase"] == "Terminating"
    assert deleted["metadata"]["deletionTimestamp"]
    assert refused["message"] == (
        f'configmaps "new" is forbidden: unable to create new content in namespace {mine}'
        " because it is being terminated"
    )
    assert refused["details"]["causes"] == [
        {
            "reason": "NamespaceTerminating",
            "message": f"namespace {mine} is being terminated",
            "field": "metadata.namespace",
        }
    ]
    api.patch(f"{configmaps}/held", {"metadata": {"finalizers": None}}).ok()


@pytest.mark.crd
def test_custom_resources_are_not_created_in_a_terminating_one(api: Wire, mine: str) -> None:
    """The rule holds for every kind."""
    things = things_in(api, mine, custom=True)
    terminating(api, mine)

    # A server for custom resources alone learns of it a moment later.
    deadline = time.monotonic() + 10
    number = 0
    while (reply := api.post(things.path, things.body(f"a{number}"))).status == 201:
        assert time.monotonic() < deadline
        number += 1
        time.sleep(0.1)

    assert "because it is being terminated" in reply.refused(403, "Forbidden")["message"]
    held = f"{NAMESPACES}/{mine}/configmaps/held"
    api.patch(held, {"metadata": {"finalizers": None}}).ok()


@pytest.mark.controllers
def test_a_deleted_one_goes_with_its_content(api: Wire, mine: str) -> None:
    """First everything in it, then itself."""
    configmaps = f"{NAMESPACES}/{mine}/configmaps"
    api.post(configmaps, config_map("a")).ok(201)

    api.delete(f"{NAMESPACES}/{mine}").ok(200)

    gone(api, f"{NAMESPACES}/{mine}")
    gone(api, f"{configmaps}/a")


@pytest.mark.controllers
def test_it_says_what_holds_it(api: Wire, mine: str) -> None:
    """The conditions name content and finalizers that are left."""
    terminating(api, mine)

    deadline = time.monotonic() + 20
    wanted = {"NamespaceContentRemaining", "NamespaceFinalizersRemaining"}
    while True:
        status = api.get(f"{NAMESPACES}/{mine}").ok()["status"]
        true = {one["type"] for one in status.get("conditions", []) if one["status"] == "True"}
        if wanted <= true:
            break
        assert time.monotonic() < deadline, status
        time.sleep(0.1)

    held = f"{NAMESPACES}/{mine}/configmaps/held"
    api.patch(held, {"metadata": {"finalizers": None}}).ok()
    gone(api, f"{NAMESPACES}/{mine}")


def test_the_finalizer_is_removed_through_its_subresource(api: Wire, mine: str) -> None:
    """``finalize`` is how a controller says that the content is gone."""
    terminating(api, mine)
    held = f"{NAMESPACES}/{mine}/configmaps/held"
    api.patch(held, {"metadata": {"finalizers": None}}).ok()
    api.delete(held)
    deleted = api.get(f"{NAMESPACES}/{mine}")
    if deleted.status == 404:
        return  # a server with controllers of its own was faster
    body = deleted.ok()
    body["spec"]["finalizers"] = []

    api.put(f"{NAMESPACES}/{mine}/finalize", body)

    gone(api, f"{NAMESPACES}/{mine}")
