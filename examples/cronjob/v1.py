"""CronJob v1: the schedule is one text. This is the version that is stored."""

from datetime import datetime
from typing import Annotated, Literal

import kubewright as kw
from kubewright.kinds.batch.v1 import JobTemplateSpec
from kubewright.kinds.core.v1 import ObjectReference

GROUP = "batch.tutorial.kubebuilder.io"

ConcurrencyPolicy = Literal["Allow", "Forbid", "Replace"]
Count = Annotated[kw.Int32, kw.Minimum(0)]


class CronJobSpec(kw.Model):
    """What to run, and when."""

    schedule: Annotated[str, kw.MinLength(1)]
    """When to run, in UTC: five fields as in cron, such as 30 6 * * MON-FRI; or @hourly."""
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


class CronJobStatus(kw.Model):
    """What runs, and what ran."""

    active: list[ObjectReference] = []
    """The Jobs that run now."""
    last_schedule_time: datetime | None = None
    """The time, by the schedule, of the last run that was started."""
    conditions: kw.Conditions = []
    """Available says whether runs are started, and if not, why."""


@kw.resource(
    group=GROUP,
    version="v1",
    columns=[
        kw.Column("Schedule", ".spec.schedule"),
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
