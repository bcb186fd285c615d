"""The Jobs of a CronJob: which there are, and the one that a run is."""

from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime

import kubewright as kw
from kubewright.kinds.batch.v1 import Job
from kubewright.kinds.core.v1 import ObjectReference
from v1 import GROUP, CronJob

SCHEDULED_AT = f"{GROUP}/scheduled-at"


@dataclass(frozen=True)
class Jobs:
    """The Jobs of a CronJob, the oldest first."""

    active: list[Job]
    succeeded: list[Job]
    failed: list[Job]

    @classmethod
    def sort(cls, jobs: Iterable[Job]) -> "Jobs":
        """Sort *jobs* by time, and by how they ended."""
        found = cls([], [], [])
        for job in sorted(jobs, key=order_of):
            ends = {one.type for one in job.status.conditions if one.status == "True"}
            if "Complete" in ends:
                found.succeeded.append(job)
            elif "Failed" in ends:
                found.failed.append(job)
            else:
                found.active.append(job)
        return found


def order_of(job: Job) -> tuple[datetime, str]:
    """Return what to sort Jobs by."""
    made = job.metadata.creation_timestamp or datetime.max.replace(tzinfo=UTC)
    return scheduled_at(job) or made, job.metadata.name


def scheduled_at(job: Job) -> datetime | None:
    """Return the time, by the schedule, of a Job; ``None`` if it is not one of ours."""
    try:
        time = datetime.fromisoformat(job.metadata.annotations[SCHEDULED_AT])
    except (KeyError, ValueError):
        return None
    return time if time.tzinfo else None


def job_for(cronjob: CronJob, due: datetime) -> Job:
    """Return the Job of one run. Its name comes from the time, so that no run has two."""
    template = cronjob.spec.job_template
    time = f"{due:%Y-%m-%dT%H:%M:%SZ}"
    return Job(
        metadata=kw.ObjectMeta(
            name=f"{cronjob.metadata.name}-{int(due.timestamp())}",
            labels=dict(template.metadata.labels),
            annotations={**template.metadata.annotations, SCHEDULED_AT: time},
        ),
        spec=deepcopy(template.spec),
    )


def reference(job: Job) -> ObjectReference:
    """Return what the status says of a Job that runs."""
    meta = job.metadata
    return ObjectReference(
        api_version="batch/v1", kind="Job", name=meta.name, namespace=meta.namespace, uid=meta.uid
    )
