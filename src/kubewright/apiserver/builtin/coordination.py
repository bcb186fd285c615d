"""Leases."""

from kubewright.apiserver.builtin.fields.checks import not_negative, one_of
from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write


class LeaseStrategy(Strategy):
    """Leases, which leaders and nodes renew."""

    allow_create_on_update = True
    allow_unconditional_update = False

    def default(self, obj: Obj) -> None:
        """Include the spec even if it is empty."""
        obj.setdefault("spec", {})

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check the numbers and the preferred holder."""
        spec = obj.get("spec") or {}
        found: Errors = []
        seconds = spec.get("leaseDurationSeconds")
        if seconds is not None and seconds <= 0:
            path = "spec.leaseDurationSeconds"
            found.append(field.invalid(path, seconds, "must be greater than 0"))
        found += not_negative(spec.get("leaseTransitions"), "spec.leaseTransitions")
        strategy = spec.get("strategy")
        if strategy and "/" not in strategy:
            found += one_of(strategy, ("OldestEmulationVersion",), "spec.strategy")
        if spec.get("preferredHolder") and not strategy:
            why = "may only be specified if `strategy` is defined"
            found.append(field.forbidden("spec.preferredHolder", why))
        return found
