"""CSIStorageCapacities: how much capacity a storage class has, and where."""

from kubewright.apiserver.builtin.fields.checks import problems, quantity_not_negative, same
from kubewright.apiserver.builtin.fields.selectors import validate_selector
from kubewright.apiserver.meta import naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write


class CSIStorageCapacityStrategy(Strategy):
    """CSIStorageCapacities."""

    allow_unconditional_update = False

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check the topology, the storage class and the capacity."""
        found = validate_selector(obj.get("nodeTopology"), "nodeTopology")
        name = obj.get("storageClassName") or ""
        found += problems(naming.dns_subdomain, name, "storageClassName")
        if "capacity" in obj:
            found += quantity_not_negative(obj["capacity"], "capacity")
        return found

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check that only the amounts changed."""
        return self.validate(new, write) + same(new, old, ("nodeTopology", "storageClassName"))
