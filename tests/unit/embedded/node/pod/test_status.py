from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import kubewright as kw
from kubewright.embedded.node.pod.state import Blocked, ContainerRecord, Ended, Running
from kubewright.embedded.node.pod.status import PodFailure, StatusFacts, pod_status, whole
from kubewright.kinds.core.v1 import (
    Container,
    EphemeralContainer,
    Pod,
    PodCondition,
    PodReadinessGate,
    PodSpec,
    PodStatus,
    ResourceRequirements,
    VolumeMount,
    VolumeMountStatus,
)

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
LATER = NOON + timedelta(seconds=30)
RUNNING = Running(NOON)
DONE = Ended(0, "Completed", NOON, LATER, "kubewright://x")
FAILED = Ended(1, "Error", NOON, LATER, "kubewright://x", "oops")
RESTARTED = ContainerRecord("s", RUNNING, last=FAILED, ready=True)
"""A sidecar that runs again, and whose startup probe has not succeeded yet."""
FACTS = StatusFacts(NOON, "127.0.0.1", "127.1.0.1")


def a_pod(*names: str, status: PodStatus | None = None, **spec: Any) -> Pod:
    """Return a pod; names that begin with i are init containers, with s sidecars."""
    first = [
        Container(name=n, image="busybox", restart_policy="Always" if n[0] == "s" else None)
        for n in names
        if n[0] in "is"
    ]
    rest = [Container(name=n, image="nginx") for n in names if n[0] not in "is"]
    return Pod(
        metadata=kw.ObjectMeta(name="web", namespace="default", generation=3),
        spec=PodSpec(init_containers=first, containers=rest, **spec),
        status=status or PodStatus(),
    )


def status_of(pod: Pod, facts: StatusFacts = FACTS, **states: Any) -> PodStatus:
    """Return the status of a pod whose containers are in these states; a Running one is well."""
    records = {}
    for name, state in states.items():
        if isinstance(state, ContainerRecord):
            records[name] = state
        else:
            runs = isinstance(state, Running)
            given = {} if state is None else {"state": state}
            records[name] = ContainerRecord(name, **given, started=runs, ready=runs)
    return pod_status(pod, records, facts, now=LATER)


def conditions(status: PodStatus) -> dict[str, tuple[str, str | None]]:
    """Return status and reason of each condition."""
    return {one.type: (one.status, one.reason) for one in status.conditions}


@pytest.mark.parametrize(
    ("names", "policy", "states", "phase"),
    [
        ("a", "Always", {"a": None}, "Pending"),
        ("a", "Always", {"a": RUNNING}, "Running"),
        ("a", "Always", {"a": DONE}, "Running"),
        ("a", "Always", {"a": FAILED}, "Running"),
        ("a", "OnFailure", {"a": FAILED}, "Running"),
        ("a", "OnFailure", {"a": DONE}, "Succeeded"),
        ("a", "Never", {"a": DONE}, "Succeeded"),
        ("a", "Never", {"a": FAILED}, "Failed"),
        ("a b", "Never", {"a": DONE, "b": RUNNING}, "Running"),
        ("a b", "Never", {"a": FAILED, "b": RUNNING}, "Running"),
        ("a b", "Never", {"a": DONE, "b": FAILED}, "Failed"),
        ("a b", "OnFailure", {"a": DONE, "b": FAILED}, "Running"),
        ("a b", "Always", {"a": RUNNING, "b": None}, "Pending"),
        ("i a", "Always", {"i": None, "a": None}, "Pending"),
        ("i a", "Always", {"i": RUNNING, "a": None}, "Pending"),
        ("i a", "Always", {"i": FAILED, "a": None}, "Pending"),
        ("i a", "Never", {"i": FAILED, "a": None}, "Failed"),
        ("i a", "Never", {"i": DONE, "a": RUNNING}, "Running"),
        ("s a", "Always", {"s": RUNNING, "a": None}, "Pending"),
        ("s a", "Always", {"s": FAILED, "a": RUNNING}, "Running"),
        ("s a", "Always", {"s": RESTARTED, "a": RUNNING}, "Running"),
        ("s a", "Always", {"s": RESTARTED, "a": None}, "Pending"),
        ("i a", "Always", {"i": FAILED, "a": FAILED}, "Running"),
        ("s a", "Never", {"s": RUNNING, "a": DONE}, "Running"),
        ("s a", "Never", {"s": FAILED, "a": DONE}, "Succeeded"),
    ],
)
def test_the_phase_follows_the_containers(
    names: str, policy: str, states: dict[str, Any], phase: str
) -> None:
    """The table that every controller of pods relies on; sidecars must end before a pod does."""
    pod = a_pod(*names.split(), restart_policy=policy)

    assert status_of(pod, **states).phase == phase


def test_there_is_no_way_back_from_an_end() -> None:
    """A Job has counted the pod already."""
    pod = a_pod("a", status=PodStatus(phase="Failed"))

    assert status_of(pod, a=RUNNING).phase == "Failed"


def test_a_running_pod_is_ready_and_says_so_with_the_generation_that_it_saw() -> None:
    """What ``kubectl wait --for=condition=Ready`` looks at."""
    status = status_of(a_pod("a"), a=RUNNING)

    assert conditions(status) == {
        "PodReadyToStartContainers": ("True", None),
        "Initialized": ("True", None),
        "Ready": ("True", None),
        "ContainersReady": ("True", None),
        "PodScheduled": ("True", None),
    }
    assert {one.observed_generation for one in status.conditions} == {3}
    assert status.observed_generation == 3
    assert (status.pod_ip, status.host_ip) == ("127.1.0.1", "127.0.0.1")
    assert [one.ip for one in status.pod_ips] == ["127.1.0.1"]
    assert status.start_time == NOON


def test_what_is_not_initialized_is_named() -> None:
    """``kubectl describe`` shows which of them hangs."""
    status = status_of(a_pod("i", "s", "a"), i=DONE, s=None, a=None)

    found = {one.type: one for one in status.conditions}
    assert found["Initialized"].reason == "ContainersNotInitialized"
    assert found["Initialized"].message == "containers with incomplete status: [s]"
    assert found["Ready"].message == "containers with unready status: [s a]"
    assert found["Ready"].reason == "ContainersNotReady"


def test_a_pod_that_has_ended_says_so_in_its_conditions() -> None:
    """PodCompleted and PodFailed are what people look for."""
    done = conditions(status_of(a_pod("a", restart_policy="Never"), a=DONE))
    failed = conditions(status_of(a_pod("a", restart_policy="Never"), a=FAILED))

    assert done["Ready"] == done["ContainersReady"] == ("False", "PodCompleted")
    assert done["Initialized"] == ("True", "PodCompleted")
    assert failed["Ready"] == failed["ContainersReady"] == ("False", "PodFailed")
    assert done["PodReadyToStartContainers"] == ("False", "PodSandboxNotReady")


@pytest.mark.parametrize(
    ("facts", "state", "message"),
    [
        (StatusFacts(NOON, "127.0.0.1"), None, "no pod sandbox exists"),
        (FACTS, DONE, "pod sandbox is not ready"),
    ],
)
def test_a_pod_without_a_sandbox_says_why(facts: StatusFacts, state: Any, message: str) -> None:
    """Whether it has not been made yet, or is gone."""
    status = status_of(a_pod("a", restart_policy="Never"), facts, a=state)

    found = next(one for one in status.conditions if one.type == "PodReadyToStartContainers")
    assert (found.status, found.reason) == ("False", "PodSandboxNotReady")
    assert found.message == message


@pytest.mark.parametrize(
    ("states", "holds"),
    [
        ({"s": RESTARTED, "a": None, "b": None}, "False"),
        ({"s": FAILED, "a": None, "b": None}, "False"),
        ({"s": RESTARTED, "a": RUNNING, "b": None}, "True"),
        ({"s": FAILED, "a": DONE, "b": None}, "True"),
    ],
)
def test_a_pod_is_initialized_once_one_container_has_started(
    states: dict[str, Any], holds: str
) -> None:
    """A sidecar that crashes before does matter; one that crashes after does not."""
    status = status_of(a_pod("s", "a", "b"), **states)

    assert conditions(status)["Initialized"][0] == holds


def test_readiness_gates_are_waited_for() -> None:
    """A load balancer that does not know the pod yet must keep it from being ready."""
    gates = [PodReadinessGate(condition_type="lb"), PodReadinessGate(condition_type="dns")]
    said = PodStatus(conditions=[PodCondition(type="lb", status="False")])
    pod = a_pod("a", readiness_gates=gates, status=said)

    ready = next(one for one in status_of(pod, a=RUNNING).conditions if one.type == "Ready")

    assert (ready.status, ready.reason) == ("False", "ReadinessGatesNotReady")
    assert ready.message == (
        'the status of pod readiness gate "lb" is not "True", but False, '
        'corresponding condition of pod readiness gate "dns" does not exist.'
    )
    pod.status.conditions = [PodCondition(type=n, status="True") for n in ("lb", "dns")]
    assert conditions(status_of(pod, a=RUNNING))["Ready"] == ("True", None)


def test_a_transition_time_moves_only_when_the_status_flips() -> None:
    """MinReadySeconds counts from it."""
    pod = a_pod("a")
    pod.status = status_of(pod, a=RUNNING)
    long_ago = NOON - timedelta(hours=1)
    for one in pod.status.conditions:
        one.last_transition_time = long_ago

    same = status_of(pod, a=RUNNING)
    unready = status_of(pod, a=ContainerRecord("a", RUNNING, started=True))

    assert {one.last_transition_time for one in same.conditions} == {long_ago}
    times = {one.type: one.last_transition_time for one in unready.conditions}
    assert times["Ready"] == times["ContainersReady"] == LATER
    assert times["Initialized"] == long_ago


def test_nothing_new_is_the_same_status() -> None:
    """A status that is equal is not sent."""
    pod = a_pod("i", "a")
    pod.status = status_of(pod, i=DONE, a=RUNNING)

    assert status_of(pod, i=DONE, a=RUNNING) == pod.status


@pytest.mark.parametrize(
    ("names", "reason"), [("a", "ContainerCreating"), ("i a", "PodInitializing")]
)
def test_what_has_not_started_says_what_it_waits_for(names: str, reason: str) -> None:
    """The STATUS column of ``kubectl get pods`` is made of it."""
    pod = a_pod(*names.split())

    states: dict[str, Any] = dict.fromkeys(names.split())
    status = status_of(pod, FACTS, **states)

    state = status.container_statuses[0].state
    assert state is not None
    assert state.waiting is not None
    assert state.waiting.reason == reason
    assert status.container_statuses[0].image == "nginx"
    assert status.container_statuses[0].image_id == ""


def test_a_running_container_tells_its_image_and_id() -> None:
    """With registry, tag and digest, as runtimes report them."""
    record = ContainerRecord(
        "a", RUNNING, container_id="kubewright://1", image_id="nginx@sha256:2", restarts=2,
        started=True, ready=True, last=FAILED,
    )  # fmt: skip

    found = status_of(a_pod("a"), a=record).container_statuses[0]

    assert found.image == "docker.io/library/nginx:latest"
    assert (found.image_id, found.container_id) == ("nginx@sha256:2", "kubewright://1")
    assert (found.ready, found.started, found.restart_count) == (True, True, 2)
    assert found.state is not None
    assert found.state.running is not None
    assert found.last_state is not None
    assert found.last_state.terminated is not None
    assert found.last_state.terminated.message == "oops"


def test_containers_are_told_in_the_order_of_their_names() -> None:
    """Programs that take the first one take the same one everywhere; init ones are in turn."""
    pod = a_pod("i2", "i1", "b", "a")

    status = status_of(pod, i2=DONE, i1=DONE, b=RUNNING, a=RUNNING)

    assert [one.name for one in status.container_statuses] == ["a", "b"]
    assert [one.name for one in status.init_container_statuses] == ["i2", "i1"]


def test_a_container_tells_what_it_was_given() -> None:
    """Who resizes pods waits for it."""
    pod = a_pod("a")
    wanted = ResourceRequirements(requests={"cpu": "100m"}, limits={"cpu": "1"})
    pod.spec.containers[0].resources = wanted
    pod.spec.containers[0].volume_mounts = [
        VolumeMount(name="v", mount_path="/v"),
        VolumeMount(name="t", mount_path="/t", read_only=True),
    ]

    before = status_of(pod, a=None).container_statuses[0]
    after = status_of(
        pod, a=ContainerRecord("a", RUNNING, container_id="kubewright://1", started=True)
    ).container_statuses[0]

    assert (before.resources, before.allocated_resources) == (None, {})
    assert (after.resources, after.allocated_resources) == (wanted, {"cpu": "100m"})
    assert (
        before.volume_mounts
        == after.volume_mounts
        == [
            VolumeMountStatus(name="v", mount_path="/v"),
            VolumeMountStatus(
                name="t", mount_path="/t", read_only=True, recursive_read_only="Disabled"
            ),
        ]
    )


def test_a_container_in_a_crash_loop_waits_and_shows_its_last_end() -> None:
    """CrashLoopBackOff, the most read word of Kubernetes."""
    blocked = Blocked("CrashLoopBackOff", "back-off 10s")
    record = ContainerRecord("a", FAILED, blocked=blocked, restarts=3)

    status = status_of(a_pod("a"), a=record)

    found = status.container_statuses[0]
    assert found.state is not None
    assert found.state.waiting is not None
    assert found.state.waiting.reason == "CrashLoopBackOff"
    assert found.last_state is not None
    assert found.last_state.terminated is not None
    assert found.last_state.terminated.exit_code == 1
    assert status.phase == "Running"


def test_an_init_container_is_ready_when_it_is_done() -> None:
    """It is never started in the sense of a startup probe."""
    found = status_of(a_pod("i", "a"), i=DONE, a=RUNNING).init_container_statuses[0]

    assert (found.ready, found.started) == (True, False)


@pytest.mark.parametrize(("last", "shown"), [(None, "ContainerCreating"), (FAILED, "Error")])
def test_a_container_whose_hook_runs_is_not_seen_running(last: Ended | None, shown: str) -> None:
    """The hook may prepare what makes it useful; the kubelet says nothing before it is done."""
    record = ContainerRecord(
        "a", RUNNING, last=last, started=True, ready=True, hooked=False,
        container_id="kubewright://1", restarts=0 if last is None else 1,
    )  # fmt: skip

    status = status_of(a_pod("a"), a=record)

    found = status.container_statuses[0]
    assert found.state is not None
    state = found.state.waiting or found.state.terminated
    assert state is not None
    assert (state.reason, found.ready, found.restart_count) == (shown, False, 0)
    assert status.phase == ("Pending" if last is None else "Running")


def test_a_signal_is_told_by_the_exit_code_alone() -> None:
    """The runtimes of today tell the kubelet no more."""
    killed = Ended(137, "Error", NOON, LATER, signal=9)

    found = status_of(a_pod("a", restart_policy="Never"), a=killed).container_statuses[0]

    assert found.state is not None
    assert found.state.terminated is not None
    assert (found.state.terminated.exit_code, found.state.terminated.signal) == (137, None)


def test_a_container_of_a_deleted_pod_waits_for_nothing() -> None:
    """It will not be restarted, so how it ended is all there is to say."""
    pod = a_pod("a")
    pod.metadata.deletion_timestamp = LATER
    record = ContainerRecord("a", FAILED, blocked=Blocked("CrashLoopBackOff"), restarts=3)

    found = status_of(pod, a=record).container_statuses[0]

    assert found.state is not None
    assert found.state.terminated is not None
    assert found.state.terminated.exit_code == 1


def test_what_never_started_in_a_deleted_pod_has_failed() -> None:
    """Every container of a pod that is over has an end, even if nobody saw it."""
    facts = StatusFacts(NOON, "127.0.0.1", ending=True)

    status = status_of(a_pod("a", "b"), facts, a=DONE, b=None)
    waiting = status_of(a_pod("i", "a"), facts, i=None, a=None)

    state = status.container_statuses[1].state
    assert status.phase == waiting.phase == "Failed"
    assert state is not None
    assert state.terminated is not None
    assert (state.terminated.reason, state.terminated.exit_code) == ("ContainerStatusUnknown", 137)
    assert state.terminated.message == (
        "The container could not be located when the pod was terminated"
    )
    # A pod that was not initialized never tried to start it.
    assert waiting.container_statuses[0].state is not None
    assert waiting.container_statuses[0].state.waiting is not None


def test_a_verdict_fails_the_pod_once_its_containers_have_ended() -> None:
    """A pod that is Failed must not have anything running."""
    facts = StatusFacts(NOON, "127.0.0.1", "127.1.0.1", PodFailure("DeadlineExceeded", "too long"))

    running = status_of(a_pod("a"), facts, a=RUNNING)
    ended = status_of(a_pod("a"), facts, a=FAILED)

    assert (running.phase, running.reason) == ("Running", None)
    assert (ended.phase, ended.reason, ended.message) == ("Failed", "DeadlineExceeded", "too long")


@pytest.mark.parametrize(("end", "phase"), [(DONE, "Succeeded"), (FAILED, "Failed")])
def test_a_deleted_pod_ends_in_a_last_phase(end: Ended, phase: str) -> None:
    """Whoever waits for its end sees one, even if the pod would have been restarted."""
    facts = StatusFacts(NOON, "127.0.0.1", "127.1.0.1", ending=True)

    assert status_of(a_pod("a"), facts, a=end).phase == phase


def test_an_ephemeral_container_says_that_it_will_not_run() -> None:
    """``kubectl debug`` waits for it, and shows why that is in vain."""
    pod = a_pod("main", ephemeral_containers=[EphemeralContainer(name="debug", image="busybox")])

    status = status_of(pod, main=RUNNING)

    (shown,) = status.ephemeral_container_statuses
    assert shown.name == "debug"
    assert shown.state is not None
    assert shown.state.waiting is not None
    assert "ephemeral containers are not supported" in (shown.state.waiting.message or "")
    assert status.phase == "Running"


def test_times_are_in_whole_seconds() -> None:
    """The server would cut them, and every status would look new."""
    assert whole(NOON.replace(microsecond=999_999)) == NOON
