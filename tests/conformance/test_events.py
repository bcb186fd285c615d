"""Events: what every API server accepts and keeps of what the recorder writes."""

import logging

import pytest

from kubewright.client import Client, EventRecorder
from kubewright.kinds.core.v1 import ConfigMap, Event, Namespace
from kubewright.testing import Server, probe
from tests.conformance.objects import config_map


async def recorded(client: Client, obj: ConfigMap) -> list[Event]:
    """Return the Events about *obj*, found as ``kubectl describe`` finds them."""
    about = {
        "involvedObject.kind": "ConfigMap",
        "involvedObject.name": obj.metadata.name,
        "involvedObject.namespace": obj.metadata.namespace,
        "involvedObject.uid": obj.metadata.uid,
    }
    return list(await client.list(Event, namespace=client.namespace, fields=about))


async def test_an_event_is_found_under_its_object(client: Client) -> None:
    """People look for it with `kubectl describe`."""
    obj = await client.create(config_map("a"))

    async with EventRecorder(client, "operator", instance="operator-0") as recorder:
        recorder.event(
            obj, type="Warning", reason="Failed", message="no luck: ü€😀", action="Try",
            field_path="data.k",
        )  # fmt: skip

    (event,) = await recorded(client, obj)
    assert event.metadata.name.startswith("a.")
    assert (event.type, event.reason, event.message) == ("Warning", "Failed", "no luck: ü€😀")
    assert (event.action, event.count) == ("Try", 1)
    assert event.involved_object.resource_version == obj.metadata.resource_version
    assert event.involved_object.field_path == "data.k"
    assert event.source is not None
    assert event.source.component == event.reporting_component == "operator"
    assert event.reporting_instance == "operator-0"
    assert event.first_timestamp == event.last_timestamp
    assert event.first_timestamp is not None


async def test_a_repeated_event_is_one_with_a_count(client: Client) -> None:
    """The patch of the count is accepted."""
    obj = await client.create(config_map("a"))

    async with EventRecorder(client, "operator") as recorder:
        for _ in range(3):
            recorder.event(obj, reason="Synced", message="m")

    (event,) = await recorded(client, obj)
    assert event.count == 3


async def test_a_deleted_event_is_written_again_with_its_count(client: Client) -> None:
    """Servers forget Events after an hour."""
    obj = await client.create(config_map("a"))

    async with EventRecorder(client, "operator") as recorder:
        recorder.event(obj, reason="Synced", message="m")
        async with client.watch(Event, namespace=client.namespace) as changes:
            async for change in changes:
                await client.delete(change.object)
                break
        recorder.event(obj, reason="Synced", message="m")

    (event,) = await recorded(client, obj)
    assert event.count == 2


async def test_a_longest_message_and_a_combined_one_are_accepted(client: Client) -> None:
    """The limits that we keep are not narrower in the server."""
    obj = await client.create(config_map("a"))

    async with EventRecorder(client, "operator") as recorder:
        for i in range(11):
            recorder.event(obj, reason="A" * 128, message=f"{i} {'é' * 2000}")

    events = await recorded(client, obj)
    assert len(events) == 10
    (combined,) = [event for event in events if event.count == 2]
    assert (combined.message or "").startswith("(combined from similar events): 10 é")


async def test_an_event_about_a_cluster_wide_object_is_accepted(client: Client) -> None:
    """It goes to the default namespace."""
    here = await client.get(Namespace, client.namespace)

    async with EventRecorder(client, "operator") as recorder:
        recorder.event(here, reason="Visited", message="m")

    only = {"involvedObject.uid": here.metadata.uid}
    (event,) = await client.list(Event, namespace="default", fields=only)
    assert event.involved_object.namespace is None


async def test_an_event_in_no_namespace_is_logged_and_forgotten(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    """The object and its namespace may be gone before the news of it arrives."""
    obj = await client.create(config_map("a"))
    elsewhere = config_map("a")
    elsewhere.metadata.namespace = "does-not-exist"

    with caplog.at_level(logging.WARNING):
        async with EventRecorder(client, "operator") as recorder:
            recorder.event(elsewhere, reason="Synced", message="m")
            recorder.event(elsewhere, reason="Synced", message="n")
            recorder.event(obj, reason="Synced", message="m")

    assert caplog.text.count("event refused") == 1
    assert "does-not-exist" in caplog.text
    assert len(await recorded(client, obj)) == 1


async def test_tools_of_the_newer_api_see_it_too(client: Client, server: Server) -> None:
    """One recorder serves readers of both APIs of Events."""
    obj = await client.create(config_map("a"))

    async with EventRecorder(client, "operator", instance="operator-0") as recorder:
        recorder.event(obj, reason="Synced", message="m", action="Sync", related=obj)

    path = f"/apis/events.k8s.io/v1/namespaces/{client.namespace}/events"
    (event,) = probe.ask(server, "GET", path).json()["items"]
    assert (event["reason"], event["note"], event["action"]) == ("Synced", "m", "Sync")
    assert event["regarding"]["uid"] == event["related"]["uid"] == obj.metadata.uid
    assert event["reportingController"] == "operator"
    assert event["reportingInstance"] == "operator-0"
    assert event["deprecatedCount"] == 1
