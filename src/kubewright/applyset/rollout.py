"""How far a workload is on its way to what was applied, as its status says."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from kubewright.applyset.member import Document

__all__ = ["Rollout", "rollout_of"]


class Rollout(msgspec.Struct, frozen=True):
    """How far a workload is.

    Attributes:
        is_done: Whether all that was applied runs, and nothing else.
        text: How far it is, such as ``1 of 2 replicas ready``.
        problem: Why it cannot go on, in the words of its controller.
        is_stuck: Whether the controller has given up.
    """

    is_done: bool
    text: str = ""
    problem: str = ""
    is_stuck: bool = False


def rollout_of(workload: Document) -> Rollout:
    """Return how far a workload is; objects of other kinds are done as soon as they are there.

    Example:
        >>> rollout_of({"kind": "Deployment", "metadata": {"generation": 1}}).text
        'its controller has not seen it yet'
    """
    kind = str(workload.get("kind"))
    look = _KINDS.get(kind)
    if look is None:
        return Rollout(is_done=True)
    status = workload.get("status") or {}
    generation = (workload.get("metadata") or {}).get("generation", 0)
    if status.get("observedGeneration", 0) < generation:
        return Rollout(is_done=False, text="its controller has not seen it yet")
    return look(workload.get("spec") or {}, status)


def _deployment(spec: Mapping[str, Any], status: Mapping[str, Any]) -> Rollout:
    wanted = _number(spec, "replicas", 1)
    total, updated = _number(status, "replicas"), _number(status, "updatedReplicas")
    available = _number(status, "availableReplicas")
    if updated >= wanted and total <= updated and available >= updated:
        return Rollout(is_done=True, text=f"{available} of {wanted} replicas ready")
    text = f"{min(available, updated)} of {wanted} replicas ready"
    if total > updated:
        text += f", {total - updated} of before still there"
    conditions = {one["type"]: one for one in status.get("conditions") or ()}
    progressing = conditions.get("Progressing", {})
    stuck = progressing.get("reason") == "ProgressDeadlineExceeded"
    failure = conditions.get("ReplicaFailure", {})
    problem = failure.get("message", "") if failure.get("status") == "True" else ""
    return Rollout(is_done=False, text=text, problem=problem, is_stuck=stuck)


def _stateful_set(spec: Mapping[str, Any], status: Mapping[str, Any]) -> Rollout:
    wanted = _number(spec, "replicas", 1)
    ready, updated = _number(status, "readyReplicas"), _number(status, "updatedReplicas")
    partition = _number((spec.get("updateStrategy") or {}).get("rollingUpdate") or {}, "partition")
    done = ready >= wanted and updated >= wanted - partition
    return Rollout(is_done=done, text=f"{min(ready, updated)} of {wanted} replicas ready")


def _daemon_set(spec: Mapping[str, Any], status: Mapping[str, Any]) -> Rollout:
    wanted = _number(status, "desiredNumberScheduled")
    updated, available = (
        _number(status, name) for name in ("updatedNumberScheduled", "numberAvailable")
    )
    done = updated >= wanted and available >= wanted
    return Rollout(is_done=done, text=f"{min(available, updated)} of {wanted} nodes ready")


def _number(part: Mapping[str, Any], name: str, default: int = 0) -> int:
    value = part.get(name)
    return default if value is None else int(value)


_KINDS: dict[str, Callable[[Mapping[str, Any], Mapping[str, Any]], Rollout]] = {
    "DaemonSet": _daemon_set,
    "Deployment": _deployment,
    "StatefulSet": _stateful_set,
}
