"""Which pods belong to which services, and the fields of them that matter for traffic.

Only these are decoded, once for each version of a pod, since a service of hundreds of pods is
reconciled whenever one of them changes.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any
from weakref import WeakKeyDictionary

import msgspec

from kubewright.api.kind import ObjectKey
from kubewright.api.selectors import Selector
from kubewright.cache.entry import Entry, Event
from kubewright.cluster import Cluster
from kubewright.kinds.core.v1 import ObjectReference, Pod, Service, ServicePort

__all__ = ["Backend", "ServicePods", "TriggerTimes", "is_headless", "service_pods_of"]


class _ContainerPort(msgspec.Struct, rename="camel", gc=False):
    container_port: int = 0
    name: str = ""
    protocol: str = "TCP"


class _Container(msgspec.Struct, rename="camel", gc=False):
    ports: list[_ContainerPort] | None = None
    restart_policy: str | None = None


class _Spec(msgspec.Struct, rename="camel", gc=False):
    node_name: str | None = None
    hostname: str | None = None
    subdomain: str | None = None
    containers: list[_Container] | None = None
    init_containers: list[_Container] | None = None


class _IP(msgspec.Struct, gc=False):
    ip: str = ""


class _Condition(msgspec.Struct, rename="camel", gc=False):
    type: str = ""
    status: str = ""
    last_transition_time: datetime | None = None


class _Status(msgspec.Struct, rename="camel", gc=False):
    phase: str = ""
    pod_ip: str = msgspec.field(default="", name="podIP")
    pod_ips: list[_IP] | None = msgspec.field(default=None, name="podIPs")
    conditions: list[_Condition] | None = None


class _Document(msgspec.Struct, gc=False):
    spec: _Spec = msgspec.field(default_factory=_Spec)
    status: _Status = msgspec.field(default_factory=_Status)


_decode = msgspec.json.Decoder(_Document).decode


class Backend(msgspec.Struct, frozen=True):
    """The fields of one pod that matter for traffic.

    Attributes:
        key: Its namespace and name.
        uid: Which pod of that name it is.
        ips: Its addresses.
        node: Where it runs.
        hostname: The name it wants to be found by, below its subdomain.
        subdomain: The name of the service under which it wants to be found.
        ready: Whether it is ready.
        ready_changed: Since when.
        deleting: Whether its deletion was asked for.
        ended: Whether all of its containers have ended for good.
        ports: The ports of its containers, as name, protocol and number.
    """

    key: ObjectKey
    uid: str
    ips: tuple[str, ...]
    node: str | None
    hostname: str
    subdomain: str
    ready: bool
    ready_changed: datetime | None
    deleting: bool
    ended: bool
    ports: tuple[tuple[str, str, int], ...]

    @classmethod
    def of(cls, entry: Entry[Any]) -> "Backend":
        """Return the fields of the pod in *entry*."""
        said = _decode(entry.raw)
        spec, status = said.spec, said.status
        ready = next((one for one in status.conditions or () if one.type == "Ready"), None)
        ips = tuple(one.ip for one in status.pod_ips or ()) or (
            (status.pod_ip,) * bool(status.pod_ip)
        )
        return cls(
            key=entry.key,
            uid=entry.uid,
            ips=ips,
            node=spec.node_name,
            hostname=spec.hostname or "",
            subdomain=spec.subdomain or "",
            ready=ready is not None and ready.status == "True",
            ready_changed=ready.last_transition_time if ready else None,
            deleting=entry.deleting,
            ended=status.phase in {"Succeeded", "Failed"},
            ports=tuple(_ports(spec)),
        )

    def ip(self, family: str) -> str | None:
        """Return its address of *family*, ``IPv4`` or ``IPv6``."""
        wanted = family == "IPv6"
        return next((ip for ip in self.ips if (":" in ip) is wanted), None)

    def port(self, wanted: ServicePort) -> int | None:
        """Return the number of the port that a service means; ``None`` if there is none here."""
        target = wanted.target_port
        if isinstance(target, str):
            protocol = wanted.protocol or "TCP"
            return next((n for name, p, n in self.ports if (name, p) == (target, protocol)), None)
        return target or wanted.port

    def hostname_in(self, service: Service) -> str | None:
        """Return the name by which it is found below *service*, if that is what it wants."""
        wants = self.hostname and self.subdomain == service.metadata.name
        return self.hostname if wants else None

    @property
    def reference(self) -> ObjectReference:
        """How Endpoints name it."""
        key = self.key
        return ObjectReference(kind="Pod", namespace=key.namespace, name=key.name, uid=self.uid)


def _ports(spec: _Spec) -> Iterator[tuple[str, str, int]]:
    sidecars = [one for one in spec.init_containers or () if one.restart_policy == "Always"]
    for container in (*(spec.containers or ()), *sidecars):
        for one in container.ports or ():
            if one.name:
                yield one.name, one.protocol, one.container_port


def is_headless(service: Service) -> bool:
    """Return whether *service* has no address of its own."""
    return service.spec.cluster_ip == "None"


def _with_address(pod: Backend) -> Backend | None:
    """Return *pod* if it can receive traffic; ``None`` otherwise."""
    return pod if pod.ips and not pod.ended else None


class ServicePods:
    """Finds the pods of services, and the services of pods, without decoding all of either."""

    def __init__(self, cluster: Cluster) -> None:
        services = cluster.cache.informer(Service, sharded=False)
        pods = cluster.cache.informer(Pod, sharded=False)
        self._pods = pods.store
        self._selectors: dict[str, dict[str, Selector]] = {}
        self._known: dict[str, tuple[str, Backend]] = {}
        services.add_handler(self._note_service)
        pods.add_handler(self._note_pod)

    def pods_of(self, service: Service) -> list[Backend]:
        """Return the pods of *service* that have an address and have not ended."""
        selector = Selector.of(service.spec.selector)
        found = self._pods.list_entries(service.metadata.namespace, selector)
        return [one for entry in found if (one := _with_address(self.backend(entry)))]

    def backend(self, entry: Entry[Any]) -> Backend:
        """Return the fields of one pod, decoded once for each version."""
        version, known = self._known.get(entry.uid, ("", None))
        if known is None or version != entry.resource_version:
            known = Backend.of(entry)
            self._known[entry.uid] = (entry.resource_version, known)
        return known

    def services_of(self, pod: Pod) -> list[ObjectKey]:
        """Return the services that select *pod*."""
        namespace, labels = pod.metadata.namespace, pod.metadata.labels
        found = self._selectors.get(namespace, {})
        return [ObjectKey(namespace, name) for name, one in found.items() if one.matches(labels)]

    def matters(self, event: Event[Pod]) -> bool:
        """Return whether a change of a pod can change where traffic goes."""
        old, new = event.old, event.new
        selectors = self._selectors.get(event.key.namespace, {}).values()
        states = [one.labels for one in (old, new) if one is not None]
        if not any(selector.matches(one) for selector in selectors for one in states):
            return False  # by labels alone, since most pods belong to no service
        before = _with_address(Backend.of(old)) if old is not None else None
        after = _with_address(self.backend(new)) if new is not None else None
        return before != after or (after is not None and states[0] != states[-1])

    def _note_service(self, event: Event[Service]) -> None:
        key, new = event.key, event.new
        known = self._selectors.setdefault(key.namespace, {})
        selector = new.object.spec.selector if new is not None else None
        if selector:
            known[key.name] = Selector.of(selector)
        else:
            known.pop(key.name, None)
        if not known:
            del self._selectors[key.namespace]

    def _note_pod(self, event: Event[Pod]) -> None:
        if event.new is None or (event.old is not None and event.old.uid != event.new.uid):
            self._known.pop((event.old or event.entry).uid, None)


_shared: WeakKeyDictionary[Cluster, ServicePods] = WeakKeyDictionary()


def service_pods_of(cluster: Cluster) -> ServicePods:
    """Return the `ServicePods` of *cluster*; all controllers share it."""
    found = _shared.get(cluster)
    if found is None:
        found = _shared[cluster] = ServicePods(cluster)
    return found


class TriggerTimes:
    """The times of the changes behind a write, from which others measure how long it took.

    It remembers for each service which times were reported already.
    """

    def __init__(self) -> None:
        self._told: dict[ObjectKey, dict[str, datetime]] = {}

    def of(self, service: Service, pods: list[Backend]) -> datetime | None:
        """Return the first time that is new; ``None`` if none is."""
        before = self._told.get(service.key)
        times = {one.key.name: one.ready_changed for one in pods if one.ready_changed is not None}
        self._told[service.key] = times
        if before is None:
            return service.metadata.creation_timestamp
        new = [time for name, time in times.items() if name not in before or time > before[name]]
        return min(new, default=None)

    def forget(self, key: ObjectKey) -> None:
        """Forget a service that is gone."""
        self._told.pop(key, None)
