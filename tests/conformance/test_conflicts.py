"""Optimistic concurrency: who read an old state does not overwrite a newer one."""

from typing import Any

import pytest

from tests.conformance.bodies import config_map
from tests.conformance.crds import Things, things_in
from tests.conformance.wire import Wire

STALE = (
    'Operation cannot be fulfilled on %s "a": the object has been modified;'
    " please apply your changes to the latest version and try again"
)


@pytest.fixture
def stale(api: Wire, things: Things) -> dict[str, Any]:
    """An object as it was before its last change."""
    made: dict[str, Any] = api.post(things.path, things.body("a", k="1")).ok(201)
    api.patch(f"{things.path}/a", {"data": {"k": "2"}}).ok()
    return made


def test_a_stale_replace_is_refused(api: Wire, things: Things, stale: dict[str, Any]) -> None:
    """The text is what every controller's log shows."""
    status = api.put(f"{things.path}/a", stale).refused(409, "Conflict")

    assert status["message"] == STALE % things.qualified
    assert status["details"] == things.details("a")
    assert api.get(f"{things.path}/a").ok()["data"] == {"k": "2"}


def test_a_replace_without_a_version_wins(api: Wire, configmaps: str) -> None:
    """No version means: whatever is there."""
    made = api.post(configmaps, config_map("a", k="1")).ok(201)
    api.patch(f"{configmaps}/a", {"data": {"k": "2"}}).ok()
    del made["metadata"]["resourceVersion"]

    assert api.put(f"{configmaps}/a", made).ok()["data"] == {"k": "1"}


@pytest.mark.crd
def test_a_custom_resource_is_not_replaced_without_a_version(
    api: Wire, namespace: str, version: tuple[int, int]
) -> None:
    """Nobody replaces what he has not read; built-in kinds are older than this insight."""
    things = things_in(api, namespace, custom=True)
    made = api.post(things.path, things.body("a")).ok(201)
    del made["metadata"]["resourceVersion"]

    [(reason, field, message)] = api.put(f"{things.path}/a", made).causes()

    assert (reason, field) == ("FieldValueInvalid", "metadata.resourceVersion")
    zero = "0x0" if version < (1, 30) else "0"
    assert message == f"Invalid value: {zero}: must be specified for an update"


def test_a_patch_with_a_stale_version_is_refused(
    api: Wire, things: Things, stale: dict[str, Any]
) -> None:
    """A patch carries no version unless it wants to be refused."""
    version = stale["metadata"]["resourceVersion"]
    body = {"metadata": {"resourceVersion": version}, "data": {"k": "3"}}

    status = api.patch(f"{things.path}/a", body).refused(409, "Conflict")

    assert status["message"] == STALE % things.qualified


def test_another_uid_is_another_object(api: Wire, things: Things, stale: dict[str, Any]) -> None:
    """One that was deleted and made again must not get the status of its predecessor."""
    stale["metadata"]["uid"] = "11111111-2222-3333-4444-555555555555"
    del stale["metadata"]["resourceVersion"]

    status = api.put(f"{things.path}/a", stale).refused(409, "Conflict")

    assert "Precondition failed: UID in precondition: 11111111" in status["message"]


def test_create_of_what_exists_is_refused(api: Wire, things: Things) -> None:
    """The reason differs from a conflict: to try again is no help."""
    api.post(things.path, things.body("a")).ok(201)

    status = api.post(things.path, things.body("a")).refused(409, "AlreadyExists")

    assert status["message"] == f'{things.qualified} "a" already exists'
    assert status["details"] == things.details("a")


@pytest.mark.parametrize("field", ["uid", "resourceVersion"])
def test_a_delete_keeps_to_its_preconditions(
    api: Wire, things: Things, stale: dict[str, Any], field: str
) -> None:
    """The garbage collector deletes what it looked at, or nothing."""
    wrong = {"uid": "x", "resourceVersion": stale["metadata"]["resourceVersion"]}[field]

    reply = api.delete(f"{things.path}/a", {"preconditions": {field: wrong}})
    status = reply.refused(409, "Conflict")
    now = api.get(f"{things.path}/a").ok()["metadata"][field]
    api.delete(f"{things.path}/a", {"preconditions": {field: now}}).ok()

    word = {"uid": "UID", "resourceVersion": "ResourceVersion"}[field]
    assert f"the {word} in the precondition ({wrong}) does not match" in status["message"]


def test_the_name_in_the_body_must_be_that_of_the_path(
    api: Wire, things: Things, stale: dict[str, Any]
) -> None:
    """Otherwise it is not clear which object is meant."""
    stale["metadata"]["name"] = "b"

    status = api.put(f"{things.path}/a", stale).refused(400, "BadRequest")

    assert status["message"] == "the name of the object (b) does not match the name on the URL (a)"


def test_the_namespace_in_the_body_must_be_that_of_the_path(api: Wire, things: Things) -> None:
    """The same for the namespace."""
    body = things.body("a")
    body["metadata"]["namespace"] = "elsewhere"

    status = api.post(things.path, body).refused(400, "BadRequest")

    assert status["message"] == (
        "the namespace of the provided object does not match the namespace sent on the request"
    )


def test_a_patch_whose_test_fails_changes_nothing(
    api: Wire, things: Things, stale: dict[str, Any]
) -> None:
    """The optimistic concurrency of a JSON patch is the operation ``test``."""
    assert stale["data"] == {"k": "1"}
    patch = [
        {"op": "test", "path": "/data/k", "value": "1"},
        {"op": "replace", "path": "/data/k", "value": "3"},
    ]

    api.patch(f"{things.path}/a", patch, "json").refused(422, "Invalid")

    assert api.get(f"{things.path}/a").ok()["data"] == {"k": "2"}
