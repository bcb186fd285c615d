"""Deployments."""

from typing import ClassVar

from kubewright.apiserver.builtin.apps.workloads import (
    Workload,
    available_at_most_ready,
    validate_required_selector,
    validate_selected_template,
)
from kubewright.apiserver.builtin.core.pod.defaults import default_template
from kubewright.apiserver.builtin.fields import differences
from kubewright.apiserver.builtin.fields.checks import (
    Shown,
    at_most,
    at_most_all,
    count_or_percent,
    immutable_fields,
    int_or_percent,
    not_decremented,
    not_negative_fields,
    unsupported,
)
from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Write

_STRATEGIES = ("Recreate", "RollingUpdate")


class DeploymentStrategy(Workload):
    """How Deployments behave."""

    _COUNTS: ClassVar = (
        "observedGeneration",
        "replicas",
        "updatedReplicas",
        "readyReplicas",
        "availableReplicas",
        "unavailableReplicas",
        "terminatingReplicas",
        "collisionCount",
    )

    def default(self, obj: Obj) -> None:
        """Default to a rolling update by 25%, ten revisions, and a deadline of ten minutes."""
        super().default(obj)
        spec = obj.setdefault("spec", {})
        default_template(spec.setdefault("template", {}))
        spec.setdefault("replicas", 1)
        spec.setdefault("revisionHistoryLimit", 10)
        spec.setdefault("progressDeadlineSeconds", 600)
        strategy = spec.setdefault("strategy", {})
        if not strategy.get("type"):
            strategy["type"] = "RollingUpdate"
        if strategy["type"] == "RollingUpdate":
            rolling = strategy.setdefault("rollingUpdate", {})
            rolling.setdefault("maxUnavailable", "25%")
            rolling.setdefault("maxSurge", "25%")

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Return what is wrong with a new deployment."""
        errors = _deployment_spec(obj["spec"])
        if not errors:
            self.warn(obj, write)
        return errors

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Return what is wrong with a change; the selector is immutable."""
        return _deployment_spec(new["spec"]) + immutable_fields(
            new["spec"], old["spec"], ("selector",), "spec"
        )

    def prepare_status_update(self, new: Obj, old: Obj, write: Write) -> None:
        """Keep the labels: ReplicaSets are found by them."""
        new["metadata"].pop("labels", None)
        if labels := old["metadata"].get("labels"):
            new["metadata"]["labels"] = labels

    def validate_status_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Return errors for counts that contradict one another."""
        status = new.get("status") or {}
        counts = ("updatedReplicas", "readyReplicas", "availableReplicas")
        errors = not_negative_fields(status, self._COUNTS, "status")
        errors += at_most(status, counts, "status", limit="replicas")
        errors += available_at_most_ready(status)
        return errors + not_decremented(status, old.get("status") or {}, "collisionCount", "status")

    def spec_changed(self, new: Obj, old: Obj) -> bool:
        """Return whether the spec or the annotations changed: ReplicaSets get copies of both."""
        notes = [one["metadata"].get("annotations") or {} for one in (new, old)]
        return new.get("spec") != old.get("spec") or notes[0] != notes[1]


def _deployment_spec(spec: Obj) -> Errors:
    selector = spec.get("selector")
    errors = not_negative_fields(spec, ("replicas",), "spec")
    errors += validate_required_selector(selector, "spec.selector", kind="deployment")
    errors += validate_selected_template(
        spec["template"],
        selector,
        "spec.template",
        kind="ReplicaSet",
        invalid_text="invalid label selector",
    )
    errors += _strategy(spec["strategy"])
    errors += not_negative_fields(spec, ("minReadySeconds", "revisionHistoryLimit"), "spec")
    errors += not_negative_fields(spec, ("progressDeadlineSeconds",), "spec")
    deadline = spec.get("progressDeadlineSeconds")
    if deadline is not None and deadline <= (spec.get("minReadySeconds") or 0):
        text = "must be greater than minReadySeconds"
        errors.append(field.invalid("spec.progressDeadlineSeconds", deadline, text))
    return errors


def _strategy(strategy: Obj) -> Errors:
    kind, rolling, path = strategy.get("type"), strategy.get("rollingUpdate"), "spec.strategy"
    if kind == "Recreate":
        text = "may not be specified when strategy `type` is 'Recreate'"
        return [] if rolling is None else [field.forbidden(f"{path}.rollingUpdate", text)]
    if kind == "RollingUpdate":
        return _rolling(rolling or {}, f"{path}.rollingUpdate")
    return [
        unsupported(path, Shown(differences.shown(strategy, "DeploymentStrategy")), _STRATEGIES)
    ]


def _rolling(rolling: Obj, path: str) -> Errors:
    down, up = rolling.get("maxUnavailable", 0), rolling.get("maxSurge", 0)
    errors = int_or_percent(down, f"{path}.maxUnavailable")
    errors += int_or_percent(up, f"{path}.maxSurge")
    if not count_or_percent(down) and not count_or_percent(up):
        text = "may not be 0 when `maxSurge` is 0"
        errors.append(field.invalid(f"{path}.maxUnavailable", down, text))
    return errors + at_most_all(down, f"{path}.maxUnavailable")
