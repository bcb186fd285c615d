"""ReplicaSets."""

from typing import ClassVar

from kubewright.apiserver.builtin.apps.workloads import (
    Workload,
    available_at_most_ready,
    validate_required_selector,
    validate_selected_template,
)
from kubewright.apiserver.builtin.core.pod.defaults import default_template
from kubewright.apiserver.builtin.fields.checks import (
    at_most,
    immutable_fields,
    not_negative_fields,
)
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Write


class ReplicaSetStrategy(Workload):
    """How ReplicaSets behave."""

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
        """Default to one replica."""
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
        """Return what is wrong with a change; the selector is immutable."""
        return _replica_set_spec(new["spec"]) + immutable_fields(
            new["spec"], old["spec"], ("selector",), "spec"
        )

    def validate_status_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Return errors for counts that contradict one another."""
        status = new.get("status") or {}
        counts = ("fullyLabeledReplicas", "readyReplicas", "availableReplicas")
        errors = not_negative_fields(status, self._COUNTS, "status")
        return (
            errors
            + at_most(status, counts, "status", limit="replicas")
            + available_at_most_ready(status)
        )

    def selectable_fields(self, obj: Obj) -> dict[str, str]:
        """Return the one count that ReplicaSets can be selected by."""
        return {"status.replicas": str((obj.get("status") or {}).get("replicas") or 0)}


def _replica_set_spec(spec: Obj) -> Errors:
    selector = spec.get("selector")
    errors = not_negative_fields(spec, ("replicas", "minReadySeconds"), "spec")
    errors += validate_required_selector(selector, "spec.selector", kind="deployment")
    return errors + validate_selected_template(
        spec["template"],
        selector,
        "spec.template",
        kind="ReplicaSet",
        invalid_text="invalid label selector",
    )
