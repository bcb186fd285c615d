"""What containers must say, and what each sort of them may not."""

from typing import Any

import pytest

from tests.unit.apiserver.builtin.workload_samples import CONTAINER, a_pod, pod_with, refusals

EXEC = {"exec": {"command": ["true"]}}
HERE = "spec.containers[0]"
SUPPORTED = "supported values:"


@pytest.mark.parametrize(
    ("container", "expected"),
    [
        ({"name": ""}, [f"{HERE}.name: Required value"]),
        ({"image": ""}, [f"{HERE}.image: Required value"]),
        (
            {"imagePullPolicy": "X"},
            [
                (
                    f'{HERE}.imagePullPolicy: Unsupported value: "X": {SUPPORTED} "Always", '
                    '"IfNotPresent", "Never"'
                )
            ],
        ),
        (
            {"terminationMessagePolicy": "X"},
            [
                (
                    f'{HERE}.terminationMessagePolicy: Unsupported value: "X": {SUPPORTED} "File",'
                    ' "FallbackToLogsOnError"'
                )
            ],
        ),
        ({"ports": [{}]}, [f"{HERE}.ports[0].containerPort: Required value"]),
        (
            {"ports": [{"containerPort": 70000, "hostPort": -1, "protocol": "X", "name": "-"}]},
            [
                f'{HERE}.ports[0].name: Invalid value: "-": must contain at least one letter (a-z)',
                f'{HERE}.ports[0].name: Invalid value: "-": must not begin or end with a hyphen',
                (
                    f"{HERE}.ports[0].containerPort: Invalid value: 70000: must be between 1 and "
                    "65535, inclusive"
                ),
                (
                    f"{HERE}.ports[0].hostPort: Invalid value: -1: must be between 1 and 65535, "
                    "inclusive"
                ),
                (
                    f'{HERE}.ports[0].protocol: Unsupported value: "X": {SUPPORTED} "SCTP", "TCP",'
                    ' "UDP"'
                ),
            ],
        ),
        (
            {"ports": [{"containerPort": 1, "name": "a"}, {"containerPort": 2, "name": "a"}]},
            [f'{HERE}.ports[1].name: Duplicate value: "a"'],
        ),
        (
            {"ports": [{"containerPort": 1, "hostPort": 5}, {"containerPort": 2, "hostPort": 5}]},
            [f'{HERE}.ports[1].hostPort: Duplicate value: "TCP//5"'],
        ),
        (
            {"resizePolicy": [{"resourceName": "disk"}]},
            [
                f'{HERE}.resizePolicy: Unsupported value: "disk": {SUPPORTED} "cpu", "memory"',
                f"{HERE}.resizePolicy: Required value",
            ],
        ),
        (
            {"restartPolicyRules": [{"action": "X"}]},
            [
                (
                    f"{HERE}.restartPolicy: Required value: must specify restartPolicy when "
                    "restart rules are used"
                ),
                (
                    f'{HERE}.restartPolicyRules[0].action: Unsupported value: "X": {SUPPORTED} '
                    '"Restart", "RestartAllContainers"'
                ),
                f"{HERE}.restartPolicyRules[0].exitCodes: Required value: must be specified",
            ],
        ),
    ],
)
def test_a_wrong_container_is_refused(container: Any, expected: list[str]) -> None:
    """The texts and their order are Kubernetes'."""
    assert refusals("", "pods", pod_with(**container)) == expected


def test_names_are_unique_across_both_sorts() -> None:
    """Logs and exec find a container by its name alone."""
    pod = a_pod(containers=[CONTAINER, CONTAINER], initContainers=[CONTAINER])

    assert refusals("", "pods", pod) == [
        'spec.containers[1].name: Duplicate value: "c"',
        'spec.initContainers[0].name: Duplicate value: "c"',
    ]


def test_an_init_container_has_probes_only_if_it_goes_on_running() -> None:
    """One that ends cannot be ready."""
    once = {"name": "i", "image": "x", "readinessProbe": EXEC}

    assert refusals("", "pods", a_pod(initContainers=[once])) == [
        (
            "spec.initContainers[0].readinessProbe: Forbidden: may not be set for init containers"
            " without restartPolicy=Always"
        )
    ]
    assert not refusals("", "pods", a_pod(initContainers=[{**once, "restartPolicy": "Always"}]))
