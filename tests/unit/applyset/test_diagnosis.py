"""Why a pod is not ready."""

from typing import Any

import pytest

from kubewright.applyset.diagnosis import Trouble, trouble_of


def pod(*containers: dict[str, Any], **status: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": "web"},
        "status": {"containerStatuses": list(containers), **status},
    }


def main(state: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"name": "main", "state": state, **more}


CRASHED = {"terminated": {"exitCode": 3, "reason": "Error"}}


@pytest.mark.parametrize(
    ("found", "trouble"),
    [
        (
            pod(main({"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}})),
            Trouble("web", "container main: ImagePullBackOff: no such image"),
        ),
        (
            pod(main({"waiting": {"reason": "InvalidImageName"}})),
            Trouble("web", "container main: InvalidImageName"),
        ),
        (
            pod(
                main({"waiting": {"reason": "CrashLoopBackOff"}}, lastState=CRASHED, restartCount=4)
            ),
            Trouble("web", "container main ended with status 3, 4 times", "main", is_past=True),
        ),
        (
            pod(main({"terminated": {"exitCode": 137, "reason": "OOMKilled"}})),
            Trouble("web", "container main ended with status 137 (OOMKilled)", "main"),
        ),
        (
            pod(main({"running": {}}, lastState=CRASHED, ready=False)),
            Trouble(
                "web", "container main ended with status 3, and runs again", "main", is_past=True
            ),
        ),
        (
            pod(main({"running": {}}, ready=False)),
            Trouble("web", "container main runs, and is not ready", "main"),
        ),
        (
            pod(conditions=[{"type": "PodScheduled", "status": "False", "message": "0/3 nodes"}]),
            Trouble("web", "no node takes it: 0/3 nodes"),
        ),
        (
            pod(phase="Failed", reason="Evicted", message="out of memory"),
            Trouble("web", "it has failed: Evicted: out of memory"),
        ),
        (
            pod(initContainerStatuses=[main({"terminated": {"exitCode": 1}})]),
            Trouble("web", "container main ended with status 1", "main"),
        ),
        (pod(), Trouble("web", "it has not started yet")),
    ],
)
def test_the_status_says_why(found: dict[str, Any], trouble: Trouble) -> None:
    """What a person would look for with ``kubectl describe`` and ``kubectl logs``."""
    assert trouble_of(found) == trouble


def test_an_event_says_it_where_the_status_is_silent() -> None:
    """A volume that is not there, or a probe that fails: only the newest warning counts."""
    waiting = pod(main({"waiting": {"reason": "ContainerCreating"}}))
    events = [
        {"type": "Normal", "reason": "Scheduled", "message": "on node-1"},
        {"type": "Warning", "reason": "FailedMount", "message": 'secret "cert" not found'},
        {"type": "Warning", "reason": "BackOff", "message": "said better by the status"},
    ]

    found = trouble_of(waiting, events)

    assert str(found) == 'pod web: FailedMount: secret "cert" not found'


@pytest.mark.parametrize(
    "found",
    [
        pod(conditions=[{"type": "Ready", "status": "True"}]),
        {"metadata": {"name": "web", "deletionTimestamp": "2026-01-01T00:00:00Z"}},
    ],
)
def test_a_pod_that_is_ready_or_going_has_no_trouble(found: dict[str, Any]) -> None:
    """The last pods of before end while the first new ones begin."""
    assert trouble_of(found) is None
