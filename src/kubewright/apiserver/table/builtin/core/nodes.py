"""Rows of Nodes."""

from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table import text
from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.printer import AGE, NAME, Printer, column
from kubewright.apiserver.table.text import NONE, UNKNOWN, part

_ROLE_PREFIX = "node-role.kubernetes.io/"


def _node(obj: Obj, age: Ages) -> list[Any]:
    meta, status = obj["metadata"], part(obj, "status")
    info = part(status, "nodeInfo")
    kernel, architecture = info.get("kernelVersion") or UNKNOWN, info.get("architecture")
    return [
        meta.get("name", ""),
        _node_state(obj, status),
        ",".join(_roles(meta.get("labels") or {})) or NONE,
        age(meta.get("creationTimestamp")),
        info.get("kubeletVersion", ""),
        _address(status, "InternalIP"),
        _address(status, "ExternalIP"),
        info.get("osImage") or UNKNOWN,
        f"{kernel} ({architecture})" if architecture else kernel,
        info.get("containerRuntimeVersion") or UNKNOWN,
    ]


def _node_state(obj: Obj, status: Obj) -> str:
    ready = text.condition(status.get("conditions"), "Ready")
    states = {"True": "Ready", None: "Unknown"}
    shown = states.get(None if ready is None else ready.get("status", ""), "NotReady")
    cordoned = part(obj, "spec").get("unschedulable")
    return f"{shown},SchedulingDisabled" if cordoned else shown


def _roles(labels: dict[str, str]) -> list[str]:
    found = {key.removeprefix(_ROLE_PREFIX) for key in labels if key.startswith(_ROLE_PREFIX)}
    return sorted((found | {labels.get("kubernetes.io/role", "")}) - {""})


def _address(status: Obj, kind: str) -> str:
    for item in status.get("addresses") or ():
        if item.get("type") == kind:
            return str(item.get("address", ""))
    return NONE


NODES = Printer(
    (
        NAME,
        column("Status", "The status of the node"),
        column("Roles", "The roles of the node"),
        AGE,
        column("Version", "The version of the kubelet."),
        column("Internal-IP", "The address inside of the cluster.", wide=True),
        column("External-IP", "The address from outside.", wide=True),
        column("OS-Image", "The operating system.", wide=True),
        column("Kernel-Version", "The version of the kernel.", wide=True),
        column("Container-Runtime", "What runs the containers.", wide=True),
    ),
    _node,
)
