"""The sink: an Event on the server, created once and counted up."""

from datetime import UTC, datetime, timedelta

import pytest

from kubewright.api.kind import ObjectKey
from kubewright.client import Client, Config
from kubewright.client.event_correlator import Observation, Occurrence
from kubewright.client.event_parts import Reference
from kubewright.client.event_sink import CoreEventSink, Reporter
from kubewright.errors import ForbiddenError
from tests.unit.client.scripted import ScriptedTransport, answer, failure

START = datetime(2026, 1, 1, 12, 0, 0, 999999, tzinfo=UTC)
CONFIG = Config(server="https://example.com", namespace="home")
EVENTS = "/api/v1/namespaces/shop/events"
OK = answer({"metadata": {"name": "web.1"}})


def observation(count: int = 1) -> Observation:
    occurrence = Occurrence(
        key=ObjectKey("shop", "web.1"),
        regarding=Reference("v1", "Pod", "shop", "web", "u", "7", "spec.containers{main}"),
        related=Reference("v1", "Node", "", "n1"),
        type="Warning",
        reason="BackOff",
        message="m",
        action="Restart",
        time=START + timedelta(minutes=1),
        at=0,
    )
    return Observation(
        key=occurrence.key, occurrence=occurrence, message="shown", count=count, first=START
    )


def sink(*script: object, host: str = "") -> tuple[CoreEventSink, ScriptedTransport]:
    transport = ScriptedTransport(*script)  # type: ignore[arg-type]  # answers and failures
    client = Client(CONFIG, transport=transport)
    return CoreEventSink(client, Reporter("operator", "operator-1", host)), transport


async def test_a_new_event_is_created_whole() -> None:
    """Old and new tools look at different fields; all of them are there."""
    events, transport = sink(OK, host="n1")

    await events.write(observation())

    assert transport.requests[0].method == "POST"
    assert transport.requests[0].target == EVENTS
    assert transport.bodies == [
        {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": "web.1", "namespace": "shop"},
            "involvedObject": {
                "apiVersion": "v1",
                "kind": "Pod",
                "namespace": "shop",
                "name": "web",
                "uid": "u",
                "resourceVersion": "7",
                "fieldPath": "spec.containers{main}",
            },
            "related": {"apiVersion": "v1", "kind": "Node", "name": "n1"},
            "type": "Warning",
            "reason": "BackOff",
            "action": "Restart",
            "message": "shown",
            "count": 1,
            "firstTimestamp": "2026-01-01T12:00:00Z",
            "lastTimestamp": "2026-01-01T12:01:00Z",
            "source": {"component": "operator", "host": "n1"},
            "reportingComponent": "operator",
            "reportingInstance": "operator-1",
        }
    ]


async def test_a_known_event_is_only_counted_up() -> None:
    """One small patch, whose repetition changes nothing."""
    events, transport = sink(OK)

    await events.write(observation(count=3))

    (request,) = transport.requests
    assert (request.method, request.target) == ("PATCH", f"{EVENTS}/web.1")
    assert transport.bodies == [
        {"count": 3, "lastTimestamp": "2026-01-01T12:01:00Z", "message": "shown"}
    ]


async def test_an_event_that_has_expired_is_created_again_with_its_count() -> None:
    """The server throws Events away after an hour; the trouble may last longer."""
    events, transport = sink(failure(404, "NotFound"), OK)

    await events.write(observation(count=3))

    assert [request.method for request in transport.requests] == ["PATCH", "POST"]
    assert transport.bodies[1]["count"] == 3
    assert transport.bodies[1]["firstTimestamp"] == "2026-01-01T12:00:00Z"


async def test_another_refusal_of_the_patch_is_raised() -> None:
    """Creating instead would not be allowed either, and would hide what is wrong."""
    events, transport = sink(failure(403, "Forbidden"))

    with pytest.raises(ForbiddenError, match="patch events"):
        await events.write(observation(count=2))

    assert len(transport.requests) == 1
