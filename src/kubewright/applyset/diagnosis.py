"""Why a pod is not ready, from its status and its events."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from kubewright.applyset.member import Document

__all__ = ["Trouble", "trouble_of"]

_NO_NEWS = frozenset({"ContainerCreating", "PodInitializing", ""})
_UNTOLD = frozenset({"FailedScheduling", "BackOff"})  # the status says the same, and better


class Trouble(msgspec.Struct, frozen=True):
    """Why a pod is not ready.

    Attributes:
        pod: Its name.
        text: Why.
        container: The container whose log may say more; empty for none.
        is_past: Whether that is the log of its previous run.
    """

    pod: str
    text: str
    container: str = ""
    is_past: bool = False

    def __str__(self) -> str:
        return f"pod {self.pod}: {self.text}"


def trouble_of(pod: Document, events: Iterable[Document] = ()) -> Trouble | None:
    """Return why *pod* is not ready; ``None`` if it is, or if it is on its way out.

    Args:
        pod: The pod.
        events: Its events, the newest last.
    """
    metadata, status = pod.get("metadata") or {}, pod.get("status") or {}
    conditions = {one["type"]: one for one in status.get("conditions") or ()}
    if metadata.get("deletionTimestamp") or conditions.get("Ready", {}).get("status") == "True":
        return None
    name = str(metadata.get("name"))
    statuses = [
        one
        for field in ("initContainerStatuses", "containerStatuses")
        for one in status.get(field) or ()
    ]
    for found in (*_of_containers(name, statuses), *_of_pod(name, status, conditions)):
        return found
    warnings = [
        f"{one.get('reason')}: {one.get('message')}"
        for one in events
        if one.get("type") == "Warning" and one.get("reason") not in _UNTOLD
    ]
    running = next((one["name"] for one in statuses if "running" in (one.get("state") or {})), "")
    if warnings:
        return Trouble(name, warnings[-1], running)
    if running:
        return Trouble(name, f"container {running} runs, and is not ready", running)
    return Trouble(name, "it has not started yet")


def _of_containers(pod: str, statuses: Iterable[Mapping[str, Any]]) -> Iterator[Trouble]:
    for status in statuses:
        name, state = str(status.get("name")), status.get("state") or {}
        ended = state.get("terminated") or {}
        before = (status.get("lastState") or {}).get("terminated") or {}
        waiting = state.get("waiting") or {}
        reason = str(waiting.get("reason") or "")
        if ended.get("exitCode"):
            yield Trouble(pod, f"container {name} {_end(ended)}", name)
        elif reason == "CrashLoopBackOff":
            times = status.get("restartCount", 0)
            text = f"container {name} {_end(before)}, {times} time{'' if times == 1 else 's'}"
            yield Trouble(pod, text, name, is_past=True)
        elif reason not in _NO_NEWS:
            said = str(waiting.get("message") or "").strip()
            yield Trouble(pod, f"container {name}: {reason}{f': {said}' if said else ''}")
        elif before.get("exitCode") and "running" in state and not status.get("ready"):
            yield Trouble(pod, f"container {name} {_end(before)}, and runs again", name, True)


def _of_pod(
    pod: str, status: Mapping[str, Any], conditions: Mapping[str, Mapping[str, Any]]
) -> Iterator[Trouble]:
    scheduled = conditions.get("PodScheduled", {})
    if scheduled.get("status") == "False":
        yield Trouble(pod, f"no node takes it: {scheduled.get('message')}")
    if status.get("phase") == "Failed":
        yield Trouble(pod, f"it has failed: {status.get('reason')}: {status.get('message')}")


def _end(terminated: Mapping[str, Any]) -> str:
    """Return how a container ended, such as ``ended with status 1``."""
    reason = terminated.get("reason") or ""
    if reason not in {"", "Error", "Completed"}:
        return f"ended with status {terminated.get('exitCode')} ({reason})"
    return f"ended with status {terminated.get('exitCode', 'unknown')}"
