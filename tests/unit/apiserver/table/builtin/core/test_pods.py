from typing import Any

import pytest

from tests.unit.apiserver.table.rows import Kind, named, row, table

Obj = dict[str, Any]
DONE = {"terminated": {"exitCode": 0, "reason": "Completed"}}
RUNNING: Obj = {"running": {}}


def container(state: Obj, *, ready: bool = False, restarts: int = 0, name: str = "a") -> Obj:
    return {"name": name, "state": state, "ready": ready, "restartCount": restarts}


def pod(status: Obj, *, meta: Obj | None = None, **spec: Any) -> dict[str, Any]:
    content = {"spec": {"containers": [{"name": "a"}, {"name": "b"}], **spec}, "status": status}
    return row("", "pods", content, **(meta or {}))


@pytest.mark.parametrize(
    ("status", "ready", "shown"),
    [
        ({"phase": "Pending"}, "0/2", "Pending"),
        ({"phase": "Failed", "reason": "Evicted"}, "0/2", "Evicted"),
        (
            {
                "phase": "Running",
                "containerStatuses": [
                    container(RUNNING, ready=True),
                    container({"waiting": {"reason": "CrashLoopBackOff"}}),
                ],
            },
            "1/2",
            "CrashLoopBackOff",
        ),
        ({"phase": "Succeeded", "containerStatuses": [container(DONE)]}, "0/2", "Completed"),
        (
            {"phase": "Failed", "containerStatuses": [container({"terminated": {"exitCode": 3}})]},
            "0/2",
            "ExitCode:3",
        ),
        (
            {"phase": "Failed", "containerStatuses": [container({"terminated": {"signal": 9}})]},
            "0/2",
            "Signal:9",
        ),
        (
            {
                "phase": "Running",
                "conditions": [{"type": "Ready", "status": "True"}],
                "containerStatuses": [container(DONE), container(RUNNING, ready=True)],
            },
            "1/2",
            "Running",
        ),
        (
            {
                "phase": "Running",
                "containerStatuses": [container(DONE), container(RUNNING, ready=True)],
            },
            "1/2",
            "NotReady",
        ),
        (
            {
                "phase": "Running",
                "containerStatuses": [
                    container(DONE),
                    container({"terminated": {"exitCode": 1, "reason": "Error"}}),
                ],
            },
            "0/2",
            "Error",
        ),
        (
            {
                "phase": "Pending",
                "conditions": [{"type": "PodScheduled", "reason": "SchedulingGated"}],
            },
            "0/2",
            "SchedulingGated",
        ),
    ],
)
def test_the_state_of_a_pod_is_what_is_the_matter_with_it(
    status: Obj, ready: str, shown: str
) -> None:
    """It is the first thing people look at."""
    found = pod(status)

    assert (found["Ready"], found["Status"]) == (ready, shown)


@pytest.mark.parametrize(
    ("states", "shown"),
    [
        ([DONE, RUNNING], "Init:1/2"),
        ([{"waiting": {"reason": "PodInitializing"}}], "Init:0/2"),
        ([{"waiting": {"reason": "ImagePullBackOff"}}], "Init:ImagePullBackOff"),
        ([{"terminated": {"exitCode": 2}}], "Init:ExitCode:2"),
        ([{"terminated": {"exitCode": 2, "signal": 9}}], "Init:Signal:9"),
        ([{"terminated": {"exitCode": 2, "reason": "Error"}}], "Init:Error"),
        ([DONE, DONE], "Pending"),
    ],
)
def test_init_containers_come_first(states: list[Obj], shown: str) -> None:
    """The pod waits for the one that is not done."""
    statuses = [container(state, name=name) for state, name in zip(states, "ij", strict=False)]
    init = [{"name": "i"}, {"name": "j"}]

    found = pod({"phase": "Pending", "initContainerStatuses": statuses}, initContainers=init)

    assert found["Status"] == shown


def test_sidecars_count_as_containers() -> None:
    """They are init containers that go on running."""
    sidecar = {**container(RUNNING, ready=True, restarts=2, name="s"), "started": True}
    status = {
        "phase": "Running",
        "initContainerStatuses": [sidecar, container(DONE, restarts=5, name="i")],
        "containerStatuses": [container(RUNNING, ready=True, restarts=1)],
    }

    found = pod(status, initContainers=[{"name": "s", "restartPolicy": "Always"}, {"name": "i"}])

    assert (found["Ready"], found["Restarts"], found["Status"]) == ("2/3", "3", "Running")


def test_the_last_restart_is_told() -> None:
    """Users need to know whether the restarts are recent."""
    ended = {"terminated": {"finishedAt": "2026-01-01T11:00:00Z"}}
    crashed = {**container(RUNNING, ready=True, restarts=3), "lastState": ended}

    found = pod({"phase": "Running", "containerStatuses": [crashed]})

    assert found["Restarts"] == "3 (60m ago)"


@pytest.mark.parametrize(
    ("status", "shown"),
    [
        ({"phase": "Running"}, "Terminating"),
        ({"phase": "Running", "reason": "NodeLost"}, "Unknown"),
        ({"phase": "Succeeded"}, "Succeeded"),
    ],
)
def test_a_pod_that_is_being_deleted_says_so(status: Obj, shown: str) -> None:
    """A pod that has ended, or whose node is lost, shows that instead."""
    found = pod(status, meta={"deletionTimestamp": "2026-01-01T11:00:00Z"})

    assert found["Status"] == shown


def test_wide_columns_are_always_there() -> None:
    """Kubectl hides them by their priority."""
    status = {"podIPs": [{"ip": "10.0.0.1"}], "conditions": [{"type": "g", "status": "True"}]}
    gates = [{"conditionType": "g"}, {"conditionType": "h"}]

    found = pod(status, nodeName="n", readinessGates=gates)

    assert [found[name] for name in ("IP", "Node", "Nominated Node", "Readiness Gates")] == [
        "10.0.0.1",
        "n",
        "<none>",
        "1/2",
    ]
    assert pod({})["IP"] == "<none>"


def test_a_pod_that_has_ended_is_marked() -> None:
    """Kubectl used to hide such rows."""
    made = table(Kind("", "pods"), named({"status": {"phase": "Failed"}}), named())

    (condition,) = made["rows"][0]["conditions"]
    assert (condition["type"], condition["reason"]) == ("Completed", "Failed")
    assert "conditions" not in made["rows"][1]
