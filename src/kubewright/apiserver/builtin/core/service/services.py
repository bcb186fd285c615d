"""Services: the strategy that the request pipeline calls."""

from weakref import WeakKeyDictionary

from kubewright.apiserver.builtin.core.service import allocation, updates, validation
from kubewright.apiserver.builtin.core.service.pool import ServicePool
from kubewright.apiserver.meta import naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import NameRule, Obj, Reader, Strategy, Write

_AFFINITY_SECONDS = 10800
_INTERNAL = ("ClusterIP", "NodePort", "LoadBalancer")


class ServiceStrategy(Strategy):
    """Services. It keeps one `ServicePool` for each server in this process."""

    name_rule: NameRule = staticmethod(naming.dns_label)
    has_status = True
    is_pure = False  # it allocates addresses and ports
    allow_create_on_update = True
    field_names: frozenset[str] = frozenset({"spec.clusterIP", "spec.type"})

    def __init__(self) -> None:
        # All servers in a process share one strategy; the reader identifies the server.
        self._pools: WeakKeyDictionary[Reader, ServicePool] = WeakKeyDictionary()

    def pool(self, write: Write) -> ServicePool:
        """Return the pools of the server that *write* belongs to."""
        reader = write.reader
        found = self._pools.get(reader)
        if found is None:
            found = self._pools[reader] = ServicePool(reader, write.network.service_cidr)
        return found

    def default(self, obj: Obj) -> None:
        """Fill in the type, the policies and the ports."""
        spec = obj.setdefault("spec", {})
        spec.setdefault("type", "ClusterIP")
        _default_affinity(spec)
        for port in spec.get("ports") or ():
            port.setdefault("protocol", "TCP")
            if not port.get("targetPort"):
                port["targetPort"] = port.get("port", 0)
        if validation.is_external(spec):
            spec.setdefault("externalTrafficPolicy", "Cluster")
        if spec["type"] in _INTERNAL:
            spec.setdefault("internalTrafficPolicy", "Cluster")
        if spec["type"] == "LoadBalancer":
            spec.setdefault("allocateLoadBalancerNodePorts", True)
        _default_status(obj)

    def prepare_create(self, obj: Obj, write: Write) -> None:
        """Make clusterIP and clusterIPs agree."""
        obj["status"] = {"loadBalancer": {}}
        updates.normalize_addresses(obj["spec"], None)

    def prepare_update(self, new: Obj, old: Obj, write: Write) -> None:
        """Keep what was allocated, and drop fields that the new type does not use."""
        updates.normalize_addresses(new["spec"], old["spec"])
        updates.adopt_allocated(new["spec"], old["spec"])
        updates.drop_for_type(new, old)

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Allocate first, so that the server's own choices are checked, too."""
        if found := allocation.allocate_for_create(obj, self.pool(write), write):
            return found
        validation.warn(obj, write)
        return validation.validate_service(obj, None)

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Allocate what the change needs, then check it and what must not change."""
        if found := allocation.allocate_for_update(new, old, self.pool(write), write):
            return found
        validation.warn(new, write)
        return updates.validate_service_update(new, old) + validation.validate_service(new, old)

    def validate_status_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check the addresses of the load balancer."""
        _default_status(new)
        return validation.validate_load_balancer(new)

    def selectable_fields(self, obj: Obj) -> dict[str, str]:
        """Return the address and the type."""
        spec = obj.get("spec") or {}
        return {"spec.clusterIP": spec.get("clusterIP", ""), "spec.type": spec.get("type", "")}

    def after_delete(self, obj: Obj, write: Write) -> None:
        """Free the addresses and ports."""
        self.pool(write).release(obj)


def _default_affinity(spec: Obj) -> None:
    affinity = spec.setdefault("sessionAffinity", "None")
    if affinity == "None":
        spec.pop("sessionAffinityConfig", None)
    elif affinity == "ClientIP":
        client = (spec.get("sessionAffinityConfig") or {}).get("clientIP") or {}
        if client.get("timeoutSeconds") is None:
            spec["sessionAffinityConfig"] = {"clientIP": {"timeoutSeconds": _AFFINITY_SECONDS}}


def _default_status(obj: Obj) -> None:
    balancer = obj.setdefault("status", {}).setdefault("loadBalancer", {})
    if obj["spec"].get("type") == "LoadBalancer":
        for ingress in balancer.get("ingress") or ():
            if ingress.get("ip"):
                ingress.setdefault("ipMode", "VIP")
