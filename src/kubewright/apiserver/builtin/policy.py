"""PodDisruptionBudgets."""

from kubewright.apiserver.builtin.fields import differences
from kubewright.apiserver.builtin.fields.checks import (
    at_most_all,
    int_or_percent,
    not_negative_fields,
    unsupported,
)
from kubewright.apiserver.builtin.fields.selectors import validate_selector
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write

_COUNTS = ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")
_EVICTION = ("AlwaysAllow", "IfHealthyBudget")


class PodDisruptionBudgetStrategy(Strategy):
    """How PodDisruptionBudgets behave."""

    has_generation = True
    has_status = True
    allow_unconditional_update = False

    def default(self, obj: Obj) -> None:
        """Include the counts even if they are zero."""
        obj.setdefault("spec", {})
        status = obj.setdefault("status", {})
        for name in _COUNTS:
            status.setdefault(name, 0)

    def prepare_create(self, obj: Obj, write: Write) -> None:
        """Start with all counts at zero."""
        obj["status"] = dict.fromkeys(_COUNTS, 0)

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Return what is wrong with a budget, new or changed."""
        spec = obj["spec"]
        errors: Errors = []
        if spec.get("minAvailable") is not None and spec.get("maxUnavailable") is not None:
            text = "minAvailable and maxUnavailable cannot be both set"
            errors.append(differences.invalid("spec", spec, "PodDisruptionBudgetSpec", detail=text))
        for name in ("minAvailable", "maxUnavailable"):
            if (value := spec.get(name)) is not None:
                errors += int_or_percent(value, f"spec.{name}")
                errors += at_most_all(value, f"spec.{name}")
        errors += validate_selector(spec.get("selector"), "spec.selector")
        eviction = spec.get("unhealthyPodEvictionPolicy")
        if eviction is not None and eviction not in _EVICTION:
            errors.append(unsupported("spec.unhealthyPodEvictionPolicy", eviction, _EVICTION))
        return errors

    def validate_status_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Return errors for negative counts."""
        return not_negative_fields(new.get("status") or {}, _COUNTS, "status")
