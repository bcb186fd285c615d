"""CronJob v2: the schedule has a field for each of its parts; all else is as in v1."""

from typing import Annotated

import kubewright as kw
from kubewright.kinds.batch.v1 import JobTemplateSpec
from v1 import GROUP, ConcurrencyPolicy, Count, CronJobStatus

Part = Annotated[str, kw.Pattern(r"^\S+$")]


class CronSchedule(kw.Model):
    """When to run, in UTC; a part that is not given is *, which is each of them."""

    minute: Part | None = None
    """Minutes from 0 to 59, such as 0, 0,30 or */15."""
    hour: Part | None = None
    """Hours from 0 to 23, such as 6 or 8-18."""
    day_of_month: Part | None = None
    """Days from 1 to 31."""
    month: Part | None = None
    """Months from 1 to 12, or JAN to DEC."""
    day_of_week: Part | None = None
    """Days from 0 (Sunday) to 6, or SUN to SAT. If dayOfMonth is given too, either is enough."""


class CronJobSpec(kw.Model):
    """What to run, and when."""

    schedule: CronSchedule
    starting_deadline_seconds: Annotated[kw.Int64, kw.Minimum(0)] | None = None
    """How many seconds late a run may start; a later one is left out. Any time unless given."""
    concurrency_policy: ConcurrencyPolicy | None = None
    """While a run goes on: Allow the next (the default), Forbid it until then, or Replace."""
    suspend: bool | None = None
    """Whether to start nothing for now; what runs goes on."""
    job_template: JobTemplateSpec
    """The Job that each run is."""
    successful_jobs_history_limit: Count | None = None
    """How many Jobs that succeeded to keep."""
    failed_jobs_history_limit: Count | None = None
    """How many Jobs that failed to keep."""


@kw.resource(
    group=GROUP,
    version="v2",
    storage=False,
    columns=[
        kw.Column("Minute", ".spec.schedule.minute"),
        kw.Column("Hour", ".spec.schedule.hour"),
        kw.Column("Day", ".spec.schedule.dayOfMonth"),
        kw.Column("Month", ".spec.schedule.month"),
        kw.Column("Weekday", ".spec.schedule.dayOfWeek"),
        kw.Column("Suspend", ".spec.suspend", type="boolean"),
        kw.Column("Active", ".status.active[*].name"),
        kw.Column("Last Schedule", ".status.lastScheduleTime", type="date"),
        kw.Column("Age", ".metadata.creationTimestamp", type="date"),
    ],
)
class CronJob(kw.Resource):
    """Runs Jobs by a schedule."""

    spec: CronJobSpec
    status: CronJobStatus = kw.field(default_factory=CronJobStatus)
