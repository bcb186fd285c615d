"""Rows of Pods."""

from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.printer import AGE, NAME, Printer, column
from kubewright.apiserver.table.text import NONE, is_true

_NOTHING: Obj = {}
_ENDS: dict[str, list[Obj]] = {
    phase: [{"type": "Completed", "status": "True", "reason": phase, "message": message}]
    for phase, message in (
        ("Succeeded", "The pod has completed successfully."),
        ("Failed", "The pod failed."),
    )
}


class _Tally:
    """Counts over the containers of a pod."""

    __slots__ = ("last", "ready", "reason", "restarts")

    def __init__(self, reason: str) -> None:
        self.reason = reason
        self.ready = 0
        self.restarts = 0
        self.last = ""  # when a container last terminated

    def count(self, status: Obj) -> None:
        """Count the restarts of a container."""
        self.restarts += status.get("restartCount") or 0
        ended = (status.get("lastState") or _NOTHING).get("terminated")
        if ended is not None:
            # Times of one format and zone sort as text.
            self.last = max(self.last, ended.get("finishedAt") or "")


def cells(pod: Obj, age: Ages) -> list[Any]:
    """Return the cells of a pod."""
    meta, spec = pod["metadata"], pod.get("spec") or _NOTHING
    status = pod.get("status") or _NOTHING
    ready, total, tally = _summary(pod, spec, status)
    restarts = str(tally.restarts)
    if tally.restarts and tally.last:
        restarts = f"{tally.restarts} ({age(tally.last)} ago)"
    ips = status.get("podIPs")
    return [
        meta.get("name", ""),
        f"{ready}/{total}",
        tally.reason,
        restarts,
        age(meta.get("creationTimestamp")),
        (ips[0].get("ip") if ips else None) or NONE,
        spec.get("nodeName") or NONE,
        status.get("nominatedNodeName") or NONE,
        _gates(spec.get("readinessGates"), status),
    ]


def _summary(pod: Obj, spec: Obj, status: Obj) -> tuple[int, int, _Tally]:
    phase = status.get("phase") or ""
    tally = _Tally(status.get("reason") or phase)
    conditions = status.get("conditions") or ()
    for item in conditions:
        if item.get("type") == "PodScheduled" and item.get("reason") == "SchedulingGated":
            tally.reason = "SchedulingGated"
    sidecars = _sidecars(spec)
    total = len(spec.get("containers") or ()) + len(sidecars)
    waiting, beside = False, None
    if status.get("initContainerStatuses"):
        waiting, beside = _initialize(spec, status, tally, sidecars)
    if not waiting or is_true(conditions, "Initialized"):
        if beside is not None:
            tally.restarts, tally.last = beside.restarts, beside.last
        _run(status, tally, conditions)
    if pod["metadata"].get("deletionTimestamp"):
        if status.get("reason") == "NodeLost":
            tally.reason = "Unknown"
        elif phase not in _ENDS:
            tally.reason = "Terminating"
    return tally.ready, total, tally


def _sidecars(spec: Obj) -> frozenset[str]:
    """Return the names of sidecars: init containers that keep running."""
    found = spec.get("initContainers")
    if not found:
        return frozenset()
    return frozenset(
        item.get("name", "") for item in found if item.get("restartPolicy") == "Always"
    )


def _initialize(
    spec: Obj, status: Obj, tally: _Tally, sidecars: frozenset[str]
) -> tuple[bool, _Tally]:
    """Count the init containers; return whether one is still running, and the sidecars' tally."""
    beside = _Tally("")
    for index, item in enumerate(status["initContainerStatuses"]):
        tally.count(item)
        sidecar = item.get("name") in sidecars
        if sidecar:
            beside.count(item)
        state = item.get("state") or _NOTHING
        ended = state.get("terminated")
        if ended is not None and not ended.get("exitCode"):
            continue
        if sidecar and item.get("started"):
            tally.ready += bool(item.get("ready"))
            continue
        tally.reason = _init_reason(state, f"{index}/{len(spec.get('initContainers') or ())}")
        return True, beside
    return False, beside


def _init_reason(state: Obj, progress: str) -> str:
    ended = state.get("terminated")
    if ended is not None:
        return f"Init:{_end_reason(ended)}"
    waiting = (state.get("waiting") or _NOTHING).get("reason")
    return f"Init:{waiting if waiting and waiting != 'PodInitializing' else progress}"


def _end_reason(ended: Obj) -> str:
    if ended.get("reason"):
        return str(ended["reason"])
    if ended.get("signal"):
        return f"Signal:{ended['signal']}"
    return f"ExitCode:{ended.get('exitCode') or 0}"


def _run(status: Obj, tally: _Tally, conditions: Any) -> None:
    running, failed = False, ""
    for item in reversed(status.get("containerStatuses") or ()):
        tally.count(item)
        state = item.get("state") or _NOTHING
        ended, waiting = state.get("terminated"), (state.get("waiting") or _NOTHING).get("reason")
        if waiting:
            tally.reason = waiting
        elif ended is not None:
            tally.reason = _end_reason(ended)
            if ended.get("exitCode"):
                failed = tally.reason
        elif item.get("ready") and state.get("running") is not None:
            running = True
            tally.ready += 1
    if tally.reason == "Completed":
        if running and is_true(conditions, "Ready"):
            tally.reason = "Running"
        elif failed:
            tally.reason = failed
        elif running:
            tally.reason = "NotReady"


def _gates(gates: list[Obj] | None, status: Obj) -> str:
    if not gates:
        return NONE
    conditions = status.get("conditions") or ()
    passed = sum(is_true(conditions, item.get("conditionType", "")) for item in gates)
    return f"{passed}/{len(gates)}"


def conditions_of(pod: Obj) -> list[Obj] | None:
    """Return a condition that the pod has completed, if it has."""
    return _ENDS.get((pod.get("status") or _NOTHING).get("phase") or "")


PODS = Printer(
    (
        NAME,
        column("Ready", "The aggregate readiness state of this pod for accepting traffic."),
        column("Status", "The aggregate status of the containers in this pod."),
        column(
            "Restarts",
            "The number of times the containers in this pod have been restarted and when the last"
            " container in this pod has restarted.",
        ),
        AGE,
        column("IP", "The address of the pod.", wide=True),
        column("Node", "The node that the pod runs on.", wide=True),
        column("Nominated Node", "The node that is being freed for the pod.", wide=True),
        column("Readiness Gates", "How many readiness gates are passed.", wide=True),
    ),
    cells,
    conditions=conditions_of,
)
