from typing import Any

import pytest

from tests.unit.apiserver.table.rows import row


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ({}, "Unknown"),
        ({"status": {"conditions": [{"type": "Ready", "status": "True"}]}}, "Ready"),
        ({"status": {"conditions": [{"type": "Ready", "status": "Unknown"}]}}, "NotReady"),
        ({"spec": {"unschedulable": True}}, "Unknown,SchedulingDisabled"),
    ],
)
def test_a_node_shows_whether_it_takes_pods(content: dict[str, Any], shown: str) -> None:
    """STATUS tells whether a node is ready, and whether it is cordoned."""
    assert row("", "nodes", content)["Status"] == shown


def test_a_node_shows_its_roles_and_machine() -> None:
    """Roles come from labels."""
    labels = {"node-role.kubernetes.io/master": "", "kubernetes.io/role": "a", "b": "c"}
    info = {"kubeletVersion": "v1", "kernelVersion": "6.1", "architecture": "arm64"}
    addresses = [{"type": "InternalIP", "address": "10.0.0.1"}]
    status = {"nodeInfo": info, "addresses": addresses}

    found = row("", "nodes", {"status": status}, labels=labels)

    assert (found["Roles"], found["Version"]) == ("a,master", "v1")
    assert (found["Internal-IP"], found["External-IP"]) == ("10.0.0.1", "<none>")
    assert (found["Kernel-Version"], found["OS-Image"]) == ("6.1 (arm64)", "<unknown>")
    assert row("", "nodes")["Roles"] == "<none>"
