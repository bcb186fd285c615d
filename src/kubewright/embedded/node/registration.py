"""The Node object and its status."""

import os
import platform
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path

from msgspec import Struct

from kubewright import _json
from kubewright.api.meta import ObjectMeta
from kubewright.kinds.core.v1 import (
    DaemonEndpoint,
    Node,
    NodeAddress,
    NodeCondition,
    NodeDaemonEndpoints,
    NodeSpec,
    NodeStatus,
    NodeSystemInfo,
)

__all__ = [
    "REPORT_EVERY",
    "NodeFacts",
    "default_capacity",
    "node_events",
    "node_labels",
    "node_object",
    "node_patch",
    "node_status",
]

REPORT_EVERY: float = 300.0
"""Seconds after which a status is sent even if nothing has changed, as kubelets do."""
VERSION: str = "v1.37.0+kubewright"
ANNOTATIONS: Mapping[str, str] = {"volumes.kubernetes.io/controller-managed-attach-detach": "true"}
_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64", "armv7l": "arm"}
_PRESSURES = (
    ("MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
)

_STATES = {
    "MemoryPressure": "NodeHasSufficientMemory",
    "DiskPressure": "NodeHasNoDiskPressure",
    "PIDPressure": "NodeHasSufficientPID",
    "Ready": "NodeReady",
}


class NodeFacts(Struct, frozen=True):
    """The fixed facts about a node.

    Attributes:
        name: Its name.
        address: Where it is reached.
        capacity: How much of each resource it has.
        labels: More labels than those that every node has.
        runtime_version: The name and version of its container runtime.
        port: Where its kubelet listens; 0 if it does not.
        pod_cidr: The range of the addresses of its pods.
    """

    name: str
    address: str
    capacity: Mapping[str, str]
    labels: Mapping[str, str]
    runtime_version: str
    port: int = 0
    pod_cidr: str = ""


def default_capacity(*, pods: int) -> dict[str, str]:
    """Return the capacity of this machine."""
    try:
        pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):  # not every system has it
        pages, size = 2**20, 4096
    return {
        "cpu": str(os.cpu_count() or 1),
        "memory": f"{pages * size // 1024}Ki",
        "ephemeral-storage": "100Gi",
        "pods": str(pods),
    }


def node_labels(facts: NodeFacts) -> dict[str, str]:
    """Return the labels that a node gives itself."""
    system = platform.system().lower()
    architecture = _architecture()
    return {
        "kubernetes.io/hostname": facts.name,
        "kubernetes.io/os": system,
        "kubernetes.io/arch": architecture,
        "beta.kubernetes.io/os": system,
        "beta.kubernetes.io/arch": architecture,
        **facts.labels,
    }


def node_object(facts: NodeFacts, *, now: datetime) -> Node:
    """Return the Node as it is first created."""
    cidr = facts.pod_cidr
    return Node(
        metadata=ObjectMeta(
            name=facts.name, labels=node_labels(facts), annotations=dict(ANNOTATIONS)
        ),
        spec=NodeSpec(pod_cidr=cidr or None, pod_cidrs=[cidr] if cidr else []),
        status=node_status(facts, None, now=now),
    )


def node_status(facts: NodeFacts, before: NodeStatus | None, *, now: datetime) -> NodeStatus:
    """Return the status of a healthy node; *before* has the times of its last transitions."""
    kubelet = DaemonEndpoint(port=facts.port) if facts.port else None
    found = {condition.type: condition for condition in before.conditions} if before else {}
    ready = ("Ready", "KubeletReady", "kubelet is posting ready status")
    wanted = [(*pressure, "False") for pressure in _PRESSURES] + [(*ready, "True")]
    return NodeStatus(
        capacity=dict(facts.capacity),
        allocatable=dict(facts.capacity),
        addresses=[
            NodeAddress(type="InternalIP", address=facts.address),
            NodeAddress(type="Hostname", address=facts.name),
        ],
        conditions=[
            _condition(kind, reason, message, status, before=found.get(kind), now=now)
            for kind, reason, message, status in wanted
        ],
        daemon_endpoints=NodeDaemonEndpoints(kubelet_endpoint=kubelet) if kubelet else None,
        node_info=_info(facts),
    )


def node_events(before: NodeStatus | None, after: NodeStatus) -> list[str]:
    """Return the reasons of the Events about what has changed on a healthy node."""
    old = {one.type: one.status for one in before.conditions} if before else {}
    return [
        _STATES[one.type] for one in after.conditions
        if one.type in _STATES and old.get(one.type) != one.status
    ]  # fmt: skip


def _condition(  # a condition has that many parts
    kind: str,
    reason: str,
    message: str,
    status: str,
    *,
    before: NodeCondition | None,
    now: datetime,
) -> NodeCondition:
    now = now.replace(microsecond=0)
    flipped = before is None or before.status != status
    since = now if flipped or before is None else before.last_transition_time
    return NodeCondition(
        type=kind, status=status, reason=reason, message=message,
        last_heartbeat_time=now, last_transition_time=since,
    )  # fmt: skip


def _info(facts: NodeFacts) -> NodeSystemInfo:
    system = platform.uname()
    return NodeSystemInfo(
        architecture=_architecture(),
        operating_system=system.system.lower(),
        kernel_version=system.release,
        os_image=_os_image(),
        kubelet_version=VERSION,
        kube_proxy_version="",  # deprecated: kubelets leave it empty
        container_runtime_version=facts.runtime_version,
        machine_id=facts.name,
        system_uuid=facts.name,
        boot_id=_boot_id(),
    )


def _os_image() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:  # not every system has it
        return platform.system()


def _boot_id() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _architecture() -> str:
    machine = platform.machine().lower()
    return _ARCHITECTURES.get(machine, machine)


def node_patch(wanted: NodeStatus, found: NodeStatus, *, now: datetime) -> dict[str, object]:
    """Return the patch from *found* to *wanted*; empty if nothing has to be sent.

    Heartbeats alone are sent only every few minutes: the Lease shows that the node is alive.
    """
    new, old = _json.to_builtins(wanted), _json.to_builtins(found)
    conditions = {one["type"]: one for one in old.pop("conditions", ())}
    patch = {
        name: value
        for name, value in new.items()
        if name != "conditions" and value != old.get(name)
    }
    heard = [one.last_heartbeat_time for one in found.conditions if one.type == "Ready"]
    is_old = not heard or heard[0] is None or now - heard[0] >= timedelta(seconds=REPORT_EVERY)
    changed = any(_said(one) != _said(conditions.get(one["type"], {})) for one in new["conditions"])
    if is_old or changed:
        patch["conditions"] = new["conditions"]
    return patch


def _said(condition: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in condition.items() if not name.startswith("last")}
