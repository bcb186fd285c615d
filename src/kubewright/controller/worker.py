"""`Workers`: take one request after the other from the queue, and call the reconciler."""

import asyncio
import itertools
import logging
import os
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from kubewright import log, tracing
from kubewright._aio import Clock, is_running
from kubewright._loop import Watchdog, watchdog_of
from kubewright.cache.own_writes import NOTE
from kubewright.controller.deadlines import Call, Deadlines
from kubewright.controller.declaration import Declaration, OnFailure
from kubewright.controller.instruments import Instruments
from kubewright.controller.lines import Lines, described
from kubewright.controller.loops import Loops, Writes
from kubewright.controller.reasons import Reasons, text
from kubewright.controller.recording import note_end
from kubewright.controller.request import Reason, Request, Result
from kubewright.controller.retry import (
    Policies,
    Retry,
    carried_delay,
    patience,
    postponement,
)
from kubewright.controller.run import Run
from kubewright.controller.turns import Turns, turns_of
from kubewright.errors import KubewrightError
from kubewright.runnable import Releasing
from kubewright.runs.current import NOTES
from kubewright.runs.runs import Runs
from kubewright.workqueue import QueueShutDown, WorkQueue

if TYPE_CHECKING:
    from kubewright.runs.notes import Notes

__all__ = ["OnFailure", "Reconciler", "Workers"]

Reconciler: TypeAlias = Callable[[Request, Run], Awaitable[Result | None]]
"""Brings one object to the state it should be in; called again after each change."""

IN_A_ROW: int = 64
"""After so many reconciles a worker lets other tasks run: maybe none of these had to wait."""

FAULTS: tuple[type[Exception], ...] = (
    ArithmeticError, AssertionError, AttributeError, LookupError, NameError, TypeError,
)  # fmt: skip
"""Errors that count as panics in the metrics: they would be panics in Go."""

_RETRY = Reason("retry")
_REQUEUE = Reason("requeue")
_TIMER = Reason("timer")
_DEFAULT = Retry()
_AFTER_FAULT = 1.0  # seconds
_AWAITED = "the reconciler awaited a task that was cancelled"
_CANCELLED = (
    "the task of the reconciler was cancelled, and not by its deadline or a stop: by its own code,"
    " or by the time-out of a library"
)


class Workers:
    """Calls a reconciler for each request of a queue, never twice at a time for the same one.

    Each call of `work` is one worker. All workers share the counts of failures.
    """

    def __init__(self, declaration: Declaration, reconcile: Reconciler, *, clock: Clock) -> None:
        name, deadline = declaration.name, declaration.deadline
        policies, primary = Policies(declaration.retry), declaration.for_
        self.queue: WorkQueue[Request] = declaration.make_queue(clock)
        self.reasons: Reasons[Request] = Reasons()
        self.deadlines: Deadlines[Request] = Deadlines(deadline, clock=clock)
        self.numbers: Instruments = Instruments(name, self.deadlines.calls)
        self._name, self._kind = name, primary.mapping.kind if primary else ""
        self._reconcile = reconcile
        self._on_failure = declaration.on_failure
        self._policies = policies
        self._deadline = deadline
        self._requeue = _TIMER if declaration.timer else _REQUEUE
        self._clock = clock
        self._failures: dict[Request, int] = {}
        # And of those, how many each policy covers: a limit counts no failures of other types.
        self._covered: dict[Request, dict[Retry, int]] = {}
        self._gate: asyncio.Event | None = None
        self._turns = Turns()  # of no loop yet
        self._watchdog: Watchdog | None = None
        self._stopping = False
        # Unique among all processes, and in order; a UUID would take as long as the queue does.
        self._prefix = os.urandom(4).hex()
        self._counter = itertools.count(1)
        self._idle = asyncio.Event()
        self._log = log.get_logger(f"kubewright.controller.{name}")
        self._lines = Lines(self._log, policies, clock=clock)
        self._loops = Loops(self._log, self.numbers.loops)
        self._chains = self._loops.chains
        self.runs: Runs = Runs()
        """Where runs are recorded, while it is active."""

    def add(
        self,
        request: Request,
        reason: Reason,
        *,
        priority: int = 0,
        after: float = 0.0,
        mark: str = "",
    ) -> None:
        """Queue *request*, in *after* seconds; *mark* identifies the change, see `Sink.add`."""
        self.reasons.note(request, reason)
        if self._chains and (chain := self._chains.get(request)) is not None:
            wait = chain.hear(mark, priority=priority)
            if wait is None:
                return  # the run that is under way has to end before it can be judged
            after = max(after, wait)
        if after > 0:  # `_queue`, written out: this is where most requests go through
            self.queue.add_after(request, after, priority=priority)
        else:
            self.queue.add(request, priority=priority)

    def _queue(self, request: Request, *, priority: int, after: float) -> None:
        if after > 0:
            self.queue.add_after(request, after, priority=priority)
        else:
            self.queue.add(request, priority=priority)

    def _repeat(self, request: Request, reason: Reason, *, priority: int, after: float) -> None:
        """Queue *request* again, because its last run asked for it."""
        self.reasons.note(request, reason)
        self._queue(request, priority=priority, after=after)

    # --- Life ---

    async def work(self) -> None:
        """Reconcile one request after the other, until `stop`.

        It ends before that only if other code has cancelled its task. Before Python 3.13 a task
        cannot undo that, so the controller starts another worker.
        """
        task = asyncio.current_task()
        assert task is not None
        try:
            await self._work(task)
        except GeneratorExit:
            # A task throws what it awaited into its outermost coroutine, and this one closes all
            # those inside of that. The reconcile has failed by now; the loop may have ended, too.
            if not is_running(task):
                raise

    def _enter(self, loop: asyncio.AbstractEventLoop) -> None:
        self._turns = turns_of(loop)
        if type(self._clock) is Clock:  # in virtual time nothing lasts too long
            self._watchdog = watchdog_of(loop)
            self._watchdog.observe(self.deadlines)

    async def _work(self, task: "asyncio.Task[Any]") -> None:
        self._enter(asyncio.get_running_loop())
        writes = Writes()
        NOTE.set(writes.note)
        outer = log.bound()
        while not self._stopping:
            for _ in range(IN_A_ROW):
                request = self.queue.get_nowait()
                if request is None:
                    log.rebind(lambda: outer)  # while it waits, it works for nobody
                    try:
                        request = await self.queue.get()
                    except QueueShutDown:
                        return
                if not await self._handle(request, task, outer, writes) or self._stopping:
                    return
            await asyncio.sleep(0)

    @property
    def is_paused(self) -> bool:
        """Whether workers are paused and begin no requests."""
        return self._gate is not None

    def pause(self) -> None:
        """Begin no more requests; those under way finish, new ones wait in the queue."""
        if self._gate is None:
            self._gate = asyncio.Event()

    def resume(self) -> None:
        """Begin requests again after `pause`."""
        gate, self._gate = self._gate, None
        if gate is not None:
            gate.set()

    def stop(self) -> None:
        """Begin no more requests, for good."""
        self._stopping = True
        self.queue.shut_down()
        self.resume()
        self._settle()

    def release(self) -> None:
        """Remove its metrics from the page, and its logger from the standard library."""
        self.numbers.remove()
        self.queue.release()
        self._log.release()
        if isinstance(self._reconcile, Releasing):
            self._reconcile.release()

    async def wait_idle(self) -> None:
        """Return once nothing is under way; call it after `stop`."""
        await self._idle.wait()

    # --- One request ---

    async def _handle(
        self,
        request: Request,
        task: "asyncio.Task[Any]",
        outer: Mapping[str, Any],
        writes: Writes,
    ) -> bool:
        """Call the reconciler for *request*; return whether *task* may take another request."""
        due = self.deadlines.time() - self.queue.last_wait if self.runs.active else None
        notes: Notes | None = None
        try:
            if not self._turns.may_begin(self.deadlines.time()) or self._gate is not None:
                await self._wait_for_turn(request)
            if self._stopping:
                return False
            run = self._next_run(request)
            if self._chains and (chain := self._chains.get(request)) is not None:
                chain.begin()
            call = self.deadlines.begin(request, run, task)
            if due is not None:
                notes = call.notes = self.runs.begin(
                    run,
                    began=self._clock.now(),
                    at=call.began,
                    due=due,
                    time=self.deadlines.time,
                )
                NOTES.set(notes)  # until `Call.leave`
            if self._watchdog is not None and not self._watchdog.armed:
                self._watchdog.arm()
            log.rebind((lambda: {**outer, **run.fields()}) if outer else run.fields)
            return await self._call(call, run)
        except Exception:  # noqa: BLE001  # a rate limiter of theirs, say: the request must stay
            self._log.exception("reconcile could not be noted, will retry", delay=_AFTER_FAULT)
            self._repeat(request, _RETRY, priority=0, after=_AFTER_FAULT)
            return task.cancelling() == 0
        finally:
            if writes.marks or self._chains:
                self._note_writes(request, writes)
            if notes is not None:
                self._record(request, notes)
            self._release(request)

    def _record(self, request: Request, notes: "Notes") -> None:
        try:
            notes.delay = self.queue.due_in(request)
            notes.next_reasons = self.reasons.of(request)
            self.runs.add(notes)
        except Exception:  # noqa: BLE001  # the request must be released, whatever a record costs
            self._log.exception("run could not be recorded")

    def _note_writes(self, request: Request, writes: Writes) -> None:
        due = self._loops.end(request, writes)
        writes.clear()
        if due is not None:
            priority, after = due
            self._queue(request, priority=priority, after=after)

    async def _wait_for_turn(self, request: Request) -> None:
        try:
            await self._turns.wait(self.deadlines.time)
            while self._gate is not None:
                await self._gate.wait()
        except asyncio.CancelledError:
            # Nothing of it was begun: whoever takes the place of this worker finds it again.
            self.queue.add(request, priority=self.queue.priority_of(request))
            raise

    def _next_run(self, request: Request) -> Run:
        failures = self._failures.get(request, 0) if self._failures else 0
        return Run(
            f"{self._prefix}-{next(self._counter)}",
            request,
            self.reasons.take(request),
            failures + 1,
            self._name,
            self._log,
            self._kind,
        )

    async def _call(self, call: Call, run: Run) -> bool:
        """Call the reconciler; of what it raises, only a cancellation by `stop` is raised again."""
        task = call.task
        assert task is not None
        try:
            reconcile = self._traced if tracing.is_enabled() else self._reconcile
            result = await reconcile(run.request, run)
            if result is not None:
                _check(result)
        except asyncio.CancelledError as error:
            goes_on = call.leave()
            if self._stopping and not goes_on:
                note_end(call, "cancelled")
                raise
            # That we stop is a fact, and not to be guessed from a cancellation: that may be the
            # deadline's, or anybody's. Let through, it would end the worker silently.
            failure = RuntimeError(_AWAITED if goes_on else _CANCELLED)
            self._note_failure(call, failure.with_traceback(error.__traceback__))
        except Exception as error:  # noqa: BLE001  # a reconciler may fail in any way
            goes_on = call.leave()
            self._note_failure(call, error)
        except (SystemExit, KeyboardInterrupt):
            self.stop()  # so that the other workers know: the process ends
            raise
        except BaseException as error:
            if not is_running(task):
                raise  # thrown away with its loop
            goes_on = call.leave()
            self.numbers.panics.value += 1
            failure = RuntimeError(f"the reconciler raised {described(error)}")
            self._note_failure(call, failure.with_traceback(error.__traceback__))
        else:
            goes_on = call.leave()
            self._note_success(call, result)
        finally:
            self.numbers.time.observe(self.deadlines.time() - call.began)
        return goes_on

    async def _traced(self, request: Request, run: Run) -> Result | None:
        with tracing.span(
            "reconcile",
            controller=self._name,
            kind=self._kind,
            key=request,
            reconcile_id=run.id,
            reasons=text(run.reasons),
            attempt=run.attempt,
        ):
            result = await self._reconcile(request, run)
            _check(result)
            return result

    def _release(self, request: Request) -> None:
        """Let workers take *request* again, once everything that its call started has ended."""
        calls = self.deadlines.calls
        call = calls.get(request)
        if call is not None:
            if call.run.held and self._is_held(request, call.run):
                return
            del calls[request]
        self.queue.done(request)
        if self._stopping:
            self._settle()

    def _is_held(self, request: Request, run: Run) -> bool:
        """Say whether work that *run* started still goes on; release *request* when it ends."""
        under_way = [one for one in run.held if not one.done()]
        if under_way:
            under_way[0].add_done_callback(lambda done: self._release_after(request, done))
        return bool(under_way)

    def _release_after(self, request: Request, done: "asyncio.Future[Any]") -> None:
        if not done.cancelled() and (error := done.exception()):
            self._log.warning(
                "work that outlived its reconcile failed", key=str(request), error=repr(error)
            )
        self._release(request)

    def _settle(self) -> None:
        if self._stopping and not self.deadlines.calls:
            self.deadlines.close()
            self._idle.set()

    # --- How it ended ---

    def _note_success(self, call: Call, result: Result | None) -> None:
        run, numbers = call.run, self.numbers
        request = run.request
        if run.attempt > 1:
            self._forget_failures(request)
        if result is None:
            numbers.success.value += 1
            self.queue.forget(request)
            # Nearly always nobody would see it, and asking that first is cheaper.
            if run.changed or self._lines.told or self._log.is_enabled_for(logging.DEBUG):
                self._lines.tell_end(call, "success")
        else:
            self._queue_as_asked(call, result)

    def _queue_as_asked(self, call: Call, result: Result) -> None:
        run, numbers = call.run, self.numbers
        request = run.request
        if result.requeue and result.requeue_after is None:
            numbers.requeue.value += 1
            self.reasons.note(request, self._requeue)
            wait = self.queue.add_rate_limited(request, priority=self._priority(run, result))
            self._lines.tell_end(call, "requeue", delay=wait)
            note_end(call, "requeue")
            return
        self.queue.forget(request)
        delay = result.delay
        if delay is None:
            numbers.success.value += 1
            self._lines.tell_end(call, "success")
            return
        numbers.requeue_after.value += 1
        delay = self._loops.repeat(request, delay)
        self._repeat(request, self._requeue, priority=self._priority(run, result), after=delay)
        self._lines.tell_end(call, "requeue_after", delay=delay)
        note_end(call, "requeue_after")

    def _priority(self, run: Run, result: Result) -> int:
        return self.queue.priority_of(run.request) if result.priority is None else result.priority

    def _note_postponement(self, call: Call, error: Exception, delay: float) -> None:
        """Note that the run raised `RetryAfter`: it waits for something, and has not failed."""
        request = call.run.request
        self.numbers.requeue_after.value += 1
        self._forget_failures(request)
        self.queue.forget(request)
        delay = self._loops.repeat(request, delay)
        self._repeat(request, _RETRY, priority=self.queue.priority_of(request), after=delay)
        self._lines.tell_postponement(call, error, delay=delay)
        note_end(call, "postponed", error)

    def _note_failure(self, call: Call, error: Exception) -> None:
        run, numbers = call.run, self.numbers
        if not call.expired and (delay := postponement(error)) is not None:
            self._note_postponement(call, error, delay)
            return
        numbers.error.value += 1
        numbers.errors.value += 1
        if call.expired:
            numbers.timeouts.value += 1
            error = _overdue(error, self._deadline, call.place)
        elif isinstance(error, FAULTS) and not isinstance(error, KubewrightError):
            numbers.panics.value += 1
        note_end(call, "deadline" if call.expired else "error", error)
        self._failures[run.request] = run.attempt
        delay = self._retry(run, error)
        if delay is None:
            numbers.terminal.value += 1
            self._forget_failures(run.request)
            self.queue.forget(run.request)
        self._lines.tell_failure(call, error, delay=delay)
        self._report(run, error)

    def _report(self, run: Run, error: Exception) -> None:
        if self._on_failure is None:
            return
        try:
            self._on_failure(run, error)
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException:  # noqa: BLE001  # theirs: a worker must not end because of it
            self._log.exception("a failed reconcile could not be reported")

    def _retry(self, run: Run, error: Exception) -> float | None:
        """Queue the request again and return the delay in seconds; ``None`` if we give up."""
        request, queue = run.request, self.queue
        policy, wait = self._policies.find(error), patience(error)
        priority = queue.priority_of(request)
        if policy is None and (carried := carried_delay(error)) is not None:
            self._repeat(request, _RETRY, priority=priority, after=carried)
            return carried
        if policy is None and not wait:
            self.reasons.note(request, _RETRY)
            return queue.add_rate_limited(request, priority=priority)
        delay = self._delay(request, policy or _DEFAULT)
        if delay is not None:
            delay = self._loops.repeat(request, max(delay, wait))
            self._repeat(request, _RETRY, priority=priority, after=delay)
        return delay

    def _delay(self, request: Request, policy: Retry) -> float | None:
        covered = self._covered.setdefault(request, {})
        covered[policy] = failures = covered.get(policy, 0) + 1
        return policy.delay(failures)

    def _forget_failures(self, request: Request) -> None:
        self._failures.pop(request, None)
        self._covered.pop(request, None)


def _check(result: object) -> None:
    if result is not None and not isinstance(result, Result):
        raise TypeError(
            f"the reconciler returned {result!r:.80}: return a Result to be called again, or None"
        )


def _overdue(error: Exception, deadline: float | None, place: str) -> TimeoutError:
    text = f"the reconcile did not end within its deadline of {deadline} seconds"
    overdue = TimeoutError(f"{text}: it hung at {place}" if place else text)
    overdue.__cause__ = error
    return overdue
