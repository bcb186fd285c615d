"""Warnings about pods that are taken."""

from typing import Any

import pytest

from kubewright.apiserver.builtin.pod_warnings import spec_warnings

HERE = "spec.containers[0]"


def warnings(**container: Any) -> list[str]:
    return list(spec_warnings({"containers": [container]}, "spec"))


@pytest.mark.parametrize(
    ("container", "expected"),
    [
        ({"env": [{"name": "A", "value": "x"}, {"name": "A", "value": "$(A):y"}]}, []),
        (
            {"env": [{"name": "A", "value": "x"}, {"name": "A", "value": "y"}]},
            [
                (
                    f'{HERE}.env[1]: hides previous definition of "A", which may be dropped when '
                    "using apply"
                )
            ],
        ),
        (
            {"resources": {"limits": {"memory": "100m"}}},
            [
                (
                    f'{HERE}.resources.limits[memory]: fractional byte value "100m" is invalid, '
                    "must be an integer"
                )
            ],
        ),
        (
            {"ports": [{"containerPort": 80, "protocol": "TCP"}] * 2},
            [f"{HERE}.ports[1]: duplicate port definition with {HERE}.ports[0]"],
        ),
        (
            {"ports": [{"containerPort": 80, "name": "a"}, {"containerPort": 81, "name": "a"}]},
            [
                (
                    f'{HERE}.ports[1]: duplicate port name "a" with {HERE}.ports[0], services and '
                    f"probes that select ports by name will use {HERE}.ports[0]"
                )
            ],
        ),
    ],
)
def test_a_container_that_was_probably_meant_otherwise_is_noted(
    container: Any, expected: list[str]
) -> None:
    """It works, but not as it reads."""
    assert warnings(**container) == expected


def test_what_is_deprecated_is_noted() -> None:
    """Long before it goes away."""
    spec = {
        "nodeSelector": {"beta.kubernetes.io/os": "linux"},
        "volumes": [{"name": "v", "gitRepo": {"repository": "r"}}],
        "imagePullSecrets": [{}],
    }

    assert list(spec_warnings(spec, "spec")) == [
        (
            "spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "
            '"kubernetes.io/os" instead'
        ),
        "spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+",
        'spec.imagePullSecrets[0].name: invalid empty name ""',
    ]
