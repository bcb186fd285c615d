"""Jobs."""

from collections.abc import Iterator

from kubewright.apiserver.builtin.apps.workloads import MISMATCH, Workload, labels_of
from kubewright.apiserver.builtin.batch.job_spec import INDEXED, validate_job_spec
from kubewright.apiserver.builtin.batch.job_status import is_true, validate_job_status
from kubewright.apiserver.builtin.core.pod.defaults import default_template
from kubewright.apiserver.builtin.core.pod.warnings import name_warnings, template_warnings
from kubewright.apiserver.builtin.fields import differences
from kubewright.apiserver.builtin.fields.checks import IMMUTABLE, immutable_fields
from kubewright.apiserver.builtin.fields.selectors import matches, validate_selector
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Write

CONTROLLER_UID: str = "batch.kubernetes.io/controller-uid"
JOB_NAME: str = "batch.kubernetes.io/job-name"
_OLD_CONTROLLER_UID = "controller-uid"
_OLD_JOB_NAME = "job-name"


def default_job_spec(spec: Obj) -> None:
    """Fill in the spec of a Job or of the template in a CronJob."""
    default_template(spec.setdefault("template", {}))
    spec.pop("scheduling", None)  # 1.37 drops it because the feature is off by default
    for condition in _failure_patterns(spec.get("podFailurePolicy") or {}):
        condition["status"] = condition.get("status") or "True"


def _failure_patterns(policy: Obj) -> Iterator[Obj]:
    for rule in policy.get("rules") or ():
        yield from rule.get("onPodConditions") or ()


class JobStrategy(Workload):
    """How Jobs behave."""

    field_names: frozenset[str] = frozenset({"status.successful"})

    def default(self, obj: Obj) -> None:
        """Default to one pod and six retries."""
        super().default(obj)
        spec = obj.setdefault("spec", {})
        default_job_spec(spec)
        if spec.get("parallelism") is None:
            spec.setdefault("completions", 1)
            spec["parallelism"] = 1
        retries = 2**31 - 1 if spec.get("backoffLimitPerIndex") is not None else 6
        spec.setdefault("backoffLimit", retries)
        spec.setdefault("completionMode", "NonIndexed")
        spec.setdefault("suspend", False)
        spec.setdefault("manualSelector", False)
        failed = spec.get("podFailurePolicy") is not None
        spec.setdefault("podReplacementPolicy", "Failed" if failed else "TerminatingOrFailed")
        if (labels := labels_of(spec["template"])) and not obj["metadata"].get("labels"):
            obj["metadata"]["labels"] = dict(labels)

    def prepare_create(self, obj: Obj, write: Write) -> None:
        """Generate the selector from the uid unless ``manualSelector`` is set."""
        super().prepare_create(obj, write)
        meta, template = obj["metadata"], obj["spec"]["template"]
        inherits = (meta.get("labels") or {}) == labels_of(template)
        if not obj["spec"].get("manualSelector"):
            _generate_selector(obj)
        # A job without labels gets those of its template, including the generated ones.
        if inherits and labels_of(template):
            meta["labels"] = dict(labels_of(template))

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Return what is wrong with a new job."""
        spec = obj["spec"]
        errors = [] if spec.get("manualSelector") else _generated(obj)
        errors += _spec(spec) + _index_names(obj)
        if not errors:
            for warning in job_warnings(obj["metadata"].get("name") or "", spec, "spec"):
                write.warn(warning)
        return errors

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Return what is wrong with a change: most fields are immutable."""
        spec, before = new["spec"], old["spec"]
        errors = _spec(spec)
        errors += _completions(spec, before)
        errors += immutable_fields(spec, before, ("selector",), "spec")
        errors += _template_update(spec, old)
        fixed = (
            "completionMode",
            "podFailurePolicy",
            "backoffLimitPerIndex",
            "managedBy",
            "successPolicy",
        )
        return errors + immutable_fields(spec, before, fixed, "spec") + _index_names(new)

    def validate_status_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Return what is wrong with a new status."""
        return validate_job_status(new, old)

    def selectable_fields(self, obj: Obj) -> dict[str, str]:
        """Return the one count that jobs can be selected by."""
        return {"status.successful": str((obj.get("status") or {}).get("succeeded") or 0)}


def job_warnings(name: str, spec: Obj, path: str) -> Iterator[str]:
    """Yield the warnings for a job or the template of one."""
    yield from name_warnings(name)
    many, wide = 100_000, 10_000
    is_indexed = spec.get("completionMode") == INDEXED
    if (
        is_indexed
        and (spec.get("completions") or 0) > many
        and (spec.get("parallelism") or 0) > wide
    ):
        yield (
            f"{path}: In Indexed Jobs with a number of completions higher than 10^5 and a"
            " parallelism higher than 10^4, Kubernetes might not be able to track"
            " completedIndexes when a big number of indexes fail"
        )
    yield from template_warnings(spec["template"], f"{path}.template")


def _generate_selector(obj: Obj) -> None:
    meta, spec = obj["metadata"], obj["spec"]
    labels = spec["template"]["metadata"].setdefault("labels", {})
    for key in (_OLD_JOB_NAME, JOB_NAME):
        labels.setdefault(key, meta.get("name") or "")
    for key in (_OLD_CONTROLLER_UID, CONTROLLER_UID):
        labels.setdefault(key, meta.get("uid") or "")
    selector = spec.setdefault("selector", {}).setdefault("matchLabels", {})
    selector.setdefault(CONTROLLER_UID, meta.get("uid") or "")


def _generated(obj: Obj) -> Errors:
    """Return errors for labels and a selector that differ from the generated ones."""
    selector = obj["spec"].get("selector")
    if selector is None:
        return []
    uid, name = obj["metadata"].get("uid") or "", obj["metadata"].get("name") or ""
    wanted = {_OLD_CONTROLLER_UID: uid, _OLD_JOB_NAME: name, CONTROLLER_UID: uid, JOB_NAME: name}
    labels = labels_of(obj["spec"]["template"])
    errors: Errors = []
    here = "spec.template.metadata.labels"
    for key, value in wanted.items():
        if key not in labels:
            errors.append(field.required(f"{here}[{key}]", f"must be '{value}'"))
        elif labels[key] != value:
            errors.append(field.invalid(f"{here}[{key}]", labels, f"must be '{value}'"))
    if matches(selector, wanted) is False:
        text = "`selector` not auto-generated"
        errors.append(field.invalid("spec.selector", selector, text))
    return errors


def _spec(spec: Obj) -> Errors:
    errors = validate_job_spec(spec, "spec")
    selector = spec.get("selector")
    if selector is None:
        errors.append(field.required("spec.selector"))
    else:
        errors += validate_selector(selector, "spec.selector")
    if matches(selector, labels_of(spec["template"])) is False:
        labels = labels_of(spec["template"]) or None
        errors.append(field.invalid("spec.template.metadata.labels", labels, MISMATCH))
    return errors


def _index_names(obj: Obj) -> Errors:
    spec, name = obj["spec"], obj["metadata"].get("name") or ""
    completions = spec.get("completions") or 0
    if spec.get("completionMode") != INDEXED or completions <= 0:
        return []
    last = f"{name}-{completions - 1}"
    if not naming.dns_label(last):
        return []
    text = f"will not able to create pod with invalid DNS label: {last}"
    return [field.invalid("metadata.name", name, text)]


def _completions(spec: Obj, before: Obj) -> Errors:
    if spec.get("completionMode") != INDEXED:
        return immutable_fields(spec, before, ("completions",), "spec")
    now = spec.get("completions")
    if now is None or now in (before.get("completions"), spec.get("parallelism")):
        return []
    text = "can only be modified in tandem with spec.parallelism"
    return [field.invalid("spec.completions", now, text)]


def _template_update(spec: Obj, old: Obj) -> Errors:
    """Return an error if the template changed more than a suspended job allows."""
    template, before = spec["template"], old["spec"]["template"]
    status = old.get("status") or {}
    waits = old["spec"].get("suspend") and not status.get("active")
    idle = waits and (not status.get("startTime") or is_true(status, "Suspended"))
    if idle:
        before = _rescheduled(before, template)
        if _same_but_resources(template["spec"], before["spec"]):
            return []
        here, inner = "spec.template.spec", template["spec"]
        return [differences.invalid(here, inner, "PodSpec", detail=IMMUTABLE)]
    if template == before:
        return []
    return [differences.invalid("spec.template", template, "PodTemplateSpec", detail=IMMUTABLE)]


def _rescheduled(before: Obj, template: Obj) -> Obj:
    """Return the old template with the scheduling directives of the new one."""
    spec = {**before["spec"]}
    for name in ("nodeSelector", "tolerations", "schedulingGates"):
        spec.pop(name, None)
        if name in template["spec"]:
            spec[name] = template["spec"][name]
    affinity = {**(spec.pop("affinity", None) or {})}
    affinity.pop("nodeAffinity", None)
    if nodes := (template["spec"].get("affinity") or {}).get("nodeAffinity"):
        affinity["nodeAffinity"] = nodes
    if affinity:
        spec["affinity"] = affinity
    return {**before, "spec": spec}


def _same_but_resources(spec: Obj, before: Obj) -> bool:
    def bare(one: Obj) -> Obj:
        kinds = ("containers", "initContainers")
        lists = {kind: [{**c, "resources": {}} for c in one[kind]] for kind in kinds if kind in one}
        return {**one, **lists}

    return bare(spec) == bare(before)
