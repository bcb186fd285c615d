"""Rows of the group ``resource.k8s.io``."""

from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.printer import AGE, NAME, Printer, column
from kubewright.apiserver.table.text import part


def _claim(obj: Obj, age: Ages) -> list[Any]:
    meta, status = obj["metadata"], part(obj, "status")
    states = ["deleted"] if meta.get("deletionTimestamp") else []
    if status.get("allocation") is not None:
        states.append("allocated")
        if status.get("reservedFor"):
            states.append("reserved")
    elif not states:
        states.append("pending")
    return [meta.get("name", ""), ",".join(states), age(meta.get("creationTimestamp"))]


CLAIMS = Printer(
    (
        NAME,
        column("State", "A summary of the current state (allocated, pending, reserved, etc.)."),
        AGE,
    ),
    _claim,
)


def _slice(obj: Obj, age: Ages) -> list[Any]:
    meta, spec = obj["metadata"], part(obj, "spec")
    return [
        meta.get("name", ""),
        spec.get("nodeName", ""),
        spec.get("driver", ""),
        part(spec, "pool").get("name", ""),
        age(meta.get("creationTimestamp")),
    ]


SLICES = Printer(
    (
        NAME,
        column("Node", "Where the devices are."),
        column("Driver", "Whose devices these are."),
        column("Pool", "The pool that they belong to."),
        AGE,
    ),
    _slice,
)


def _taint(obj: Obj, age: Ages) -> list[Any]:
    meta, taint = obj["metadata"], part(part(obj, "spec"), "taint")
    added = taint.get("timeAdded")
    return [
        meta.get("name", ""),
        taint.get("key", ""),
        taint.get("value", ""),
        taint.get("effect", ""),
        age(added) if added else "",
        age(meta.get("creationTimestamp")),
    ]


TAINTS = Printer(
    (
        NAME,
        column("Key", "The name of the taint."),
        column("Value", "Its value."),
        column("Effect", "What it does."),
        column("TimeAdded", "Since when."),
        AGE,
    ),
    _taint,
)
