"""DaemonSets."""

from typing import Any

import pytest

from kubewright.apiserver.builtin import strategy_for
from kubewright.apiserver.builtin.apps.daemonsets import TEMPLATE_GENERATION
from tests.unit.apiserver.builtin.workload_samples import (
    Written,
    a_workload,
    created,
    refusals,
    template,
)

DAEMONS = strategy_for("apps", "daemonsets")


def test_a_daemon_set_replaces_one_pod_at_a_time() -> None:
    """Users see these defaults in kubectl after creating a minimal DaemonSet."""
    stored = created("apps", "daemonsets", a_workload())

    assert stored["spec"]["updateStrategy"] == {
        "type": "RollingUpdate",
        "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0},
    }
    assert stored["metadata"]["annotations"] == {TEMPLATE_GENERATION: "1"}
    assert set(stored["status"].values()) == {0}
    assert len(stored["status"]) == 4


def test_the_server_counts_templates() -> None:
    """Old controllers rely on the count, so clients must not be able to set it."""
    old = created("apps", "daemonsets", a_workload())
    same, other = a_workload(), a_workload(template=template(hostNetwork=True))
    same["metadata"]["annotations"] = {TEMPLATE_GENERATION: "9"}

    for new in (same, other):
        DAEMONS.default(new)
        DAEMONS.prepare_update(new, old, Written())

    assert same["metadata"]["annotations"][TEMPLATE_GENERATION] == "1"
    assert other["metadata"]["annotations"][TEMPLATE_GENERATION] == "2"


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (
            {"selector": {}},
            ["spec.selector: Invalid value: {}: empty selector is invalid for daemonset"],
        ),
        (
            {"updateStrategy": {"type": "X"}},
            [
                (
                    'spec.updateStrategy: Unsupported value: {"Type":"X","RollingUpdate":null}: '
                    'supported values: "RollingUpdate", "OnDelete"'
                )
            ],
        ),
        (
            {"updateStrategy": {"rollingUpdate": {"maxUnavailable": 0}}},
            [
                (
                    "spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be "
                    "0 when maxSurge is 0"
                )
            ],
        ),
        (
            {"updateStrategy": {"rollingUpdate": {"maxSurge": 1}}},
            [
                (
                    "spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set"
                    " when maxUnavailable is non-zero"
                )
            ],
        ),
        ({"updateStrategy": {"type": "OnDelete"}}, []),
    ],
)
def test_a_wrong_daemon_set_is_refused(spec: Any, expected: list[str]) -> None:
    """The texts and their order are Kubernetes'."""
    assert refusals("apps", "daemonsets", a_workload(**spec)) == expected
