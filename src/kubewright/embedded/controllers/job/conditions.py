"""The conditions of a Job, and the words that they are written in."""

from collections.abc import Sequence
from datetime import datetime

from kubewright.api.conditions import find_condition, is_condition_true
from kubewright.api.times import to_seconds
from kubewright.kinds.batch.v1 import Job, JobCondition

__all__ = [
    "COMPLETE",
    "CRITERIA_MET",
    "FAILED",
    "FAILURE_TARGET",
    "SUSPENDED",
    "end_of",
    "is_finished",
    "target_of",
    "verdict",
    "with_condition",
]

COMPLETE: str = "Complete"
FAILED: str = "Failed"
CRITERIA_MET: str = "SuccessCriteriaMet"
FAILURE_TARGET: str = "FailureTarget"
SUSPENDED: str = "Suspended"

_ENDS = {CRITERIA_MET: COMPLETE, FAILURE_TARGET: FAILED}
"""The condition that is set first, and the one that follows once all pods have ended."""


def is_finished(job: Job) -> bool:
    """Return whether *job* is complete or has failed."""
    conditions = job.status.conditions
    return is_condition_true(conditions, COMPLETE) or is_condition_true(conditions, FAILED)


def verdict(kind: str, reason: str, message: str, now: datetime) -> JobCondition:
    """Return a condition that is true since *now*."""
    moment = to_seconds(now)
    return JobCondition(
        type=kind,
        status="True",
        reason=reason,
        message=message,
        last_probe_time=moment,
        last_transition_time=moment,
    )


def target_of(job: Job) -> JobCondition | None:
    """Return the decision about *job* that waits for its pods to end, if there is one."""
    for kind in _ENDS:
        found = find_condition(job.status.conditions, kind)
        if found is not None and found.status == "True":
            return found
    return None


def end_of(target: JobCondition, now: datetime) -> JobCondition:
    """Return the condition that ends a Job after *target* was decided."""
    return verdict(_ENDS[target.type], target.reason or "", target.message or "", now)


def with_condition(
    conditions: Sequence[JobCondition], new: JobCondition
) -> list[JobCondition] | None:
    """Return *conditions* with *new* among them; ``None`` if that changes nothing.

    A false condition is not added where there is none.
    """
    old = find_condition(conditions, new.type)
    if old is None:
        return [*conditions, new] if new.status == "True" else None
    if (old.status, old.reason, old.message) == (new.status, new.reason, new.message):
        return None
    return [new if one is old else one for one in conditions]
