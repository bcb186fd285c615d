"""PartialObjectMetadata: only what every object has."""

import json
from itertools import islice

from tests.conformance.crds import Things
from tests.conformance.wire import Wire

ONE = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
LIST = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"


def test_an_object_is_reduced_to_its_metadata(api: Wire, things: Things) -> None:
    """Caches that need no more save the rest."""
    made = api.post(things.path, things.body("a", labels={"l": "1"}, k="1")).ok(201)

    found = api.ask("GET", f"{things.path}/a", headers={"Accept": ONE}).ok()

    assert set(found) == {"kind", "apiVersion", "metadata"}
    assert (found["kind"], found["apiVersion"]) == ("PartialObjectMetadata", "meta.k8s.io/v1")
    assert found["metadata"] == made["metadata"]


def test_a_list_is_reduced_too(api: Wire, things: Things) -> None:
    """With the version and the pages of the list."""
    for name in ("a", "b"):
        api.post(things.path, things.body(name, k="1")).ok(201)

    found = api.ask("GET", f"{things.path}?limit=1", headers={"Accept": LIST}).ok()

    assert (found["kind"], found["apiVersion"]) == ("PartialObjectMetadataList", "meta.k8s.io/v1")
    assert found["metadata"]["continue"]
    [item] = found["items"]
    assert item["metadata"]["name"] == "a"
    assert "data" not in item


def test_a_watch_sends_them(api: Wire, things: Things) -> None:
    """Each event has one."""
    api.post(things.path, things.body("a", k="1")).ok(201)
    path = f"{things.path}?watch=true&timeoutSeconds=1&resourceVersion=0"

    body = api.ask("GET", path, headers={"Accept": ONE}).body
    [event] = islice((json.loads(line) for line in body.splitlines()), 1)

    assert event["type"] == "ADDED"
    assert event["object"]["kind"] == "PartialObjectMetadata"
    assert "data" not in event["object"]


def test_writes_answer_so_if_asked(api: Wire, things: Things) -> None:
    """A patch of labels by a metadata client."""
    api.post(things.path, things.body("a", k="1")).ok(201)

    headers = {"Accept": ONE, "Content-Type": "application/merge-patch+json"}
    body = {"metadata": {"labels": {"l": "2"}}}
    found = api.ask("PATCH", f"{things.path}/a", body, headers=headers).ok()

    assert found["kind"] == "PartialObjectMetadata"
    assert found["metadata"]["labels"] == {"l": "2"}
    assert api.get(f"{things.path}/a").ok()["data"] == {"k": "1"}


def test_the_first_type_that_is_known_is_taken(api: Wire, things: Things) -> None:
    """Clients list what they like in order of preference."""
    api.post(things.path, things.body("a")).ok(201)
    accept = f"application/vnd.example+json, {ONE}, application/json"

    found = api.ask("GET", f"{things.path}/a", headers={"Accept": accept}).ok()

    assert found["kind"] == "PartialObjectMetadata"
