"""The status of a deployment: counts, and whether it is available and makes progress."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

import msgspec

from kubewright.api.conditions import find_condition, remove_condition
from kubewright.api.times import to_seconds
from kubewright.embedded.controllers.deployment.scaling import (
    available_in,
    max_unavailable,
    size_of,
    wanted,
)
from kubewright.kinds.apps.v1 import (
    Deployment,
    DeploymentCondition,
    DeploymentStatus,
    ReplicaSet,
)

__all__ = [
    "counted",
    "has_deadline",
    "is_complete",
    "note_pause",
    "reported",
    "seconds_until_late",
    "set_progress",
]

NEW_SET_AVAILABLE: Final = "NewReplicaSetAvailable"
TIMED_OUT: Final = "ProgressDeadlineExceeded"
PAUSED: Final = "DeploymentPaused"
_FOR_EVER: Final = 2**31 - 1


def has_deadline(deployment: Deployment) -> bool:
    """Return whether a rollout can be late at all."""
    return deployment.spec.progress_deadline_seconds not in {None, _FOR_EVER}


def counted(
    deployment: Deployment, new: ReplicaSet | None, old: Sequence[ReplicaSet], *, now: datetime
) -> DeploymentStatus:
    """Return the status with current counts, and whether enough pods are available."""
    sets = [*old, *([new] if new is not None else [])]
    available = available_in(*sets)
    terminating = [one.status.terminating_replicas for one in sets]
    known = [number for number in terminating if number is not None]
    status = msgspec.structs.replace(
        deployment.status,
        observed_generation=deployment.metadata.generation,
        replicas=sum(one.status.replicas for one in sets) or None,
        updated_replicas=(new.status.replicas if new is not None else 0) or None,
        ready_replicas=sum(one.status.ready_replicas or 0 for one in sets) or None,
        available_replicas=available or None,
        unavailable_replicas=max(0, size_of(*sets) - available) or None,
        # Unknown until every set has counted.
        terminating_replicas=sum(known) if len(known) == len(terminating) else None,
    )
    enough = available >= wanted(deployment) - max_unavailable(deployment)
    reason = "MinimumReplicasAvailable" if enough else "MinimumReplicasUnavailable"
    text = "has minimum availability." if enough else "does not have minimum availability."
    condition = _condition("Available", enough, reason, f"Deployment {text}", now=now)
    status.conditions = _with(status.conditions, condition)
    return status


def reported(
    deployment: Deployment, new: ReplicaSet | None, old: Sequence[ReplicaSet], *, now: datetime
) -> DeploymentStatus:
    """Return the whole status in the course of a rollout: counts, progress, failures."""
    status = counted(deployment, new, old, now=now)
    if not has_deadline(deployment):
        status.conditions = remove_condition(status.conditions, "Progressing")
    elif not _was_complete(deployment, status):
        status.conditions = _progressed(deployment, status, new, now=now)
    failure = _failure(new, old)
    if failure is None:
        status.conditions = remove_condition(status.conditions, "ReplicaFailure")
    else:
        status.conditions = _with(status.conditions, failure)
    return status


def is_complete(deployment: Deployment, status: DeploymentStatus) -> bool:
    """Return whether all pods are there, new and available, and no old ones."""
    counts = (status.updated_replicas, status.replicas, status.available_replicas)
    observed = (status.observed_generation or 0) >= deployment.metadata.generation
    return observed and all((count or 0) == wanted(deployment) for count in counts)


def note_pause(deployment: Deployment, *, now: datetime) -> None:
    """Write into the conditions that a rollout was paused or resumed."""
    progress = find_condition(deployment.status.conditions, "Progressing")
    if not has_deadline(deployment) or (progress is not None and progress.reason == TIMED_OUT):
        return
    noted = progress is not None and progress.reason == PAUSED
    if deployment.spec.paused and not noted:
        text = "Deployment is paused"
        _set(deployment, _condition("Progressing", None, PAUSED, text, now=now))
    elif not deployment.spec.paused and noted:
        text = "Deployment is resumed"
        _set(deployment, _condition("Progressing", None, "DeploymentResumed", text, now=now))


def set_progress(
    deployment: Deployment, reason: str, message: str, *, failed: bool = False, now: datetime
) -> None:
    """Write into the conditions how the new replica set is doing."""
    if has_deadline(deployment):
        _set(deployment, _condition("Progressing", not failed, reason, message, now=now))


def seconds_until_late(deployment: Deployment, *, now: datetime) -> float | None:
    """Return in how many seconds the rollout is late; ``None`` if it cannot be."""
    status = deployment.status
    progress = find_condition(status.conditions, "Progressing")
    if not has_deadline(deployment) or progress is None or is_complete(deployment, status):
        return None
    if progress.reason in {TIMED_OUT, PAUSED} or progress.last_update_time is None:
        return None
    late = progress.last_update_time + _deadline(deployment)
    # One second more: times in objects are cut to seconds.
    return max(0.0, (late - now).total_seconds()) + 1.0


def _deadline(deployment: Deployment) -> timedelta:
    return timedelta(seconds=deployment.spec.progress_deadline_seconds or 0)


def _was_complete(deployment: Deployment, status: DeploymentStatus) -> bool:
    progress = find_condition(deployment.status.conditions, "Progressing")
    return (
        status.replicas == status.updated_replicas
        and progress is not None
        and progress.reason == NEW_SET_AVAILABLE
    )


def _progressed(
    deployment: Deployment, status: DeploymentStatus, new: ReplicaSet | None, *, now: datetime
) -> list[DeploymentCondition]:
    who = f'Deployment "{deployment.metadata.name}"'
    if new is not None:
        who = f'ReplicaSet "{new.metadata.name}"'
    present = find_condition(status.conditions, "Progressing")
    if is_complete(deployment, status):
        text = f"{who} has successfully progressed."
        done = _condition("Progressing", True, NEW_SET_AVAILABLE, text, now=now)
        return _with(status.conditions, done)
    if _is_progressing(deployment.status, status):
        text = f"{who} is progressing."
        moving = _condition("Progressing", True, "ReplicaSetUpdated", text, now=now)
        if present is not None and present.status == "True":
            moving.last_transition_time = present.last_transition_time
        # Removed first: the time of the last progress counts, also where nothing else changes.
        return _with(remove_condition(status.conditions, "Progressing"), moving)
    if _is_late(deployment, present, now=now):
        text = f"{who} has timed out progressing."
        late = _condition("Progressing", False, TIMED_OUT, text, now=now)
        return _with(status.conditions, late)
    return status.conditions


def _is_progressing(before: DeploymentStatus, after: DeploymentStatus) -> bool:
    def old_pods(status: DeploymentStatus) -> int:
        return (status.replicas or 0) - (status.updated_replicas or 0)

    return (
        (after.updated_replicas or 0) > (before.updated_replicas or 0)
        or old_pods(after) < old_pods(before)
        or (after.ready_replicas or 0) > (before.ready_replicas or 0)
        or (after.available_replicas or 0) > (before.available_replicas or 0)
    )


def _is_late(
    deployment: Deployment, progress: DeploymentCondition | None, *, now: datetime
) -> bool:
    if progress is None or progress.reason == NEW_SET_AVAILABLE:
        return False
    if progress.reason == TIMED_OUT:
        return True
    since = progress.last_update_time
    return since is not None and since + _deadline(deployment) < now


def _failure(new: ReplicaSet | None, old: Sequence[ReplicaSet]) -> DeploymentCondition | None:
    for one in ([new] if new is not None else []) + list(old):
        found = find_condition(one.status.conditions, "ReplicaFailure")
        if found is not None:
            return DeploymentCondition(
                type=found.type,
                status=found.status,
                reason=found.reason,
                message=found.message,
                last_transition_time=found.last_transition_time,
                last_update_time=found.last_transition_time,
            )
    return None


def _condition(
    kind: str, holds: bool | None, reason: str, message: str, *, now: datetime
) -> DeploymentCondition:
    moment = to_seconds(now)
    return DeploymentCondition(
        type=kind,
        status="Unknown" if holds is None else str(holds),
        reason=reason,
        message=message,
        last_transition_time=moment,
        last_update_time=moment,
    )


def _set(deployment: Deployment, condition: DeploymentCondition) -> None:
    deployment.status.conditions = _with(deployment.status.conditions, condition)


def _with(
    conditions: Sequence[DeploymentCondition], new: DeploymentCondition
) -> list[DeploymentCondition]:
    """Return *conditions* with *new* at the end; unchanged if it says nothing new."""
    old = find_condition(conditions, new.type or "")
    if old is not None and (old.status, old.reason) == (new.status, new.reason):
        return list(conditions)
    if old is not None and old.status == new.status:
        new.last_transition_time = old.last_transition_time
    return [*remove_condition(conditions, new.type or ""), new]
