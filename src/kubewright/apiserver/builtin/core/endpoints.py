"""Endpoints: the addresses and ports behind a Service."""

from kubewright.apiserver.builtin.fields import addresses
from kubewright.apiserver.builtin.fields.checks import PROTOCOLS, needed_one_of, port, problems
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write


class EndpointsStrategy(Strategy):
    """Endpoints."""

    allow_create_on_update = True

    def default(self, obj: Obj) -> None:
        """Set the protocol of each port."""
        for subset in obj.get("subsets") or ():
            for item in subset.get("ports") or ():
                item.setdefault("protocol", "TCP")

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check addresses and ports."""
        found: Errors = []
        for index, subset in enumerate(obj.get("subsets") or ()):
            found += _subset(subset, f"subsets[{index}]", loopback=write.network.loopback_endpoints)
        return found

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check the subsets only if they changed."""
        found = self.validate(new, write)
        return [] if new.get("subsets") == old.get("subsets") else found


def _subset(subset: Obj, path: str, *, loopback: bool) -> Errors:
    found: Errors = []
    if not subset.get("addresses") and not subset.get("notReadyAddresses"):
        found.append(field.required(path, "must specify `addresses` or `notReadyAddresses`"))
    for name in ("addresses", "notReadyAddresses"):
        for index, item in enumerate(subset.get(name) or ()):
            found += _address(item, f"{path}.{name}[{index}]", loopback=loopback)
    ports = subset.get("ports") or []
    for index, item in enumerate(ports):
        found += _port(item, f"{path}.ports[{index}]", alone=len(ports) == 1)
    return found


def _address(item: Obj, path: str, *, loopback: bool) -> Errors:
    ip = item.get("ip") or ""
    found = addresses.address(ip, f"{path}.ip")
    if item.get("hostname"):
        found += problems(naming.dns_label, item["hostname"], f"{path}.hostname")
    if "nodeName" in item:
        found += problems(naming.dns_subdomain, item["nodeName"], f"{path}.nodeName")
    return found + addresses.endpoint(ip, f"{path}.ip", loopback=loopback)


def _port(item: Obj, path: str, *, alone: bool) -> Errors:
    found: Errors = []
    if item.get("name"):
        found += problems(naming.dns_label, item["name"], f"{path}.name")
    elif not alone:
        found.append(field.required(f"{path}.name"))
    found += port(item.get("port"), f"{path}.port")
    found += needed_one_of(item.get("protocol"), PROTOCOLS, f"{path}.protocol")
    if "appProtocol" in item:
        found += problems(naming.qualified_name, item["appProtocol"], f"{path}.appProtocol")
    return found
