"""`cronjob_controller`: creates a Job whenever the schedule of a CronJob says so."""

from copy import deepcopy
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from zoneinfo import ZoneInfo

from kubewright.api.kind import ObjectKey
from kubewright.api.meta import ObjectMeta
from kubewright.api.owners import is_controlled_by, owner_reference
from kubewright.api.times import to_seconds
from kubewright.cluster import Cluster
from kubewright.controller import (
    Controller,
    For,
    Request,
    Result,
    Run,
    resource_version_changed,
)
from kubewright.embedded.controllers.batch import is_ending_namespace, said
from kubewright.embedded.controllers.dependents import dependents_of
from kubewright.embedded.controllers.job.conditions import COMPLETE, FAILED
from kubewright.embedded.controllers.schedule import Every, Schedule, parse_schedule
from kubewright.errors import AlreadyExistsError, APIError
from kubewright.kinds.batch.v1 import CronJob, Job
from kubewright.kinds.core.v1 import ObjectReference

__all__ = ["cronjob_controller"]

COMPONENT: str = "cronjob-controller"
SCHEDULED: str = "batch.kubernetes.io/cronjob-scheduled-timestamp"
TOO_MANY: int = 100
"""More missed start times than this are reported in an event."""
WORKERS: int = 5


def cronjob_controller(cluster: Cluster) -> Controller:
    """Return the controller that creates the Jobs of CronJobs."""
    jobs = CronJobs(cluster)
    return Controller(
        "cronjob",
        jobs.reconcile,
        cluster=cluster,
        for_=For(CronJob, predicate=resource_version_changed),
        owns=[Job],
        workers=WORKERS,
    )


class CronJobs:
    """Reconciles CronJobs; it keeps no state outside of them and their Jobs."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._store = cluster.cache.informer(CronJob).store
        self._jobs = dependents_of(cluster, Job)
        self._recorder = cluster.recorder(COMPONENT)

    async def reconcile(self, request: Request, run: Run) -> Result | None:
        """Reconcile one CronJob: delete old Jobs, start what is due, requeue for the next time."""
        cron = self._store.find(request.key)
        if cron is None:
            return None
        before = deepcopy(cron.status)
        jobs = [entry.object for entry in self._jobs.owned_by(cron.metadata.uid)]
        await self._delete_finished(cron, jobs)
        self._note_ended(cron, jobs)
        if cron.metadata.deletion_timestamp is not None or cron.spec.suspend:
            await self._write(cron, before, run)
            return None
        schedule = self._schedule(cron)
        if schedule is None:
            await self._write(cron, before, run)
            return None
        try:
            await self._start_what_is_due(cron, schedule)
        finally:
            await self._write(cron, before, run)
        now = self._cluster.clock.now()
        following = self._following(cron, schedule, now)
        return None if following is None else Result(requeue_after=following - now)

    def _following(self, cron: CronJob, schedule: Schedule, now: datetime) -> datetime | None:
        if isinstance(schedule, Every):  # counts from the last time, not from now
            since = cron.status.last_schedule_time or cron.metadata.creation_timestamp or now
            periods = max(0, (now - since) // schedule.period)
            return since + schedule.period * (periods + 1)
        return schedule.after(now)

    async def _write(self, cron: CronJob, before: object, run: Run) -> None:
        if cron.status != before:
            run.changed = True
            await self._cluster.client.status.update(cron)

    # --- What has ended ---

    async def _delete_finished(self, cron: CronJob, jobs: list[Job]) -> None:
        """Delete all but the latest finished Jobs."""
        spec = cron.spec
        limits = {
            COMPLETE: spec.successful_jobs_history_limit,
            FAILED: spec.failed_jobs_history_limit,
        }
        for end, limit in limits.items():
            finished = sorted((one for one in jobs if _end(one) == end), key=_began)
            for job in finished[: max(0, len(finished) - limit)] if limit is not None else ():
                await self._delete(cron, job)
                jobs.remove(job)

    async def _delete(self, cron: CronJob, job: Job) -> None:
        client = self._cluster.client
        try:
            await client.delete(
                job, propagation="Background", uid=job.metadata.uid, missing_ok=True
            )
        except APIError as error:
            self._warn(cron, "FailedDelete", f"Error deleting job: {said(error)}")
            raise
        self._tell(cron, "SuccessfulDelete", f"Deleted job {job.metadata.name}")
        _remove_active(cron, job.metadata.uid)

    def _note_ended(self, cron: CronJob, jobs: list[Job]) -> None:
        """Keep ``status.active`` and the last success in step with the Jobs."""
        known = {job.metadata.uid for job in jobs}
        active = {one.uid for one in cron.status.active}
        for job in jobs:
            end, name = _end(job), job.metadata.name
            if not end and job.metadata.uid not in active:
                text = f"Saw a job that the controller did not create or forgot: {name}"
                self._warn(cron, "UnexpectedJob", text)
            elif end and job.metadata.uid in active:
                _remove_active(cron, job.metadata.uid)
                text = f"Saw completed job: {name}, condition: {end}"
                self._tell(cron, "SawCompletedJob", text)
            ended, last = job.status.completion_time, cron.status.last_successful_time
            if end == COMPLETE and ended is not None and (last is None or last < ended):
                cron.status.last_successful_time = ended
        for one in cron.status.active:
            if one.uid not in known:
                _remove_active(cron, one.uid)
                self._tell(cron, "MissingJob", f"Active job went missing: {one.name}")

    # --- What is due ---

    def _schedule(self, cron: CronJob) -> Schedule | None:
        """Return the schedule; ``None`` if it is invalid, after an event that says why."""
        text, zone = cron.spec.schedule, cron.spec.time_zone
        try:
            return parse_schedule(text, zone)
        except ValueError as error:
            if "time zone" in str(error):
                message = f'invalid timeZone: "{zone}": {error}'
                self._warn(cron, "UnknownTimeZone", message)
            else:
                self._warn(cron, "UnparseableSchedule", f'unparseable schedule: "{text}" : {error}')
            return None

    async def _start_what_is_due(self, cron: CronJob, schedule: Schedule) -> None:
        due = self._due(cron, schedule)
        if due is None or due == cron.status.last_schedule_time:
            return
        limit = cron.spec.starting_deadline_seconds
        if limit is not None and due + timedelta(seconds=limit) < self._cluster.clock.now():
            text = f"Missed scheduled time to start a job: {format_datetime(due)}"
            self._warn(cron, "MissSchedule", text)
            return
        if cron.spec.concurrency_policy == "Forbid" and cron.status.active:
            text = (
                "Not starting job because prior execution is running and concurrency policy is"
                " Forbid"
            )
            self._tell(cron, "JobAlreadyActive", text)
            return
        if cron.spec.concurrency_policy == "Replace":
            await self._replace(cron)
        await self._start(cron, due)

    def _due(self, cron: CronJob, schedule: Schedule) -> datetime | None:
        """Return the latest start time since the last run; earlier ones count as missed."""
        now = self._cluster.clock.now()
        since = cron.status.last_schedule_time or cron.metadata.creation_timestamp or now
        limit = cron.spec.starting_deadline_seconds
        if limit is not None:
            since = max(since, now - timedelta(seconds=limit))
        if schedule.after(since) is None:
            text = "time difference between two schedules is less than 1 second"
            self._warn(cron, "InvalidSchedule", f"invalid schedule: {cron.spec.schedule} : {text}")
            return None
        found, missed = latest(schedule, since, now)
        if missed > TOO_MANY:
            text = (
                "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or"
                " check clock skew"
            )
            self._warn(cron, "TooManyMissedTimes", text)
        return found

    async def _replace(self, cron: CronJob) -> None:
        for one in list(cron.status.active):
            job = self._jobs.find(ObjectKey(cron.metadata.namespace, one.name or ""))
            if job is None or job.metadata.uid != one.uid:  # gone, or another of the same name
                _remove_active(cron, one.uid)
            else:
                await self._delete(cron, job)

    async def _start(self, cron: CronJob, due: datetime) -> None:
        job = job_for(cron, due)
        try:
            made = await self._cluster.client.create(job)
        except AlreadyExistsError:
            made = await self._cluster.live.get(Job, job.key)
            if not is_controlled_by(made, cron):
                raise
        except APIError as error:
            if not is_ending_namespace(error):
                self._warn(cron, "FailedCreate", f"Error creating job: {said(error)}")
                raise
            return
        else:
            self._tell(cron, "SuccessfulCreate", f"Created job {made.metadata.name}")
        if not _end(made):
            cron.status.active = [*cron.status.active, _reference(made)]
        cron.status.last_schedule_time = to_seconds(due)

    def _tell(self, cron: CronJob, reason: str, message: str) -> None:
        self._recorder.event(cron, reason=reason, message=message)

    def _warn(self, cron: CronJob, reason: str, message: str) -> None:
        self._recorder.event(cron, type="Warning", reason=reason, message=message)


def latest(schedule: Schedule, since: datetime, now: datetime) -> tuple[datetime | None, int]:
    """Return the last time of *schedule* after *since* until *now*, and how many there were.

    After a long pause, not every time is computed: the distance of the first two tells about
    where the last ones are.
    """
    first = schedule.after(since)
    if first is None or first > now:
        return None, 0
    second = schedule.after(first)
    if second is None or second > now:
        return first, 1
    period = max((second - first).total_seconds(), 1.0)
    missed = int((now - first).total_seconds() // period) + 1
    found, count = first, 1
    if missed > 2 * TOO_MANY:
        jump = now - timedelta(seconds=period * TOO_MANY)
        found, count = schedule.after(jump) or first, missed - TOO_MANY
        if found > now:  # the times are not evenly spread: count them all
            found, count = first, 1
    while (following := schedule.after(found)) is not None and following <= now:
        found, count = following, count + 1
    return found, count


def job_for(cron: CronJob, due: datetime) -> Job:
    """Return the Job of *cron* for the time *due*; the same time gives the same name."""
    template = cron.spec.job_template
    zone = ZoneInfo(cron.spec.time_zone) if cron.spec.time_zone else UTC
    stamp = due.astimezone(zone).isoformat(timespec="seconds").replace("+00:00", "Z")
    return Job(
        metadata=ObjectMeta(
            name=f"{cron.metadata.name}-{int(due.timestamp()) // 60}",
            namespace=cron.metadata.namespace,
            labels=dict(template.metadata.labels),
            annotations={**template.metadata.annotations, SCHEDULED: stamp},
            owner_references=[owner_reference(cron)],
        ),
        spec=deepcopy(template.spec),
    )


def _reference(job: Job) -> ObjectReference:
    meta = job.metadata
    return ObjectReference(
        api_version="batch/v1",
        kind="Job",
        name=meta.name,
        namespace=meta.namespace,
        uid=meta.uid,
        resource_version=meta.resource_version,
    )


def _remove_active(cron: CronJob, uid: str | None) -> None:
    cron.status.active = [one for one in cron.status.active if one.uid != uid]


def _end(job: Job) -> str:
    """Return how *job* has ended: ``Complete``, ``Failed``, or empty if it has not."""
    for one in job.status.conditions:
        if one.type in {COMPLETE, FAILED} and one.status == "True":
            return one.type
    return ""


def _began(job: Job) -> tuple[float, str]:
    time = job.status.start_time or job.metadata.creation_timestamp
    return (time.timestamp() if time else 0.0, job.metadata.name)
