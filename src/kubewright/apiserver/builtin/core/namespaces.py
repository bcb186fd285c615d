"""Namespaces: Active until they are deleted, and gone with their last finalizer."""

from kubewright.apiserver.builtin.fields.checks import problems
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import NameRule, Obj, Strategy, Write

FINALIZER: str = "kubernetes"
NAME_LABEL: str = "kubernetes.io/metadata.name"

_STANDARD = frozenset({FINALIZER, "orphan", "foregroundDeletion"})


class NamespaceStrategy(Strategy):
    """Namespaces."""

    name_rule: NameRule = staticmethod(naming.dns_label)
    has_status = True
    field_names: frozenset[str] = frozenset({"status.phase"})

    def default(self, obj: Obj) -> None:
        """Set the label with the name, so that selectors can find the namespace."""
        meta = obj["metadata"]
        if meta.get("name"):
            meta.setdefault("labels", {})[NAME_LABEL] = meta["name"]
        obj.setdefault("spec", {})
        obj.setdefault("status", {}).setdefault("phase", "Active")

    def prepare_create(self, obj: Obj, write: Write) -> None:
        """Start as Active, with the finalizer that keeps the namespace until it is empty."""
        obj["status"] = {"phase": "Active"}
        finalizers = obj["spec"].setdefault("finalizers", [])
        if FINALIZER not in finalizers:
            finalizers.append(FINALIZER)

    def prepare_update(self, new: Obj, old: Obj, write: Write) -> None:
        """Keep the finalizers: only ``/finalize`` changes them."""
        _take_finalizers(new, old)

    def prepare_finalize(self, new: Obj, old: Obj, write: Write) -> None:
        """Keep the status: ``/finalize`` may change everything else."""
        new["status"] = old.get("status") or {"phase": "Active"}

    def prepare_delete(self, obj: Obj, write: Write) -> None:
        """Set the phase to Terminating: no objects can be created in it any more."""
        obj["status"] = {**obj.get("status", {}), "phase": "Terminating"}

    def holds(self, obj: Obj) -> bool:
        """Return whether finalizers in the spec still keep the namespace."""
        return not is_finalized(obj)

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check the finalizers."""
        return _finalizers(obj, indexed=False)

    def validate_status_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check that the phase agrees with the deletion timestamp."""
        phase = (new.get("status") or {}).get("phase", "")
        deleted = "deletionTimestamp" in new["metadata"]
        wanted, state = ("Terminating", "not empty") if deleted else ("Active", "empty")
        if phase == wanted:
            return []
        why = f"may only be '{wanted}' if `deletionTimestamp` is {state}"
        return [field.invalid("status.Phase", phase, why)]

    def validate_finalize(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check what ``/finalize`` sets."""
        return _finalizers(new, indexed=True)

    def selectable_fields(self, obj: Obj) -> dict[str, str]:
        """Return the phase."""
        return {"status.phase": (obj.get("status") or {}).get("phase", "")}


def is_finalized(obj: Obj) -> bool:
    """Return whether a namespace has no finalizers left in its spec."""
    return not (obj.get("spec") or {}).get("finalizers")


def _take_finalizers(new: Obj, old: Obj) -> None:
    spec = new.setdefault("spec", {})
    spec.pop("finalizers", None)
    if before := (old.get("spec") or {}).get("finalizers"):
        spec["finalizers"] = list(before)


def _finalizers(obj: Obj, *, indexed: bool) -> Errors:
    found: Errors = []
    for index, name in enumerate((obj.get("spec") or {}).get("finalizers") or ()):
        path = f"spec.finalizers[{index}]" if indexed else "spec.finalizers"
        found += problems(naming.qualified_name, name, path)
        if "/" not in name and name not in _STANDARD:
            why = "name is neither a standard finalizer name nor is it fully qualified"
            found.append(field.invalid(path, name, why))
    return found
