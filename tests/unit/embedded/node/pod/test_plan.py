from datetime import UTC, datetime
from typing import Any

import pytest

from kubewright.embedded.node.pod.plan import Plan, is_over_for_good, plan, restart_policy
from kubewright.embedded.node.pod.state import ContainerRecord, Delay, Ended, Running
from kubewright.kinds.core.v1 import (
    Container,
    ContainerRestartRule,
    ContainerRestartRuleOnExitCodes,
    PodSpec,
)

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
RUNNING = Running(NOON)
DONE = Ended(0, "Completed", NOON, NOON)
FAILED = Ended(1, "Error", NOON, NOON)


def spec(*names: str, policy: str = "Always") -> PodSpec:
    """Return a pod; names that begin with i are init containers, with s sidecars."""
    first = [
        Container(name=name, restart_policy="Always" if name[0] == "s" else None)
        for name in names
        if name[0] in "is"
    ]
    rest = [Container(name=name) for name in names if name[0] not in "is"]
    return PodSpec(init_containers=first, containers=rest, restart_policy=policy)


def records(**states: Any) -> dict[str, ContainerRecord]:
    """Return a record for each container; a Running one has started."""
    result = {}
    for name, state in states.items():
        given = {} if state is None else {"state": state}
        runs = isinstance(state, Running)
        result[name] = ContainerRecord(name, **given, started=runs, ready=runs)
    return result


def test_all_containers_of_a_pod_start_together() -> None:
    """They do not wait for one another."""
    assert plan(spec("a", "b"), records(a=None, b=None), NOON).start == ("a", "b")


@pytest.mark.parametrize(
    ("operator", "end", "over"),
    [("In", FAILED, False), ("In", DONE, True), ("NotIn", FAILED, True), ("NotIn", DONE, False)],
)
def test_a_container_may_be_restarted_after_some_exit_codes_only(
    operator: str, end: Ended, over: bool
) -> None:
    """A job that asks for another try by its exit code, in a pod that runs once."""
    codes = ContainerRestartRuleOnExitCodes(operator=operator, values=[1])
    rule = ContainerRestartRule(action="Restart", exit_codes=codes)
    pod = spec("a", policy="Never")
    pod.containers[0].restart_policy = "Never"
    pod.containers[0].restart_policy_rules = [rule]

    assert is_over_for_good(pod, records(a=end)) is over


def test_init_containers_run_one_after_the_other_and_before_all_others() -> None:
    """The second may need what the first has prepared."""
    pod = spec("i1", "i2", "a")

    assert plan(pod, records(i1=None, i2=None, a=None), NOON).start == ("i1",)
    assert plan(pod, records(i1=RUNNING, i2=None, a=None), NOON) == Plan()
    assert plan(pod, records(i1=DONE, i2=None, a=None), NOON).start == ("i2",)
    assert plan(pod, records(i1=DONE, i2=DONE, a=None), NOON).start == ("a",)


def test_a_sidecar_lets_the_next_start_once_it_has_started() -> None:
    """It runs on beside them, and need not end."""
    pod = spec("s", "i", "a")
    slow = records(s=RUNNING, i=None, a=None)
    slow["s"] = ContainerRecord("s", RUNNING, started=False)

    assert plan(pod, records(s=None, i=None, a=None), NOON).start == ("s",)
    assert plan(pod, slow, NOON) == Plan()
    assert plan(pod, records(s=RUNNING, i=None, a=None), NOON).start == ("i",)
    assert plan(pod, records(s=RUNNING, i=DONE, a=None), NOON).start == ("a",)


def test_a_sidecar_that_crashes_is_started_again_beside_running_containers() -> None:
    """It does not take the others with it."""
    assert plan(spec("s", "a"), records(s=FAILED, a=RUNNING), NOON).start == ("s",)
    assert plan(spec("s", "a"), records(s=DONE, a=RUNNING), NOON).start == ("s",)


def test_sidecars_end_when_the_work_is_done() -> None:
    """A Job with a sidecar would never be complete otherwise."""
    pod = spec("s", "a", policy="Never")

    assert plan(pod, records(s=RUNNING, a=DONE), NOON) == Plan(stop_sidecars=True)
    assert is_over_for_good(pod, records(s=RUNNING, a=DONE))


@pytest.mark.parametrize(
    ("policy", "end", "again"),
    [
        ("Always", DONE, True),
        ("Always", FAILED, True),
        ("OnFailure", DONE, False),
        ("OnFailure", FAILED, True),
        ("Never", DONE, False),
        ("Never", FAILED, False),
    ],
)
def test_the_restart_policy_decides_whether_a_container_is_started_again(
    policy: str, end: Ended, again: bool
) -> None:
    """Always, OnFailure and Never, for both ways to end."""
    found = plan(spec("a", policy=policy), records(a=end), NOON)

    assert bool(found.start) is again
    assert found.stop_sidecars is not again


def test_an_init_container_is_done_once_it_has_succeeded() -> None:
    """Even in a pod whose containers are always restarted."""
    init, pod = Container(name="i"), spec("i", "a")

    assert restart_policy(init, "init", pod) == "OnFailure"
    assert plan(pod, records(i=FAILED, a=None), NOON).start == ("i",)


def test_a_failed_init_container_ends_a_pod_that_does_not_restart() -> None:
    """Nothing after it will ever run."""
    pod = spec("i", "a", policy="Never")

    assert is_over_for_good(pod, records(i=FAILED, a=None))
    assert plan(pod, records(i=FAILED, a=None), NOON) == Plan(stop_sidecars=True)


def test_a_crashed_container_waits_and_the_plan_says_when_to_look_again() -> None:
    """A timer instead of a poll."""
    state = records(a=RUNNING, b=FAILED)
    state["b"] = ContainerRecord("b", FAILED, delay=Delay(20, NOON))

    found = plan(spec("a", "b"), state, NOON)

    assert found == Plan(waiting=(("b", 20.0),))
    assert found.wake_after == 20
    assert Plan().wake_after is None


def test_a_hook_that_runs_holds_up_the_next_container() -> None:
    """The kubelet starts them in turn, hooks included."""
    state = {"a": ContainerRecord("a", RUNNING, hooked=False), "b": ContainerRecord("b")}

    assert plan(spec("a", "b"), state, NOON) == Plan()
