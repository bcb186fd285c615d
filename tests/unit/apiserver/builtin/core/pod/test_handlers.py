"""Probes and hooks."""

from typing import Any

import pytest

from tests.unit.apiserver.builtin.workload_samples import pod_with, refusals

EXEC = {"exec": {"command": ["true"]}}
LIVE = "spec.containers[0].livenessProbe"


@pytest.mark.parametrize(
    ("container", "expected"),
    [
        ({"livenessProbe": {}}, [f"{LIVE}: Required value: must specify a handler type"]),
        ({"livenessProbe": {"exec": {}}}, [f"{LIVE}.exec.command: Required value"]),
        (
            {"livenessProbe": {**EXEC, "tcpSocket": {"port": 1}}},
            [f"{LIVE}.tcpSocket: Forbidden: may not specify more than 1 handler type"],
        ),
        (
            {"livenessProbe": {"tcpSocket": {"port": "A"}}},
            [
                (
                    f'{LIVE}.tcpSocket.port: Invalid value: "A": must contain only alpha-numeric '
                    "characters (a-z, 0-9), and hyphens (-)"
                ),
                (
                    f'{LIVE}.tcpSocket.port: Invalid value: "A": must contain at least one letter '
                    "(a-z)"
                ),
            ],
        ),
        (
            {"livenessProbe": {"httpGet": {"scheme": "FTP", "httpHeaders": [{"name": "a b"}]}}},
            [
                f"{LIVE}.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive",
                (
                    f'{LIVE}.httpGet.scheme: Unsupported value: "FTP": supported values: "HTTP", '
                    '"HTTPS"'
                ),
                (
                    f'{LIVE}.httpGet.httpHeaders: Invalid value: "a b": a valid HTTP header must'
                    " consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used"
                    " for validation is '[-A-Za-z0-9]+')"
                ),
            ],
        ),
        (
            {"livenessProbe": {**EXEC, "periodSeconds": -1, "successThreshold": 2}},
            [
                f"{LIVE}.periodSeconds: Invalid value: -1: must be greater than or equal to 0",
                f"{LIVE}.successThreshold: Invalid value: 2: must be 1",
            ],
        ),
        (
            {"readinessProbe": {**EXEC, "terminationGracePeriodSeconds": 5}},
            [
                (
                    "spec.containers[0].readinessProbe.terminationGracePeriodSeconds: Invalid "
                    "value: 5: must not be set for readinessProbes"
                )
            ],
        ),
        (
            {"lifecycle": {"preStop": {"sleep": {"seconds": 31}}}},
            [
                (
                    "spec.containers[0].lifecycle.preStop.sleep: Invalid value: 31: must be "
                    "non-negative and less than terminationGracePeriodSeconds (30)"
                )
            ],
        ),
    ],
)
def test_a_handler_does_exactly_one_thing(container: Any, expected: list[str]) -> None:
    """Two checks in one probe could disagree."""
    assert refusals("", "pods", pod_with(**container)) == expected
