"""Updates of Services: which fields are carried over, dropped, or immutable."""

from kubewright.apiserver.builtin.core.service.validation import (
    has_node_ports,
    is_external,
    is_headless,
    needs_health_check,
)
from kubewright.apiserver.builtin.fields.checks import IMMUTABLE
from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj

_UNCHANGEABLE = "may not change once set"


def normalize_addresses(spec: Obj, old: Obj | None) -> None:
    """Fill in clusterIP or clusterIPs when the client set only one of them."""
    one, many = spec.get("clusterIP", ""), spec.get("clusterIPs") or []
    if old is None:
        if one and not many:
            spec["clusterIPs"] = [one]
        return
    before, all_before = old.get("clusterIP", ""), old.get("clusterIPs") or []
    if not many and one == before and all_before:
        spec["clusterIPs"] = list(all_before)
    elif one != before and many == all_before:
        spec["clusterIPs"] = [one] if one or not before else []
        if not spec["clusterIPs"]:
            del spec["clusterIPs"]


def adopt_allocated(spec: Obj, old: Obj) -> None:
    """Carry over allocated values, so that the same manifest can be sent again."""
    if "ExternalName" not in (spec.get("type"), old.get("type")):
        if not spec.get("clusterIP") and old.get("clusterIP"):
            spec["clusterIP"] = old["clusterIP"]
        if not spec.get("clusterIPs") and old.get("clusterIPs"):
            spec["clusterIPs"] = list(old["clusterIPs"])
    if has_node_ports(spec) and has_node_ports(old):
        _adopt_ports(spec.get("ports") or [], old.get("ports") or [])
    if needs_health_check(spec) and needs_health_check(old):
        spec.setdefault("healthCheckNodePort", old.get("healthCheckNodePort", 0))


def _adopt_ports(ports: list[Obj], old: list[Obj]) -> None:
    asked = {port.get("nodePort") for port in ports}
    by_name = {port.get("name", ""): port.get("nodePort") for port in old}
    for port in ports:
        known = by_name.get(port.get("name", ""))
        if not port.get("nodePort") and known and known not in asked:
            port["nodePort"] = known


def drop_for_type(new: Obj, old: Obj) -> None:
    """Remove fields that the new type cannot have, unless the user changed them."""
    spec, before = new["spec"], old["spec"]
    if spec.get("type") == "ExternalName" != before.get("type"):
        if _same(spec, before, "clusterIP") and _same(spec, before, "clusterIPs"):
            _drop(spec, "clusterIP", "clusterIPs")
        for name in ("ipFamilies", "ipFamilyPolicy"):
            if _same(spec, before, name):
                _drop(spec, name)
    if has_node_ports(before) and not has_node_ports(spec):
        _drop_ports(spec.get("ports") or [], before.get("ports") or [])
    if needs_health_check(before) and not needs_health_check(spec):
        _drop_same(spec, before, "healthCheckNodePort")
    if before.get("type") == "LoadBalancer" != spec.get("type"):
        _drop_same(spec, before, "allocateLoadBalancerNodePorts")
        _drop_same(spec, before, "loadBalancerClass")
    if is_external(before) and not is_external(spec):
        _drop_same(spec, before, "externalTrafficPolicy")
    if spec.get("type") != "LoadBalancer":
        new.setdefault("status", {})["loadBalancer"] = {}


def _drop_ports(ports: list[Obj], before: list[Obj]) -> None:
    asked = {port.get("nodePort") for port in ports} - {None}
    if asked <= {port.get("nodePort") for port in before}:
        for port in ports:
            port.pop("nodePort", None)


def _same(spec: Obj, before: Obj, name: str) -> bool:
    return bool(spec.get(name) == before.get(name))


def _drop(spec: Obj, *names: str) -> None:
    for name in names:
        spec.pop(name, None)


def _drop_same(spec: Obj, before: Obj, name: str) -> None:
    if _same(spec, before, name):
        spec.pop(name, None)


def validate_service_update(new: Obj, old: Obj) -> Errors:
    """Return the changes of a Service that are not allowed."""
    spec, before = new["spec"], old["spec"]
    found: Errors = []
    if "ExternalName" not in (spec.get("type"), before.get("type")):
        found += _addresses_kept(spec, before) + _families_kept(spec, before)
    if spec.get("type") == before.get("type") == "LoadBalancer" and not _same(
        spec, before, "loadBalancerClass"
    ):
        value = spec.get("loadBalancerClass")
        found.append(field.invalid("spec.loadBalancerClass", value, _UNCHANGEABLE))
    if (
        needs_health_check(spec)
        and needs_health_check(before)
        and not _same(spec, before, "healthCheckNodePort")
    ):
        found.append(field.forbidden("spec.healthCheckNodePort", IMMUTABLE))
    return found


def _addresses_kept(spec: Obj, before: Obj) -> Errors:
    if is_headless(spec) and is_headless(before):
        return []
    new, old = spec.get("clusterIPs") or [], before.get("clusterIPs") or []
    path = "spec.clusterIPs[0]"
    if old and not new:
        return [field.invalid(path, None, "primary clusterIP can not be unset")]
    if len(new) == len(old):
        return [
            field.invalid(f"spec.clusterIPs[{index}]", new, _UNCHANGEABLE)
            for index, (one, other) in enumerate(zip(new, old, strict=True))
            if one != other
        ]
    if old and new[0] != old[0]:
        return [field.invalid(path, new, _UNCHANGEABLE)]
    return []


def _families_kept(spec: Obj, before: Obj) -> Errors:
    if is_headless(spec) or is_headless(before):
        return []
    new, old = spec.get("ipFamilies") or [], before.get("ipFamilies") or []
    if new and old and new[0] != old[0]:
        return [field.invalid("spec.ipFamilies[0]", new, _UNCHANGEABLE)]
    return []
