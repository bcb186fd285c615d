"""Validation of Services."""

from typing import Any

from kubewright.apiserver.builtin.fields import addresses, checks
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors, FieldError
from kubewright.apiserver.registry.strategy import Obj, Write

_TYPES = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_FAMILIES = ("IPv4", "IPv6")
_POLICIES = ("PreferDualStack", "RequireDualStack", "SingleStack")
_DISTRIBUTIONS = ("PreferClose", "PreferSameZone", "PreferSameNode")
_MAX_AFFINITY_SECONDS = 86400
_FOR_BALANCERS = "may only be used when `type` is 'LoadBalancer'"
_HINTS = "service.kubernetes.io/topology-aware-hints"
_MODE = "service.kubernetes.io/topology-mode"
_SOURCE_RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges"


def is_external(spec: Obj) -> bool:
    """Return whether traffic from outside the cluster reaches the service."""
    kind = spec.get("type")
    return kind in ("NodePort", "LoadBalancer") or (
        kind == "ClusterIP" and bool(spec.get("externalIPs"))
    )


def has_node_ports(spec: Obj) -> bool:
    """Return whether the type has ports on the nodes."""
    return spec.get("type") in ("NodePort", "LoadBalancer")


def allocates_ports(spec: Obj) -> bool:
    """Return whether node ports are allocated for ports that do not ask for one."""
    if spec.get("type") == "LoadBalancer":
        return bool(spec.get("allocateLoadBalancerNodePorts", True))
    return spec.get("type") == "NodePort"


def needs_health_check(spec: Obj) -> bool:
    """Return whether the service has a port for the health checks of its load balancer."""
    local = spec.get("externalTrafficPolicy") == "Local"
    return local and spec.get("type") == "LoadBalancer"


def is_headless(spec: Obj) -> bool:
    """Return whether the service is headless: it has no cluster IP."""
    return bool(spec.get("clusterIPs") == ["None"])


def family_of(ip: str) -> str:
    """Return the family of an address."""
    return "IPv6" if ":" in ip else "IPv4"


def validate_service(obj: Obj, old: Obj | None) -> Errors:
    """Return what is wrong with a service; addresses that *old* had already are accepted."""
    spec, before = obj["spec"], (old or {}).get("spec") or {}
    found = _annotations(obj) + _of_type(spec)
    names: set[str] = set()
    ports = spec.get("ports") or []
    for index, port in enumerate(ports):
        found += _port(port, f"spec.ports[{index}]", names=names, alone=len(ports) == 1)
    found += naming.labels(spec.get("selector") or {}, "spec.selector")
    found += _affinity(spec) + linked_addresses(obj, old)
    for index, ip in enumerate(spec.get("externalIPs") or ()):
        path = f"spec.externalIPs[{index}]"
        excused = ip in (before.get("externalIPs") or ())
        found += (not excused and addresses.address(ip, path)) or addresses.endpoint(ip, path)
    found += checks.needed_one_of(spec.get("type"), _TYPES, "spec.type")
    found += _duplicate_ports(spec) + _source_ranges(obj, old)
    found += _balancer_fields(spec) + _traffic(spec)
    return found


def _annotations(obj: Obj) -> Errors:
    notes = obj["metadata"].get("annotations") or {}
    hints, mode = notes.get(_HINTS), notes.get(_MODE)
    if hints is None or mode is None or hints == mode:
        return []
    why = f"must match annotations[{_HINTS}] when both are specified"
    return [field.invalid(f"metadata.annotations[{_MODE}]", mode, why)]


def _of_type(spec: Obj) -> Errors:
    kind, headless = spec.get("type"), is_headless(spec)
    found: Errors = []
    if not spec.get("ports") and not headless and kind != "ExternalName":
        found.append(field.required("spec.ports"))
    if headless and kind in ("LoadBalancer", "NodePort"):
        why = f"may not be set to 'None' for {kind} services"
        found.append(field.invalid("spec.clusterIPs[0]", "None", why))
    if kind == "ExternalName":
        for name in ("clusterIPs", "ipFamilies", "ipFamilyPolicy"):
            if spec.get(name):
                why = "may not be set for ExternalName services"
                found.append(field.forbidden(f"spec.{name}", why))
        target = str(spec.get("externalName") or "").removesuffix(".")
        found += checks.needed(target, "spec.externalName") or checks.problems(
            naming.dns_subdomain, target, "spec.externalName"
        )
    return found


def _port(port: Obj, path: str, *, names: set[str], alone: bool) -> Errors:
    found: Errors = []
    name = port.get("name") or ""
    if name:
        found += checks.problems(naming.dns_label, name, f"{path}.name")
        if name in names:
            found.append(field.duplicate(f"{path}.name", name))
        names.add(name)
    elif not alone:
        found.append(field.required(f"{path}.name"))
    found += checks.port(port.get("port"), f"{path}.port")
    found += checks.needed_one_of(port.get("protocol"), checks.PROTOCOLS, f"{path}.protocol")
    found += checks.port_or_name(port.get("targetPort"), f"{path}.targetPort")
    if "appProtocol" in port:
        found += checks.problems(naming.qualified_name, port["appProtocol"], f"{path}.appProtocol")
    return found


def _affinity(spec: Obj) -> Errors:
    affinity = spec.get("sessionAffinity")
    found = checks.needed_one_of(affinity, ("ClientIP", "None"), "spec.sessionAffinity")
    if affinity != "ClientIP":
        return found
    seconds = spec["sessionAffinityConfig"]["clientIP"]["timeoutSeconds"]
    if not 0 < seconds <= _MAX_AFFINITY_SECONDS:
        path = "spec.sessionAffinityConfig.clientIP.timeoutSeconds"
        why = f"must be greater than 0 and less than {_MAX_AFFINITY_SECONDS}"
        found.append(field.invalid(path, seconds, why))
    return found


def linked_addresses(obj: Obj, old: Obj | None) -> Errors:
    """Return how clusterIP, clusterIPs, ipFamilies and ipFamilyPolicy contradict one another."""
    spec, before = obj["spec"], (old or {}).get("spec") or {}
    if spec.get("type") == "ExternalName":
        return []
    ips, families = spec.get("clusterIPs") or [], spec.get("ipFamilies") or []
    found = _first_address(spec.get("clusterIP") or "", ips)
    first = checks.first_indexes(families)
    for index, family in enumerate(families):
        path = f"spec.ipFamilies[{index}]"
        found += checks.one_of(family, _FAMILIES, path)
        if first[family] != index:
            found.append(field.duplicate(path, family))
    if "ipFamilyPolicy" in spec:
        found += checks.one_of(spec["ipFamilyPolicy"], _POLICIES, "spec.ipFamilyPolicy")
    broken = _each_address(ips, before.get("clusterIPs") or [])
    if len(ips) > 2:  # noqa: PLR2004  # one of each family
        broken.append(field.invalid("spec.clusterIPs", ips, "may only hold up to 2 values"))
    if broken or is_headless(spec):
        return found + broken
    return found + _families_match(ips, families)


def _first_address(one: str, many: list[str]) -> Errors:
    path = "spec.clusterIPs"
    if one and not many:
        return [field.required(path)]
    if one and many[0] != one:
        return [field.invalid(path, many, "first value must match `clusterIP`")]
    if many and not one:
        return [field.invalid(path, many, "must be empty when `clusterIP` is not specified")]
    return []


def _each_address(ips: list[str], old: list[str]) -> Errors:
    found: Errors = []
    for index, ip in enumerate(ips):
        if index == 0 and ip == "None":
            if len(ips) > 1:
                why = "'None' must be the first and only value"
                found.append(field.invalid("spec.clusterIPs", ips, why))
        elif ip not in old:
            found += addresses.address(ip, f"spec.clusterIPs[{index}]")
    return found


def _families_match(ips: list[str], families: list[str]) -> Errors:
    found: Errors = []
    if len(ips) > 1 and len({family_of(ip) for ip in ips}) == 1:
        why = "may specify no more than one IP for each IP family"
        found.append(field.invalid("spec.clusterIPs", ips, why))
    for index, (ip, family) in enumerate(zip(ips, families, strict=False)):
        if family in _FAMILIES and family_of(ip) != family:
            why = f"expected an {family} value as indicated by `ipFamilies[{index}]`"
            found.append(field.invalid(f"spec.clusterIPs[{index}]", ip, why))
    return found


def _duplicate_ports(spec: Obj) -> Errors:
    found: Errors = []
    ports = spec.get("ports") or []
    seen: set[tuple[Any, Any]] = set()
    for index, port in enumerate(ports):
        number, path = port.get("nodePort"), f"spec.ports[{index}].nodePort"
        if not number:
            continue
        if spec.get("type") == "ClusterIP":
            why = "may not be used when `type` is 'ClusterIP'"
            found.append(field.forbidden(path, why))
        if (port.get("protocol"), number) in seen:
            found.append(field.duplicate(path, number))
        seen.add((port.get("protocol"), number))
    seen.clear()
    for index, port in enumerate(ports):
        key = (port.get("protocol"), port.get("port"))
        if key in seen:
            found.append(_duplicate_port(f"spec.ports[{index}]", *key))
        seen.add(key)
    return found


def _duplicate_port(path: str, protocol: Any, number: Any) -> FieldError:
    # The real server prints its own Go struct here, including zero fields.
    shown = (
        f'{{"Name":"","Protocol":{field.shown(protocol)},"AppProtocol":null,'
        f'"Port":{number},"TargetPort":0,"NodePort":0}}'
    )
    return FieldError("FieldValueDuplicate", path, f"Duplicate value: {shown}")


def _source_ranges(obj: Obj, old: Obj | None) -> Errors:
    spec, before = obj["spec"], (old or {}).get("spec") or {}
    known = [item.strip() for item in before.get("loadBalancerSourceRanges") or ()]
    ranges, path = spec.get("loadBalancerSourceRanges"), "spec.LoadBalancerSourceRanges"
    note = (obj["metadata"].get("annotations") or {}).get(_SOURCE_RANGES)
    found: Errors = []
    if ranges:
        values = [(f"{path}[{index}]", item.strip()) for index, item in enumerate(ranges)]
    elif note is not None:
        path = f"metadata.annotations[{_SOURCE_RANGES}]"
        values = [(path, item.strip()) for item in note.strip().split(",") if note.strip()]
    else:
        return []
    if spec.get("type") != "LoadBalancer":
        found.append(field.forbidden(path, _FOR_BALANCERS))
    for where, value in values:
        if value not in known:
            found += addresses.network(value, where)
    return found


def _balancer_fields(spec: Obj) -> Errors:
    if spec.get("type") == "LoadBalancer":
        if "loadBalancerClass" not in spec:
            return []
        path = "spec.loadBalancerClass"
        return checks.problems(naming.qualified_name, spec["loadBalancerClass"], path)
    return [
        field.forbidden(f"spec.{name}", _FOR_BALANCERS)
        for name in ("allocateLoadBalancerNodePorts", "loadBalancerClass")
        if name in spec
    ]


def _traffic(spec: Obj) -> Errors:
    found: Errors = []
    policies, path = ("Cluster", "Local"), "spec.externalTrafficPolicy"
    external, internal = spec.get("externalTrafficPolicy"), spec.get("internalTrafficPolicy")
    if is_external(spec):
        found += checks.needed_one_of(external, policies, path)
    elif external:
        why = "may only be set for externally-accessible services"
        found.append(field.invalid(path, external, why))
    health, path = spec.get("healthCheckNodePort"), "spec.healthCheckNodePort"
    if needs_health_check(spec):
        found += checks.needed(health, path) or checks.port(health, path)
    elif health:
        why = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
        found.append(field.invalid(path, health, why))
    if internal:
        found += checks.one_of(internal, policies, "spec.internalTrafficPolicy")
    if spec.get("trafficDistribution"):
        distribution = spec["trafficDistribution"]
        found += checks.one_of(distribution, _DISTRIBUTIONS, "spec.trafficDistribution")
    return found


def validate_load_balancer(obj: Obj) -> Errors:
    """Return what is wrong with the addresses of the load balancer."""
    path = "status.loadBalancer.ingress"
    items = ((obj.get("status") or {}).get("loadBalancer") or {}).get("ingress") or []
    if items and obj["spec"].get("type") != "LoadBalancer":
        return [field.forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")]
    found: Errors = []
    for index, item in enumerate(items):
        found += ingress_point(item, f"{path}[{index}]", with_mode=True)
    return found


def ingress_point(item: Obj, path: str, *, with_mode: bool = False) -> Errors:
    """Return what is wrong with one ingress point: an address or a host name."""
    found: Errors = []
    ip, mode, host = item.get("ip"), item.get("ipMode"), item.get("hostname")
    if ip:
        found += addresses.address(ip, f"{path}.ip")
    if with_mode and mode is not None:
        if not ip:
            why = "may not be specified when `ip` is not set"
            found.append(field.forbidden(f"{path}.ipMode", why))
        else:
            found += checks.one_of(mode, ("Proxy", "VIP"), f"{path}.ipMode")
    if host:
        found += checks.problems(naming.dns_subdomain, host, f"{path}.hostname")
        if addresses.parse(host) is not None:
            why = "must be a DNS name, not an IP address"
            found.append(field.invalid(f"{path}.hostname", host, why))
    return found


def warn(obj: Obj, write: Write) -> None:
    """Warn about fields that have no effect or are deprecated."""
    spec, notes = obj["spec"], obj["metadata"].get("annotations") or {}
    kind, headless = spec.get("type"), spec.get("clusterIP") == "None"
    if _HINTS in notes:
        write.warn(f"annotation {_HINTS} is deprecated, please use {_MODE} instead")
    if headless and kind == "ClusterIP":
        for name, ignored in (("loadBalancerIP", ""), ("externalIPs", []), ("sessionAffinity", "")):
            value = spec.get(name, ignored)
            shown = "SessionAffinity" if name == "sessionAffinity" else name
            if value and value != "None":
                write.warn(f"spec.{shown} is ignored for headless services")
    elif spec.get("externalIPs") and kind != "ExternalName":
        write.warn(
            "spec.externalIPs is deprecated and may no longer be implemented in some clusters"
        )
    if kind == "ExternalName" and spec.get("externalIPs"):
        write.warn('spec.externalIPs is ignored when spec.type is "ExternalName"')
    if kind != "ExternalName" and spec.get("externalName"):
        write.warn('spec.externalName is ignored when spec.type is not "ExternalName"')
    if spec.get("trafficDistribution") == "PreferClose":
        write.warn('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"')
