"""Allocates IP families, cluster IPs and node ports for Services.

The cluster has one family, IPv4. With `Write.dry_run` a Service gets them, and nothing is kept.
"""

from typing import Any

from kubewright.apiserver.builtin.core.service import validation
from kubewright.apiserver.builtin.core.service.pool import ServicePool, TakenError, owner_of
from kubewright.apiserver.builtin.fields import addresses
from kubewright.apiserver.meta import field, status
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Write

_FAMILY = "IPv4"
_POLICY = "spec.ipFamilyPolicy"


def allocate_for_create(service: Obj, pool: ServicePool, write: Write) -> Errors:
    """Allocate everything for a new Service; return errors for requests that cannot be met."""
    spec = service["spec"]
    return (
        _assign_families(service, None)
        or _allocate_addresses(service, pool, write)
        or (_allocate_all_ports(service, pool, write) if validation.has_node_ports(spec) else [])
        or (
            _allocate_health_port(service, pool, write)
            if validation.needs_health_check(spec)
            else []
        )
    )


def allocate_for_update(new: Obj, old: Obj, pool: ServicePool, write: Write) -> Errors:
    """Allocate what a changed Service needs in addition; return errors as on create."""
    spec, before = new["spec"], old["spec"]
    if found := _assign_families(new, old):
        return found
    if before.get("type") == "ExternalName" and (found := _allocate_addresses(new, pool, write)):
        return found
    had = {port.get("nodePort") for port in before.get("ports") or ()}
    if validation.has_node_ports(spec) and (
        found := _allocate_added_ports(new, had - {None}, pool, write)
    ):
        return found
    if validation.needs_health_check(spec) and not validation.needs_health_check(before):
        return _allocate_health_port(new, pool, write)
    return []


def _assign_families(service: Obj, old: Obj | None) -> Errors:
    spec = service["spec"]
    if spec.get("type") == "ExternalName":
        return []
    headless = spec.get("clusterIP") == "None" and not spec.get("selector")
    if "ipFamilyPolicy" not in spec:
        before = (old or {}).get("spec", {}).get("ipFamilyPolicy")
        spec["ipFamilyPolicy"] = before or ("RequireDualStack" if headless else "SingleStack")
    if found := validation.linked_addresses(service, old):
        return found
    if found := _dual_stack_mistakes(spec) or _infer_families(spec):
        return found
    if headless:
        _assign_headless_families(spec)
        return []
    if found := _not_configured(spec):
        return found
    spec.setdefault("ipFamilies", [_FAMILY])
    return []


def _dual_stack_mistakes(spec: Obj) -> Errors:
    if spec["ipFamilyPolicy"] != "SingleStack":
        return []
    must = "must be 'RequireDualStack' or 'PreferDualStack' when multiple"
    found: Errors = []
    for name, what in (("clusterIPs", "cluster IPs"), ("ipFamilies", "IP families")):
        if len(spec.get(name) or ()) > 1:
            found.append(field.invalid(_POLICY, "SingleStack", f"{must} {what} are specified"))
    return found


def _infer_families(spec: Obj) -> Errors:
    families = list(spec.get("ipFamilies") or ())
    for index, ip in enumerate(spec.get("clusterIPs") or ()):
        if ip == "None":
            break
        if index < len(families):
            continue
        family = validation.family_of(ip)
        if family != _FAMILY:
            why = f"{family} is not configured on this cluster"
            return [field.invalid(f"spec.clusterIPs[{index}]", spec["clusterIPs"], why)]
        families.append(family)
    if families:
        spec["ipFamilies"] = families
    return []


def _assign_headless_families(spec: Obj) -> None:
    families = spec.setdefault("ipFamilies", [_FAMILY])
    if len(families) == 1 and spec["ipFamilyPolicy"] != "SingleStack":
        families.append("IPv6" if families[0] == "IPv4" else "IPv4")


def _not_configured(spec: Obj) -> Errors:
    found: Errors = []
    if spec["ipFamilyPolicy"] == "RequireDualStack":
        why = "this cluster is not configured for dual-stack services"
        found.append(field.invalid(_POLICY, "RequireDualStack", why))
    for index, family in enumerate(spec.get("ipFamilies") or ()):
        if family != _FAMILY:
            path = f"spec.ipFamilies[{index}]"
            found.append(field.invalid(path, family, "not configured on this cluster"))
    return found


def _allocate_addresses(service: Obj, pool: ServicePool, write: Write) -> Errors:
    spec = service["spec"]
    if spec.get("type") == "ExternalName" or spec.get("clusterIP") == "None":
        return []
    owner, asked = owner_of(service), spec.get("clusterIP")
    try:
        if asked:
            pool.check_range(str(addresses.parse(asked)))
            pool.addresses.take(asked, owner, reader=write.reader, keep=not write.dry_run)
        else:
            spec["clusterIP"] = pool.addresses.take_next(
                owner, reader=write.reader, keep=not write.dry_run
            )
            spec["clusterIPs"] = [spec["clusterIP"]]
    except TakenError as error:
        if not asked:
            name = service["metadata"].get("name", "")
            why = f'failed to allocate a serviceIP for Service "{name}": {error}'
            raise status.internal_error(why) from None
        why = f"failed to allocate IP {asked}: {error}"
        return [field.invalid("spec.clusterIPs", spec["clusterIPs"], why)]
    return []


def _allocate_all_ports(service: Obj, pool: ServicePool, write: Write) -> Errors:
    """Allocate a node port for each port; TCP and UDP ports of one number share one."""
    ports = service["spec"].get("ports") or []
    given: dict[Any, int] = {}
    for index, port in enumerate(ports):
        number, asked = port.get("port"), port.get("nodePort")
        if not asked and not validation.allocates_ports(service["spec"]):
            continue
        known = given.get(number)
        if known is not None and asked in (None, 0, known):
            port["nodePort"] = known
            continue
        if asked in given.values():
            why = "provided port is already allocated"
            return [field.invalid(f"spec.ports[{index}].nodePort", asked, why)]
        if not asked:
            same = [p["nodePort"] for p in ports if p.get("port") == number and p.get("nodePort")]
            if same:
                port["nodePort"] = same[0]
        if found := _allocate_port(service, index, pool, write):
            return found
        given.setdefault(number, port["nodePort"])
    return []


def _allocate_added_ports(service: Obj, had: set[Any], pool: ServicePool, write: Write) -> Errors:
    taken: set[Any] = set()
    for index, port in enumerate(service["spec"].get("ports") or ()):
        number = port.get("nodePort")
        if number in had or (number and number in taken):
            continue
        if not number and not validation.allocates_ports(service["spec"]):
            continue
        if found := _allocate_port(service, index, pool, write):
            return found
        taken.add(port["nodePort"])
    return []


def _allocate_port(service: Obj, index: int, pool: ServicePool, write: Write) -> Errors:
    port, keep = service["spec"]["ports"][index], not write.dry_run
    owner, asked = owner_of(service), port.get("nodePort")
    try:
        if asked:
            pool.check_port_range(asked)
            pool.ports.take(asked, owner, reader=write.reader, keep=keep)
        else:
            port["nodePort"] = pool.ports.take_next(owner, reader=write.reader, keep=keep)
    except TakenError as error:
        if not asked:
            raise status.internal_error(f"failed to allocate a nodePort: {error}") from None
        return [field.invalid(f"spec.ports[{index}].nodePort", asked, str(error))]
    return []


def _allocate_health_port(service: Obj, pool: ServicePool, write: Write) -> Errors:
    spec, owner, keep = service["spec"], owner_of(service), not write.dry_run
    asked = spec.get("healthCheckNodePort")
    try:
        if asked:
            pool.check_port_range(asked)
            pool.ports.take(asked, owner, reader=write.reader, keep=keep)
        else:
            spec["healthCheckNodePort"] = pool.ports.take_next(
                owner, reader=write.reader, keep=keep
            )
    except TakenError as error:
        what = f"requested HealthCheck NodePort {asked}" if asked else "a HealthCheck NodePort 0"
        raise status.internal_error(f"failed to allocate {what}: {error}") from None
    return []
