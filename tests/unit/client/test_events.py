"""The recorder: it never holds anybody up, and delivers what it can."""

import asyncio
import json
import logging
from typing import Any

import pytest

from kubewright._aio import TaskSet, VirtualClock
from kubewright.api.meta import ObjectMeta
from kubewright.api.requests import Request
from kubewright.client import Client, Config, EventRecorder
from kubewright.client.transport import Response
from kubewright.errors import LifecycleError, TransportError
from kubewright.kinds.core.v1 import Node, Pod
from tests.unit.client.scripted import ScriptedTransport, answer, failure

CONFIG = Config(server="https://example.com", namespace="home")
POD = Pod(metadata=ObjectMeta(name="web", namespace="shop", uid="u", resource_version="7"))
REFUSED = TransportError("connection refused")


class EventServer(ScriptedTransport):
    """Keeps Events as a server does; the next answers can be bad ones."""

    def __init__(self, *bad: Response | Exception) -> None:
        super().__init__()
        self.events: dict[str, Any] = {}
        self.bad = list(bad)
        self.asked_at: list[float] = []
        self.clock = VirtualClock()
        self.hangs = False

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        """Carry out *request*."""
        self.asked_at.append(self.clock.monotonic())
        if self.hangs:
            await asyncio.Event().wait()
        if self.bad:
            line = self.bad.pop(0)
            if isinstance(line, Exception):
                raise line
            return line
        return self._store(request, json.loads(request.body))

    def _store(self, request: Request, body: dict[str, Any]) -> Response:
        if request.method == "POST":
            name = body["metadata"]["name"]
            if name in self.events:
                return failure(409, "AlreadyExists")
            self.events[name] = body
        else:
            name = request.target.partition("?")[0].rpartition("/")[2]
            if name not in self.events:
                return failure(404, "NotFound")
            self.events[name].update(body)
        return answer(self.events[name])

    @property
    def messages(self) -> dict[str, int]:
        """What the Events say, and how often it happened."""
        return {event["message"]: event["count"] for event in self.events.values()}


def recorder_to(server: EventServer, **options: Any) -> EventRecorder:
    client = Client(CONFIG, transport=server, clock=server.clock)
    return EventRecorder(client, "operator", clock=server.clock, **options)


def note(recorder: EventRecorder, message: str = "m", **other: Any) -> None:
    recorder.event(POD, **{"reason": "Synced", "message": message, **other})


async def test_an_event_arrives_on_the_server() -> None:
    """Leaving the block delivers what is left, even if nothing was awaited inside."""
    server = EventServer()

    async with recorder_to(server, instance="i") as recorder:
        recorder.event(POD, type="Warning", reason="Failed", message="no luck", action="Try")

    ((name, event),) = server.events.items()
    assert name.startswith("web.")
    assert int(name.partition(".")[2], 16) // 10**6 == 1767225600 * 10**3
    assert event["metadata"]["namespace"] == event["involvedObject"]["namespace"] == "shop"
    assert (event["type"], event["reason"], event["message"]) == ("Warning", "Failed", "no luck")
    assert (event["reportingComponent"], event["reportingInstance"]) == ("operator", "i")
    assert event["source"] == {"component": "operator"}
    assert recorder.dropped == 0


async def test_an_event_about_a_cluster_wide_object_is_in_the_default_namespace() -> None:
    """An Event must be in some namespace, and people look for these there."""
    server = EventServer()

    async with recorder_to(server) as recorder:
        recorder.event(Node(metadata=ObjectMeta(name="n1")), reason="Ready", message="m")

    (event,) = server.events.values()
    assert event["metadata"]["namespace"] == "default"
    assert "namespace" not in event["involvedObject"]
    assert event["reportingInstance"].startswith("operator-")


async def test_events_are_delivered_while_the_block_runs() -> None:
    """They come when they are news, not at the end of the process."""
    server = EventServer()

    async with recorder_to(server) as recorder:
        note(recorder, "early")
        await server.clock.settle()
        assert server.messages == {"early": 1}
        note(recorder, "late")
        await server.clock.settle()
        assert server.messages == {"early": 1, "late": 1}


async def test_repeated_events_are_counted() -> None:
    """Two events of one instant have two names, and the same event twice has one."""
    server = EventServer()

    async with recorder_to(server) as recorder:
        for message in ("a", "b", "a", "a"):
            note(recorder, message)

    assert server.messages == {"a": 3, "b": 1}


async def test_components_that_speak_at_once_lose_nothing() -> None:
    """Each Event has a name of its own, even if their objects have one name, and time stands."""
    server = EventServer()
    client = Client(CONFIG, transport=server, clock=server.clock)
    scheduler = EventRecorder(client, "default-scheduler", clock=server.clock)
    kubelets = [
        EventRecorder(client, "kubelet", host=host, clock=server.clock) for host in ("a", "b")
    ]

    async with scheduler, kubelets[0], kubelets[1]:
        for number, recorder in enumerate([scheduler, *kubelets]):
            note(recorder, f"first of {number}")
            note(recorder, f"second of {number}")

    assert len(server.events) == 6


async def test_eleven_messages_become_nine_events_and_a_combined_one() -> None:
    """The checklist of client-go's recorder, through the whole stack."""
    server = EventServer()

    async with recorder_to(server) as recorder:
        for i in range(11):
            note(recorder, f"m{i}")

    assert len(server.events) == 10
    assert server.messages["(combined from similar events): m10"] == 2


async def test_the_twenty_sixth_event_of_a_burst_is_left_out() -> None:
    """It is not an event that was lost, so it does not count as dropped."""
    server = EventServer()

    async with recorder_to(server) as recorder:
        for i in range(26):
            note(recorder, reason=f"Reason{i}")

    assert len(server.events) == 25
    assert recorder.dropped == 0


async def test_a_mistake_of_the_program_is_raised_at_once() -> None:
    """There is somebody to tell, and a line that says where."""
    recorder = recorder_to(EventServer())

    with pytest.raises(ValueError, match="CamelCase"):
        note(recorder, reason="not one word")
    with pytest.raises(ValueError, match="'Normal' or 'Warning'"):
        note(recorder, type="Error")
    with pytest.raises(ValueError, match="needs apiVersion, kind and a name"):
        recorder.event(Pod(), reason="Fine", message="m")


@pytest.mark.parametrize("component", ["", "two words", "a/b/c"])
def test_a_component_that_the_server_would_refuse_is_refused(component: str) -> None:
    """Otherwise every single event would be."""
    client = Client(CONFIG, transport=EventServer())

    with pytest.raises(ValueError, match="not a valid key"):
        EventRecorder(client, component)


def test_an_instance_that_is_too_long_is_refused() -> None:
    """The one that we make up is cut instead."""
    client = Client(CONFIG, transport=EventServer())

    with pytest.raises(ValueError, match="instance"):
        EventRecorder(client, "operator", instance="i" * 129)


async def test_a_server_that_is_away_is_tried_again_every_ten_seconds() -> None:
    """The first wait is shorter by chance: not all clients come back at once."""
    server = EventServer(REFUSED, REFUSED, REFUSED)

    async with recorder_to(server) as recorder:
        note(recorder)
        await server.clock.advance(40)

    first, second, third, fourth = server.asked_at
    assert first == 0
    assert 0 <= second - first < 10
    assert [third - second, fourth - third] == pytest.approx([10, 10])
    assert server.messages == {"m": 1}


async def test_an_event_is_given_up_after_twelve_tries(caplog: pytest.LogCaptureFixture) -> None:
    """The next one gets its chance."""
    server = EventServer(*[REFUSED] * 12)

    async with recorder_to(server) as recorder:
        note(recorder, "lost")
        note(recorder, "next")
        await server.clock.advance(120)

    assert server.messages == {"next": 1}
    assert len(server.asked_at) == 13
    assert "event given up attempt=12 kind='Pod'" in caplog.text


async def test_a_server_that_does_not_answer_is_not_waited_for_for_ever() -> None:
    """One dead connection must not silence the recorder."""
    server = EventServer()
    server.hangs = True

    async with recorder_to(server) as recorder:
        note(recorder)
        await server.clock.advance(30)
        server.hangs = False
        await server.clock.advance(10)

        assert server.messages == {"m": 1}


async def test_a_create_whose_answer_was_lost_is_not_an_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The second try finds the Event that the first one made."""
    server = EventServer(failure(409, "AlreadyExists"))

    async with recorder_to(server) as recorder:
        note(recorder)

    assert len(server.asked_at) == 1
    assert caplog.text == ""


async def test_a_conflict_is_tried_again() -> None:
    """A server under load gives up its own retries of a patch."""
    server = EventServer(failure(409, "Conflict"))

    async with recorder_to(server) as recorder:
        note(recorder)
        await server.clock.advance(10)

        assert server.messages == {"m": 1}


async def test_a_refusal_is_logged_once_and_not_repeated(caplog: pytest.LogCaptureFixture) -> None:
    """A missing permission refuses every event: one line, with the rule that is missing."""
    server = EventServer(*[failure(403, "Forbidden")] * 3)

    with caplog.at_level(logging.INFO):
        async with recorder_to(server) as recorder:
            for message in ("a", "b", "c", "d"):
                note(recorder, message)

    assert len(server.asked_at) == 4
    assert server.messages == {"d": 1}
    assert caplog.text.count("event refused") == 1
    assert 'resources: ["events"]' in caplog.text


async def test_a_namespace_that_is_going_away_is_no_news(caplog: pytest.LogCaptureFixture) -> None:
    """Every deleted namespace would leave a warning behind."""
    cause = {"reason": "NamespaceTerminating", "message": "m", "field": "metadata.namespace"}
    status = {"kind": "Status", "reason": "Forbidden", "message": "m", "code": 403}
    server = EventServer(answer({**status, "details": {"causes": [cause]}}, 403))

    with caplog.at_level(logging.INFO):
        async with recorder_to(server) as recorder:
            note(recorder)

    assert len(server.asked_at) == 1
    assert caplog.text == ""


async def test_an_unforeseen_failure_loses_one_event(caplog: pytest.LogCaptureFixture) -> None:
    """Whatever it is, it must not end the operator, nor the events after it."""
    server = EventServer(RuntimeError("a bug"))

    async with recorder_to(server) as recorder:
        note(recorder, "a")
        note(recorder, "b")

    assert server.messages == {"b": 1}
    assert "RuntimeError('a bug')" in caplog.text


async def test_a_full_queue_drops_and_says_so(caplog: pytest.LogCaptureFixture) -> None:
    """Memory is bounded while the server is away, and so is the log."""
    recorder = recorder_to(EventServer())

    for _ in range(1100):
        note(recorder)

    assert recorder.dropped == 100
    assert caplog.text.count("events dropped") == 7


async def test_stopping_gives_up_at_once_when_the_server_is_away() -> None:
    """The process ends as soon as it can."""
    server = EventServer(*[REFUSED] * 3)
    recorder = recorder_to(server)

    async with recorder:
        note(recorder, "a")
        note(recorder, "b")
        await server.clock.settle()

    assert recorder.dropped == 2
    assert len(server.asked_at) == 2
    assert server.clock.monotonic() == 0


async def test_stopping_takes_no_longer_than_allowed() -> None:
    """A hanging server must not hold up the end of the process."""
    server = EventServer()
    server.hangs = True
    recorder = recorder_to(server, drain_for=3)
    note(recorder)
    recorder.stop()

    await server.clock.run(recorder.run())

    assert server.clock.monotonic() == 3
    assert recorder.dropped == 1


async def test_a_cancelled_run_delivers_what_is_left() -> None:
    """A manager stops its runnables by cancelling them."""
    server = EventServer()
    recorder = recorder_to(server)

    async with TaskSet() as tasks:
        task = tasks.start(recorder.run())
        await server.clock.settle()
        note(recorder)
        task.cancel()

    assert task.cancelled()
    assert server.messages == {"m": 1}


async def test_what_was_on_its_way_when_the_stop_came_is_sent_again() -> None:
    """Nobody knows whether it arrived; sending it twice does no harm."""
    server = EventServer()
    server.hangs = True
    recorder = recorder_to(server)

    async with recorder:
        note(recorder)
        await server.clock.settle()
        server.hangs = False

    assert server.messages == {"m": 1}


async def test_an_event_after_the_end_is_dropped() -> None:
    """Nobody is there to send it; and whoever records it late is not to be punished."""
    async with recorder_to(EventServer()) as recorder:
        pass

    note(recorder)

    assert recorder.dropped == 1


async def test_an_error_in_the_block_comes_out_as_it_is() -> None:
    """``except KeyError`` around the block must work."""
    server = EventServer()

    async def fail() -> None:
        async with recorder_to(server) as recorder:
            note(recorder)
            raise KeyError

    with pytest.raises(KeyError):
        await fail()

    assert server.messages == {"m": 1}


async def test_a_recorder_runs_once() -> None:
    """Two runners would send everything twice."""
    async with recorder_to(EventServer()) as recorder:
        await asyncio.sleep(0)

        with pytest.raises(LifecycleError, match="runs once"):
            await recorder.run()
