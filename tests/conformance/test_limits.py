"""What is too much, and how it is refused."""

import pytest

from tests.conformance.crds import Things
from tests.conformance.wire import Wire

MEGABYTE = 1024 * 1024


def test_a_body_above_three_megabytes_is_too_large(api: Wire, things: Things) -> None:
    """Refused as soon as it is read so far."""
    reply = api.post(things.path, things.body("a", k="x" * (3 * MEGABYTE + 1)))

    status = reply.refused(413, "RequestEntityTooLarge")
    assert status["message"] == "Request entity too large: limit is 3145728"


def test_a_patch_above_three_megabytes_is_too_large(api: Wire, things: Things) -> None:
    """The same limit."""
    api.post(things.path, things.body("a")).ok(201)

    reply = api.patch(f"{things.path}/a", {"data": {"k": "x" * (3 * MEGABYTE + 1)}})

    reply.refused(413, "RequestEntityTooLarge")


@pytest.mark.crd
def test_an_object_too_large_for_the_store_is_refused(api: Wire, things: Things) -> None:
    """The store takes a megabyte and a half per write; ConfigMaps have a limit of their own."""
    reply = api.post(things.path, things.body("a", k="x" * (2 * MEGABYTE)))

    assert reply.status in (413, 422, 500), reply.text
    api.get(f"{things.path}/a").refused(404)


def test_a_config_map_holds_a_megabyte(api: Wire, configmaps: str) -> None:
    """And says so."""
    body = {"metadata": {"name": "a"}, "data": {"k": "x" * (MEGABYTE + 1)}}

    [(reason, _, message)] = api.post(configmaps, body).causes()

    assert reason == "FieldValueTooLong"
    assert message in (
        "Too long: may not be more than 1048576 bytes",
        "Too long: must have at most 1048576 bytes",
    )


def test_a_large_object_below_the_limits_is_kept(api: Wire, things: Things) -> None:
    """Byte for byte."""
    text = "ä" * 400_000

    api.post(things.path, things.body("a", k=text)).ok(201)

    assert api.get(f"{things.path}/a").ok()["data"]["k"] == text


def test_too_many_operations_in_a_json_patch_are_refused(api: Wire, things: Things) -> None:
    """Ten thousand are allowed."""
    api.post(things.path, things.body("a")).ok(201)
    operation = {"op": "add", "path": "/data/k", "value": "v"}

    reply = api.patch(f"{things.path}/a", [operation] * 10_001, "json")

    status = reply.refused(413, "RequestEntityTooLarge")
    assert "The allowed maximum operations in a JSON patch is 10000, got 10001" in status["message"]
