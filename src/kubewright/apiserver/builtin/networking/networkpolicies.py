"""NetworkPolicies: which traffic may reach and leave pods."""

from ipaddress import ip_network

from kubewright.apiserver.builtin.fields import addresses
from kubewright.apiserver.builtin.fields.checks import one_of, port, port_name, problems
from kubewright.apiserver.builtin.fields.selectors import validate_selector
from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write


class NetworkPolicyStrategy(Strategy):
    """NetworkPolicies."""

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
    return found if first is None else found + problems(port_name, first, f"{path}.port")


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
    if len(types) > 2:  # noqa: PLR2004  # Ingress and Egress
        why = "may not specify more than two policyTypes"
        return [field.invalid("spec.policyTypes", types, why)]
    found: Errors = []
    for index, name in enumerate(types):
        found += one_of(name, ("Ingress", "Egress"), f"spec.policyTypes[{index}]")
    return found
