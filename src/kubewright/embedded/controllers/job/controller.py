"""`job_controller`: runs each Job until it is complete or has failed."""

from kubewright.api.kind import ObjectKey
from kubewright.api.selectors import selector_from
from kubewright.cache.entry import Entry, Event
from kubewright.cluster import Cluster
from kubewright.controller import (
    Controller,
    For,
    Owns,
    Request,
    Result,
    Run,
    Watches,
    resource_version_changed,
)
from kubewright.embedded.controllers.batch import is_ending_namespace
from kubewright.embedded.controllers.dependents import controller_in, dependents_of
from kubewright.embedded.controllers.job.conditions import is_finished
from kubewright.embedded.controllers.job.turn import Tools, Turn
from kubewright.embedded.controllers.selection import Selectors
from kubewright.errors import ForbiddenError
from kubewright.kinds.batch.v1 import Job
from kubewright.kinds.core.v1 import Pod

__all__ = ["job_controller"]

OURS: str = "kubernetes.io/job-controller"
"""The ``managedBy`` of our Jobs."""
WORKERS: int = 5


def job_controller(cluster: Cluster) -> Controller:
    """Return the controller that runs the pods of Jobs."""
    jobs = Jobs(cluster)
    selectors = Selectors(cluster, Job, lambda one: selector_from(one.spec.selector))
    return Controller(
        "job",
        jobs.reconcile,
        cluster=cluster,
        for_=For(Job, predicate=resource_version_changed),
        owns=[Owns(Pod)],
        watches=[Watches(Pod, map=selectors.matching, predicate=selectors.concern_orphan)],
        workers=WORKERS,
    )


class _PodsByJob:
    """Finds the pods of a Job by its name: those of an earlier Job of that name are among them."""

    def __init__(self, cluster: Cluster) -> None:
        informer = cluster.cache.informer(Pod, sharded=False)
        self._store = informer.store
        self._keys: dict[ObjectKey, dict[ObjectKey, None]] = {}
        informer.add_handler(self._note_event)

    def entries(self, job: ObjectKey) -> list[Entry[Pod]]:
        """Return the pods that Jobs called *job* control."""
        found = map(self._store.find_entry, self._keys.get(job, ()))
        return [one for one in found if one is not None and _job_of(one) == job]

    def _note_event(self, event: Event[Pod]) -> None:
        before, after = (_job_of(one) if one else None for one in (event.old, event.new))
        if before is not None and before != after and (known := self._keys.get(before)):
            known.pop(event.key, None)
            if not known:
                del self._keys[before]
        if after is not None:
            self._keys.setdefault(after, {})[event.key] = None


def _job_of(pod: Entry[Pod]) -> ObjectKey | None:
    owner = controller_in(pod)
    if owner is None or owner.kind != "Job" or not owner.api_version.startswith("batch/"):
        return None
    return ObjectKey(pod.key.namespace, owner.name)


class Jobs:
    """Reconciles Jobs, and remembers how often each has failed in a row."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._jobs = cluster.cache.informer(Job).store
        self._pods = cluster.cache.informer(Pod, sharded=False).store
        self._by_job = _PodsByJob(cluster)
        self._dependents = dependents_of(cluster, Pod)
        self._tools = Tools(cluster)
        self._control = self._tools.control

    async def reconcile(self, request: Request, run: Run) -> Result | None:
        """Reconcile one Job."""
        job = self._jobs.find(request.key)
        await self._release_orphans(request.key, job)
        if job is None or (job.spec.managed_by or OURS) != OURS:
            return None
        if is_finished(job):
            self._tools.backoffs.pop(job.metadata.uid, None)
            return None
        turn = Turn(self._tools, job, await self._claim_pods(job))
        try:
            await turn.take()
        except ForbiddenError as error:
            if not is_ending_namespace(error):
                raise
            return None
        finally:
            run.changed = turn.changed
        return None if turn.again is None else Result(requeue_after=turn.again)

    async def _release_orphans(self, key: ObjectKey, job: Job | None) -> None:
        """Remove the finalizers of pods whose Job is finished or gone."""
        uid = job.metadata.uid if job is not None and not is_finished(job) else ""
        found = self._by_job.entries(key)
        orphans = [one for one in found if (by := controller_in(one)) and by.uid != uid]
        await self._control.untrack(entry.object for entry in orphans)

    async def _claim_pods(self, job: Job) -> list[Pod]:
        """Adopt and release pods as needed, and return those of *job*."""
        selector = selector_from(job.spec.selector)
        leaving = job.metadata.deletion_timestamp is not None
        found: list[Pod] = []
        for entry in self._dependents.owned_by(job.metadata.uid):
            if leaving or selector.matches(entry.labels):
                found.append(entry.object)
            else:
                await self._control.release(job, entry.object)
        if leaving:
            return found
        strays = [
            entry
            for entry in self._dependents.orphans(job.metadata.namespace)
            if not entry.deleting and selector.matches(entry.labels)
        ]
        if strays and await self._is_there(job):
            for entry in strays:
                await self._control.adopt(job, entry.object)
                adopted = self._pods.find(entry.key)
                found += [adopted] if adopted is not None else []
        return found

    async def _is_there(self, job: Job) -> bool:
        # Asks the server: the cache may not know yet that it is being deleted.
        fresh = await self._cluster.live.find(Job, job.key)
        return (
            fresh is not None
            and fresh.metadata.uid == job.metadata.uid
            and fresh.metadata.deletion_timestamp is None
        )
