"""What the workers of a controller tell of each run."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from kubewright import log
from kubewright._aio import VirtualClock
from kubewright.api.kind_reference import Kind
from kubewright.cluster import Cluster
from kubewright.controller import (
    Channel,
    Controller,
    For,
    Reason,
    Request,
    Result,
    Run,
    Watches,
)
from kubewright.errors import RetryAfter, TerminalError
from kubewright.kinds.core.v1 import Secret
from kubewright.manager import Manager
from kubewright.runs import RunRecord, Runs
from kubewright.testing import EmbeddedServer
from tests.unit.controller.world import Recorder, add, make, running


def recorded(controller: Controller) -> Runs:
    """Return where the runs of *controller* are recorded from now on."""
    runs = Runs()
    runs.record()
    controller.record_to(runs)
    return runs


async def one_run(reconcile: Any, *, seconds: float = 0.0, **options: Any) -> RunRecord:
    """Return the first record of an object that *reconcile* was called for."""
    clock = VirtualClock()
    controller = make(reconcile, clock=clock, **options)
    runs = recorded(controller)
    async with running(controller, clock=clock):
        add(controller, "a")
        await clock.advance(seconds)
        await clock.settle()
    return runs.for_("default/a")[0]


async def do_nothing(request: Request, run: Run) -> None:
    """Be content with everything."""


async def test_a_run_is_recorded_with_its_reasons_and_times() -> None:
    """The first three questions: why, when, and how long."""
    clock = VirtualClock()

    async def reconcile(request: Request, run: Run) -> None:
        await clock.sleep(2)
        run.changed = True

    controller = make(reconcile, clock=clock)
    runs = recorded(controller)
    async with running(controller, clock=clock):
        add(controller, "first")
        await clock.settle()
        controller.add(Request("default", "a"), Reason("Pod", "ADDED"))
        controller.add(Request("default", "a"), Reason("Pod", "MODIFIED"))
        await clock.advance(5)

    (record,) = runs.for_("default/a")
    assert record.controller == "test"
    assert record.reasons == (Reason("Pod", "ADDED"), Reason("Pod", "MODIFIED"))
    assert (record.waited, record.took, record.attempt) == (2.0, 2.0, 1)
    assert record.began == clock.now() - timedelta(seconds=3)
    assert (record.outcome, record.delay, record.changed) == ("success", None, True)


async def test_nothing_is_noted_while_nobody_listens() -> None:
    """Off means off: not even what a task would leave behind."""
    clock = VirtualClock()
    controller = make(Recorder(), clock=clock)
    runs = Runs()
    controller.record_to(runs)
    async with running(controller, clock=clock):
        add(controller, "a")
        await clock.settle()
        runs.record()
        add(controller, "b")
        await clock.settle()
        runs.stop()
        add(controller, "c")
        await clock.settle()

    assert [record.key.name for record in runs] == ["b"]


@pytest.mark.parametrize(
    ("answer", "outcome", "delay"),
    [
        (None, "success", None),
        (Result(), "success", None),
        (Result(requeue=True), "requeue", 0.005),
        (Result(requeue_after=30), "requeue_after", 30.0),
    ],
)
async def test_what_a_reconciler_asks_for_is_recorded(
    answer: Result | None, outcome: str, delay: float | None
) -> None:
    """When it comes again is what people ask next."""

    async def reconcile(request: Request, run: Run) -> Result | None:
        return answer

    record = await one_run(reconcile)

    assert (record.outcome, record.delay, record.failure) == (outcome, delay, None)
    assert record.next_reasons == (() if delay is None else (Reason("requeue"),))


@pytest.mark.parametrize(
    ("error", "outcome", "delay"),
    [
        (ValueError("no water"), "error", 0.005),
        (TerminalError("no water"), "error", None),
        (RetryAfter(7, "no water"), "postponed", 7.0),
    ],
)
async def test_what_a_reconciler_raises_is_recorded(
    error: Exception, outcome: str, delay: float | None
) -> None:
    """With the place in the user's code and the traceback that leads there."""

    async def reconcile(request: Request, run: Run) -> None:
        raise error

    record = await one_run(reconcile)

    assert (record.outcome, record.delay) == (outcome, delay)
    assert record.comes_again == (delay is not None)
    assert record.failure is not None
    assert record.failure.type == type(error).__name__
    assert "no water" in record.failure.text
    assert "test_recording.py" in record.failure.place
    assert "raise error" in record.failure.traceback


async def test_of_a_long_traceback_the_end_is_kept() -> None:
    """It names the error; before it is what that came from, as long as an answer of a server."""

    async def reconcile(request: Request, run: Run) -> None:
        raise LookupError("no water") from ValueError("x" * 100_000)

    failure = (await one_run(reconcile)).failure

    assert failure is not None
    assert failure.traceback.endswith("LookupError: no water\n")
    assert len(failure.traceback) < 33_000


async def test_a_run_that_takes_too_long_is_recorded_with_the_place_where_it_hung() -> None:
    """Which line waits for ever is all that anybody wants to know then."""

    async def reconcile(request: Request, run: Run) -> None:
        await asyncio.Event().wait()

    record = await one_run(reconcile, seconds=10, deadline=10)

    assert (record.outcome, record.took) == ("deadline", 10.0)
    assert record.failure is not None
    assert record.failure.type == "TimeoutError"
    assert "in reconcile" in record.failure.place
    assert record.comes_again


async def test_a_run_that_a_stop_cancels_is_recorded() -> None:
    """Otherwise the last run of each object would be missing, though it has written, maybe."""
    clock = VirtualClock()

    async def reconcile(request: Request, run: Run) -> None:
        await asyncio.Event().wait()

    controller = make(reconcile, clock=clock, stop_grace=1)
    runs = recorded(controller)
    async with running(controller, clock=clock):
        add(controller, "a")
        await clock.settle()

    assert [(one.outcome, one.delay) for one in runs] == [("cancelled", None)]


async def test_a_change_during_the_run_says_that_it_comes_again_at_once() -> None:
    """And why: this is what the next run will name as its reasons."""
    clock = VirtualClock()

    async def reconcile(request: Request, run: Run) -> None:
        if run.reasons == (Reason("test"),):
            controller.add(request, Reason("Pod", "DELETED"))

    controller = make(reconcile, clock=clock)
    runs = recorded(controller)
    async with running(controller, clock=clock):
        add(controller, "a")
        await clock.settle()

    first, second = runs.for_("default/a")
    assert (first.delay, first.next_reasons) == (0.0, (Reason("Pod", "DELETED"),))
    assert second.reasons == first.next_reasons


async def test_the_lines_of_a_run_are_its_own() -> None:
    """Also those of tasks and threads that it waits for; not the line that tells of its end."""

    async def reconcile(request: Request, run: Run) -> None:
        run.log.info("one", name="x")
        await asyncio.create_task(other())
        await run.in_thread(log.get_logger("users").warning, "three")

    async def other() -> None:
        log.get_logger("users").info("two")

    record = await one_run(reconcile)

    assert [(line.level, line.event) for line in record.logs] == [
        ("info", "one"),
        ("info", "two"),
        ("warning", "three"),
    ]


async def test_two_workers_do_not_mix_up_their_notes() -> None:
    """Each line belongs to the run that logged it."""
    clock = VirtualClock()

    async def reconcile(request: Request, run: Run) -> None:
        for _ in range(3):
            log.get_logger("users").info("step", name=request.name)
            await asyncio.sleep(0)

    controller = make(reconcile, clock=clock, workers=4)
    runs = recorded(controller)
    async with running(controller, clock=clock):
        add(controller, *"abcd")
        await clock.settle()

    assert len(runs) == 4
    for record in runs:
        assert len(record.logs) == 3


async def test_what_a_run_leaves_behind_is_nobodys() -> None:
    """A task that goes on logs for itself; the next run of the worker does not get its lines."""
    clock = VirtualClock()
    left: list[asyncio.Task[None]] = []

    async def linger() -> None:
        await clock.sleep(1)
        log.get_logger("users").info("late")

    async def reconcile(request: Request, run: Run) -> None:
        if request.name == "a":
            left.append(asyncio.create_task(linger()))
        else:
            await clock.sleep(2)

    controller = make(reconcile, clock=clock)
    runs = recorded(controller)
    async with running(controller, clock=clock):
        add(controller, "a", "b")
        await clock.advance(5)

    assert [record.logs for record in runs] == [(), ()]


async def test_what_a_run_adds_to_its_manager_does_not_write_into_its_record() -> None:
    """The new controller lists its kinds and logs while the run that added it is under way."""
    clock = VirtualClock()
    async with EmbeddedServer(clock=clock) as server, server.client() as client:
        cluster = Cluster(client)
        manager = Manager(cluster)
        manager.runs.record()

        async def add_another(request: Request, run: Run) -> None:
            watched = For(Kind("v1", "ConfigMap"))
            manager.add(Controller("added", do_nothing, cluster=cluster, for_=watched))
            adding.watch(Watches(Secret, map=lambda _: [], cluster=cluster))
            await clock.sleep(5)

        adding = make(add_another, clock=clock)
        manager.add(adding)
        async with manager:
            add(adding, "a")
            await clock.advance(5)

    (record,) = manager.runs
    assert (record.logs, record.calls) == ((), ())


async def test_a_request_from_outside_says_what_it_was_about() -> None:
    """A web hook that calls for a reconcile is the reason, and which call it was."""
    clock, channel = VirtualClock(), Channel("payments")
    controller = make(Recorder(), clock=clock, sources=[channel])
    runs = recorded(controller)
    async with running(controller, clock=clock):
        await channel.send("default/a", reason="order 4711")
        await clock.settle()
        channel.send_nowait("default/a", reason="order 4712")
        await clock.settle()
        controller.enqueue("default/a", reason="by hand")
        await clock.settle()

    why = [str(reason) for record in runs for reason in record.reasons]
    assert why == ["payments order 4711", "payments order 4712", "enqueue by hand"]


async def test_a_record_that_cannot_be_kept_stops_nobody(caplog: pytest.LogCaptureFixture) -> None:
    """The object must be reconciled again, whatever becomes of the record."""

    class Broken(Runs):
        def add(self, notes: Any) -> None:
            raise RuntimeError("no room")

    clock, runs, seen = VirtualClock(), Broken(), Recorder()
    controller = make(seen, clock=clock)
    runs.record()
    controller.record_to(runs)
    async with running(controller, clock=clock):
        add(controller, "a")
        await clock.settle()
        add(controller, "a")
        await clock.settle()

    assert seen.names == ["a", "a"]
    assert "run could not be recorded" in caplog.text


@pytest.mark.parametrize("error", [asyncio.CancelledError(), GeneratorExit(), ValueError()])
async def test_a_listener_that_raises_anything_stops_nobody(error: BaseException) -> None:
    """The result of a future that was cancelled, say: the worker would be gone with its object."""
    clock, seen = VirtualClock(), Recorder()
    controller = make(seen, clock=clock)
    runs = recorded(controller)

    def fail(record: RunRecord) -> None:
        raise error

    runs.subscribe(fail)
    async with running(controller, clock=clock):
        add(controller, "a")
        await clock.settle()
        add(controller, "a")
        await clock.settle()

    assert seen.names == ["a", "a"]
    assert len(runs) == 2


async def test_a_record_and_its_span_have_the_same_id(monkeypatch: pytest.MonkeyPatch) -> None:
    """From a trace one finds the record, and from the record the trace."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", provider)

    async def reconcile(request: Request, run: Run) -> None:
        run.log.info("traced")

    record = await one_run(reconcile)

    (span,) = exporter.get_finished_spans()
    assert (span.attributes or {})["reconcile_id"] == record.id
    assert len(record.logs) == 1


async def test_many_runs_of_objects_that_come_and_go_leave_only_what_is_kept() -> None:
    """Neither the controller nor the records grow with what has been."""
    clock = VirtualClock()
    controller = make(do_nothing, clock=clock)
    runs = Runs(most=50)
    runs.record()
    controller.record_to(runs)
    async with running(controller, clock=clock):
        for number in range(12):
            add(controller, *(f"job-{number}-{one}" for one in range(1000)))
            await clock.settle()
        workers = controller._workers
        left = (len(workers.reasons), len(workers.deadlines.calls), controller.queue.is_idle)

    assert len(runs) == 50
    assert runs._ring.keys == 50
    assert runs.find(next(iter(runs)).id) is not None
    assert left == (0, 0, True)
