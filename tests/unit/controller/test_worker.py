import asyncio
import logging
import threading
from collections import Counter, deque
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from kubewright import log
from kubewright._aio import VirtualClock
from kubewright.controller import Reason, Request, Result, Retry, Run
from kubewright.errors import APIError, Attempt, ConflictError, RetryAfter, Status, TerminalError
from kubewright.workqueue import LOW, ExponentialBackoff, WorkQueue
from tests.unit.controller.world import Recorder, add, make, metric, running

UPDATE = Attempt("update", "shops")
RESULTS = ("success", "error", "requeue", "requeue_after")


def failing(*errors: Exception) -> Any:
    """Return a reconciler that fails with each of *errors* in turn, then succeeds."""
    left = list(errors)

    async def reconcile(request: Request, run: Run) -> None:
        if left:
            raise left.pop(0)

    return reconcile


def answering(*answers: Result | None) -> Any:
    """Return a reconciler that gives each of *answers* in turn, then ``None``."""
    left = list(answers)

    async def reconcile(request: Request, run: Run) -> Result | None:
        return left.pop(0) if left else None

    return reconcile


async def attempts(seen: Recorder, clock: VirtualClock, seconds: float) -> list[int]:
    """Return the attempts that were made once *seconds* have passed."""
    await clock.advance(seconds)
    return [run.attempt for run in seen.runs]


async def test_a_thousand_adds_while_processing_lead_to_one_more_call() -> None:
    """A busy object costs no more than the changes that a reconcile can have missed."""
    clock, go = VirtualClock(), asyncio.Event()

    async def reconcile(request: Request, run: Run) -> None:
        await go.wait()

    seen = Recorder(reconcile)
    controller = make(seen, clock=clock, workers=4, deadline=None)
    async with running(controller, clock=clock):
        add(controller, "a")
        await clock.settle()
        for _ in range(1000):
            add(controller, "a")
        await clock.settle()
        during = len(seen.runs)
        go.set()
        await clock.advance(60)

    assert during == 1
    assert len(seen.runs) == 2


async def test_never_two_at_a_time_for_one_object_and_as_many_as_workers_for_all() -> None:
    """Two would read the same version, and one of them lose after doing all its work."""
    clock = VirtualClock()
    now: list[str] = []
    most: list[int] = []
    twice: list[str] = []

    async def reconcile(request: Request, run: Run) -> None:
        twice.extend(name for name in now if name == request.name)
        now.append(request.name)
        most.append(len(now))
        await clock.sleep(1)
        add(controller, request.name)
        now.remove(request.name)

    controller = make(reconcile, clock=clock, workers=3)
    async with running(controller, clock=clock):
        add(controller, "a", "b", "c", "d", "e")
        await clock.advance(20)

    assert max(most) == 3
    assert twice == []


async def test_a_worker_that_never_waits_lets_others_run() -> None:
    """A flood of empty reconciles must not keep the health page or the lease from being served."""
    clock = VirtualClock()
    controller = make(Recorder(), clock=clock)
    async with running(controller, clock=clock):
        add(controller, *map(str, range(1000)))
        for _ in range(3):
            await asyncio.sleep(0)

        assert 0 < len(controller.queue) < 1000


@pytest.mark.parametrize("waits", [False, True])
async def test_the_loop_comes_round_between_two_long_reconciles(waits: bool) -> None:
    """A hundred objects that block for 0.2 s each must not keep a probe waiting for 20 s.

    Also if each of them waits for an answer of the server afterwards.
    """
    order: list[str] = []

    class Passing(VirtualClock):
        """A clock that goes on while a reconciler blocks."""

        def block(self, seconds: float) -> None:
            self._elapsed += seconds

    clock = Passing()

    async def reconcile(request: Request, run: Run) -> None:
        order.append("run")
        clock.block(0.2)
        for _ in range(5 if waits else 0):
            await asyncio.sleep(0)

    controller = make(reconcile, clock=clock, workers=4)
    async with running(controller, clock=clock):
        add(controller, *map(str, range(100)))
        while len(controller.queue):
            await asyncio.sleep(0)
            order.append(".")

    assert max(map(len, "".join("r" if one == "run" else one for one in order).split("."))) == 1


async def test_failures_are_tried_again_later_each_time_until_one_succeeds() -> None:
    """The defaults are those of controller-runtime: 5 ms, doubled."""
    clock = VirtualClock()
    seen = Recorder(failing(ValueError(), OSError(), KeyError()))
    controller = make(seen, clock=clock)
    async with running(controller, clock=clock):
        add(controller, "a")
        assert await attempts(seen, clock, 0.004) == [1]
        assert await attempts(seen, clock, 0.001) == [1, 2]
        assert await attempts(seen, clock, 0.010) == [1, 2, 3]
        assert await attempts(seen, clock, 0.020) == [1, 2, 3, 4]
        add(controller, "a")
        assert await attempts(seen, clock, 1.0) == [1, 2, 3, 4, 1]

    assert [str(reason) for reason in seen.runs[1].reasons] == ["retry"]


async def test_a_terminal_error_is_not_tried_again_but_a_change_is_seen() -> None:
    """A spec that cannot work costs nothing until somebody mends it."""
    clock, before = (
        VirtualClock(),
        metric_or_zero("controller_runtime_terminal_reconcile_errors_total"),
    )
    seen = Recorder(failing(TerminalError("no such size")))
    controller = make(seen, clock=clock)
    async with running(controller, clock=clock):
        add(controller, "a")
        assert await attempts(seen, clock, 5000) == [1]
        add(controller, "a")
        assert await attempts(seen, clock, 0) == [1, 1]

    assert metric("controller_runtime_terminal_reconcile_errors_total", "test") == before + 1


class _Panic(BaseException):
    """What extensions in Rust raise when they panic: it is no Exception."""


class _MuteError(Exception):
    """Has no text."""

    def __str__(self) -> str:
        raise ValueError("no")


@pytest.mark.parametrize("error", [_Panic("no"), BaseExceptionGroup("", [_Panic()]), _MuteError()])
async def test_no_failure_of_a_reconcile_ends_its_worker(error: Any) -> None:
    """A controller that is silently gone is worse than any failure."""
    clock = VirtualClock()
    seen = Recorder(failing(error))
    controller = make(seen, clock=clock)
    async with running(controller, clock=clock):
        add(controller, "a")
        assert await attempts(seen, clock, 1) == [1, 2]


@pytest.mark.parametrize("end", [SystemExit(3), KeyboardInterrupt()])
def test_what_ends_a_process_is_not_a_failure(end: BaseException) -> None:
    """Whoever calls ``sys.exit`` in a reconciler means it."""

    async def play() -> None:
        clock = VirtualClock()
        controller = make(failing(end), clock=clock)  # type: ignore[arg-type]  # it is none
        async with running(controller, clock=clock):
            add(controller, "a")
            await clock.advance(1)

    with pytest.raises(type(end)):
        asyncio.run(play())


async def test_a_policy_sets_the_delays_of_its_exception_only() -> None:
    """A cloud that limits calls is asked less often; a conflict is still retried at once."""
    clock = VirtualClock()
    seen = Recorder(failing(OSError(), OSError(), ValueError()))
    controller = make(seen, clock=clock, retry={OSError: Retry(base=10.0, factor=3.0)})
    async with running(controller, clock=clock):
        add(controller, "a")
        assert await attempts(seen, clock, 9.9) == [1]
        assert await attempts(seen, clock, 0.1) == [1, 2]
        assert await attempts(seen, clock, 29.9) == [1, 2]
        assert await attempts(seen, clock, 0.1) == [1, 2, 3]
        assert await attempts(seen, clock, 0.1) == [1, 2, 3, 4]


async def test_a_policy_counts_only_the_failures_that_it_covers() -> None:
    """A few conflicts must not use up the patience that was meant for a cloud."""
    clock = VirtualClock()
    errors = [ValueError(), ValueError(), ValueError(), OSError(), ValueError(), OSError()]
    seen = Recorder(failing(*errors, *[OSError()] * 9))
    controller = make(seen, clock=clock, retry={OSError: Retry(after=1.0, limit=2)})
    async with running(controller, clock=clock):
        add(controller, "a")
        tried = await attempts(seen, clock, 1000)

    assert len(tried) == len(errors) + 1


async def test_a_limit_of_retries_ends_like_a_terminal_error() -> None:
    """Giving up is visible in the same place, and the next change starts from 1."""
    clock = VirtualClock()
    seen = Recorder(failing(OSError(), OSError(), OSError()))
    controller = make(seen, clock=clock, retry=Retry(after=1.0, limit=2))
    async with running(controller, clock=clock):
        add(controller, "a")
        assert await attempts(seen, clock, 100) == [1, 2, 3]
        add(controller, "a")
        assert await attempts(seen, clock, 100) == [1, 2, 3, 1]


def from_another() -> Exception:
    """Return what ``raise RetryAfter(30, "no database") from OSError("refused")`` raises."""
    error = RetryAfter(30, "no database")
    error.__cause__ = OSError("refused")
    return error


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (RetryAfter(30, "no database"), "no database"),
        (RetryAfter(timedelta(seconds=30)), "not yet: try again in 30 seconds"),
        (from_another(), "no database: OSError: refused"),
        (ExceptionGroup("", [RetryAfter(30, "b"), RetryAfter(3, "a")]), "b; a"),
    ],
)
async def test_an_error_that_says_when_to_try_again_is_no_failure(
    error: Exception, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    """To wait for a database is part of ordinary life: one line, nothing counted as an error."""
    caplog.set_level(logging.INFO)
    clock, before = VirtualClock(), metric_or_zero("controller_runtime_reconcile_errors_total")
    failures: list[Exception] = []
    seen = Recorder(failing(error))
    controller = make(seen, clock=clock, on_failure=lambda run, error: failures.append(error))
    async with running(controller, clock=clock):
        add(controller, "a")
        assert await attempts(seen, clock, 29.9) == [1]
        assert await attempts(seen, clock, 0.1) == [1, 1]

    (line,) = [r for r in caplog.records if "cannot go on yet" in r.getMessage()]
    assert (line.levelname, line.exc_info) == ("INFO", None)
    assert told in line.getMessage()
    assert failures == []
    assert metric_or_zero("controller_runtime_reconcile_errors_total") == before


async def test_an_error_that_was_raised_from_a_delay_fails_and_keeps_it() -> None:
    """Who wraps errors of a library in his own does not lose what the library knew."""
    clock, error = VirtualClock(), ValueError("cannot bill")
    error.__cause__ = RetryAfter(30)
    seen = Recorder(failing(error))
    controller = make(seen, clock=clock)
    async with running(controller, clock=clock):
        add(controller, "a")
        assert await attempts(seen, clock, 29.9) == [1]
        assert await attempts(seen, clock, 0.1) == [1, 2]


@pytest.mark.parametrize("retry", [None, Retry(after=1.0)])
async def test_a_server_that_asks_for_patience_gets_it(retry: Retry | None) -> None:
    """Coming back earlier would only make it worse for everybody."""
    clock = VirtualClock()
    seen = Recorder(failing(APIError(UPDATE, Status(), 30.0)))
    controller = make(seen, clock=clock, retry=retry)
    async with running(controller, clock=clock):
        add(controller, "a")
        assert await attempts(seen, clock, 29.9) == [1]
        assert await attempts(seen, clock, 0.1) == [1, 2]


@pytest.mark.parametrize("after", [60, timedelta(minutes=1)])
async def test_requeue_after_calls_again_at_that_time(after: Any) -> None:
    """Time is a reason like any other."""
    clock = VirtualClock()
    seen = Recorder(answering(Result(requeue_after=after)))
    controller = make(seen, clock=clock)
    async with running(controller, clock=clock):
        add(controller, "a")
        assert await attempts(seen, clock, 59.9) == [1]
        assert await attempts(seen, clock, 0.1) == [1, 1]

    assert [str(reason) for reason in seen.runs[1].reasons] == ["requeue"]


async def test_requeue_after_zero_does_not_ask_for_a_call() -> None:
    """As in Go. To call again at once is a loop that never rests, and nobody means that."""
    clock = VirtualClock()
    seen = Recorder(answering(*[Result(requeue_after=0)] * 5, Result(requeue_after=timedelta())))
    controller = make(seen, clock=clock)
    async with running(controller, clock=clock):
        add(controller, "a")
        await clock.advance(3600)

    assert seen.names == ["a"]


async def test_requeue_backs_off_without_counting_as_a_failure() -> None:
    """Polling something slow is not an error, but should not become a busy loop."""
    clock = VirtualClock()
    seen = Recorder(answering(*[Result(requeue=True)] * 3))
    controller = make(seen, clock=clock)
    async with running(controller, clock=clock):
        add(controller, "a")
        assert await attempts(seen, clock, 0.005) == [1, 1]
        assert await attempts(seen, clock, 0.009) == [1, 1]
        assert await attempts(seen, clock, 0.001) == [1, 1, 1]
        assert await attempts(seen, clock, 1.0) == [1, 1, 1, 1]


async def test_priority_is_kept_over_a_retry() -> None:
    """What came with the first list stays behind live changes, however often it fails."""
    clock = VirtualClock()
    seen = Recorder(failing(OSError()))
    controller = make(seen, clock=clock, retry=Retry(after=1.0))
    async with running(controller, clock=clock):
        add(controller, "slow", priority=LOW)
        await clock.settle()
        controller.pause()
        await clock.advance(2)
        waiting = controller.queue.priority_of(Request("default", "slow"))
        controller.resume()

    assert waiting == LOW


async def test_a_result_may_name_another_priority() -> None:
    """A reconciler knows which of its objects is urgent."""
    clock = VirtualClock()
    seen = Recorder(answering(Result(requeue_after=1.0, priority=7)))
    controller = make(seen, clock=clock)
    async with running(controller, clock=clock):
        add(controller, "a")
        await clock.settle()

        assert controller.queue.priority_of(Request("default", "a")) == 7


async def test_a_live_change_goes_before_the_first_list() -> None:
    """After a restart with thousands of objects, the edit of a person is not the last in line."""
    clock, seen = VirtualClock(), Recorder()
    controller = make(seen, clock=clock)
    add(controller, "a", "b", "c", priority=LOW)
    add(controller, "c")
    async with running(controller, clock=clock):
        await clock.settle()

    assert seen.names == ["c", "a", "b"]


async def test_the_deadline_cancels_a_reconcile_and_retries_it() -> None:
    """A call that hangs must not hold a worker for ever."""
    clock = VirtualClock()
    before = metric_or_zero("controller_runtime_reconcile_timeouts_total")
    ended: list[float] = []

    async def reconcile(request: Request, run: Run) -> None:
        try:
            await clock.sleep(100 if run.attempt == 1 else 1)
        finally:
            ended.append(clock.monotonic())

    seen = Recorder(reconcile)
    controller = make(seen, clock=clock, deadline=10.0, retry=Retry(after=5.0))
    async with running(controller, clock=clock):
        add(controller, "a")
        await clock.advance(50)

    assert ended == [10.0, 16.0]
    assert metric("controller_runtime_reconcile_timeouts_total", "test") == before + 1


async def test_a_deadline_is_exact_for_each_of_many_calls() -> None:
    """One timer serves all, and may not be late for the second."""
    clock = VirtualClock()
    ended: dict[str, float] = {}

    async def reconcile(request: Request, run: Run) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended[request.name] = clock.monotonic()

    controller = make(reconcile, clock=clock, deadline=10.0, workers=2, retry=Retry.NEVER)
    async with running(controller, clock=clock):
        add(controller, "a")
        await clock.advance(3)
        add(controller, "b")
        await clock.advance(20)

    assert ended == {"a": 10.0, "b": 13.0}


async def test_a_thread_that_outlives_its_deadline_keeps_its_object() -> None:
    """The thread cannot be stopped; a second reconcile beside it would be two for one object."""
    clock, work = VirtualClock(), asyncio.get_running_loop().create_future()

    async def reconcile(request: Request, run: Run) -> None:
        if request.name == "slow" and run.attempt == 1:
            run.hold(work)
            await asyncio.shield(work)

    seen = Recorder(reconcile)
    controller = make(seen, clock=clock, deadline=10.0)
    async with running(controller, clock=clock):
        add(controller, "slow")
        await clock.advance(60)
        add(controller, "slow", "other")
        await clock.advance(60)
        during = seen.names
        work.set_result(None)
        await clock.settle()

    assert during == ["slow", "other"]
    assert seen.names == ["slow", "other", "slow"]


async def test_awaiting_something_cancelled_does_not_end_the_worker() -> None:
    """It would be one worker less, for ever and without a word."""
    clock = VirtualClock()

    async def reconcile(request: Request, run: Run) -> None:
        if run.attempt == 1:
            gone = asyncio.get_running_loop().create_future()
            gone.cancel()
            await gone

    seen = Recorder(reconcile)
    controller = make(seen, clock=clock)
    async with running(controller, clock=clock):
        add(controller, "a")
        assert await attempts(seen, clock, 1) == [1, 2]


def cancel_this_task() -> None:
    """Do what some libraries do when their time is up."""
    task = asyncio.current_task()
    assert task is not None
    task.cancel()


async def cancels_itself(run: Run) -> None:
    cancel_this_task()
    await asyncio.sleep(0)


async def cancels_itself_late(run: Run) -> None:
    cancel_this_task()  # and returns: the cancellation waits for the next await, which is not ours


async def swallows_its_cancellation(run: Run) -> None:
    with suppress(asyncio.CancelledError):
        await cancels_itself(run)


async def times_out_as_old_libraries_do(run: Run) -> None:
    with suppress(asyncio.CancelledError):
        await cancels_itself(run)
    raise TimeoutError


async def raises_generator_exit(run: Run) -> None:
    raise GeneratorExit


async def awaits_a_generator_exit(run: Run) -> None:
    await asyncio.create_task(raises_generator_exit(run))


@pytest.mark.parametrize(
    ("behave", "is_failure"),
    [
        (cancels_itself, True),
        (cancels_itself_late, False),
        (swallows_its_cancellation, False),
        (times_out_as_old_libraries_do, True),
        (raises_generator_exit, True),
        (awaits_a_generator_exit, True),
    ],
)
async def test_no_reconcile_takes_its_worker_with_it(behave: Any, is_failure: bool) -> None:
    """Only our own stop ends a worker: whatever else happens is a run that succeeds or fails."""
    clock = VirtualClock()

    async def reconcile(request: Request, run: Run) -> None:
        if request.name == "bad" and run.attempt == 1:
            await behave(run)

    seen = Recorder(reconcile)
    controller = make(seen, clock=clock)
    async with running(controller, clock=clock):
        for name in ("bad", "good", "bad", "good"):
            add(controller, name)
            await clock.advance(1)
        problems = list(controller.health())

    assert Counter(seen.names) == {"bad": 4 if is_failure else 2, "good": 2}
    assert problems == []


async def test_a_timeout_works_in_the_run_after_one_that_was_cancelled() -> None:
    """A task remembers that it was cancelled, and would take the next time-out for that."""
    clock, timed_out = VirtualClock(), 0

    async def reconcile(request: Request, run: Run) -> None:
        nonlocal timed_out
        if request.name == "bad":
            await swallows_its_cancellation(run)
            return
        try:
            async with asyncio.timeout(0):
                await asyncio.Event().wait()
        except TimeoutError:
            timed_out += 1

    controller = make(reconcile, clock=clock)
    async with running(controller, clock=clock):
        for name in ("bad", "good", "good"):
            add(controller, name)
            await clock.settle()

    assert timed_out == 2


async def test_a_cancellation_that_comes_late_hits_nobody(caplog: pytest.LogCaptureFixture) -> None:
    """A library that keeps the task of one reconcile may cancel it when it waits for others."""
    clock = VirtualClock()
    tasks: list[asyncio.Task[Any]] = []

    async def reconcile(request: Request, run: Run) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.append(task)

    seen = Recorder(reconcile)
    controller = make(seen, clock=clock)
    async with running(controller, clock=clock):
        add(controller, "a")
        await clock.settle()
        tasks[0].cancel()
        await clock.settle()
        controller.pause()
        add(controller, "b")
        await clock.settle()
        others = [one for one in asyncio.all_tasks() if one.get_name() == "test worker 1"]
        others[0].cancel()
        await clock.settle()
        controller.resume()
        await clock.settle()

    assert seen.names == ["a", "b"]
    assert caplog.text.count("worker was cancelled by other code, another takes its place") == 2


async def test_a_rate_limiter_that_fails_loses_no_request() -> None:
    """It is the user's, and asked where the reconcile has ended already."""
    clock = VirtualClock()

    class Broken(ExponentialBackoff):
        def when(self, key: object) -> float:
            raise LookupError(key)

    seen = Recorder(failing(ValueError()))
    queue = WorkQueue[Request]("test", limiter=Broken(), clock=clock)
    controller = make(seen, clock=clock, queue=queue)
    async with running(controller, clock=clock):
        add(controller, "a")
        await clock.advance(2)

    assert seen.names == ["a", "a"]


async def test_an_answer_of_another_type_is_a_failure_that_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """``return 30`` looks like a delay, and would be taken for none."""
    clock = VirtualClock()

    async def reconcile(request: Request, run: Run) -> Any:
        return 30 if run.attempt == 1 else None

    controller = make(reconcile, clock=clock)
    async with running(controller, clock=clock):
        add(controller, "a")
        await clock.advance(1)

    assert "the reconciler returned 30: return a Result" in caplog.text


async def test_pause_lets_requests_gather_and_resume_goes_on() -> None:
    """Nothing is lost and nothing runs in between."""
    clock, seen = VirtualClock(), Recorder()
    controller = make(seen, clock=clock, workers=2)
    async with running(controller, clock=clock):
        controller.pause()
        add(controller, "a", "b", "c", "c")
        await clock.advance(60)
        during, paused = seen.names, controller.is_paused
        controller.resume()
        await clock.settle()

    assert during == []
    assert paused
    assert sorted(seen.names) == ["a", "b", "c"]


async def test_stop_while_paused_leaves_nothing_behind() -> None:
    """A paused worker waits for a gate that nobody will open."""
    clock, seen = VirtualClock(), Recorder()
    controller = make(seen, clock=clock)
    async with running(controller, clock=clock):
        controller.pause()
        add(controller, "a")
        await clock.settle()

    assert seen.names == []
    assert controller.queue.processing == 0


async def test_the_limiter_of_a_given_queue_is_used() -> None:
    """Whoever brings a queue brings its delays."""
    clock = VirtualClock()
    queue = WorkQueue[Request](limiter=ExponentialBackoff(base=7.0), clock=clock)
    seen = Recorder(failing(OSError()))
    controller = make(seen, clock=clock, queue=queue)
    async with running(controller, clock=clock):
        add(controller, "a")
        assert await attempts(seen, clock, 6.9) == [1]
        assert await attempts(seen, clock, 0.1) == [1, 2]


async def test_each_line_inside_a_reconcile_says_what_it_is_about() -> None:
    """Nobody has to repeat the name of the object."""
    clock = VirtualClock()
    fields: list[dict[str, Any]] = []

    async def reconcile(request: Request, run: Run) -> None:
        fields.append({**log.bound(), "same": log.bound()["reconcile_id"] == run.id})

    controller = make(reconcile, clock=clock)
    with log.bind(program="shop", name="not this one"):
        async with running(controller, clock=clock):
            add(controller, "a", "b")
            await clock.settle()

    first, second = fields
    assert first["program"] == "shop"
    assert (first["controller"], first["namespace"], first["name"]) == ("test", "default", "a")
    assert first["same"]
    assert first["reconcile_id"] != second["reconcile_id"]


async def test_one_line_for_each_reconcile_tells_why_and_how(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It is the first thing that a person in trouble reads."""
    caplog.set_level(logging.DEBUG, "kubewright.controller.test")
    clock = VirtualClock()
    controller = make(Recorder(), clock=clock)
    async with running(controller, clock=clock):
        controller.add(Request("default", "a"), Reason("Pod", "ADDED"))
        await clock.settle()

    lines = [one for one in caplog.records if one.name == "kubewright.controller.test"]
    assert [one.levelname for one in lines] == ["DEBUG"]
    assert "reconciled" in lines[0].getMessage()
    assert "outcome='success'" in lines[0].getMessage()
    assert "reasons='Pod ADDED'" in lines[0].getMessage()


async def test_a_reconcile_that_changed_something_is_told_at_info(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """At rest the log is silent; at work it is not."""
    caplog.set_level(logging.INFO, "kubewright.controller.test")
    clock = VirtualClock()

    async def reconcile(request: Request, run: Run) -> None:
        run.changed = request.name == "b"

    controller = make(reconcile, clock=clock)
    async with running(controller, clock=clock):
        add(controller, "a", "b")
        await clock.settle()

    assert [one.levelname for one in caplog.records if "reconciled" in one.message] == ["INFO"]


@pytest.mark.parametrize(
    ("error", "told"),
    [(ValueError("no"), ["INFO", "DEBUG"]), (ConflictError(UPDATE, Status()), ["DEBUG", "DEBUG"])],
)
async def test_the_end_of_a_trouble_is_told_as_its_beginning_was(
    caplog: pytest.LogCaptureFixture, error: Exception, told: list[str]
) -> None:
    """Once, at info, even if nothing was changed: else the last line is that it failed."""
    caplog.set_level(logging.DEBUG, "kubewright.controller.test")
    clock = VirtualClock()
    errors = [error]

    async def reconcile(request: Request, run: Run) -> None:
        run.changed = request.name == "b" and bool(errors)
        if run.attempt == 1 and errors:
            raise error

    controller = make(reconcile, clock=clock)
    async with running(controller, clock=clock):
        add(controller, "a", "b")
        await clock.advance(10)
        errors.clear()
        add(controller, "a", "b")
        await clock.advance(10)

    lines = [one for one in caplog.records if "reconciled" in one.message]
    assert [one.levelname for one in lines if "name='a'" in one.message] == told
    assert [one.levelname for one in lines if "name='b'" in one.message] == ["INFO", "DEBUG"]


@pytest.mark.parametrize(
    ("error", "level", "trace"),
    [
        (ConflictError(UPDATE, Status(reason="Conflict")), "DEBUG", False),
        (APIError(UPDATE, Status(message="no")), "WARNING", False),
        (TerminalError("no"), "ERROR", False),
        (ZeroDivisionError("no"), "ERROR", True),
    ],
)
async def test_failures_are_as_loud_as_they_are_bad(
    caplog: pytest.LogCaptureFixture, error: Exception, level: str, trace: bool
) -> None:
    """A conflict is ordinary; a fault in the program is shown with its place."""
    caplog.set_level(logging.DEBUG, "kubewright.controller.test")
    clock = VirtualClock()
    controller = make(Recorder(failing(error)), clock=clock)
    async with running(controller, clock=clock):
        add(controller, "a")
        await clock.settle()

    lines = [one for one in caplog.records if one.name == "kubewright.controller.test"]
    assert lines[0].levelname == level
    assert bool(lines[0].exc_info) is trace


def complaint(caplog: pytest.LogCaptureFixture) -> logging.LogRecord:
    """Return the line about the first failure of the controller of these tests."""
    return next(one for one in caplog.records if one.name == "kubewright.controller.test")


async def test_an_exception_that_a_policy_names_is_one_line(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Somebody knows that it happens; a traceback each time would hide those that matter."""
    clock = VirtualClock()
    seen = Recorder(failing(LookupError("the cloud is full")))
    controller = make(seen, clock=clock, retry={LookupError: Retry(after=1.0)})
    async with running(controller, clock=clock):
        add(controller, "a")
        await clock.settle()

    line = complaint(caplog)
    assert (line.levelname, line.exc_info) == ("WARNING", None)
    assert "the cloud is full" in line.getMessage()
    assert f"place='{__file__}:" in line.getMessage()


async def test_a_traceback_begins_in_the_users_code(caplog: pytest.LogCaptureFixture) -> None:
    """Our own frames are the same each time, and say nothing."""
    clock = VirtualClock()
    controller = make(failing(ZeroDivisionError()), clock=clock)
    async with running(controller, clock=clock):
        add(controller, "a")
        await clock.settle()

    line = complaint(caplog)
    assert line.exc_info is not None
    first = line.exc_info[2]
    assert first is not None
    assert first.tb_frame.f_code.co_filename == __file__


async def test_an_error_of_ours_says_where_it_was_met(caplog: pytest.LogCaptureFixture) -> None:
    """Without a traceback, the message alone does not tell which of ten calls it was."""
    clock, failed = VirtualClock(), asyncio.Event()

    async def reconcile(request: Request, run: Run) -> None:
        await run.in_thread(refuse)

    def refuse() -> None:
        raise TerminalError("no")

    controller = make(reconcile, clock=clock, on_failure=lambda run, error: failed.set())
    async with running(controller, clock=clock):
        add(controller, "a")
        await failed.wait()

    assert " in refuse'" in complaint(caplog).getMessage()
    assert "limit" not in complaint(caplog).getMessage()


class Odd(BaseException):
    """What is neither an error nor the end of anything."""


@pytest.mark.parametrize("error", [ValueError, asyncio.CancelledError, Odd])
async def test_who_hears_of_failures_may_fail_in_any_way(error: type[BaseException]) -> None:
    """The worker goes on, and the object is tried again."""
    clock = VirtualClock()

    def report(run: Run, failure: Exception) -> None:
        raise error

    seen = Recorder(failing(ValueError(), ValueError()))
    controller = make(seen, clock=clock, on_failure=report)
    async with running(controller, clock=clock):
        add(controller, "a")
        assert await attempts(seen, clock, 1.0) == [1, 2, 3]


async def test_a_limit_that_is_used_up_is_named(caplog: pytest.LogCaptureFixture) -> None:
    """Else it looks as if the error were terminal."""
    clock = VirtualClock()
    seen = Recorder(failing(ValueError(), ValueError(), ValueError()))
    controller = make(seen, clock=clock, retry=Retry(after=1.0, limit=2))
    async with running(controller, clock=clock):
        add(controller, "a")
        await clock.advance(10)

    lines = [one for one in caplog.records if "limit of 2 retries reached" in one.getMessage()]
    assert [(one.levelname, bool(one.exc_info)) for one in lines] == [("ERROR", True)]
    assert "will not retry" in lines[0].getMessage()


async def test_a_deadline_says_where_the_reconciler_hung(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It is the one thing that a person needs to know about it."""
    clock = VirtualClock()

    async def reconcile(request: Request, run: Run) -> None:
        await ask_the_cloud()

    async def ask_the_cloud() -> None:
        await clock.sleep(100)

    controller = make(reconcile, clock=clock, deadline=10.0)
    async with running(controller, clock=clock):
        add(controller, "a")
        await clock.advance(10)

    text = complaint(caplog).getMessage()
    assert f"within its deadline of 10.0 seconds: it hung at {__file__}:" in text
    assert " in ask_the_cloud" in text


async def test_a_deadline_looks_into_the_thread_that_hangs(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """What blocks is in a thread, and the task only waits for it."""
    clock, begun, go = VirtualClock(), threading.Event(), threading.Event()

    async def reconcile(request: Request, run: Run) -> None:
        await run.in_thread(block)

    def block() -> None:
        begun.set()
        go.wait()

    controller = make(reconcile, clock=clock, deadline=10.0)
    async with running(controller, clock=clock):
        add(controller, "a")
        await clock.settle()
        begun.wait()
        await clock.advance(10)
        go.set()

    assert " in block" in complaint(caplog).getMessage()


async def test_who_asked_for_it_hears_of_each_failure() -> None:
    """Also of those that only the worker knows of; and may itself fail."""
    clock = VirtualClock()
    heard: list[tuple[str, str]] = []

    async def reconcile(request: Request, run: Run) -> None:
        if run.attempt == 1:
            raise ValueError("no")
        await clock.sleep(100)

    def hear(run: Run, error: Exception) -> None:
        heard.append((run.request.name, type(error).__name__))
        raise LookupError

    controller = make(reconcile, clock=clock, deadline=10.0, on_failure=hear)
    async with running(controller, clock=clock):
        add(controller, "a")
        await clock.advance(11)

    assert heard[:2] == [("a", "ValueError"), ("a", "TimeoutError")]


async def test_metrics_count_each_outcome_under_the_names_of_controller_runtime() -> None:
    """Dashboards that exist keep working."""
    clock = VirtualClock()
    before = {one: metric_or_zero("controller_runtime_reconcile_total", one) for one in RESULTS}
    panics = metric_or_zero("controller_runtime_reconcile_panics_total")
    answers: list[Any] = [
        None, Result(), Result(requeue_after=9000), Result(requeue=True), OSError(), KeyError(),
    ]  # fmt: skip

    async def reconcile(request: Request, run: Run) -> Result | None:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer  # type: ignore[no-any-return]  # one of the above

    controller = make(reconcile, clock=clock, retry=Retry.NEVER)
    async with running(controller, clock=clock):
        for name in "abcdef":
            add(controller, name)
        await clock.settle()

    counted = {one: metric("controller_runtime_reconcile_total", "test", one) for one in RESULTS}
    grown = {one: counted[one] - before[one] for one in RESULTS}
    assert grown == {"success": 2, "requeue_after": 1, "requeue": 1, "error": 2}
    assert metric("controller_runtime_reconcile_panics_total", "test") == panics + 1


async def test_each_reconcile_is_a_span_that_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    """The API calls of the reconciler hang below it; a failure marks it."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", provider)
    clock = VirtualClock()
    controller = make(Recorder(failing(OSError())), clock=clock, retry=Retry.NEVER)
    async with running(controller, clock=clock):
        add(controller, "a")
        await clock.settle()

    [found] = exporter.get_finished_spans()
    attributes = dict(found.attributes or {})
    assert found.name == "reconcile"
    assert (attributes["key"], attributes["reasons"]) == ("default/a", "test")
    assert not found.status.is_ok


async def test_a_stop_waits_for_threads_as_for_reconciles() -> None:
    """A thread that writes while its process says goodbye may be cut anywhere."""
    clock, work = VirtualClock(), asyncio.get_running_loop().create_future()

    async def reconcile(request: Request, run: Run) -> None:
        run.hold(work)
        await asyncio.shield(work)

    controller = make(reconcile, clock=clock, deadline=1.0, stop_grace=30.0)
    task = asyncio.create_task(controller.run())
    await clock.settle()
    add(controller, "a")
    await clock.advance(2)

    task.cancel()
    await clock.advance(20)
    waits = not task.done()
    work.set_exception(OSError("too late"))
    await clock.settle()

    assert waits
    assert task.cancelled()


@given(
    script=st.lists(
        st.tuples(st.sampled_from("abc"), st.floats(0, 3), st.sampled_from(["ok", "fail", "slow"])),
        max_size=30,
    ),
    workers=st.integers(1, 3),
)
@settings(max_examples=60, deadline=None)
def test_whatever_happens_the_last_change_of_each_object_is_reconciled(
    script: list[tuple[str, float, str]], workers: int
) -> None:
    """The one promise on which all level-triggered code rests."""

    async def play() -> None:
        clock, world, seen, moods = VirtualClock(), Counter[str](), Counter[str](), deque[str]()
        busy: set[str] = set()

        async def reconcile(request: Request, run: Run) -> None:
            assert request.name not in busy
            busy.add(request.name)
            try:
                state, mood = world[request.name], moods.popleft() if moods else "ok"
                await clock.sleep(20 if mood == "slow" else 0.1)
                if mood == "fail":
                    raise OSError
                seen[request.name] = state
            finally:
                busy.discard(request.name)

        controller = make(reconcile, clock=clock, workers=workers, deadline=10.0)
        async with running(controller, clock=clock):
            for name, pause, mood in script:
                world[name] += 1
                moods.append(mood)
                add(controller, name)
                await clock.advance(pause)
            await clock.advance(3600)

        assert seen == world
        assert metric("controller_runtime_reconcile_panics_total", "test") == panics

    panics = metric_or_zero("controller_runtime_reconcile_panics_total")
    asyncio.run(play())


def metric_or_zero(name: str, *labels: str) -> float:
    """Return a metric of the controller of these tests, which may not have been made yet."""
    try:
        return metric(name, "test", *labels)
    except StopIteration:
        return 0.0
