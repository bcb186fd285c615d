from typing import Any

import pytest

from kubewright.apiserver.builtin.core.events import (
    EVENTS_V1,
    event_from_events_v1,
    event_to_events_v1,
    events_v1_field,
)
from tests.unit.apiserver.builtin.kind_server import KindServer

ABOUT = {"kind": "Pod", "namespace": "default", "name": "p"}
NEW: dict[str, Any] = {
    "involvedObject": ABOUT,
    "eventTime": "2026-01-01T00:00:00.000000Z",
    "reportingComponent": "example.com/a",
    "reportingInstance": "a-1",
    "action": "Binding",
    "reason": "Bound",
    "type": "Normal",
}


def test_an_old_event_is_taken_as_it_is() -> None:
    """Clients of ten years ago still write such."""
    found = KindServer("", "events").create({"involvedObject": ABOUT})

    del found["metadata"]
    assert found == {
        "involvedObject": ABOUT,
        "source": {},
        "firstTimestamp": None,
        "lastTimestamp": None,
        "eventTime": None,
        "reportingComponent": "",
        "reportingInstance": "",
    }


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({"involvedObject": {"namespace": "other"}}, '"other": does not match event.namespace'),
        ({**NEW, "reportingComponent": ""}, "reportingComponent: Required value"),
        ({**NEW, "action": ""}, "action: Required value"),
        ({**NEW, "reason": "x" * 129}, 'reason: Invalid value: "": can have at most 128 charac'),
        ({**NEW, "message": "x" * 1025}, 'message: Invalid value: "": can have at most 1024 char'),
        (NEW, ""),
    ],
)
def test_a_new_event_says_who_and_why(content: dict[str, Any], problem: str) -> None:
    """An eventTime marks those of the new API."""
    found = KindServer("", "events").refusal(content)

    assert problem in found
    assert bool(problem) == bool(found)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"eventTime": None}, "eventTime: Required value"),
        ({"type": "X"}, 'type: Invalid value: "": has invalid value: X'),
        ({"count": 2}, 'count: Invalid value: "": needs to be unset'),
        ({"series": {"count": 1}}, 'series.count: Invalid value: "": should be at least 2'),
        ({"reportingComponent": ""}, "reportingController: Required value"),
    ],
)
def test_the_new_group_is_strict(change: dict[str, Any], problem: str) -> None:
    """events.k8s.io/v1 takes only what it has itself."""
    server = KindServer("events.k8s.io", "events")

    assert problem in server.refusal({**NEW, **change})
    assert not server.refusal(NEW)


def test_only_the_series_of_a_new_event_changes() -> None:
    """An event records the past, so only its series can grow."""
    server = KindServer("events.k8s.io", "events")
    found = server.create(NEW)
    series = {"count": 2, "lastObservedTime": NEW["eventTime"]}

    assert not server.refused_change(found, series=series)
    assert "message: Invalid value" in server.refused_change(found, message="other")


def test_an_event_is_the_same_in_both_groups() -> None:
    """The groups name fields differently, and conversion loses nothing."""
    core = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "x"},
        "involvedObject": ABOUT,
        "message": "hello",
        "source": {"component": "a"},
        "firstTimestamp": "2026-01-01T00:00:00Z",
        "lastTimestamp": None,
        "count": 3,
        "reportingComponent": "a",
    }

    converted = event_to_events_v1(core)

    assert converted["apiVersion"] == EVENTS_V1
    assert (converted["note"], converted["regarding"]) == ("hello", ABOUT)
    assert (converted["deprecatedCount"], converted["reportingController"]) == (3, "a")
    assert event_from_events_v1(converted) == core


def test_selectors_know_both_names_of_a_field() -> None:
    """The describe command asks for involvedObject.uid; others for regarding.uid."""
    assert events_v1_field("regarding.uid") == "involvedObject.uid"
    assert events_v1_field("reportingController") == "reportingComponent"
    assert events_v1_field("type") == "type"


def test_the_source_of_an_event_is_its_reporter_if_there_is_no_other() -> None:
    """Selectors must find new events, too."""
    strategy = KindServer("", "events").strategy

    found = strategy.selectable_fields(NEW)

    assert found["source"] == found["reportingComponent"] == "example.com/a"
    assert found["involvedObject.name"] == "p"
    assert frozenset(found) == strategy.field_names
