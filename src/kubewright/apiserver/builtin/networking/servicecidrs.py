"""ServiceCIDRs: the networks from which Services get their addresses."""

from ipaddress import ip_network

from kubewright.apiserver.builtin.fields import addresses
from kubewright.apiserver.builtin.fields.checks import IMMUTABLE, immutable
from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write


class ServiceCIDRStrategy(Strategy):
    """ServiceCIDRs."""

    has_status = True

    def default(self, obj: Obj) -> None:
        """Include spec and status even if they are empty."""
        obj.setdefault("spec", {})
        obj.setdefault("status", {})

    def prepare_create(self, obj: Obj, write: Write) -> None:
        """Start with an empty status."""
        obj["status"] = {}

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check the networks."""
        cidrs, path = obj["spec"].get("cidrs") or [], "spec.cidrs"
        if not cidrs:
            return [field.required(path, "at least one CIDR required")]
        if len(cidrs) > 2:  # noqa: PLR2004  # one of each family
            return [field.invalid(path, {"CIDRs": cidrs}, "may only hold up to 2 values")]
        found: Errors = []
        for index, cidr in enumerate(cidrs):
            found += _canonical_network(cidr, f"{path}[{index}]")
        if not found and len({":" in cidr for cidr in cidrs}) < len(cidrs):
            why = "may specify no more than one IP for each IP family, i.e"
            why += " 192.168.0.0/24 and 2001:db8::/64"
            found.append(field.invalid(path, cidrs, why))
        return found

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check that networks did not change; a second one may be added."""
        cidrs, before = new["spec"].get("cidrs") or [], old["spec"].get("cidrs") or []
        if len(before) == 1 and len(cidrs) > 1:
            return immutable(cidrs[0], before[0], "spec.cidrs[0]") + self.validate(new, write)
        if len(cidrs) != len(before):
            return [field.invalid("spec.cidrs", cidrs or None, IMMUTABLE)]
        found: Errors = []
        for index, (one, other) in enumerate(zip(cidrs, before, strict=True)):
            found += immutable(one, other, f"spec.cidrs[{index}]")
        return found


def _canonical_network(text: str, path: str) -> Errors:
    found = addresses.network(text, path)
    if found or text == str(ip_network(text)):
        return found
    return [field.invalid(path, text, f'must be in canonical form ("{ip_network(text)}")')]
