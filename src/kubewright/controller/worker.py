"""The worker loop: takes one request after the other and calls the reconciler."""

import asyncio
import itertools
import logging
import os
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from kubewright import log, tracing
from kubewright._aio import Clock
from kubewright.controller.deadlines import Call, Deadlines
from kubewright.controller.instruments import Instruments
from kubewright.controller.places import place_of_error, users_traceback
from kubewright.controller.reasons import Reasons, text
from kubewright.controller.request import Reason, Request, Result
from kubewright.controller.retry import Policies, Retry, causes, is_quiet, patience
from kubewright.controller.run import Run
from kubewright.errors import KubewrightError
from kubewright.workqueue import QueueShutDown, WorkQueue

__all__ = ["OnFailure", "Reconciler", "Workers", "described"]

Reconciler: TypeAlias = Callable[[Request, Run], Awaitable[Result | None]]
"""Brings one object to where it should be; called again whenever something has changed."""

OnFailure: TypeAlias = Callable[[Run, Exception], None]
"""Hears of each reconcile that failed, after it was logged and queued again."""

IN_A_ROW: int = 64
"""After so many reconciles a worker lets others run, since none of them may have had to wait."""

FAULTS: tuple[type[Exception], ...] = (
    ArithmeticError, AssertionError, AttributeError, LookupError, NameError, TypeError,
)  # fmt: skip
"""What a program in Go would have panicked about."""

_RETRY = Reason("retry")
_REQUEUE = Reason("requeue")
_DEFAULT = Retry()


class Workers:
    """Calls a reconciler for each request of a queue, never twice at a time for the same one.

    Each `work` is one worker. All of them together share what is known of failures.
    """

    def __init__(  # noqa: PLR0913  # what a controller was told, passed on
        self,
        name: str,
        reconcile: Reconciler,
        *,
        queue: WorkQueue[Request],
        policies: Policies,
        deadline: float | None,
        clock: Clock,
        kind: str = "",
        on_failure: OnFailure | None = None,
    ) -> None:
        self.queue: WorkQueue[Request] = queue
        self.reasons: Reasons[Request] = Reasons()
        self.deadlines: Deadlines[Request] = Deadlines(deadline, clock=clock)
        self.numbers: Instruments = Instruments(name, self.deadlines.calls)
        self._name, self._kind = name, kind
        self._reconcile = reconcile
        self._on_failure = on_failure
        self._policies = policies
        self._deadline = deadline
        self._clock = clock
        self._failures: dict[Request, int] = {}
        # And of those, how many each policy covers: a limit counts no failures of other types.
        self._covered: dict[Request, dict[Retry, int]] = {}
        # Which of them people have read about: they want to read of the end, too.
        self._told: set[Request] = set()
        self._gate: asyncio.Event | None = None
        self._stopping = False
        # Unique among all processes, and in order; a UUID would take as long as the queue does.
        self._prefix = os.urandom(4).hex()
        self._counter = itertools.count(1)
        self._idle = asyncio.Event()
        self._log = log.get_logger(f"kubewright.controller.{name}")

    def add(
        self, request: Request, reason: Reason, *, priority: int = 0, after: float = 0.0
    ) -> None:
        """Let *request* be reconciled, in *after* seconds."""
        self.reasons.note(request, reason)
        if after > 0:
            self.queue.add_after(request, after, priority=priority)
        else:
            self.queue.add(request, priority=priority)

    # --- Life ---

    async def work(self) -> None:
        """Reconcile one request after the other, until `stop` or cancelled."""
        task = asyncio.current_task()
        assert task is not None
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
                await self._handle(request, task, outer)
                if self._stopping:
                    return
            await asyncio.sleep(0)

    @property
    def is_paused(self) -> bool:
        """Whether no request is begun at the moment."""
        return self._gate is not None

    def pause(self) -> None:
        """Begin no more requests; those under way are finished, others gather in the queue."""
        if self._gate is None:
            self._gate = asyncio.Event()

    def resume(self) -> None:
        """Go on after `pause`."""
        gate, self._gate = self._gate, None
        if gate is not None:
            gate.set()

    def stop(self) -> None:
        """Begin no more requests, for good."""
        self._stopping = True
        self.queue.shut_down()
        self.resume()
        self._settle()

    async def wait_idle(self) -> None:
        """Return once nothing is under way; to be called after `stop`."""
        await self._idle.wait()

    # --- One request ---

    async def _handle(
        self, request: Request, task: "asyncio.Task[Any]", outer: Mapping[str, Any]
    ) -> None:
        try:
            while self._gate is not None:
                await self._gate.wait()
            if not self._stopping:
                run = self._next_run(request)
                call = self.deadlines.begin(request, run, task)
                log.rebind((lambda: {**outer, **run.fields()}) if outer else run.fields)
                await self._call(call, run)
        finally:
            self._release(request)

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

    async def _call(self, call: Call, run: Run) -> None:
        try:
            if tracing.is_enabled():
                result = await self._traced(run)
            else:
                result = await self._reconcile(run.request, run)
                if result is not None:
                    _check(result)
        except asyncio.CancelledError as error:
            if not call.leave():
                raise
            # Nobody cancelled the worker, or only its deadline did. Without one, the reconciler
            # awaited something that was cancelled; let through, it would end the worker silently.
            failure = RuntimeError("the reconciler awaited a task that was cancelled")
            self._failed(call, failure.with_traceback(error.__traceback__))
        except Exception as error:  # noqa: BLE001  # a reconciler may fail in any way
            call.leave()
            self._failed(call, error)
        except (SystemExit, KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:  # noqa: BLE001  # a panic in Rust, say, is no Exception
            call.leave()
            self.numbers.panics.value += 1
            failure = RuntimeError(f"the reconciler raised {described(error)}")
            self._failed(call, failure.with_traceback(error.__traceback__))
        else:
            call.leave()
            self._succeeded(call, result)
        finally:
            self.numbers.time.observe(self.deadlines.time() - call.began)

    async def _traced(self, run: Run) -> Result | None:
        request = run.request
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
        """Let *request* be taken again, as soon as all that its call started has ended."""
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
        """Say whether something that *run* started goes on; it is released when that ends."""
        under_way = [one for one in run.held if not one.done()]
        if under_way:
            under_way[0].add_done_callback(lambda done: self._held_ended(request, done))
        return bool(under_way)

    def _held_ended(self, request: Request, done: "asyncio.Future[Any]") -> None:
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

    def _succeeded(self, call: Call, result: Result | None) -> None:
        run, numbers = call.run, self.numbers
        request = run.request
        if run.attempt > 1:
            self._forget_failures(request)
        if result is None:
            numbers.success.value += 1
            self.queue.forget(request)
            # Nearly always nobody would see it, and asking that first is cheaper.
            if run.changed or self._told or self._log.is_enabled_for(logging.DEBUG):
                self._say(call, "success")
        else:
            self._asked_again(call, result)

    def _asked_again(self, call: Call, result: Result) -> None:
        run, numbers = call.run, self.numbers
        request = run.request
        if result.requeue and result.requeue_after is None:
            numbers.requeue.value += 1
            self.reasons.note(request, _REQUEUE)
            wait = self.queue.add_rate_limited(request, priority=self._priority(run, result))
            self._say(call, "requeue", delay=wait)
            return
        self.queue.forget(request)
        delay = result.delay
        if delay is None:
            numbers.success.value += 1
            self._say(call, "success")
            return
        numbers.requeue_after.value += 1
        self.add(request, _REQUEUE, priority=self._priority(run, result), after=delay)
        self._say(call, "requeue_after", delay=delay)

    def _priority(self, run: Run, result: Result) -> int:
        return self.queue.priority_of(run.request) if result.priority is None else result.priority

    def _failed(self, call: Call, error: Exception) -> None:
        run, numbers = call.run, self.numbers
        numbers.error.value += 1
        numbers.errors.value += 1
        if call.expired:
            numbers.timeouts.value += 1
            error = _overdue(error, self._deadline, call.place)
        elif isinstance(error, FAULTS) and not isinstance(error, KubewrightError):
            numbers.panics.value += 1
        self._failures[run.request] = run.attempt
        delay = self._retry(run, error)
        if delay is None:
            numbers.terminal.value += 1
            self._forget_failures(run.request)
            self.queue.forget(run.request)
        self._complain(call, error, delay=delay)
        self._report(run, error)

    def _report(self, run: Run, error: Exception) -> None:
        if self._on_failure is None:
            return
        try:
            self._on_failure(run, error)
        except Exception:  # noqa: BLE001  # theirs: a worker must not end because of it
            self._log.exception("a failed reconcile could not be reported")

    def _retry(self, run: Run, error: Exception) -> float | None:
        """Queue the request again, and return in how many seconds; ``None`` to give up."""
        request, queue = run.request, self.queue
        policy, wait = self._policies.find(error), patience(error)
        priority = queue.priority_of(request)
        if policy is None and not wait:
            self.reasons.note(request, _RETRY)
            return queue.add_rate_limited(request, priority=priority)
        delay = self._delay(request, policy or _DEFAULT)
        if delay is not None:
            delay = max(delay, wait)
            self.add(request, _RETRY, priority=priority, after=delay)
        return delay

    def _delay(self, request: Request, policy: Retry) -> float | None:
        covered = self._covered.setdefault(request, {})
        covered[policy] = failures = covered.get(policy, 0) + 1
        return policy.delay(failures)

    def _forget_failures(self, request: Request) -> None:
        self._failures.pop(request, None)
        self._covered.pop(request, None)

    # --- The one line in the log ---

    def _say(self, call: Call, outcome: str, **fields: Any) -> None:
        matters = self._is_recovery(call.run) or call.run.changed
        if self._log.is_enabled_for(logging.INFO if matters else logging.DEBUG):
            say = self._log.info if matters else self._log.debug
            say("reconciled", outcome=outcome, **fields, **self._facts(call))

    def _is_recovery(self, run: Run) -> bool:
        """Whether the last that people read of it was a failure; to be asked once."""
        if not self._told:
            return False
        told = run.request in self._told
        self._told.discard(run.request)
        return told

    def _complain(self, call: Call, error: Exception, *, delay: float | None) -> None:
        facts = {"outcome": "error", "error": described(error), **self._facts(call)}
        if self._is_expected(error):
            facts |= _found_at(error)
        else:
            # What nobody expected is shown with the whole way that led there.
            facts["exc_info"] = (type(error), error, users_traceback(error))
        if delay is None:
            self._told.discard(call.run.request)
            facts |= self._used_up(error)
            self._log.error("reconcile failed, will not retry", **facts)
            return
        if is_quiet(error):
            self._log.debug("reconcile met a conflict, will retry", delay=delay, **facts)
            return
        self._told.add(call.run.request)
        if "exc_info" in facts:
            self._log.error("reconcile failed, will retry", delay=delay, **facts)
        else:
            self._log.warning("reconcile failed, will retry", delay=delay, **facts)

    def _is_expected(self, error: Exception) -> bool:
        usual = isinstance(error, KubewrightError | TimeoutError | OSError)
        return usual or is_quiet(error) or self._policies.is_expected(error)

    def _used_up(self, error: Exception) -> dict[str, str]:
        policy = self._policies.find(error)
        if policy is None or not policy.limit:
            return {}
        return {"problem": f"limit of {policy.limit} retries reached"}

    def _facts(self, call: Call) -> dict[str, Any]:
        run = call.run
        facts = {
            "duration": round(self._clock.monotonic() - call.began, 6),
            "reasons": text(run.reasons),
        }
        return {**facts, "attempt": run.attempt} if run.attempt > 1 else facts


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


def _found_at(error: Exception) -> dict[str, str]:
    place = place_of_error(error)
    return {"place": place} if place else {}


def described(error: BaseException) -> str:
    """Return what went wrong, for people: the text of an error of ours; of others, the type too."""
    if isinstance(error, ExceptionGroup):
        return "; ".join(map(described, causes(error)))
    try:
        text = str(error)
    except Exception as failure:  # noqa: BLE001  # theirs: a worker must not end because of it
        text = f"(its text cannot be had: {type(failure).__name__})"
    return text if isinstance(error, KubewrightError) else f"{type(error).__name__}: {text}"
