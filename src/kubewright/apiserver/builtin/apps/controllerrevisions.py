"""ControllerRevisions: earlier templates of DaemonSets and StatefulSets."""

from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write


class ControllerRevisionStrategy(Strategy):
    """How ControllerRevisions behave: their data never changes."""

    def default(self, obj: Obj) -> None:
        """Include the revision number even if it is zero."""
        obj.setdefault("revision", 0)

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Return what is wrong with a new revision."""
        errors = _revision(obj)
        data = obj.get("data")
        if data is None:
            errors.append(field.required("data", "data is mandatory"))
        elif not isinstance(data, dict):
            errors.append(field.required("data", "data must be a valid JSON object"))
        return errors

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Return what is wrong with a change."""
        errors = _revision(new)
        if new.get("data") != old.get("data"):
            errors.append(field.invalid("data", new.get("data"), "field is immutable"))
        return errors


def _revision(obj: Obj) -> Errors:
    number = obj.get("revision") or 0
    text = "must be greater than or equal to 0"
    return [field.invalid("revision", number, text)] if number < 0 else []
