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
    """Ready, and not cordoned."""
    assert row("", "nodes", content)["Status"] == shown


def test_a_node_shows_its_roles_and_machine() -> None:
    """Roles are labels."""
    labels = {"node-role.kubernetes.io/master": "", "kubernetes.io/role": "a", "b": "c"}
    info = {"kubeletVersion": "v1", "kernelVersion": "6.1", "architecture": "arm64"}
    addresses = [{"type": "InternalIP", "address": "10.0.0.1"}]
    status = {"nodeInfo": info, "addresses": addresses}

    found = row("", "nodes", {"status": status}, labels=labels)

    assert (found["Roles"], found["Version"]) == ("a,master", "v1")
    assert (found["Internal-IP"], found["External-IP"]) == ("10.0.0.1", "<none>")
    assert (found["Kernel-Version"], found["OS-Image"]) == ("6.1 (arm64)", "<unknown>")
    assert row("", "nodes")["Roles"] == "<none>"


def test_an_event_shows_when_what_happened_to_whom() -> None:
    """Old events have a source and a count."""
    content = {
        "involvedObject": {"kind": "Pod", "name": "p", "fieldPath": "spec"},
        "source": {"component": "kubelet", "host": "n"},
        "firstTimestamp": "2026-01-01T10:00:00Z",
        "lastTimestamp": "2026-01-01T11:59:00Z",
        "count": 4,
        "type": "Normal",
        "reason": "Pulled",
        "message": " hello ",
    }

    assert row("", "events", content) == {
        "Last Seen": "60s",
        "Type": "Normal",
        "Reason": "Pulled",
        "Object": "pod/p",
        "Subobject": "spec",
        "Source": "kubelet, n",
        "Message": "hello",
        "First Seen": "120m",
        "Count": 4,
        "Name": "x",
    }


def test_an_event_of_the_new_group_has_a_series() -> None:
    """And a reporter."""
    content = {
        "eventTime": "2026-01-01T11:00:00.000000Z",
        "series": {"count": 7, "lastObservedTime": "2026-01-01T11:59:30.000000Z"},
        "reportingComponent": "a",
        "lastTimestamp": None,
    }

    found = row("", "events", content)

    assert (found["Last Seen"], found["First Seen"], found["Count"]) == ("30s", "60m", 7)
    assert found["Source"] == "a"
    single = row("", "events")
    assert (single["Last Seen"], single["Count"]) == ("<unknown>", 1)


def test_small_kinds() -> None:
    """One or two cells each."""
    data = {"data": {"a": "", "b": ""}, "binaryData": {"c": ""}, "type": "Opaque"}
    hard = {"pods": "10", "limits.cpu": "1", "cpu": "2"}
    quota = row("", "resourcequotas", {"status": {"hard": hard, "used": {"pods": "3"}}})

    assert row("", "configmaps", data)["Data"] == 3
    assert row("", "secrets", data) == {"Name": "x", "Type": "Opaque", "Data": 2, "Age": "5m"}
    assert row("", "namespaces", {"status": {"phase": "Active"}})["Status"] == "Active"
    assert row("", "serviceaccounts") == {"Name": "x", "Age": "5m"}
    lease = row("coordination.k8s.io", "leases", {"spec": {"holderIdentity": "h"}})
    assert lease["Holder"] == "h"
    assert (quota["Request"], quota["Limit"]) == ("cpu: 0/2, pods: 3/10", "limits.cpu: 0/1")
    priority = row("scheduling.k8s.io", "priorityclasses", {"value": 5})
    assert (priority["Value"], priority["Global-Default"]) == (5, False)
    assert row("node.k8s.io", "runtimeclasses", {"handler": "h"})["Handler"] == "h"


def test_a_component_is_healthy_or_not() -> None:
    """Nobody knows before it is asked."""
    healthy = {"conditions": [{"type": "Healthy", "status": "True", "message": "ok"}]}

    assert list(row("", "componentstatuses", healthy).values()) == ["x", "Healthy", "ok", ""]
    assert row("", "componentstatuses")["Status"] == "Unknown"
