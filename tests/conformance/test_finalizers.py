"""Finalizers: an object is not gone before the last of them is."""

from typing import Any

import pytest

from tests.conformance.crds import Things
from tests.conformance.wire import Wire

ONE, TWO = "example.com/one", "example.com/two"


@pytest.fixture
def path(api: Wire, things: Things) -> str:
    """The path of an object with two finalizers."""
    body = things.body("a", k="1")
    body["metadata"]["finalizers"] = [ONE, TWO]
    api.post(things.path, body).ok(201)
    return f"{things.path}/a"


def drop(api: Wire, path: str, *remaining: str) -> Any:
    """Leave only the *remaining* finalizers."""
    return api.patch(path, {"metadata": {"finalizers": list(remaining)}}).ok()


def test_delete_marks_and_the_last_finalizer_removes(api: Wire, path: str) -> None:
    """The whole life: marked, one gone, all gone."""
    deleted = api.delete(path).ok(200)
    one = drop(api, path, TWO)
    last = drop(api, path)

    assert deleted["metadata"]["deletionTimestamp"]
    assert deleted["metadata"]["deletionGracePeriodSeconds"] == 0
    assert deleted["metadata"]["finalizers"] == [ONE, TWO]
    assert one["metadata"]["finalizers"] == [TWO]
    assert "finalizers" not in last["metadata"]
    api.get(path).refused(404, "NotFound")


def test_a_marked_object_can_be_read_and_written(api: Wire, path: str) -> None:
    """Controllers go on to report while they clean up."""
    api.delete(path).ok()

    patched = api.patch(path, {"data": {"k": "2"}}).ok()

    assert patched["data"]["k"] == "2"
    assert patched["metadata"]["deletionTimestamp"]
    drop(api, path)


def test_a_second_delete_changes_nothing(api: Wire, path: str) -> None:
    """Neither the time nor the object."""
    first = api.delete(path).ok()["metadata"]

    second = api.delete(path).ok()["metadata"]

    assert second["deletionTimestamp"] == first["deletionTimestamp"]
    assert second["resourceVersion"] == first["resourceVersion"]
    drop(api, path)


def test_no_finalizer_can_be_added_to_a_marked_object(api: Wire, path: str) -> None:
    """Nobody may prolong a death that others wait for."""
    api.delete(path).ok()

    reply = api.patch(path, {"metadata": {"finalizers": [ONE, TWO, "example.com/new"]}})

    [(reason, field, message)] = set(reply.causes())  # it is checked twice, and told twice
    assert (reason, field) == ("FieldValueForbidden", "metadata.finalizers")
    assert message == (
        "Forbidden: no new finalizers can be added if the object is being deleted,"
        ' found new finalizers []string{"example.com/new"}'
    )
    drop(api, path)


def test_the_mark_cannot_be_removed(api: Wire, path: str) -> None:
    """There is no way back."""
    marked = api.delete(path).ok()
    marked["metadata"]["deletionTimestamp"] = None

    replaced = api.put(path, marked)

    assert replaced.status in (200, 422), replaced.text
    assert api.get(path).ok()["metadata"]["deletionTimestamp"]
    drop(api, path)


def test_a_name_is_taken_until_the_object_is_gone(
    api: Wire, path: str, things: Things, version: tuple[int, int]
) -> None:
    """Create says since 1.20-something that the old one is still there."""
    api.delete(path).ok()

    status = api.post(things.path, things.body("a")).refused(409, "AlreadyExists")

    assert status["message"].startswith("object is being deleted: ") or version < (1, 25)
    assert status["message"].endswith(f'{things.qualified} "a" already exists')
    drop(api, path)


def test_without_a_mark_the_last_finalizer_removes_nothing(api: Wire, path: str) -> None:
    """Only a deleted object goes."""
    drop(api, path)

    assert api.get(path).ok()["data"] == {"k": "1"}


def test_watchers_see_the_mark_and_then_the_end(api: Wire, path: str, things: Things) -> None:
    """A mark is a change; the end is a deletion with a version of its own."""
    version = api.get(things.path).ok()["metadata"]["resourceVersion"]
    api.delete(path).ok()
    drop(api, path)

    with api.watch(things.path, resourceVersion=version) as events:
        marked, ended = next(events), next(events)

    assert [marked["type"], ended["type"]] == ["MODIFIED", "DELETED"]
    assert marked["object"]["metadata"]["deletionTimestamp"]
    first, second = (int(one["object"]["metadata"]["resourceVersion"]) for one in (marked, ended))
    assert second > first


def test_a_replace_can_drop_them_too(api: Wire, path: str) -> None:
    """Not only patches finish."""
    marked = api.delete(path).ok()
    marked["metadata"]["finalizers"] = []

    api.put(path, marked).ok()

    api.get(path).refused(404, "NotFound")
