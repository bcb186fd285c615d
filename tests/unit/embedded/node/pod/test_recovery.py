from datetime import UTC, datetime
from typing import Any

from kubewright.embedded.node.pod.recovery import recovered
from kubewright.embedded.node.pod.state import Ended, Fresh
from kubewright.kinds.core.v1 import (
    Container,
    ContainerState,
    ContainerStateRunning,
    ContainerStateTerminated,
    ContainerStatus,
    Pod,
    PodSpec,
    PodStatus,
)

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
RUNS = ContainerState(running=ContainerStateRunning(started_at=NOON))
DONE = ContainerState(terminated=ContainerStateTerminated(exit_code=0, reason="Completed"))


def a_pod(policy: str, *, init: ContainerState, app: ContainerState | None) -> Pod:
    """Return a pod whose status says this of its two containers."""

    def status(name: str, state: ContainerState, **fields: Any) -> ContainerStatus:
        return ContainerStatus(
            name=name, image="x", image_id="y", ready=True, restart_count=4, state=state, **fields
        )

    return Pod(
        spec=PodSpec(
            init_containers=[Container(name="i")],
            containers=[Container(name="a")],
            restart_policy=policy,
        ),
        status=PodStatus(
            init_container_statuses=[status("i", init)],
            container_statuses=[status("a", app, last_state=DONE)] if app else [],
        ),
    )


def test_what_ran_is_over_and_nobody_knows_how() -> None:
    """Nothing outlives a node here."""
    record = recovered(a_pod("Always", init=DONE, app=RUNS), now=NOON)["a"]

    assert isinstance(record.state, Ended)
    assert (record.state.exit_code, record.state.reason) == (137, "ContainerStatusUnknown")
    assert record.restarts == 4
    assert record.last is not None


def test_init_containers_run_again_since_what_they_prepared_is_gone() -> None:
    """The folder of the pod went with the node."""
    record = recovered(a_pod("Always", init=DONE, app=RUNS), now=NOON)["i"]

    assert record.state == Fresh()
    assert record.has_run


def test_a_pod_that_may_not_restart_is_not_initialized_again() -> None:
    """Its containers have run; it has failed."""
    record = recovered(a_pod("Never", init=DONE, app=RUNS), now=NOON)["i"]

    assert isinstance(record.state, Ended)


def test_a_pod_that_had_not_begun_its_work_begins_anew() -> None:
    """Whatever its restart policy is: nothing of it has been run."""
    record = recovered(a_pod("Never", init=DONE, app=None), now=NOON)["i"]

    assert record.state == Fresh()


def test_what_was_never_seen_is_fresh() -> None:
    """A pod without a status has all before it."""
    pod = Pod(spec=PodSpec(containers=[Container(name="a")]))

    assert not recovered(pod, now=NOON)["a"].has_run
