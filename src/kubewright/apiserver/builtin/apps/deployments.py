"""Deployments, ReplicaSets and ReplicationControllers: so many pods of one template."""

from typing import ClassVar

from kubewright.apiserver.builtin.apps.workloads import (
    MISMATCH,
    Workload,
    labels_of,
    runs_for_ever,
    validate_required_selector,
    validate_selected_template,
)
from kubewright.apiserver.builtin.core.pod.defaults import default_template
from kubewright.apiserver.builtin.core.pod.spec import validate_template
from kubewright.apiserver.builtin.fields import differences
from kubewright.apiserver.builtin.fields.checks import (
    Shown,
    at_most,
    at_most_all,
    count_or_percent,
    immutable,
    int_or_percent,
    non_negative,
    not_decremented,
    unsupported,
)
from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Write

_STRATEGIES = ("Recreate", "RollingUpdate")


class DeploymentStrategy(Workload):
    """How deployments behave."""

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
        """Roll out by quarters, keep ten revisions, give up after ten minutes."""
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
        """Return what is wrong with a change; the selector stays."""
        return _deployment_spec(new["spec"]) + immutable(
            new["spec"], old["spec"], ("selector",), "spec"
        )

    def prepare_status_update(self, new: Obj, old: Obj, write: Write) -> None:
        """Keep the labels: replica sets are found by them."""
        new["metadata"].pop("labels", None)
        if labels := old["metadata"].get("labels"):
            new["metadata"]["labels"] = labels

    def validate_status_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Return which counts contradict one another."""
        status = new.get("status") or {}
        counts = ("updatedReplicas", "readyReplicas", "availableReplicas")
        errors = non_negative(status, self._COUNTS, "status")
        errors += at_most(status, counts, "status", limit="replicas")
        errors += _available(status)
        return errors + not_decremented(status, old.get("status") or {}, "collisionCount", "status")

    def spec_changed(self, new: Obj, old: Obj) -> bool:
        """Count annotations too: they are copied to the replica sets."""
        notes = [one["metadata"].get("annotations") or {} for one in (new, old)]
        return new.get("spec") != old.get("spec") or notes[0] != notes[1]


def _available(status: Obj) -> Errors:
    text = "cannot be greater than readyReplicas"
    return at_most(status, ("availableReplicas",), "status", limit="readyReplicas", text=text)


def _deployment_spec(spec: Obj) -> Errors:
    selector = spec.get("selector")
    errors = non_negative(spec, ("replicas",), "spec")
    errors += validate_required_selector(selector, "spec.selector", kind="deployment")
    errors += validate_selected_template(
        spec["template"],
        selector,
        "spec.template",
        kind="ReplicaSet",
        invalid_text="invalid label selector",
    )
    errors += _strategy(spec["strategy"])
    errors += non_negative(spec, ("minReadySeconds", "revisionHistoryLimit"), "spec")
    errors += non_negative(spec, ("progressDeadlineSeconds",), "spec")
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


class ReplicaSetStrategy(Workload):
    """How replica sets behave."""

    zero_status: tuple[str, ...] = ("replicas",)
    field_names: frozenset[str] = frozenset({"status.replicas"})
    _COUNTS: ClassVar = (
        "replicas",
        "fullyLabeledReplicas",
        "readyReplicas",
        "availableReplicas",
        "observedGeneration",
        "terminatingReplicas",
    )

    def default(self, obj: Obj) -> None:
        """Make one pod unless it says how many."""
        super().default(obj)
        spec = obj.setdefault("spec", {})
        default_template(spec.setdefault("template", {}))
        spec.setdefault("replicas", 1)

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Return what is wrong with a new replica set."""
        errors = _replica_set_spec(obj["spec"])
        if not errors:
            self.warn(obj, write)
        return errors

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Return what is wrong with a change; the selector stays."""
        return _replica_set_spec(new["spec"]) + immutable(
            new["spec"], old["spec"], ("selector",), "spec"
        )

    def validate_status_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Return which counts contradict one another."""
        status = new.get("status") or {}
        counts = ("fullyLabeledReplicas", "readyReplicas", "availableReplicas")
        errors = non_negative(status, self._COUNTS, "status")
        return errors + at_most(status, counts, "status", limit="replicas") + _available(status)

    def selectable_fields(self, obj: Obj) -> dict[str, str]:
        """Return the one count that replica sets can be selected by."""
        return {"status.replicas": str((obj.get("status") or {}).get("replicas") or 0)}


def _replica_set_spec(spec: Obj) -> Errors:
    selector = spec.get("selector")
    errors = non_negative(spec, ("replicas", "minReadySeconds"), "spec")
    errors += validate_required_selector(selector, "spec.selector", kind="deployment")
    return errors + validate_selected_template(
        spec["template"],
        selector,
        "spec.template",
        kind="ReplicaSet",
        invalid_text="invalid label selector",
    )


class ReplicationControllerStrategy(ReplicaSetStrategy):
    """How replication controllers behave: the selector is a plain map, and optional."""

    def default(self, obj: Obj) -> None:
        """Take selector and labels from the template."""
        Workload.default(self, obj)
        spec = obj.setdefault("spec", {})
        if (template := spec.get("template")) is not None:
            default_template(template)
            if labels := labels_of(template):
                spec["selector"] = spec.get("selector") or dict(labels)
                meta = obj["metadata"]
                meta["labels"] = meta.get("labels") or dict(labels)
        spec.setdefault("replicas", 1)

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Return what is wrong with a new controller."""
        return _controller_spec(obj["spec"])

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Return what is wrong with a change; all may change."""
        return _controller_spec(new["spec"])


def _controller_spec(spec: Obj) -> Errors:
    selector, template = spec.get("selector") or {}, spec.get("template")
    errors: Errors = [] if selector else [field.required("spec.selector")]
    if template is None:
        errors.append(field.required("spec.template"))
    else:
        labels = labels_of(template)
        if not selector.items() <= labels.items():
            errors.append(field.invalid("spec.template.metadata.labels", labels or None, MISMATCH))
        errors += validate_template(template, "spec.template")
        errors += runs_for_ever(template, "spec.template", kind="ReplicationController")
    # These two Kubernetes reads from its types, and reports last.
    return errors + non_negative(spec, ("replicas", "minReadySeconds"), "spec")
