"""`Turn`: one reconcile of one Job."""

from collections.abc import Iterable
from copy import deepcopy

from kubewright.api.times import to_seconds
from kubewright.client.events import EventRecorder
from kubewright.cluster import Cluster
from kubewright.embedded.controllers.batch import LARGEST
from kubewright.embedded.controllers.job.conditions import (
    COMPLETE,
    SUSPENDED,
    end_of,
    verdict,
    with_condition,
)
from kubewright.embedded.controllers.job.control import JobPodControl
from kubewright.embedded.controllers.job.indexes import first_pending
from kubewright.embedded.controllers.job.pods import (
    finish_time,
    pod_for,
    replaces_only_failed,
    surplus,
)
from kubewright.embedded.controllers.job.policy import Backoff, delay_after
from kubewright.embedded.controllers.job.sync import Look, all_failures, count_ended, note_start
from kubewright.errors import KubewrightError
from kubewright.kinds.batch.v1 import Job, JobCondition
from kubewright.kinds.core.v1 import Pod

__all__ = ["Tools", "Turn"]

COMPONENT: str = "job-controller"


class Tools:
    """What every `Turn` uses.

    Attributes:
        control: Creates and deletes pods.
        recorder: Writes events.
        backoffs: How often each Job has failed in a row, by its uid.
    """

    def __init__(self, cluster: Cluster) -> None:
        self.cluster: Cluster = cluster
        self.recorder: EventRecorder = cluster.recorder(COMPONENT)
        self.control: JobPodControl = JobPodControl(cluster.client, self.recorder)
        self.backoffs: dict[str, Backoff] = {}


class Turn:
    """One reconcile of one Job.

    Attributes:
        again: In how many seconds to reconcile again, if nothing changes before.
        changed: Whether anything was written.
    """

    def __init__(self, tools: Tools, job: Job, pods: Iterable[Pod]) -> None:
        self._client = tools.cluster.client
        self._clock = tools.cluster.clock
        self._control = tools.control
        self._recorder = tools.recorder
        self._backoffs = tools.backoffs
        self._stored = deepcopy(job.status)
        self.job: Job = job
        self.again: float | None = None
        self.changed: bool = False
        now = self._clock.now()
        note_start(job, now)
        backoff = self._backoffs.get(job.metadata.uid, Backoff())
        self.look: Look = Look(job, pods, now=now, backoff=backoff)

    async def take(self) -> None:
        """Create or delete pods, and write the status, even if the server refuses pods.

        Raises:
            KubewrightError: The server refused something; try again.
        """
        look = self.look
        problem: KubewrightError | None = None
        target = look.decide()
        if target is not None:
            await self._end_pods()
        else:
            leaving = self.job.metadata.deletion_timestamp is not None
            problem = None if leaving else await self._manage()
            if look.is_complete:
                target = look.completed()
            elif not leaving:
                self._note_suspension()
        look.describe()
        await self._track(target)
        if problem is not None:
            raise problem
        if target is None and (deadline := look.deadline) is not None:
            self._look_again(deadline)

    # --- Pods ---

    async def _end_pods(self) -> None:
        active = self.look.active
        if active:
            self.changed = True
            await self._control.delete(self.job, active, counted=True)
            self.look.terminating += len(active)
            self.look.active = []

    async def _manage(self) -> KubewrightError | None:
        """Create or delete pods until the wanted number is active; return the error, if any."""
        try:
            await self._balance()
        except KubewrightError as error:
            return error
        return None

    async def _balance(self) -> None:
        look, job = self.look, self.job
        active = len(look.active)
        wanted = 0 if job.spec.suspend else look.wanted
        too_many = surplus(job, look.active, active if job.spec.suspend else active - wanted)
        if too_many:
            await self._remove(too_many[:LARGEST])
            return
        busy = look.terminating if replaces_only_failed(job) else 0
        missing = min(wanted - active - busy, LARGEST)
        if missing > 0:
            await self._add(missing)

    async def _remove(self, pods: list[Pod]) -> None:
        self.changed = True
        await self._control.delete(self.job, pods, counted=False)
        gone = {pod.metadata.uid for pod in pods}
        look = self.look
        look.active = [pod for pod in look.active if pod.metadata.uid not in gone]
        look.tracked = [pod for pod in look.tracked if pod.metadata.uid not in gone]
        look.terminating += len(pods)

    async def _add(self, count: int) -> None:
        look, job = self.look, self.job
        wait = 0.0 if look.per_index else look.backoff.remaining(look.now)
        if wait > 0:
            self._look_again(wait)
            return
        if look.is_indexed:
            pods = self._indexed_pods(count)
        else:
            pods = [pod_for(job) for _ in range(count)]
        if pods:
            self.changed = True
            await self._control.create(job, pods)
            look.active = [*look.active, *pods]

    def _indexed_pods(self, count: int) -> list[Pod]:
        look, job = self.look, self.job
        made: list[Pod] = []
        for index in first_pending(count, job.spec.completions or 0, busy=look.busy):
            before = look.delayed.get(index)
            if before is None:
                made.append(pod_for(job, index))
                continue
            wait = delay_after(all_failures(before) + 1, finish_time(before), look.now)
            if wait > 0:
                self._look_again(wait)
                continue
            counted = look.verdicts[before.metadata.uid].counts
            made.append(pod_for(job, index, after=before, counted=counted))
            del look.delayed[index]  # the new pod takes over its counts
        return made

    # --- Status ---

    def _note_suspension(self) -> None:
        job, now = self.job, self.look.now
        if job.spec.suspend:
            new = verdict(SUSPENDED, "JobSuspended", "Job suspended", now)
        else:
            new = verdict(SUSPENDED, "JobResumed", "Job resumed", now)
            new.status = "False"
        changed = with_condition(job.status.conditions, new)
        if changed is None:
            return
        job.status.conditions = changed
        reason = "Suspended" if job.spec.suspend else "Resumed"
        self._recorder.event(job, reason=reason, message=new.message or "")
        if not job.spec.suspend:
            job.status.start_time = to_seconds(now)  # so that the deadline starts again

    async def _track(self, target: JobCondition | None) -> None:
        """Count the pods that have ended, and end the Job if that is decided and all are gone."""
        look, job = self.look, self.job
        free = look.settle(target=target)
        if target is not None:
            changed = with_condition(job.status.conditions, target)
            job.status.conditions = changed or job.status.conditions
        if free:
            await self._write()  # before the finalizers go, or a crash would lose the pods
            await self._control.untrack(free)
            self._backoffs[job.metadata.uid] = look.backoff
            job = self.job
            gone = {pod.metadata.uid for pod in free}
            count_ended(job, [pod for pod in look.tracked if pod.metadata.uid not in gone])
            if look.is_indexed:
                job.status.succeeded = len(look.done) or None
        end = self._end(target)
        await self._write()
        if end is not None:
            self._tell(end)

    def _end(self, target: JobCondition | None) -> JobCondition | None:
        """Write the end of the Job into its status; ``None`` while pods have yet to end."""
        status = self.job.status
        uncounted = status.uncounted_terminated_pods
        if target is None or status.terminating or status.active:
            return None
        if uncounted is not None and (uncounted.succeeded or uncounted.failed):
            return None
        end = end_of(target, self._clock.now())
        status.conditions = with_condition(status.conditions, end) or status.conditions
        if end.type == COMPLETE:
            status.completion_time = end.last_transition_time
        return end

    async def _write(self) -> None:
        status = self.job.status
        if status == self._stored:
            return
        self.changed = True
        written = await self._client.status.update(self.job)
        written.status = status  # old servers do not keep all of it
        self._stored = deepcopy(status)
        self.job = self.look.job = written

    def _tell(self, end: JobCondition) -> None:
        job = self.job
        if end.type != COMPLETE:
            self._recorder.event(
                job, type="Warning", reason=end.reason or "", message=end.message or ""
            )
            return
        wanted = job.spec.completions
        if wanted is not None and (job.status.succeeded or 0) > wanted:
            text = "Too many succeeded pods running after completion count reached"
            self._recorder.event(job, type="Warning", reason="TooManySucceededPods", message=text)
        self._recorder.event(job, reason="Completed", message="Job completed")

    def _look_again(self, seconds: float) -> None:
        self.again = seconds if self.again is None else min(self.again, seconds)
