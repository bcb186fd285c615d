"""The status of pods, as kubelets write it."""

from typing import Any

import pytest

from kubewright.apiserver.builtin.core.pod.status import default_pod_status
from tests.unit.apiserver.builtin.workload_samples import a_pod, status_refusals

QUALITY = {"qosClass": "BestEffort"}


def ended(code: int) -> Any:
    return {
        "containerStatuses": [{"name": "c", "state": {"terminated": {"exitCode": code}}}],
        **QUALITY,
    }


RUNNING = {"containerStatuses": [{"name": "c", "state": {"running": {}}}]}
BACK = (
    "status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state"
)


def test_what_go_always_writes_is_written() -> None:
    """Clients in Go send and expect it."""
    status: Any = {
        "podIP": "10.0.0.1",
        "conditions": [{"type": "Ready", "status": "True"}],
        **RUNNING,
    }
    status["containerStatuses"] = [{"name": "c", "state": {"running": {}}}]

    default_pod_status(status)

    assert status["podIPs"] == [{"ip": "10.0.0.1"}]
    assert status["conditions"][0]["lastProbeTime"] is None
    assert status["containerStatuses"] == [
        {
            "name": "c",
            "image": "",
            "imageID": "",
            "ready": False,
            "restartCount": 0,
            "state": {"running": {"startedAt": None}},
            "lastState": {},
        }
    ]


@pytest.mark.parametrize(
    ("spec", "old", "new", "expected"),
    [
        ({}, QUALITY, {"phase": "Running"}, []),
        (
            {},
            QUALITY,
            {"qosClass": "Guaranteed"},
            ['status.qosClass: Invalid value: "Guaranteed": field is immutable'],
        ),
        (
            {"nodeName": "n"},
            QUALITY,
            {"nominatedNodeName": "m"},
            [
                (
                    "status.nominatedNodeName: Forbidden: may not be set on pods that are already"
                    " bound to a node"
                )
            ],
        ),
        (
            {},
            QUALITY,
            {"podIPs": [{"ip": "10.0.0.1"}, {"ip": "10.0.0.2"}]},
            [
                (
                    'status.podIPs: Invalid value: [{"ip":"10.0.0.1"},{"ip":"10.0.0.2"}]: may '
                    "specify no more than one IP for each IP family"
                )
            ],
        ),
        (
            {},
            QUALITY,
            {"hostIP": "1.1.1.1", "hostIPs": [{"ip": "1.1.1.2"}]},
            ['status.hostIPs[0].ip: Invalid value: "1.1.1.2": must be equal to `hostIP`'],
        ),
        (
            {},
            QUALITY,
            {"observedGeneration": -1},
            ["status.observedGeneration: Invalid value: -1: must be a non-negative integer"],
        ),
        ({"restartPolicy": "Never"}, ended(1), RUNNING, [BACK]),
        ({"restartPolicy": "OnFailure"}, ended(0), RUNNING, [BACK]),
        ({"restartPolicy": "OnFailure"}, ended(1), RUNNING, []),
        ({"restartPolicy": "Always"}, ended(0), RUNNING, []),
    ],
)
def test_a_status_cannot_contradict_the_pod(
    spec: Any, old: Any, new: Any, expected: list[str]
) -> None:
    """A container that must not restart does not come back to life."""
    assert status_refusals("", "pods", a_pod(**spec), old, new) == expected
