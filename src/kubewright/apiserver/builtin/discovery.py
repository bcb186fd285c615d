"""EndpointSlices: the addresses and ports behind a Service."""

from typing import Any

from kubewright.apiserver.builtin.fields import addresses
from kubewright.apiserver.builtin.fields.checks import (
    PROTOCOLS,
    immutable,
    needed,
    needed_one_of,
    problems,
)
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write

_ADDRESS_TYPES = ("FQDN", "IPv4", "IPv6")
_MAX_ENDPOINTS, _MAX_ADDRESSES, _MAX_PORTS, _MAX_HINTS = 1000, 100, 20000, 8


class EndpointSliceStrategy(Strategy):
    """EndpointSlices. A change of any field or label increments the generation."""

    has_generation = True

    def default(self, obj: Obj) -> None:
        """Set name and protocol of each port; include both lists even if they are empty."""
        for item in obj.get("ports") or ():
            item.setdefault("name", "")
            item.setdefault("protocol", "TCP")
        obj.setdefault("ports", None)
        obj.setdefault("endpoints", None)
        for item in obj["endpoints"] or ():
            item.setdefault("conditions", {})

    def prepare_create(self, obj: Obj, write: Write) -> None:
        """Drop ``deprecatedTopology``, which v1 does not accept."""
        for item in obj["endpoints"] or ():
            item.pop("deprecatedTopology", None)

    def prepare_update(self, new: Obj, old: Obj, write: Write) -> None:
        """Drop ``deprecatedTopology`` unless the endpoints are unchanged."""
        if new.get("endpoints") != old.get("endpoints"):
            self.prepare_create(new, write)

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check the type, ports and endpoints."""
        kind = obj.get("addressType")
        found = needed_one_of(kind, _ADDRESS_TYPES, "addressType") + _ports(obj.get("ports") or [])
        items = obj.get("endpoints") or []
        loopback = write.network.loopback_endpoints
        if len(items) > _MAX_ENDPOINTS:
            return [*found, field.too_many("endpoints", len(items), _MAX_ENDPOINTS)]
        for index, item in enumerate(items):
            found += _endpoint(item, f"endpoints[{index}]", kind, loopback=loopback)
        if kind == "FQDN":
            write.warn("spec.addressType: FQDN endpoints are deprecated")
        return found

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check that the address type did not change."""
        found = self.validate(new, write)
        if new.get("endpoints") == old.get("endpoints"):
            found = [error for error in found if not error.path.startswith("endpoints")]
        return found + immutable(new.get("addressType"), old.get("addressType"), "addressType")

    def spec_changed(self, new: Obj, old: Obj) -> bool:
        """Return whether anything but the metadata changed, or the labels did."""
        names = {*new, *old} - {"metadata"}
        return new["metadata"].get("labels") != old["metadata"].get("labels") or any(
            new.get(name) != old.get(name) for name in names
        )


def _ports(items: list[Obj]) -> Errors:
    if len(items) > _MAX_PORTS:
        return [field.too_many("ports", len(items), _MAX_PORTS)]
    found: Errors = []
    names: set[Any] = set()
    for index, item in enumerate(items):
        path, name = f"ports[{index}]", item.get("name", "")
        if name:
            found += problems(naming.dns_label, name, f"{path}.name")
        if name in names:
            found.append(field.duplicate(f"{path}.name", name))
        names.add(name)
        found += needed_one_of(item.get("protocol"), PROTOCOLS, f"{path}.protocol")
        if "appProtocol" in item:
            found += problems(naming.qualified_name, item["appProtocol"], f"{path}.appProtocol")
    return found


def _endpoint(item: Obj, path: str, kind: Any, *, loopback: bool) -> Errors:
    ips = item.get("addresses") or []
    found = needed(ips, f"{path}.addresses", "must contain at least 1 address")
    if len(ips) > _MAX_ADDRESSES:
        found.append(field.too_many(f"{path}.addresses", len(ips), _MAX_ADDRESSES))
    for index, ip in enumerate(ips):
        found += _slice_address(ip, f"{path}.addresses", kind=kind, index=index, loopback=loopback)
    if "nodeName" in item:
        found += problems(naming.dns_subdomain, item["nodeName"], f"{path}.nodeName")
    if "hostname" in item:
        found += problems(naming.dns_label, item["hostname"], f"{path}.hostname")
    return found + _hints(item.get("hints") or {}, f"{path}.hints")


def _slice_address(ip: str, path: str, *, kind: Any, index: int, loopback: bool) -> Errors:
    place = f"{path}[{index}]"
    if kind == "FQDN":
        return _full_name(ip, place)
    if kind not in _ADDRESS_TYPES:
        return []
    rule = addresses.address if kind == "IPv4" else addresses.canonical_address
    if found := rule(ip, place):
        return found
    wrong = (":" in ip) is (kind == "IPv4")
    found = [field.invalid(path, ip, f"must be an {kind} address")] if wrong else []
    return found + addresses.endpoint(ip, place, loopback=loopback)


def _full_name(name: str, path: str) -> Errors:
    bare = name.removesuffix(".")
    if not bare:
        return [field.required(path)]
    if found := problems(naming.dns_subdomain, bare, path):
        return found
    if bare.count(".") < 1:
        why = "should be a domain with at least two segments separated by dots"
        return [field.invalid(path, bare, why)]
    return []


def _hints(hints: Obj, path: str) -> Errors:
    found: Errors = []
    rules = (("forZones", naming.label_value), ("forNodes", naming.dns_subdomain))
    for name, rule in rules:
        items = [item.get("name") or "" for item in hints.get(name) or ()]
        if len(items) > _MAX_HINTS:
            return [*found, field.too_many(f"{path}.{name}", len(items), _MAX_HINTS)]
        for index, item in enumerate(items):
            if item in items[:index]:
                found.append(field.duplicate(f"{path}.{name}[{index}].name", item))
            found += problems(rule, item, f"{path}.{name}[{index}].name")
    return found
