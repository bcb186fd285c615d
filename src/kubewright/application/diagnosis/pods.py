"""What is wrong with the pods of the operator: one trouble for each reason, not for each pod."""

from collections.abc import Iterator
from typing import NamedTuple

from kubewright.api.kind import ObjectKey
from kubewright.application.diagnosis.finding import Finding, Severity, error, warning
from kubewright.application.diagnosis.installation import Installation
from kubewright.kinds.core.v1 import ContainerStatus, Pod

__all__ = ["Trouble", "troubles"]

_IMAGE = frozenset({"ImagePullBackOff", "ErrImagePull", "InvalidImageName", "ErrImageNeverPull"})
_CREATE = frozenset({"CreateContainerConfigError", "CreateContainerError", "RunContainerError"})
_RESTARTS = 3
_KILLED_BY_KERNEL = "OOMKilled"


class Trouble(NamedTuple):
    """What is wrong with a pod.

    Attributes:
        pod: The pod.
        container: The container, if it is about one.
        severity: How bad it is.
        what: What is wrong.
        mend: What mends it.
        crashed: Whether the container has ended, so that its log tells more.
    """

    pod: ObjectKey
    container: str
    severity: Severity
    what: str
    mend: tuple[str, ...]
    crashed: bool = False

    def finding(self, place: Installation, words: str, suspects: tuple[str, ...]) -> Finding:
        """Return the finding about the Deployment, with the last *words* of the container."""
        what = f"Pod {self.pod.name}: {self.what}"
        if words:
            what += " Its last words:\n" + "\n".join(f"  {line}" for line in words.splitlines())
        if self.severity is Severity.ERROR:
            why = "The operator does not run, or with fewer pods than it should."
            causes = () if self.container else suspects  # a container says itself what ails it
            return error(place.subject, what, why=why, mend=self.mend, causes=causes)
        why = "Each restart loses time, and whatever was at work."
        return warning(place.subject, what, why=why, mend=self.mend)


def troubles(place: Installation) -> Iterator[Trouble]:
    """Yield what is wrong with the pods of *place*, each kind of trouble once."""
    told: set[tuple[str, str]] = set()
    for pod in place.pods:
        if pod.metadata.deletion_timestamp is not None:
            continue
        for one in _troubles_of(pod, place):
            kind = one.what.replace(pod.metadata.name, "").split(":")[0]
            if (one.container, kind) not in told:
                told.add((one.container, kind))
                yield one


def _troubles_of(pod: Pod, place: Installation) -> Iterator[Trouble]:
    state = pod.status
    conditions = {one.type: one for one in state.conditions}
    scheduled = conditions.get("PodScheduled")
    if scheduled is not None and scheduled.status == "False":
        yield _trouble(
            pod, "",
            f"no node can take it: {scheduled.message}.",
            f"kubectl describe pod {_name(pod)}", "kubectl get nodes",
        )  # fmt: skip
        return
    before = 0
    for status in (*state.init_container_statuses, *state.container_statuses):
        for one in _of_container(pod, status, place):
            before += 1
            yield one
    if not before and not _is_ready(pod):
        yield from _unready(pod, place)


def _of_container(pod: Pod, status: ContainerStatus, place: Installation) -> Iterator[Trouble]:
    waiting = status.state.waiting if status.state is not None else None
    reason = (waiting.reason or "") if waiting is not None else ""
    said = (waiting.message or reason) if waiting is not None else ""
    if reason in _IMAGE:
        yield _trouble(
            pod, status.name,
            f"the image {status.image} cannot be pulled: {said}.",
            "# Push the image; or go back to the version before:",
            f"kubectl rollout undo {place.ref}",
        )  # fmt: skip
    elif reason in _CREATE:
        yield _trouble(
            pod, status.name,
            f"the container {status.name} cannot be started: {said}.",
            f"kubectl describe pod {_name(pod)}",
        )  # fmt: skip
    elif reason == "CrashLoopBackOff" or _has_failed(status):
        what = f"the container {status.name} crashes again and again: {_ends(status)}."
        yield _crash(pod, status, place, Severity.ERROR, what)
    elif status.restart_count >= _RESTARTS:
        what = f"the container {status.name} runs, and has crashed before: {_ends(status)}."
        yield _crash(pod, status, place, Severity.WARNING, what)


def _has_failed(status: ContainerStatus) -> bool:
    ended = status.state.terminated if status.state is not None else None
    return ended is not None and (ended.exit_code != 0 or status.restart_count > 0)


def _ends(status: ContainerStatus) -> str:
    times = f"{status.restart_count} restarts"
    states = (status.state, status.last_state)
    ended = next((one.terminated for one in states if one is not None and one.terminated), None)
    if ended is None:
        return times
    if ended.reason == _KILLED_BY_KERNEL:
        return f"it needs more memory than its limit allows (OOMKilled), {times}"
    return f"exit code {ended.exit_code}, {times}"


def _crash(
    pod: Pod, status: ContainerStatus, place: Installation, severity: Severity, what: str
) -> Trouble:
    logs = f"kubectl logs {_name(pod)} --container {status.name} --previous"
    back = f"kubectl rollout undo {place.ref}"
    mend = [logs, "# Mend what it says, and deploy again; or go back to the version before:", back]
    if _KILLED_BY_KERNEL in what:
        mend = ["# Give it more memory: resources.limits.memory of its container.", logs]
    key = ObjectKey(pod.metadata.namespace or "", pod.metadata.name)
    return Trouble(key, status.name, severity, what, tuple(mend), crashed=True)


def _unready(pod: Pod, place: Installation) -> Iterator[Trouble]:
    waiting = [
        one.state.waiting.reason
        for one in pod.status.container_statuses
        if one.state is not None and one.state.waiting is not None
    ]
    if waiting:
        what = f"its containers wait ({waiting[0]}), maybe for a volume."
    elif pod.status.phase == "Running":
        what = "it runs, and is not ready: its readiness probe fails."
    else:
        what = f"it is {pod.status.phase or 'Pending'}."
    yield _trouble(
        pod, "", what,
        f"kubectl describe pod {_name(pod)}", f"kubectl logs {place.ref} --tail 20",
    )  # fmt: skip


def _is_ready(pod: Pod) -> bool:
    return any(one.type == "Ready" and one.status == "True" for one in pod.status.conditions)


def _trouble(pod: Pod, container: str, what: str, *mend: str) -> Trouble:
    key = ObjectKey(pod.metadata.namespace or "", pod.metadata.name)
    return Trouble(key, container, Severity.ERROR, what, mend)


def _name(pod: Pod) -> str:
    return f"{pod.metadata.name} --namespace {pod.metadata.namespace}"
