"""Rows of the group ``batch``."""

from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table import text
from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.printer import (
    AGE,
    CONTAINERS,
    IMAGES,
    NAME,
    SELECTOR,
    Printer,
    column,
)
from kubewright.apiserver.table.text import NONE, main_parts, part, template_spec

_JOB_STATES = (
    ("Complete", "Complete"),
    ("Failed", "Failed"),
    ("", "Terminating"),
    ("Suspended", "Suspended"),
    ("FailureTarget", "FailureTarget"),
    ("SuccessCriteriaMet", "SuccessCriteriaMet"),
)


def _job(obj: Obj, age: Ages) -> list[Any]:
    meta, spec, status = main_parts(obj)
    return [
        meta.get("name", ""),
        _job_state(meta, status.get("conditions") or ()),
        _completions(spec, status),
        age.between(status.get("startTime"), status.get("completionTime")),
        age(meta.get("creationTimestamp")),
        *text.containers(template_spec(spec)),
        text.selector(spec.get("selector")),
    ]


def _job_state(meta: Obj, conditions: Any) -> str:
    for kind, shown in _JOB_STATES:
        if text.is_true(conditions, kind) if kind else meta.get("deletionTimestamp"):
            return shown
    return "Running"


def _completions(spec: Obj, status: Obj) -> str:
    done, wanted = status.get("succeeded", 0), spec.get("completions")
    if wanted is not None:
        return f"{done}/{wanted}"
    together = spec.get("parallelism") or 0
    return f"{done}/1 of {together}" if together > 1 else f"{done}/1"


JOBS = Printer(
    (
        NAME,
        column("Status", "Status of the job."),
        column("Completions", "How many pods have succeeded."),
        column("Duration", "Time required to complete the job."),
        AGE,
        CONTAINERS,
        IMAGES,
        SELECTOR,
    ),
    _job,
)


def _cron_job(obj: Obj, age: Ages) -> list[Any]:
    meta, spec, status = main_parts(obj)
    job = part(part(spec, "jobTemplate"), "spec")
    last = status.get("lastScheduleTime")
    return [
        meta.get("name", ""),
        spec.get("schedule", ""),
        spec.get("timeZone", NONE),
        text.go_bool(spec.get("suspend")),
        len(status.get("active") or ()),
        age(last) if last else NONE,
        age(meta.get("creationTimestamp")),
        *text.containers(template_spec(job)),
        text.selector(job.get("selector")),
    ]


CRON_JOBS = Printer(
    (
        NAME,
        column("Schedule", "When jobs are made."),
        column("Timezone", "The time zone of the schedule."),
        column("Suspend", "Whether no jobs are made.", "boolean"),
        column("Active", "How many jobs are running.", "integer"),
        column("Last Schedule", "When a job was last made."),
        AGE,
        CONTAINERS,
        IMAGES,
        SELECTOR,
    ),
    _cron_job,
)
