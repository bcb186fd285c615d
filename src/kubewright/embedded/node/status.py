"""The status of a pod, computed from the states of its containers as the kubelet does it.

Everything here is pure: the same records give the same status, and a status that says nothing new
equals the one before, transition times included.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime

from msgspec import Struct

from kubewright.embedded.node.images import full_name
from kubewright.embedded.node.plan import is_over_for_good
from kubewright.embedded.node.state import ContainerRecord, Ended, Fresh, Role, Running, roles
from kubewright.kinds.core.v1 import (
    Container,
    ContainerState,
    ContainerStateRunning,
    ContainerStateTerminated,
    ContainerStateWaiting,
    ContainerStatus,
    HostIP,
    Pod,
    PodCondition,
    PodIP,
    PodStatus,
)

__all__ = ["Facts", "Verdict", "pod_status"]

Records = Mapping[str, ContainerRecord]


class Verdict(Struct, frozen=True):
    """Why a pod has failed whatever its containers say, such as a deadline that has passed."""

    reason: str
    message: str


class Facts(Struct, frozen=True):
    """What a status says that is not about containers.

    Attributes:
        start_time: When the node first saw the pod.
        host_ip: The address of the node.
        pod_ip: The address of the pod; empty before it has one.
        verdict: Why it has failed, if the node has decided so.
        ending: Whether all containers are over because the pod is deleted.
    """

    start_time: datetime
    host_ip: str
    pod_ip: str = ""
    verdict: Verdict | None = None
    ending: bool = False


def pod_status(pod: Pod, records: Records, facts: Facts, *, now: datetime) -> PodStatus:
    """Return the status of *pod*; fields that belong to others are left out.

    Args:
        pod: The pod as the server has it; its conditions say since when things are so.
        records: One for each container, by name.
        facts: What else is known.
        now: The time of transitions.
    """
    phase = _phase(pod, records, facts)
    initial = [
        _container_status(one, role, records[one.name], pod)
        for one, role in roles(pod.spec)
        if role != "app"
    ]
    regular = [_container_status(one, "app", records[one.name], pod) for one in pod.spec.containers]
    generation = pod.metadata.generation or None
    status = PodStatus(
        phase=phase,
        start_time=whole(facts.start_time),
        host_ip=facts.host_ip,
        host_ips=[HostIP(ip=facts.host_ip)],
        pod_ip=facts.pod_ip or None,
        pod_ips=[PodIP(ip=facts.pod_ip)] if facts.pod_ip else [],
        init_container_statuses=initial,
        container_statuses=regular,
        observed_generation=generation,
        reason=facts.verdict.reason if facts.verdict and phase == "Failed" else None,
        message=facts.verdict.message if facts.verdict and phase == "Failed" else None,
    )
    found = {condition.type: condition for condition in pod.status.conditions}
    status.conditions = [
        _timed(one, found.get(one.type), generation, now=now)
        for one in _conditions(pod, records, facts, status)
    ]
    return status


def whole(moment: datetime) -> datetime:
    """Return *moment* as the API keeps times: in whole seconds."""
    return moment.replace(microsecond=0)


# --- Phase ---


def _phase(pod: Pod, records: Records, facts: Facts) -> str:
    before = pod.status.phase
    if before in {"Failed", "Succeeded"}:
        return before  # there is no way back
    if any(record.is_running for record in records.values()):
        return _living_phase(pod, records)
    if facts.verdict is not None:
        return "Failed"
    if is_over_for_good(pod.spec, records):
        return "Succeeded" if _all_succeeded(pod, records) else "Failed"
    if facts.ending:
        # Deleted before its work was done: those who wait for an end shall see one.
        return "Succeeded" if _all_succeeded(pod, records) else "Failed"
    return _living_phase(pod, records)


def _living_phase(pod: Pod, records: Records) -> str:
    for container, role in roles(pod.spec):
        if role == "app":
            break
        if not _is_initialized(role, records[container.name]):
            return "Pending"
    regular = [records[one.name] for one in pod.spec.containers]
    return "Running" if all(one.has_run for one in regular) else "Pending"


def _all_succeeded(pod: Pod, records: Records) -> bool:
    work = [records[one.name].state for one, role in roles(pod.spec) if role != "sidecar"]
    return all(isinstance(state, Ended) and state.succeeded for state in work)


# --- Containers ---


def _container_status(
    container: Container, role: Role, record: ContainerRecord, pod: Pod
) -> ContainerStatus:
    last = record.last
    if record.blocked is not None and isinstance(record.state, Ended):
        last = record.state
    image = container.image or ""
    return ContainerStatus(
        name=container.name,
        image=full_name(image) if record.image_id else image,
        image_id=record.image_id,
        container_id=record.container_id or None,
        restart_count=record.restarts,
        ready=_is_ready(role, record),
        started=record.is_running and record.started,
        state=_state(record, has_init=bool(pod.spec.init_containers)),
        # Present even if empty, as Go writes it: what is the same must look the same.
        last_state=ContainerState(terminated=_terminated(last) if last else None),
    )


def _is_ready(role: Role, record: ContainerRecord) -> bool:
    if role == "init":
        return isinstance(record.state, Ended) and record.state.succeeded
    return record.is_running and record.hooked and record.started and record.ready


def _is_initialized(role: Role, record: ContainerRecord) -> bool:
    if role == "sidecar":
        # One that has started once and crashed later does not undo the initialization.
        return record.has_run and (record.started or not record.is_running)
    return isinstance(record.state, Ended) and record.state.succeeded


def _state(record: ContainerRecord, *, has_init: bool) -> ContainerState:
    if record.blocked is not None:
        waiting = ContainerStateWaiting(
            reason=record.blocked.reason, message=record.blocked.message or None
        )
        return ContainerState(waiting=waiting)
    match record.state:
        case Running(since):
            return ContainerState(running=ContainerStateRunning(started_at=whole(since)))
        case Ended() as end:
            return ContainerState(terminated=_terminated(end))
        case Fresh():
            reason = "PodInitializing" if has_init else "ContainerCreating"
            return ContainerState(waiting=ContainerStateWaiting(reason=reason))


def _terminated(end: Ended) -> ContainerStateTerminated:
    return ContainerStateTerminated(
        exit_code=end.exit_code,
        signal=end.signal or None,
        reason=end.reason or None,
        message=end.message or None,
        started_at=whole(end.started_at),
        finished_at=whole(end.finished_at),
        container_id=end.container_id or None,
    )


# --- Conditions ---


def _conditions(
    pod: Pod, records: Records, facts: Facts, status: PodStatus
) -> Iterable[PodCondition]:
    over = status.phase in {"Succeeded", "Failed"}
    has_sandbox = bool(facts.pod_ip) and not over and not facts.ending
    yield _condition("PodReadyToStartContainers", holds=has_sandbox)
    yield _initialized(pod, records, status)
    containers = _containers_ready(pod, records, status)
    yield _ready(pod, containers)
    yield containers
    yield _condition("PodScheduled", holds=True)


def _condition(
    name: str, *, holds: bool, reason: str | None = None, message: str | None = None
) -> PodCondition:
    status = "True" if holds else "False"
    return PodCondition(type=name, status=status, reason=reason, message=message or None)


def _initialized(pod: Pod, records: Records, status: PodStatus) -> PodCondition:
    left = [
        one.name
        for one, role in roles(pod.spec)
        if role != "app" and not _is_initialized(role, records[one.name])
    ]
    if status.phase == "Succeeded":
        return _condition("Initialized", holds=True, reason="PodCompleted")
    # A sidecar that was ended with its pod had been initialized.
    if not left or all(records[one.name].has_run for one in pod.spec.containers):
        return _condition("Initialized", holds=True)
    message = f"containers with incomplete status: [{' '.join(left)}]"
    return _condition(
        "Initialized", holds=False, reason="ContainersNotInitialized", message=message
    )


def _containers_ready(pod: Pod, records: Records, status: PodStatus) -> PodCondition:
    name = "ContainersReady"
    if status.phase == "Succeeded":
        return _condition(name, holds=False, reason="PodCompleted")
    if status.phase == "Failed":
        return _condition(name, holds=False, reason="PodFailed")
    unready = [
        one.name
        for one, role in roles(pod.spec)
        if role != "init" and not _is_ready(role, records[one.name])
    ]
    if not unready:
        return _condition(name, holds=True)
    message = f"containers with unready status: [{' '.join(unready)}]"
    return _condition(name, holds=False, reason="ContainersNotReady", message=message)


def _ready(pod: Pod, containers: PodCondition) -> PodCondition:
    if containers.status != "True":
        return _condition(
            "Ready", holds=False, reason=containers.reason, message=containers.message
        )
    found = {condition.type: condition.status for condition in pod.status.conditions}
    problems = []
    for gate in pod.spec.readiness_gates:
        kind = gate.condition_type
        if kind not in found:
            problems.append(
                f'corresponding condition of pod readiness gate "{kind}" does not exist.'
            )
        elif found[kind] != "True":
            problems.append(
                f'the status of pod readiness gate "{kind}" is not "True", but {found[kind]}'
            )
    if problems:
        message = ", ".join(problems)
        return _condition("Ready", holds=False, reason="ReadinessGatesNotReady", message=message)
    return _condition("Ready", holds=True)


def _timed(
    new: PodCondition, old: PodCondition | None, generation: int | None, *, now: datetime
) -> PodCondition:
    """Return *new* with the time since when it is so."""
    flipped = old is None or old.status != new.status
    new.last_transition_time = whole(now) if flipped or old is None else old.last_transition_time
    new.observed_generation = generation
    return new
