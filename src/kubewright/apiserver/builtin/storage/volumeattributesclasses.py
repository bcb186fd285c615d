"""VolumeAttributesClasses."""

from kubewright.apiserver.builtin.fields.checks import needed
from kubewright.apiserver.builtin.storage.storageclasses import class_parameters, provisioner_name
from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write


class VolumeAttributesClassStrategy(Strategy):
    """VolumeAttributesClasses."""

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check driver and parameters."""
        parameters = obj.get("parameters") or {}
        found = provisioner_name(obj.get("driverName") or "", "driverName") + class_parameters(
            parameters
        )
        return found + needed(parameters, "parameters", "must contain at least one key/value pair")

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check that neither changed."""
        found = [
            field.forbidden(name, f"updates to {name} are forbidden.")
            for name in ("driverName", "parameters")
            if new.get(name) != old.get(name)
        ]
        return found + self.validate(new, write)
