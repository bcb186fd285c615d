"""StorageClasses."""

from kubewright.apiserver.builtin.fields.checks import needed, one_of, same
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write

_PARAMETERS, _PARAMETERS_SIZE = 512, 256 * 1024


class StorageClassStrategy(Strategy):
    """StorageClasses."""

    def default(self, obj: Obj) -> None:
        """Default to deleting volumes with their claims, and to binding at once."""
        obj.setdefault("reclaimPolicy", "Delete")
        obj.setdefault("volumeBindingMode", "Immediate")

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check provisioner, parameters and modes."""
        found = provisioner_name(obj.get("provisioner") or "", "provisioner")
        found += class_parameters(obj.get("parameters") or {})
        if obj["reclaimPolicy"]:
            found += one_of(obj["reclaimPolicy"], ("Delete", "Retain"), "reclaimPolicy")
        modes = ("Immediate", "WaitForFirstConsumer")
        return found + one_of(obj["volumeBindingMode"], modes, "volumeBindingMode")

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check that nothing changed but mount options and expansion."""
        fixed = ("parameters", "provisioner", "reclaimPolicy", "volumeBindingMode")
        return self.validate(new, write) + same(new, old, fixed)


def provisioner_name(name: str, path: str) -> Errors:
    """Return what is wrong with the name of a provisioner or driver."""
    return needed(name, path) or [
        field.invalid(path, name.lower(), problem)
        for problem in naming.qualified_name(name.lower())
    ]


def class_parameters(parameters: dict[str, str]) -> Errors:
    """Return what is wrong with the parameters of a class."""
    path = "parameters"
    if len(parameters) > _PARAMETERS:
        return [field.too_long(path, _PARAMETERS)]
    found: Errors = []
    if "" in parameters:
        found.append(field.invalid(path, "", "field can not be empty."))
    if sum(len(key) + len(value) for key, value in parameters.items()) > _PARAMETERS_SIZE:
        found.append(field.too_long(path, _PARAMETERS_SIZE))
    return found
