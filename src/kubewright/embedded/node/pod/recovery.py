"""What a node knows of a pod that exists when it starts: only what the API server says.

The containers of an earlier run are gone, since nothing outlives a node here. So those that ran
have ended, and the restart policy decides what follows.
"""

from datetime import datetime

from kubewright.embedded.node.pod.state import (
    LOST,
    LOST_CODE,
    ContainerRecord,
    Ended,
    Fresh,
    Role,
    State,
    roles,
)
from kubewright.kinds.core.v1 import ContainerStateTerminated, ContainerStatus, Pod

__all__ = ["recovered"]

LOST_MESSAGE: str = (
    "The container could not be located when the pod was deleted.  The container used to be Running"
)


def recovered(pod: Pod, *, now: datetime) -> dict[str, ContainerRecord]:
    """Return a record for each container of *pod*, from its status."""
    every = [*pod.status.init_container_statuses, *pod.status.container_statuses]
    found = {status.name: status for status in every}
    records = {
        container.name: _record(container.name, found.get(container.name), now=now)
        for container, _ in roles(pod.spec)
    }
    if _must_initialize(pod, records):
        for container, role in roles(pod.spec):
            if role == "init":
                records[container.name] = _again(records[container.name], role)
    return records


def _must_initialize(pod: Pod, records: dict[str, ContainerRecord]) -> bool:
    """Return whether init containers run again: what they prepared is gone with the sandbox."""
    if pod.spec.restart_policy != "Never":
        return True
    return not any(records[one.name].has_run for one in pod.spec.containers)


def _again(record: ContainerRecord, role: Role) -> ContainerRecord:
    state = record.state
    if isinstance(state, Ended) and (state.succeeded or state.reason == LOST):
        return ContainerRecord(record.name, Fresh(), state, record.restarts)
    return record


def _record(name: str, status: ContainerStatus | None, *, now: datetime) -> ContainerRecord:
    if status is None:
        return ContainerRecord(name)
    last = status.last_state.terminated if status.last_state else None
    return ContainerRecord(
        name,
        _state(status, now=now),
        _ended(last, now=now) if last else None,
        status.restart_count,
        status.container_id or "",
        status.image_id,
    )


def _state(status: ContainerStatus, *, now: datetime) -> State:
    state = status.state
    if state is not None and state.terminated is not None:
        return _ended(state.terminated, now=now)
    if state is not None and state.running is not None:
        return Ended(
            LOST_CODE,
            LOST,
            state.running.started_at or now,
            now,
            status.container_id or "",
            LOST_MESSAGE,
        )
    return Fresh()


def _ended(end: ContainerStateTerminated, *, now: datetime) -> Ended:
    return Ended(
        end.exit_code,
        end.reason or "",
        end.started_at or now,
        end.finished_at or now,
        end.container_id or "",
        end.message or "",
        end.signal or 0,
    )
