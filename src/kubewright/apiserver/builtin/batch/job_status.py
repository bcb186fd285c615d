"""Validation of the status of a Job: conditions, counts and times must agree."""

from kubewright.apiserver.builtin.batch.job_spec import INDEXED, count_indexes
from kubewright.apiserver.builtin.fields.checks import not_negative_fields, omitted
from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj

_HERE = "status.conditions"


def is_true(status: Obj, kind: str) -> bool:
    """Return whether a condition of a job holds."""
    return any(
        one.get("type") == kind and one.get("status") == "True"
        for one in status.get("conditions") or ()
    )


def validate_job_status(new: Obj, old: Obj) -> Errors:
    """Return what is wrong with a change of a job's status."""
    status, before = new.get("status") or {}, old.get("status") or {}
    errors = not_negative_fields(
        status, ("active", "succeeded", "failed", "ready", "terminating"), "status"
    )
    errors += _uncounted(status.get("uncountedTerminatedPods") or {})
    errors += _conditions(status, before)
    errors += _finished(status, before, new.get("spec") or {})
    errors += _indexes(status, before, new.get("spec") or {})
    ready, active = status.get("ready"), status.get("active") or 0
    if ready is not None and ready > active and _changed(status, before, "ready", "active"):
        text = "cannot set more ready pods than active"
        errors.append(field.invalid("status.ready", ready, text))
    return errors + _criteria(status, new) + _history(status, before, new.get("spec") or {})


def _changed(status: Obj, before: Obj, *names: str) -> bool:
    return any(status.get(name) != before.get(name) for name in names)


def _flipped(status: Obj, before: Obj, *kinds: str) -> bool:
    return any(is_true(status, kind) != is_true(before, kind) for kind in kinds)


def _uncounted(pods: Obj) -> Errors:
    errors: Errors = []
    seen: set[str] = set()
    for kind in ("succeeded", "failed"):
        for i, uid in enumerate(pods.get(kind) or ()):
            here = f"status.uncountedTerminatedPods.{kind}[{i}]"
            if not uid:
                errors.append(field.invalid(here, uid, "must not be empty"))
            elif uid in seen:
                errors.append(field.duplicate(here, uid))
            seen.add(uid)
    return errors


def _conditions(status: Obj, before: Obj) -> Errors:
    errors: Errors = []
    complete, failed = is_true(status, "Complete"), is_true(status, "Failed")
    target = is_true(status, "FailureTarget")
    ended, started = status.get("completionTime"), status.get("startTime")
    completing = _flipped(status, before, "Complete")
    if complete and failed and _flipped(status, before, "Complete", "Failed"):
        text = "cannot set Complete=True and Failed=true conditions"
        errors.append(omitted(_HERE, text))
    if complete and target and _flipped(status, before, "Complete", "FailureTarget"):
        text = "cannot set Complete=True and FailureTarget=true conditions"
        errors.append(omitted(_HERE, text))
    retimed = _changed(status, before, "completionTime")
    if ended and not complete and (completing or retimed):
        text = "cannot set completionTime when there is no Complete=True condition"
        errors.append(field.invalid("status.completionTime", ended, text))
    if complete and not ended and (completing or retimed):
        text = "completionTime is required for Complete jobs"
        errors.append(field.required("status.completionTime", text))
    if started and ended and ended < started and (retimed or _changed(status, before, "startTime")):
        text = "must be equal to or after `startTime`"
        errors.append(field.invalid("status.completionTime", ended, text))
    return errors + _reasons(status, before)


def _reasons(status: Obj, before: Obj) -> Errors:
    errors: Errors = []
    failing = _flipped(status, before, "Failed") or _changed(status, before, "failedIndexes")
    if is_true(status, "Failed") and not is_true(status, "FailureTarget") and failing:
        text = "cannot set Failed=True condition without the FailureTarget=true condition"
        errors.append(omitted(_HERE, text))
    met = is_true(status, "SuccessCriteriaMet")
    completing = _flipped(status, before, "Complete", "SuccessCriteriaMet")
    if is_true(status, "Complete") and not met and completing:
        text = "cannot set Complete=True condition without the SuccessCriteriaMet=true condition"
        errors.append(omitted(_HERE, text))
    return errors


def _finished(status: Obj, before: Obj, spec: Obj) -> Errors:
    now = is_true(status, "Complete") or is_true(status, "Failed")
    if not now:
        return []
    errors: Errors = []
    ending = not (is_true(before, "Complete") or is_true(before, "Failed"))
    for name in ("active", "terminating"):
        if (status.get(name) or 0) > 0 and (ending or _changed(status, before, name)):
            text = f"{name}>0 is invalid for finished job"
            errors.append(field.invalid(f"status.{name}", status[name], text))
    nothing_to_do = spec.get("suspend") and spec.get("completions") == 0
    started = ending or _changed(status, before, "startTime")
    if not status.get("startTime") and started and not nothing_to_do:
        text = "startTime is required for finished job"
        errors.append(field.required("status.startTime", text))
    pods = status.get("uncountedTerminatedPods") or {}
    if any(pods.get(kind) for kind in ("failed", "succeeded")) and (
        ending or _changed(status, before, "uncountedTerminatedPods")
    ):
        text = "must be empty for finished job"
        errors.append(field.invalid("status.uncountedTerminatedPods", pods, text))
    return errors


def _indexes(status: Obj, before: Obj, spec: Obj) -> Errors:
    errors: Errors = []
    completions = spec.get("completions")
    for name in ("completedIndexes", "failedIndexes"):
        found = status.get(name)
        if not found or not _changed(status, before, name):
            continue
        here = f"status.{name}"
        if completions is not None:
            try:
                count_indexes(found, completions)
            except ValueError as error:
                errors.append(field.invalid(here, found, f"error parsing {name}: {error}"))
        if name == "completedIndexes" and spec.get("completionMode") != INDEXED:
            text = "cannot set non-empty completedIndexes when non-indexed completion mode"
            errors.append(field.invalid(here, found, text))
        if name == "failedIndexes" and spec.get("backoffLimitPerIndex") is None:
            text = "cannot set non-null failedIndexes when backoffLimitPerIndex is null"
            errors.append(field.invalid(here, found, text))
    return errors


def _criteria(status: Obj, new: Obj) -> Errors:
    errors: Errors = []
    met = is_true(status, "SuccessCriteriaMet")
    for kind in ("Failed", "FailureTarget"):
        if met and is_true(status, kind):
            text = f"cannot set SuccessCriteriaMet=True and {kind}=true conditions"
            errors.append(omitted(_HERE, text))
    policy = (new.get("spec") or {}).get("successPolicy")
    if policy is not None and not met and is_true(status, "Complete"):
        text = "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True"
        errors.append(omitted(_HERE, text))
    return errors


def _history(status: Obj, before: Obj, spec: Obj) -> Errors:
    errors: Errors = []
    for kind in ("Failed", "Complete", "FailureTarget"):
        if is_true(before, kind) and not is_true(status, kind):
            text = f"cannot disable the terminal {kind}=True condition"
            errors.append(omitted(_HERE, text))
    elastic = spec.get("completionMode") == INDEXED and spec.get("completions") == spec.get(
        "parallelism"
    )
    for name in ("failed", "succeeded"):
        fewer = (status.get(name) or 0) < (before.get(name) or 0)
        if fewer and not (name == "succeeded" and elastic):
            text = f"cannot decrease the {name} counter"
            errors.append(field.invalid(f"status.{name}", status.get(name) or 0, text))
    ended = status.get("completionTime")
    if ended and before.get("completionTime") and ended != before["completionTime"]:
        errors.append(field.invalid("status.completionTime", ended, "field is immutable"))
    resuming = is_true(before, "Suspended") and not is_true(status, "Suspended")
    moved = before.get("startTime") and _changed(status, before, "startTime")
    if moved and not spec.get("suspend") and not resuming:
        text = "field is immutable for unsuspended job once set"
        errors.append(field.invalid("status.startTime", status.get("startTime"), text))
    if is_true(before, "SuccessCriteriaMet") and not is_true(status, "SuccessCriteriaMet"):
        text = "cannot disable the SuccessCriteriaMet=True condition"
        errors.append(omitted(_HERE, text))
    return errors
