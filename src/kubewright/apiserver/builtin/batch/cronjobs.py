"""CronJobs."""

import re

from kubewright.apiserver.builtin.batch.cron import schedule_problem
from kubewright.apiserver.builtin.batch.job_spec import validate_job_spec
from kubewright.apiserver.builtin.batch.jobs import default_job_spec, job_warnings
from kubewright.apiserver.builtin.fields.checks import (
    needed_one_of,
    not_negative_fields,
    unsupported,
)
from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write

_POLICIES = ("Allow", "Forbid", "Replace")
_MAX_NAME = 52
_ZONE_PART = re.compile(r"[A-Za-z.\-_0-9+]{1,14}").fullmatch


class CronJobStrategy(Strategy):
    """How CronJobs behave."""

    has_generation = True
    has_status = True

    def default(self, obj: Obj) -> None:
        """Default to concurrent jobs, and to keeping three successful jobs and a failed one."""
        obj.setdefault("status", {})
        spec = obj.setdefault("spec", {})
        spec["concurrencyPolicy"] = spec.get("concurrencyPolicy") or "Allow"
        spec.setdefault("suspend", False)
        spec.setdefault("successfulJobsHistoryLimit", 3)
        spec.setdefault("failedJobsHistoryLimit", 1)
        template = spec.setdefault("jobTemplate", {})
        template.setdefault("metadata", {})
        default_job_spec(template.setdefault("spec", {}))

    def prepare_create(self, obj: Obj, write: Write) -> None:
        """Start with an empty status."""
        obj["status"] = {}

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Return what is wrong with a new cron job."""
        errors = _spec(obj["spec"], None)
        name = obj["metadata"].get("name") or ""
        if len(name) > _MAX_NAME:
            text = f"must be no more than {_MAX_NAME} characters"
            errors.append(field.invalid("metadata.name", name, text))
        if not errors:
            job = obj["spec"]["jobTemplate"]["spec"]
            for warning in job_warnings(name, job, "spec.jobTemplate.spec"):
                write.warn(warning)
        return errors

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Return what is wrong with the new object; every field may change."""
        return _spec(new["spec"], old["spec"])


def _spec(spec: Obj, before: Obj | None) -> Errors:
    schedule, zone = spec.get("schedule") or "", spec.get("timeZone")
    errors: Errors = []
    if schedule:
        had_zone = before is not None and "TZ" in (before.get("schedule") or "")
        errors += _schedule(schedule, zone, had_zone=had_zone)
    errors += not_negative_fields(spec, ("startingDeadlineSeconds",), "spec")
    if zone is not None and (before is None or zone != before.get("timeZone")):
        errors += _zone(zone, "spec.timeZone")
    if (policy := spec.get("concurrencyPolicy")) not in _POLICIES:
        errors += needed_one_of(policy, _POLICIES, "spec.concurrencyPolicy")
    errors += _template(spec["jobTemplate"]["spec"], "spec.jobTemplate.spec")
    limits = ("successfulJobsHistoryLimit", "failedJobsHistoryLimit")
    errors += not_negative_fields(spec, limits, "spec")
    return errors if schedule else [*errors, field.required("spec.schedule")]


def _schedule(schedule: str, zone: str | None, *, had_zone: bool) -> Errors:
    here = "spec.schedule"
    errors: Errors = []
    if problem := schedule_problem(schedule):
        errors.append(field.invalid(here, schedule, problem))
    if "TZ" in schedule and not had_zone:
        text = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
        errors.append(field.invalid(here, schedule, text))
    elif "TZ" in schedule and zone is not None:
        text = "cannot use both timeZone field and TZ or CRON_TZ in schedule"
        errors.append(field.invalid(here, schedule, text))
    return errors


def _zone(zone: str, path: str) -> Errors:
    if not zone:
        return [field.invalid(path, zone, "timeZone must be nil or non-empty string")]
    parts = zone.split("/")
    if not all(_ZONE_PART(part) and part not in (".", "..") and part[0] != "-" for part in parts):
        return [field.invalid(path, zone, f"unknown time zone {zone}")]
    errors: Errors = []
    if zone.lower() == "local":
        text = (
            "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
        )
        errors.append(field.invalid(path, zone, text))
    elif not _exists(zone):
        errors.append(field.invalid(path, zone, f"unknown time zone {zone}"))
    return errors


def _exists(zone: str) -> bool:
    from zoneinfo import ZoneInfo, available_timezones

    if not available_timezones():  # this machine has no time zone data
        return True
    try:
        ZoneInfo(zone)
    except (ValueError, OSError, LookupError):
        return False
    return True


def _template(job: Obj, path: str) -> Errors:
    errors = validate_job_spec({"completionMode": "NonIndexed", **job}, path)
    if (selector := job.get("selector")) is not None:
        text = "`selector` will be auto-generated"
        errors.append(field.invalid(f"{path}.selector", selector, text))
    if job.get("manualSelector"):
        errors.append(unsupported(f"{path}.manualSelector", True, ("nil", "false")))
    return errors
