"""Run Jobs by a schedule: the CronJob of kubebuilder's tutorial, with all of its webhooks."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import kubewright as kw
import v2
from jobs import Jobs, job_for, reference, scheduled_at
from kubewright.kinds.batch.v1 import Job
from schedule import Schedule, ScheduleError, fields_of, missed, parse
from v1 import CronJob, CronJobSpec

LONGEST_NAME = 63 - len("-1767225600")
"""Jobs are named after the CronJob and the time, and their pods have that name as a label."""
TOO_MANY = 100
"""With more missed runs than this, something is wrong: the clock, or the schedule."""
SOON = timedelta(milliseconds=1)
ANY_DAY = datetime(2000, 1, 1, tzinfo=UTC)
PARTS = ("minute", "hour", "day_of_month", "month", "day_of_week")

operator = kw.Operator("cronjob")


# --- Defaults ---


@operator.defaulter(CronJob)
def set_defaults(cronjob: CronJob) -> None:
    """Fill in what was not given."""
    spec = cronjob.spec
    if spec.concurrency_policy is None:
        spec.concurrency_policy = "Allow"
    if spec.suspend is None:
        spec.suspend = False
    if spec.successful_jobs_history_limit is None:
        spec.successful_jobs_history_limit = 3
    if spec.failed_jobs_history_limit is None:
        spec.failed_jobs_history_limit = 1


# --- Checks ---


@operator.validator(CronJob)
def check(cronjob: CronJob, ctx: kw.AdmissionContext[CronJob]) -> None:
    """Refuse what no schema can refuse, and warn of what was probably not meant.

    What an object had before is not refused: it may be older than this check.
    """
    if ctx.old is None and len(cronjob.metadata.name) > LONGEST_NAME:
        ctx.refuse("metadata.name", f"must be no more than {LONGEST_NAME} characters")
    try:
        schedule = parse(cronjob.spec.schedule)
    except ScheduleError as error:
        if ctx.old is None or ctx.old.spec.schedule != cronjob.spec.schedule:
            ctx.refuse("spec.schedule", str(error))
        return
    for text in doubts(cronjob.spec, schedule):
        ctx.warn(text)


def doubts(spec: CronJobSpec, schedule: Schedule) -> Iterator[str]:
    """Yield what is allowed, and probably not what was meant."""
    if schedule.next(ANY_DAY) is None:
        yield f"spec.schedule: {spec.schedule!r} never comes: no month has that day"
    if schedule.either_day:
        yield (
            f"spec.schedule: {spec.schedule!r} has a day of the month and a day of the week:"
            " it runs on each day that is one of them, not only on those that are both"
        )
    if schedule.each_minute and spec.concurrency_policy == "Allow":
        yield (
            "spec.concurrencyPolicy: Allow, and a run each minute: runs that take longer pile up."
            " Forbid or Replace prevent that"
        )


# --- Between the versions ---

conversion = operator.conversion(CronJob, keep_lost_fields=True)


@conversion.to_hub(v2.CronJob)
def to_v1(new: v2.CronJob) -> CronJob:
    """Return a v2 object as v1."""
    spec = CronJobSpec(schedule=text_of(new.spec.schedule), **common_fields(new.spec))
    return CronJob(spec=spec, status=new.status)


@conversion.from_hub(v2.CronJob)
def from_v1(hub: CronJob) -> v2.CronJob:
    """Return a v1 object as v2."""
    spec = v2.CronJobSpec(schedule=schedule_of(hub.spec.schedule), **common_fields(hub.spec))
    return v2.CronJob(spec=spec, status=hub.status)


def common_fields(spec: CronJobSpec | v2.CronJobSpec) -> dict[str, Any]:
    """Return the fields that both versions have."""
    return {name: getattr(spec, name) for name in spec.__struct_fields__ if name != "schedule"}


def text_of(schedule: v2.CronSchedule) -> str:
    """Return the text that five fields are in v1."""
    return " ".join(getattr(schedule, part) or "*" for part in PARTS)


def schedule_of(text: str) -> v2.CronSchedule:
    """Return the fields that a text is in v2; a star is what is not given.

    A text without five fields, which nothing but an old object has, is shown as the minute. It is
    not valid there either, and nobody takes it for a schedule that runs.
    """
    try:
        words = fields_of(text)
    except ScheduleError:
        return v2.CronSchedule(minute=text)
    return v2.CronSchedule(
        **{part: word for part, word in zip(PARTS, words, strict=True) if word != "*"}
    )


# --- Runs ---


@operator.reconciler(CronJob, owns=[kw.Owns(Job, verbs=["create", "delete"])])
async def reconcile(cronjob: CronJob, ctx: kw.Context) -> kw.Result | None:
    """Show what runs, delete old Jobs, start the run that is due, and wait for the next one."""
    now = ctx.now()
    jobs = Jobs.sort(ctx.children(Job))
    await clean_up(cronjob, ctx, jobs)
    note_started(cronjob, *map(scheduled_at, [*jobs.active, *jobs.succeeded, *jobs.failed]))
    cronjob.status.active = [reference(job) for job in jobs.active]
    if cronjob.spec.suspend:
        tell(cronjob, ctx, "Suspended", "spec.suspend is true", available=False)
        return None
    try:
        schedule = parse(cronjob.spec.schedule)
    except ScheduleError as error:
        tell(cronjob, ctx, "InvalidSchedule", str(error), available=False, warning=True)
        return None
    following = schedule.next(now)
    if following is None:
        text = f"no day is like {cronjob.spec.schedule!r}"
        tell(cronjob, ctx, "NeverDue", text, available=False, warning=True)
        return None
    due, count = missed(schedule, last_run(cronjob, now), now, most=TOO_MANY)
    if due is None:
        tell(cronjob, ctx, "Waiting", "waiting for the next run")
    elif may_start(cronjob, ctx, due, jobs.active):
        await start(cronjob, ctx, due, jobs.active, too_many=count > TOO_MANY)
    # What was done may have taken until after the next time, which must not be left out.
    return kw.Result(requeue_after=max(following - ctx.now(), SOON))


async def clean_up(cronjob: CronJob, ctx: kw.Context, jobs: Jobs) -> None:
    """Delete the oldest of the Jobs that have ended, down to the limits."""
    spec, recorded = cronjob.spec, cronjob.status.last_schedule_time
    for ended, limit in (
        (jobs.succeeded, spec.successful_jobs_history_limit),
        (jobs.failed, spec.failed_jobs_history_limit),
    ):
        surplus = 0 if limit is None else max(0, len(ended) - limit)
        for job in ended[:surplus]:
            time = scheduled_at(job)
            # Only its Job tells of a run that the status does not know of yet. If we were killed
            # after deleting that, the run would be started again.
            if time is None or (recorded is not None and time <= recorded):
                await delete(ctx, job)


async def delete(ctx: kw.Context, job: Job) -> None:
    """Delete a Job and its pods; fine if it is gone."""
    if job.metadata.deletion_timestamp is None:
        uid = job.metadata.uid or ""
        await ctx.client.delete(job, propagation="Background", uid=uid, missing_ok=True)


def note_started(cronjob: CronJob, *times: datetime | None) -> None:
    """Move the time of the last run on; never back, even if its Job was deleted."""
    known = [time for time in (cronjob.status.last_schedule_time, *times) if time is not None]
    cronjob.status.last_schedule_time = max(known, default=None)


def last_run(cronjob: CronJob, now: datetime) -> datetime:
    """Return the time after which runs count."""
    return cronjob.status.last_schedule_time or cronjob.metadata.creation_timestamp or now


def may_start(cronjob: CronJob, ctx: kw.Context, due: datetime, active: list[Job]) -> bool:
    """Return whether a run may start now; if not, say why."""
    spec, run = cronjob.spec, f"the run of {due:%Y-%m-%d %H:%M} UTC"
    late = spec.starting_deadline_seconds
    if late is not None and ctx.now() - due > timedelta(seconds=late):
        text = f"{run} could not start within {late} s"
        tell(cronjob, ctx, "MissedDeadline", text, warning=True)
        return False
    if spec.concurrency_policy == "Forbid" and active:
        text = f"{run} waits for {active[0].metadata.name} to end"
        tell(cronjob, ctx, "JobAlreadyActive", text)
        return False
    return True


async def start(
    cronjob: CronJob, ctx: kw.Context, due: datetime, active: list[Job], *, too_many: bool
) -> None:
    """Create the Job of a run; if somebody was killed right after creating it, find it."""
    if too_many:
        text = f"more than {TOO_MANY} runs since {last_run(cronjob, due):%Y-%m-%d %H:%M} UTC were"
        advice = "missed: only the last one is started. Was the operator down, or the clock wrong?"
        ctx.event("TooManyMissedRuns", f"{text} {advice}", type="Warning")
    if cronjob.spec.concurrency_policy == "Replace":
        for job in active:
            await delete(ctx, job)
            ctx.event("Replaced", f"deleted {job.metadata.name}: the next run is due")
        active = []
    try:
        made = await ctx.create(job_for(cronjob, due))
    except kw.InvalidError as error:
        tell(cronjob, ctx, "InvalidJob", str(error), available=False, warning=True)
        return
    note_started(cronjob, due)
    running = Jobs.sort([*active, made]).active
    cronjob.status.active = [reference(job) for job in running]
    tell(cronjob, ctx, "Waiting", "waiting for the next run")
    ctx.event("Started", f"created {made.metadata.name}")


def tell(
    cronjob: CronJob,
    ctx: kw.Context,
    reason: str,
    message: str,
    *,
    available: bool = True,
    warning: bool = False,
) -> None:
    """Say in the status how it is, and with an event when that changes."""
    before = kw.find_condition(cronjob.status.conditions, "Available")
    ctx.set_condition("Available", available, reason, message)
    news = before is None or (before.reason, before.message) != (reason, message)
    if news and reason != "Waiting":
        ctx.event(reason, message, type="Warning" if warning else "Normal")
