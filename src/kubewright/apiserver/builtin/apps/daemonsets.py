"""DaemonSets: a pod on every node."""

from typing import ClassVar

from kubewright.apiserver.builtin.apps.workloads import MISMATCH, Workload, labels_of, runs_for_ever
from kubewright.apiserver.builtin.core.pod.defaults import default_template
from kubewright.apiserver.builtin.core.pod.spec import validate_template
from kubewright.apiserver.builtin.core.pod.warnings import template_warnings
from kubewright.apiserver.builtin.fields import differences
from kubewright.apiserver.builtin.fields.checks import (
    Shown,
    at_most_all,
    count_or_percent,
    immutable_fields,
    int_or_percent,
    not_decremented,
    not_negative_fields,
    unsupported,
)
from kubewright.apiserver.builtin.fields.selectors import is_empty, matches, validate_selector
from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Write

TEMPLATE_GENERATION: str = "deprecated.daemonset.template.generation"
"""The annotation in which apps/v1 shows a counter that Kubernetes keeps in the spec."""


class DaemonSetStrategy(Workload):
    """How DaemonSets behave."""

    zero_status: tuple[str, ...] = (
        "currentNumberScheduled",
        "numberMisscheduled",
        "desiredNumberScheduled",
        "numberReady",
    )
    _COUNTS: ClassVar = (
        *zero_status,
        "observedGeneration",
        "updatedNumberScheduled",
        "numberAvailable",
        "numberUnavailable",
        "collisionCount",
    )

    def default(self, obj: Obj) -> None:
        """Default to replacing one pod at a time and keeping ten revisions."""
        super().default(obj)
        spec = obj.setdefault("spec", {})
        default_template(spec.setdefault("template", {}))
        spec.setdefault("revisionHistoryLimit", 10)
        strategy = spec.setdefault("updateStrategy", {})
        if not strategy.get("type"):
            strategy["type"] = "RollingUpdate"
        if strategy["type"] == "RollingUpdate":
            rolling = strategy.setdefault("rollingUpdate", {})
            rolling.setdefault("maxUnavailable", 1)
            rolling.setdefault("maxSurge", 0)

    def prepare_create(self, obj: Obj, write: Write) -> None:
        """Start the template generation at 1."""
        super().prepare_create(obj, write)
        _count_templates(obj, max(_template_generation(obj), 1))

    def prepare_update(self, new: Obj, old: Obj, write: Write) -> None:
        """Increment the template generation if the template changed, whatever the client sent."""
        changed = new["spec"].get("template") != old["spec"].get("template")
        _count_templates(new, _template_generation(old) + changed)

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Return what is wrong with a new set."""
        errors = _spec(obj["spec"])
        if not errors:
            for warning in template_warnings(obj["spec"]["template"], "spec.template"):
                write.warn(warning)
        return errors

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Return what is wrong with a change; the selector is immutable."""
        errors = immutable_fields(new["spec"], old["spec"], ("selector",), "spec")
        return errors + _spec(new["spec"])

    def validate_status_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Return errors for negative counts."""
        status = new.get("status") or {}
        errors = not_negative_fields(status, self._COUNTS, "status")
        return errors + not_decremented(status, old.get("status") or {}, "collisionCount", "status")


def _template_generation(obj: Obj) -> int:
    text = (obj["metadata"].get("annotations") or {}).get(TEMPLATE_GENERATION) or "0"
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0  # noqa: PLR2004  # int64


def _count_templates(obj: Obj, count: int) -> None:
    obj["metadata"].setdefault("annotations", {})[TEMPLATE_GENERATION] = str(count)


def _spec(spec: Obj) -> Errors:
    selector, template = spec.get("selector"), spec["template"]
    errors = validate_selector(selector, "spec.selector")
    if matches(selector, labels_of(template)) is False:
        labels = labels_of(template) or None
        errors.append(field.invalid("spec.template.metadata.labels", labels, MISMATCH))
    if selector is not None and is_empty(selector):
        text = "empty selector is invalid for daemonset"
        errors.append(field.invalid("spec.selector", selector, text))
    errors += validate_template(template, "spec.template")
    errors += runs_for_ever(template, "spec.template", kind="DaemonSet")
    errors += not_negative_fields(spec, ("minReadySeconds",), "spec")
    errors += _update(spec["updateStrategy"], "spec.updateStrategy")
    return errors + not_negative_fields(spec, ("revisionHistoryLimit",), "spec")


def _update(strategy: Obj, path: str) -> Errors:
    kind, rolling = strategy.get("type"), strategy.get("rollingUpdate")
    if kind == "OnDelete":
        return []
    if kind != "RollingUpdate":
        shown = Shown(differences.shown(strategy, "DaemonSetUpdateStrategy"))
        return [unsupported(path, shown, ("RollingUpdate", "OnDelete"))]
    return _rolling(rolling or {}, f"{path}.rollingUpdate")


def _rolling(rolling: Obj, path: str) -> Errors:
    down, up = rolling.get("maxUnavailable", 0), rolling.get("maxSurge", 0)
    errors: Errors = []
    for rule in (int_or_percent, at_most_all):
        errors += rule(down, f"{path}.maxUnavailable") + rule(up, f"{path}.maxSurge")
    if count_or_percent(down) and count_or_percent(up):
        text = "may not be set when maxUnavailable is non-zero"
        errors.append(field.invalid(f"{path}.maxSurge", up, text))
    elif not count_or_percent(down) and not count_or_percent(up):
        text = "cannot be 0 when maxSurge is 0"
        errors.append(field.required(f"{path}.maxUnavailable", text))
    return errors
