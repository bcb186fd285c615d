"""Jobs and pods to try things with."""

from typing import Any

import kubewright as kw
from kubewright.kinds.batch.v1 import Job, JobSpec
from kubewright.kinds.core.v1 import (
    Container,
    ContainerState,
    ContainerStateTerminated,
    ContainerStatus,
    Pod,
    PodCondition,
    PodSpec,
    PodStatus,
    PodTemplateSpec,
)


def job(name: str = "pi", *, restart: str = "Never", **spec: Any) -> Job:
    pod = PodSpec(restart_policy=restart, containers=[Container(name="main", image="busybox")])
    return Job(
        metadata=kw.ObjectMeta(name=name),
        spec=JobSpec(template=PodTemplateSpec(spec=pod), **spec),
    )


def indexed(count: int, **spec: Any) -> Job:
    options = {"completion_mode": "Indexed", "completions": count, "parallelism": count, **spec}
    return job(**options)


def stored(one: Job) -> Job:
    """Return *one* as if a server had it."""
    one.metadata.uid, one.metadata.namespace = "job-uid", "default"
    return one


def conditions(one: Job) -> list[tuple[str, str, str | None]]:
    return [(each.type, each.status, each.reason) for each in one.status.conditions]


def failed(
    name: str = "a",
    *,
    code: int = 1,
    condition: str = "",
    annotations: dict[str, str] | None = None,
) -> Pod:
    """Return a pod that has failed."""
    ended = ContainerState(terminated=ContainerStateTerminated(exit_code=code))
    container = ContainerStatus(
        name="main", image="", image_id="", ready=False, restart_count=0, state=ended
    )
    known = [PodCondition(type=condition, status="True")] if condition else []
    return Pod(
        metadata=kw.ObjectMeta(
            name=name, namespace="default", uid=f"uid-{name}", annotations=annotations or {}
        ),
        status=PodStatus(phase="Failed", container_statuses=[container], conditions=known),
    )
