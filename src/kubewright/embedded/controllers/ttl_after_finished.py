"""`ttl_after_finished_controller`: deletes finished Jobs after their time to live."""

from datetime import datetime, timedelta

from kubewright.cluster import Cluster
from kubewright.controller import Controller, For, Request, Result, Run, resource_version_changed
from kubewright.embedded.controllers.job.conditions import COMPLETE, FAILED
from kubewright.errors import ConflictError
from kubewright.kinds.batch.v1 import Job

__all__ = ["ttl_after_finished_controller"]

WORKERS: int = 5


def ttl_after_finished_controller(cluster: Cluster) -> Controller:
    """Return the controller that deletes Jobs ``ttlSecondsAfterFinished`` after their end."""
    jobs = cluster.cache.informer(Job).store

    async def reconcile(request: Request, run: Run) -> Result | None:
        job = jobs.find(request.key)
        due = None if job is None else expiry(job)
        if job is None or due is None or job.metadata.deletion_timestamp is not None:
            return None
        left = (due - cluster.clock.now()).total_seconds()
        if left > 0:
            return Result(requeue_after=left)
        try:
            # Only this version: somebody may just have asked for a longer time.
            await cluster.client.delete(
                job,
                propagation="Foreground",
                uid=job.metadata.uid,
                resource_version=job.metadata.resource_version,
                missing_ok=True,
            )
        except ConflictError:
            return Result(requeue=True)
        run.changed = True
        return None

    return Controller(
        "ttl-after-finished",
        reconcile,
        cluster=cluster,
        for_=For(Job, predicate=resource_version_changed),  # the end is a change of the status
        workers=WORKERS,
    )


def expiry(job: Job) -> datetime | None:
    """Return when to delete *job*; ``None`` if it has not ended, or has no time to live."""
    seconds = job.spec.ttl_seconds_after_finished
    if seconds is None:
        return None
    for one in job.status.conditions:
        ended = one.last_transition_time
        if one.type in {COMPLETE, FAILED} and one.status == "True" and ended is not None:
            return ended + timedelta(seconds=seconds)
    return None
