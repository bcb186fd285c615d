"""Rows of the group ``autoscaling``: HorizontalPodAutoscalers and Scales."""

from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.printer import AGE, NAME, Printer, column
from kubewright.apiserver.table.text import NONE, UNKNOWN, UNSET, part

_SHOWN = 2
_PARTS = {
    "External": "external",
    "Pods": "pods",
    "Object": "object",
    "Resource": "resource",
    "ContainerResource": "containerResource",
}


def _autoscaler(obj: Obj, age: Ages) -> list[Any]:
    meta, spec, status = obj["metadata"], part(obj, "spec"), part(obj, "status")
    target = part(spec, "scaleTargetRef")
    least = spec.get("minReplicas")
    return [
        meta.get("name", ""),
        f"{target.get('kind', '')}/{target.get('name', '')}",
        _metrics(spec.get("metrics") or [], status.get("currentMetrics") or []),
        UNSET if least is None else str(least),
        spec.get("maxReplicas", 0),
        status.get("currentReplicas", 0),
        age(meta.get("creationTimestamp")),
    ]


def _metrics(specs: list[Obj], statuses: list[Obj]) -> str:
    if not specs:
        return NONE
    shown = [
        _metric(spec, statuses[index] if index < len(statuses) else {})
        for index, spec in enumerate(specs[:_SHOWN])
    ]
    more = f" + {len(specs) - _SHOWN} more..." if len(specs) > _SHOWN else ""
    return f"{', '.join(shown)}{more}"


def _metric(spec: Obj, status: Obj) -> str:
    name = _PARTS.get(spec.get("type", ""))
    if name is None:
        return "<unknown type>"
    wanted = part(spec, name)
    target, current = part(wanted, "target"), part(part(status, name), "current")
    average = target.get("averageValue")
    if name in ("resource", "containerResource"):
        return f"{wanted.get('name', '')}: {_usage(target, current)}"
    if average is not None and name != "pods":
        return f"{current.get('averageValue', UNKNOWN)}/{average} (avg)"
    if name == "pods":
        return f"{current.get('averageValue', UNKNOWN)}/{average}"
    return f"{current.get('value', UNKNOWN)}/{target.get('value', '')}"


def _usage(target: Obj, current: Obj) -> str:
    if "averageValue" in target:
        return f"{current.get('averageValue', UNKNOWN)}/{target['averageValue']}"
    now, wanted = current.get("averageUtilization"), target.get("averageUtilization")
    left = UNKNOWN if now is None else f"{now}%"
    return f"{left}/{'<auto>' if wanted is None else f'{wanted}%'}"


AUTOSCALERS = Printer(
    (
        NAME,
        column("Reference", "What is scaled."),
        column("Targets", "The metrics, as they are and as they should be."),
        column("MinPods", "The lowest number of pods."),
        column("MaxPods", "The highest number of pods."),
        column("Replicas", "The number of pods now."),
        AGE,
    ),
    _autoscaler,
)


def _scale(obj: Obj, age: Ages) -> list[Any]:
    meta = obj["metadata"]
    wanted, there = (part(obj, name).get("replicas", 0) for name in ("spec", "status"))
    return [meta.get("name", ""), wanted, there, age(meta.get("creationTimestamp"))]


SCALES = Printer(
    (
        NAME,
        column("Desired", "The number of replicas that is wanted.", "integer"),
        column("Available", "The number of replicas that is there.", "integer"),
        AGE,
    ),
    _scale,
)
