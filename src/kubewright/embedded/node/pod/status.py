"""The status of a pod, computed from the states of its containers as the kubelet does it.

Everything here is pure: the same records give the same status, and a status without news equals the
one before, transition times included.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from kubewright.embedded.node.images import full_name
from kubewright.embedded.node.pod.plan import is_over_for_good
from kubewright.embedded.node.pod.state import (
    LOST,
    LOST_CODE,
    ContainerRecord,
    Ended,
    Fresh,
    Role,
    Running,
    roles,
)
from kubewright.kinds.core.v1 import (
    Container,
    ContainerState,
    ContainerStateRunning,
    ContainerStateTerminated,
    ContainerStateWaiting,
    ContainerStatus,
    EphemeralContainer,
    HostIP,
    Pod,
    PodCondition,
    PodIP,
    PodStatus,
    ResourceRequirements,
    VolumeMount,
    VolumeMountStatus,
)

__all__ = ["PodFailure", "StatusFacts", "pod_status"]

NO_EPHEMERAL: str = "ephemeral containers are not supported here; kubectl exec does the same"

Records = Mapping[str, ContainerRecord]

NEVER_SEEN: str = "The container could not be located when the pod was terminated"
NO_SANDBOX: str = "PodSandboxNotReady"


class PodFailure(Struct, frozen=True):
    """Why a pod has failed, whatever its containers say; such as a deadline that has passed."""

    reason: str
    message: str


class StatusFacts(Struct, frozen=True):
    """The facts in a status that are not about containers.

    Attributes:
        start_time: When the node first saw the pod.
        host_ip: The address of the node.
        pod_ip: The address of the pod; empty before it has one.
        failure: Why it has failed, if the node has decided so.
        ending: Whether all containers have ended because the pod is being deleted.
    """

    start_time: datetime
    host_ip: str
    pod_ip: str = ""
    failure: PodFailure | None = None
    ending: bool = False


def pod_status(pod: Pod, records: Records, facts: StatusFacts, *, now: datetime) -> PodStatus:
    """Return the status of *pod*; fields that belong to others are left out.

    Args:
        pod: The pod as the server has it; its conditions say since when things are so.
        records: One for each container, by name.
        facts: What else is known.
        now: The time of transitions.
    """
    is_running = any(record.is_running for record in records.values())
    deleted = pod.metadata.deletion_timestamp is not None
    records = {name: _as_shown(one, deleted=deleted) for name, one in records.items()}
    phase = _phase(pod, records, facts, is_running=is_running)
    initial = [
        _container_status(one, role, records[one.name], pod)
        for one, role in roles(pod.spec)
        if role != "app"
    ]
    by_name = sorted(pod.spec.containers, key=lambda one: one.name)
    regular = [_container_status(one, "app", records[one.name], pod) for one in by_name]
    if facts.ending and not _left_to_initialize(pod, records):
        _end_all(regular)
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
        ephemeral_container_statuses=[_refusal(one) for one in pod.spec.ephemeral_containers],
        observed_generation=generation,
        reason=facts.failure.reason if facts.failure and phase == "Failed" else None,
        message=facts.failure.message if facts.failure and phase == "Failed" else None,
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


def _as_shown(record: ContainerRecord, *, deleted: bool) -> ContainerRecord:
    """Return *record* as the status shows it."""
    if deleted:
        record = replace(record, blocked=None)  # it waits for nothing: it will not start again
    if record.hooked or not record.is_running:
        return record
    # A start is not shown before its postStart hook is done.
    if record.last is None:
        return replace(record, state=Fresh(), container_id="", image_id="")
    return replace(record, state=record.last, restarts=record.restarts - 1)


# --- Phase ---


def _phase(pod: Pod, records: Records, facts: StatusFacts, *, is_running: bool) -> str:
    before = pod.status.phase
    if before in {"Failed", "Succeeded"}:
        return before  # these phases are final
    if is_running:
        return _living_phase(pod, records)
    if facts.failure is not None:
        return "Failed"
    if is_over_for_good(pod.spec, records):
        return "Succeeded" if _all_succeeded(pod, records) else "Failed"
    if facts.ending:
        # Deleted before its work was done: whoever waits for an end must see one.
        return "Succeeded" if _all_succeeded(pod, records) else "Failed"
    return _living_phase(pod, records)


def _living_phase(pod: Pod, records: Records) -> str:
    has_started = _has_started(pod, records)
    for container, role in roles(pod.spec):
        record = records[container.name]
        if not record.has_run or (role == "init" and record.is_running):
            return "Pending"
        # A restart does not undo the initialization.
        if role == "sidecar" and record.is_running and not (record.started or has_started):
            return "Pending"
    return "Running"


def _has_started(pod: Pod, records: Records) -> bool:
    return any(records[one.name].has_run for one in pod.spec.containers)


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
    given = (container.resources or ResourceRequirements()) if record.container_id else None
    return ContainerStatus(
        name=container.name,
        image=full_name(image) if record.image_id else image,
        image_id=record.image_id,
        container_id=record.container_id or None,
        restart_count=record.restarts,
        resources=given,
        allocated_resources=given.requests if given else {},
        volume_mounts=[_mount_status(mount) for mount in container.volume_mounts],
        ready=_is_ready(role, record),
        started=record.is_running and record.started,
        state=_state(record, has_init=bool(pod.spec.init_containers)),
        # Present even if empty, as Go writes it, so that equal statuses compare equal.
        last_state=ContainerState(terminated=_terminated(last) if last else None),
    )


def _mount_status(mount: VolumeMount) -> VolumeMountStatus:
    return VolumeMountStatus(
        name=mount.name,
        mount_path=mount.mount_path,
        read_only=mount.read_only or None,
        recursive_read_only="Disabled" if mount.read_only else None,
    )


def _is_ready(role: Role, record: ContainerRecord) -> bool:
    if role == "init":
        return isinstance(record.state, Ended) and record.state.succeeded
    return record.is_running and record.hooked and record.started and record.ready


def _is_initialized(role: Role, record: ContainerRecord) -> bool:
    if role == "sidecar":
        return record.is_running and record.started
    return isinstance(record.state, Ended) and record.state.succeeded


def _end_all(statuses: Iterable[ContainerStatus]) -> None:
    """Mark containers without an end as terminated: an ended pod has no others."""
    for status in statuses:
        if status.state is None or status.state.terminated is None:
            lost = ContainerStateTerminated(exit_code=LOST_CODE, reason=LOST, message=NEVER_SEEN)
            status.state = ContainerState(terminated=lost)


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
        reason=end.reason or None,
        message=end.message or None,
        started_at=whole(end.started_at),
        finished_at=whole(end.finished_at),
        container_id=end.container_id or None,
    )


def _refusal(container: EphemeralContainer) -> ContainerStatus:
    """Return the status of an ephemeral container, which says that it will not run."""
    waiting = ContainerStateWaiting(reason="CreateContainerError", message=NO_EPHEMERAL)
    return ContainerStatus(
        name=container.name,
        image=container.image or "",
        image_id="",
        ready=False,
        restart_count=0,
        state=ContainerState(waiting=waiting),
        last_state=ContainerState(),
    )


# --- Conditions ---


def _conditions(
    pod: Pod, records: Records, facts: StatusFacts, status: PodStatus
) -> Iterable[PodCondition]:
    over = status.phase in {"Succeeded", "Failed"}
    yield _sandboxed(facts, over=over)
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


def _sandboxed(facts: StatusFacts, *, over: bool) -> PodCondition:
    name = "PodReadyToStartContainers"
    if not facts.pod_ip:
        return _condition(name, holds=False, reason=NO_SANDBOX, message="no pod sandbox exists")
    if over or facts.ending:
        return _condition(name, holds=False, reason=NO_SANDBOX, message="pod sandbox is not ready")
    return _condition(name, holds=True)


def _left_to_initialize(pod: Pod, records: Records) -> list[str]:
    if _has_started(pod, records):
        return []  # a later crash does not undo it
    return [
        one.name
        for one, role in roles(pod.spec)
        if role != "app" and not _is_initialized(role, records[one.name])
    ]


def _initialized(pod: Pod, records: Records, status: PodStatus) -> PodCondition:
    left = _left_to_initialize(pod, records)
    if status.phase == "Succeeded":
        return _condition("Initialized", holds=True, reason="PodCompleted")
    if not left:
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
