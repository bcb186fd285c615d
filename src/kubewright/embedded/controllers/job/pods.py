"""The pods of a Job: how their states count, and new ones."""

from collections.abc import Iterable
from copy import deepcopy
from datetime import UTC, datetime

from kubewright.api.conditions import is_condition_true
from kubewright.api.meta import ObjectMeta
from kubewright.api.owners import owner_reference
from kubewright.embedded.controllers.job.indexes import ANNOTATION, index_of
from kubewright.kinds.batch.v1 import Job
from kubewright.kinds.core.v1 import Container, EnvVar, EnvVarSource, ObjectFieldSelector, Pod

__all__ = [
    "FAILURES",
    "FINALIZER",
    "IGNORED_FAILURES",
    "failures_of",
    "finish_time",
    "is_active",
    "is_failed",
    "is_ready",
    "is_terminating",
    "is_tracked",
    "pod_for",
    "replaces_only_failed",
    "surplus",
]

FINALIZER: str = "batch.kubernetes.io/job-tracking"
FAILURES: str = "batch.kubernetes.io/job-index-failure-count"
IGNORED_FAILURES: str = "batch.kubernetes.io/job-index-ignored-failure-count"
_INDEX_VARIABLE = "JOB_COMPLETION_INDEX"
_LONGEST_HOSTNAME = 63
_LONGEST_BASE = 58
"""Characters before the random end of a name."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def is_tracked(pod: Pod) -> bool:
    """Return whether *pod* has yet to be counted: it has the finalizer."""
    return FINALIZER in pod.metadata.finalizers


def is_over(pod: Pod) -> bool:
    """Return whether *pod* has succeeded or failed."""
    return pod.status.phase in {"Succeeded", "Failed"}


def is_active(pod: Pod) -> bool:
    """Return whether *pod* runs or may yet run."""
    return not is_over(pod) and pod.metadata.deletion_timestamp is None


def is_terminating(pod: Pod) -> bool:
    """Return whether *pod* is being deleted and has not ended yet."""
    return not is_over(pod) and pod.metadata.deletion_timestamp is not None


def is_ready(pod: Pod) -> bool:
    """Return whether *pod* is ready."""
    return is_condition_true(pod.status.conditions, "Ready")


def replaces_only_failed(job: Job) -> bool:
    """Return whether a pod that is being deleted is replaced only once it has ended."""
    policy = job.spec.pod_replacement_policy
    return policy == "Failed" or (policy is None and job.spec.pod_failure_policy is not None)


def is_failed(job: Job, pod: Pod) -> bool:
    """Return whether *pod* counts as failed, which a deleted one does before it has ended."""
    if pod.status.phase == "Failed":
        return True
    return not replaces_only_failed(job) and is_terminating(pod)


def finish_time(pod: Pod) -> datetime:
    """Return when *pod* ended, or the best guess."""
    ends = [
        one.state.terminated.finished_at
        for one in pod.status.container_statuses
        if one.state and one.state.terminated and one.state.terminated.finished_at
    ]
    if ends:
        return max(ends)
    if pod.metadata.deletion_timestamp is not None:
        grace = pod.metadata.deletion_grace_period_seconds or 0
        return datetime.fromtimestamp(pod.metadata.deletion_timestamp.timestamp() - grace, UTC)
    ready = next((one for one in pod.status.conditions if one.type == "Ready"), None)
    changed = ready.last_transition_time if ready else None
    return changed or pod.metadata.creation_timestamp or _EPOCH


def failures_of(pod: Pod, annotation: str = FAILURES) -> int:
    """Return how often the index of *pod* had failed when it was made."""
    text = pod.metadata.annotations.get(annotation, "")
    return int(text) if text.isdigit() else 0


def pod_for(
    job: Job, index: int | None = None, *, after: Pod | None = None, counted: bool = True
) -> Pod:
    """Return a new pod for *job*.

    Args:
        job: Its owner.
        index: Its completion index, where the Job has them.
        after: The failed pod of the same index that it replaces, where those are counted.
        counted: Whether the failure of *after* counts.
    """
    template = job.spec.template
    name = job.metadata.name or ""
    metadata = ObjectMeta(
        generate_name=f"{name}-",
        namespace=job.metadata.namespace,
        labels=dict(template.metadata.labels),
        annotations=dict(template.metadata.annotations),
        finalizers=[*template.metadata.finalizers, FINALIZER],
        owner_references=[owner_reference(job)],
    )
    pod = Pod(metadata=metadata, spec=deepcopy(template.spec))
    if index is not None:
        _give_index(pod, name, index)
        if job.spec.backoff_limit_per_index is not None:
            _give_failures(pod, after, counted=counted)
    return pod


def _give_index(pod: Pod, name: str, index: int) -> None:
    pod.metadata.annotations[ANNOTATION] = str(index)
    pod.metadata.labels[ANNOTATION] = str(index)
    end = f"-{index}-"
    pod.metadata.generate_name = f"{name[: _LONGEST_BASE - len(end)]}{end}"
    if not pod.spec.hostname:
        end = end[:-1]
        pod.spec.hostname = f"{name[: _LONGEST_HOSTNAME - len(end)]}{end}"
    for container in (*pod.spec.init_containers, *pod.spec.containers):
        _tell_index(container)


def _tell_index(container: Container) -> None:
    if any(one.name == _INDEX_VARIABLE for one in container.env):
        return
    path = ObjectFieldSelector(field_path=f"metadata.labels['{ANNOTATION}']")
    variable = EnvVar(name=_INDEX_VARIABLE, value_from=EnvVarSource(field_ref=path))
    container.env = [*container.env, variable]


def _give_failures(pod: Pod, after: Pod | None, *, counted: bool) -> None:
    failures = failures_of(after) if after else 0
    ignored = failures_of(after, IGNORED_FAILURES) if after else 0
    if after is not None:
        failures, ignored = (failures + 1, ignored) if counted else (failures, ignored + 1)
    pod.metadata.annotations[FAILURES] = str(failures)
    if ignored:
        pod.metadata.annotations[IGNORED_FAILURES] = str(ignored)


def surplus(job: Job, active: Iterable[Pod], count: int) -> list[Pod]:
    """Return which active pods to delete: the redundant ones, and at least *count*.

    Those that have done the least go first. In an Indexed Job, a pod whose index is missing or
    taken is redundant.
    """
    useless: list[Pod] = []
    useful: list[Pod] = []
    seen: set[int] = set()
    for pod in sorted(active, key=_worth, reverse=True):
        index = index_of(pod)
        if job.spec.completion_mode != "Indexed":
            useful.append(pod)
        elif index is None or index >= (job.spec.completions or 0) or index in seen:
            useless.append(pod)
        else:
            seen.add(index)
            useful.append(pod)
    return [*useless, *reversed(useful)][: max(count, len(useless))]


def _worth(pod: Pod) -> tuple[bool, bool, bool, float, str]:
    """Return how much is lost with *pod*; the oldest is worth the most."""
    made = pod.metadata.creation_timestamp or _EPOCH
    return (
        bool(pod.spec.node_name),
        pod.status.phase == "Running",
        is_ready(pod),
        -made.timestamp(),
        pod.metadata.name or "",
    )
