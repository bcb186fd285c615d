"""Ingress classes, network policies, and the addresses that services are given from."""

import re
from ipaddress import ip_network
from typing import Any

from kubewright.apiserver.builtin.fields import addresses
from kubewright.apiserver.builtin.fields.checks import IMMUTABLE, port_name
from kubewright.apiserver.builtin.fields.rules import immutable, named, needed, one_of, port
from kubewright.apiserver.builtin.fields.selectors import validate_selector
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write

_CONTROLLER_LIMIT = 250
_URL_PATH = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"


class IngressClassStrategy(Strategy):
    """Ingress classes."""

    has_generation = True

    def default(self, obj: Obj) -> None:
        """Set the scope of the parameters."""
        parameters = obj.setdefault("spec", {}).get("parameters")
        if parameters is not None:
            parameters.setdefault("scope", "Cluster")

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check the controller and where its parameters are."""
        spec = obj["spec"]
        controller = spec.get("controller") or ""
        found: Errors = []
        if len(controller) > _CONTROLLER_LIMIT:
            found.append(field.too_long("spec.controller", _CONTROLLER_LIMIT))
        found += _prefixed_path(controller, "spec.controller")
        return found + _parameters(spec.get("parameters"), "spec.parameters")

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check that the controller stays."""
        value, before = new["spec"].get("controller"), old["spec"].get("controller")
        return immutable(value, before, "spec.controller") + self.validate(new, write)


class NetworkPolicyStrategy(Strategy):
    """Network policies."""

    has_generation = True

    def default(self, obj: Obj) -> None:
        """Set the policy types, and the protocol of each port."""
        spec = obj.setdefault("spec", {})
        spec.setdefault("podSelector", {})
        if not spec.get("policyTypes"):
            spec["policyTypes"] = ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"]
        for rule in (*(spec.get("ingress") or ()), *(spec.get("egress") or ())):
            for item in rule.get("ports") or ():
                item.setdefault("protocol", "TCP")

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check selectors, ports and peers."""
        spec = obj["spec"]
        found = validate_selector(spec.get("podSelector"), "spec.podSelector")
        for way, peers in (("ingress", "from"), ("egress", "to")):
            for index, rule in enumerate(spec.get(way) or ()):
                found += _policy_rule(rule, f"spec.{way}[{index}]", peers)
        return found + _policy_types(spec.get("policyTypes") or [])


class IPAddressStrategy(Strategy):
    """Addresses of services, each named as what it is."""

    @staticmethod
    def name_rule(value: str) -> list[str]:
        """Return what is wrong with an address as a name."""
        found = addresses.canonical_address(value, "")
        return [error.text.partition(f"{field.quoted(value)}: ")[2] for error in found]

    def default(self, obj: Obj) -> None:
        """Show a spec, even an empty one."""
        obj.setdefault("spec", {})

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check what has the address."""
        parent, path = obj["spec"].get("parentRef"), "spec.parentRef"
        if parent is None:
            return [field.required(path)]
        found: Errors = []
        if parent.get("group"):
            found += named(naming.dns_subdomain, parent["group"], f"{path}.group")
        for name in ("resource", "name"):
            found += _segment(parent.get(name), f"{path}.{name}")
        if parent.get("namespace"):
            found += named(naming.path_segment, parent["namespace"], f"{path}.namespace")
        return found

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check that the address stays with whom it is."""
        value, before = new["spec"].get("parentRef"), old["spec"].get("parentRef")
        return self.validate(new, write) + immutable(value, before, "spec.parentRef")


class ServiceCIDRStrategy(Strategy):
    """Networks from which services get their addresses."""

    has_status = True

    def default(self, obj: Obj) -> None:
        """Show spec and status, even empty ones."""
        obj.setdefault("spec", {})
        obj.setdefault("status", {})

    def prepare_create(self, obj: Obj, write: Write) -> None:
        """Begin without a status."""
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
        """Check that networks stay; a second one may come."""
        cidrs, before = new["spec"].get("cidrs") or [], old["spec"].get("cidrs") or []
        if len(before) == 1 and len(cidrs) > 1:
            return immutable(cidrs[0], before[0], "spec.cidrs[0]") + self.validate(new, write)
        if len(cidrs) != len(before):
            return [field.invalid("spec.cidrs", cidrs or None, IMMUTABLE)]
        found: Errors = []
        for index, (one, other) in enumerate(zip(cidrs, before, strict=True)):
            found += immutable(one, other, f"spec.cidrs[{index}]")
        return found


def _prefixed_path(value: str, path: str) -> Errors:
    if not value:
        return [field.required(path)]
    host, _, rest = value.partition("/")
    if not host or not rest:
        why = 'must be a domain-prefixed path (such as "acme.io/foo")'
        return [field.invalid(path, value, why)]
    found = named(naming.dns_subdomain, host, path)
    if not re.fullmatch(_URL_PATH, rest):
        why = f"Invalid path (regex used for validation is '{_URL_PATH}')"
        found.append(field.invalid(path, rest, why))
    return found


def _segment(value: Any, path: str) -> Errors:
    return needed(value, path) or named(naming.path_segment, value, path)


def _parameters(reference: Obj | None, path: str) -> Errors:
    if reference is None:
        return []
    found: Errors = []
    if "apiGroup" in reference:
        found += named(naming.dns_subdomain, reference["apiGroup"], f"{path}.apiGroup")
    for name in ("kind", "name"):
        found += _segment(reference.get(name), f"{path}.{name}")
    scope, namespace = reference.get("scope"), reference.get("namespace")
    found += one_of(scope, ("Cluster", "Namespace"), f"{path}.scope")
    where, why = f"{path}.namespace", f"`parameters.scope` is set to '{scope}'"
    if scope == "Namespace" and namespace is None:
        found.append(field.required(where, why))
    elif scope == "Namespace":
        found += named(naming.dns_label, namespace, where)
    elif scope == "Cluster" and namespace is not None:
        found.append(field.forbidden(where, why))
    return found


def _policy_rule(rule: Obj, path: str, peers: str) -> Errors:
    found: Errors = []
    for index, item in enumerate(rule.get("ports") or ()):
        found += _policy_port(item, f"{path}.ports[{index}]")
    for index, peer in enumerate(rule.get(peers) or ()):
        found += _peer(peer, f"{path}.{peers}[{index}]")
    return found


def _policy_port(item: Obj, path: str) -> Errors:
    found = one_of(item.get("protocol"), ("TCP", "UDP", "SCTP"), f"{path}.protocol")
    first, last, end = item.get("port"), item.get("endPort"), f"{path}.endPort"
    if isinstance(first, int):
        found += port(first, f"{path}.port")
        if last is not None:
            if last < first:
                why = "must be greater than or equal to `port`"
                found.append(field.invalid(end, last, why))
            found += port(last, end)
        return found
    if last is not None:
        state = "not specified" if first is None else "non-numeric"
        why = f"may not be specified when `port` is {state}"
        found.append(field.invalid(end, last, why))
    return found if first is None else found + named(port_name, first, f"{path}.port")


def _peer(peer: Obj, path: str) -> Errors:
    found: Errors = []
    for name in ("podSelector", "namespaceSelector"):
        found += validate_selector(peer.get(name), f"{path}.{name}")
    block = peer.get("ipBlock")
    if block is not None:
        found += _block(block, f"{path}.ipBlock")
        if len(peer) > 1:
            why = "may not specify both ipBlock and another peer"
            found.append(field.forbidden(path, why))
    return found if peer else [field.required(path, "must specify a peer")]


def _block(block: Obj, path: str) -> Errors:
    cidr = block.get("cidr") or ""
    if not cidr:
        return [field.required(f"{path}.cidr")]
    if found := addresses.network(cidr, f"{path}.cidr"):
        return found
    whole = ip_network(cidr)
    for index, text in enumerate(block.get("except") or ()):
        where = f"{path}.except[{index}]"
        if wrong := addresses.network(text, where):
            found += wrong
            continue
        part = ip_network(text)
        inside = part.version == whole.version and part.network_address in whole
        if not inside or part.prefixlen <= whole.prefixlen:
            found.append(field.invalid(where, text, "must be a strict subset of `cidr`"))
    return found


def _policy_types(types: list[str]) -> Errors:
    if len(types) > 2:  # noqa: PLR2004  # there are no more
        why = "may not specify more than two policyTypes"
        return [field.invalid("spec.policyTypes", types, why)]
    found: Errors = []
    for index, name in enumerate(types):
        found += one_of(name, ("Ingress", "Egress"), f"spec.policyTypes[{index}]")
    return found


def _canonical_network(text: str, path: str) -> Errors:
    found = addresses.network(text, path)
    if found or text == str(ip_network(text)):
        return found
    return [field.invalid(path, text, f'must be in canonical form ("{ip_network(text)}")')]
