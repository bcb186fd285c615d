"""`Lines`: the one line that each reconcile leaves in the log, at the level it deserves."""

import logging
from typing import Any

from kubewright._aio import Clock
from kubewright._loop import place_of_error, users_traceback
from kubewright.controller.deadlines import Call
from kubewright.controller.reasons import text
from kubewright.controller.request import Request
from kubewright.controller.retry import Policies, causes, is_quiet
from kubewright.controller.run import Run
from kubewright.errors import KubewrightError, RetryAfter
from kubewright.log import Logger

__all__ = ["Lines", "described"]


class Lines:
    """Logs how reconciles ended.

    Args:
        log: The logger.
        policies: Which errors are expected.
        clock: Where time comes from.

    Attributes:
        told: Requests whose failure was logged, so that their recovery is logged, too.
    """

    __slots__ = ("_clock", "_log", "_policies", "told")

    def __init__(self, log: Logger, policies: Policies, *, clock: Clock) -> None:
        self._log = log
        self._policies = policies
        self._clock = clock
        # Public, since it is asked after each reconcile.
        self.told: set[Request] = set()

    def tell_end(self, call: Call, outcome: str, **fields: Any) -> None:
        """Log that a reconcile succeeded."""
        matters = self._is_recovery(call.run) or call.run.changed
        if self._log.is_enabled_for(logging.INFO if matters else logging.DEBUG):
            say = self._log.info if matters else self._log.debug
            say("reconciled", outcome=outcome, **fields, **self._facts(call))

    def tell_postponement(self, call: Call, error: Exception, *, delay: float) -> None:
        """Log that a reconcile waits for something, as it said itself with `RetryAfter`."""
        self._log.info(
            "reconcile cannot go on yet, will retry",
            outcome="requeue_after",
            delay=delay,
            error=described(error),
            **_found_at(error),
            **self._facts(call),
        )

    def tell_failure(self, call: Call, error: Exception, *, delay: float | None) -> None:
        """Log that a reconcile failed; ``None`` as *delay* if there will be no retry."""
        facts = {"outcome": "error", "error": described(error), **self._facts(call)}
        if self._is_expected(error):
            facts |= _found_at(error)
        else:
            # What nobody expected is shown with the whole way that led there.
            facts["exc_info"] = (type(error), error, users_traceback(error))
        if delay is None:
            self.told.discard(call.run.request)
            facts |= self._used_up(error)
            self._log.error("reconcile failed, will not retry", **facts)
            return
        if is_quiet(error):
            self._log.debug("reconcile came too late, will retry", delay=delay, **facts)
            return
        self.told.add(call.run.request)
        if "exc_info" in facts:
            self._log.error("reconcile failed, will retry", delay=delay, **facts)
        else:
            self._log.warning("reconcile failed, will retry", delay=delay, **facts)

    def _is_recovery(self, run: Run) -> bool:
        """Say whether its last line reported a failure; ``True`` only once per failure."""
        if not self.told:
            return False
        told = run.request in self.told
        self.told.discard(run.request)
        return told

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


def _found_at(error: Exception) -> dict[str, str]:
    place = place_of_error(error)
    return {"place": place} if place else {}


def described(error: BaseException) -> str:
    """Return *error* as text for people: our own errors without their type, others with it."""
    if isinstance(error, ExceptionGroup):
        return "; ".join(map(described, causes(error)))
    try:
        text = str(error)
    except Exception as failure:  # noqa: BLE001  # theirs: a worker must not end because of it
        text = f"(its text cannot be had: {type(failure).__name__})"
    if isinstance(error, RetryAfter) and error.__cause__ is not None:
        return f"{text}: {described(error.__cause__)}"
    return text if isinstance(error, KubewrightError) else f"{type(error).__name__}: {text}"
