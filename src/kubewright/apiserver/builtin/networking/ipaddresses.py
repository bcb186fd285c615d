"""IPAddresses: one object for each address of a Service."""

from kubewright.apiserver.builtin.fields import addresses
from kubewright.apiserver.builtin.fields.checks import immutable, needed_segment, problems
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write


class IPAddressStrategy(Strategy):
    """IPAddresses. The name is the address."""

    @staticmethod
    def name_rule(value: str) -> list[str]:
        """Return what is wrong with a name, which must be a canonical IP address."""
        found = addresses.canonical_address(value, "")
        return [error.text.partition(f"{field.quoted(value)}: ")[2] for error in found]

    def default(self, obj: Obj) -> None:
        """Include the spec even if it is empty."""
        obj.setdefault("spec", {})

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check the reference to the owner of the address."""
        parent, path = obj["spec"].get("parentRef"), "spec.parentRef"
        if parent is None:
            return [field.required(path)]
        found: Errors = []
        if parent.get("group"):
            found += problems(naming.dns_subdomain, parent["group"], f"{path}.group")
        for name in ("resource", "name"):
            found += needed_segment(parent.get(name), f"{path}.{name}")
        if parent.get("namespace"):
            found += problems(naming.path_segment, parent["namespace"], f"{path}.namespace")
        return found

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check that the owner did not change."""
        value, before = new["spec"].get("parentRef"), old["spec"].get("parentRef")
        return self.validate(new, write) + immutable(value, before, "spec.parentRef")
