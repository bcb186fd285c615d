"""`endpoint_controller`: keeps the Endpoints of each service in step with its pods."""

from collections.abc import Iterable, Sequence

from kubewright.api.kind import ObjectKey
from kubewright.api.meta import ObjectMeta
from kubewright.api.times import format_time
from kubewright.cache.entry import Event
from kubewright.cluster import Cluster
from kubewright.controller import Controller, Run, Watches
from kubewright.embedded.controllers.batch import said
from kubewright.embedded.controllers.refusal import Refusals
from kubewright.embedded.controllers.service_controller import (
    LAST_CHANGE,
    Port,
    labels_for,
    ports_of,
    service_controller,
)
from kubewright.embedded.controllers.service_pods import Backend, TriggerTimes, is_headless
from kubewright.errors import APIError
from kubewright.kinds.core.v1 import (
    EndpointAddress,
    EndpointPort,
    Endpoints,
    EndpointSubset,
    Service,
)
from kubewright.log import get_logger

__all__ = ["endpoint_controller"]

COMPONENT: str = "endpoint-controller"
MANAGED_BY: str = "endpoints.kubernetes.io/managed-by"
OVER_CAPACITY: str = "endpoints.kubernetes.io/over-capacity"
LEADER: str = "control-plane.alpha.kubernetes.io/leader"
CAPACITY: int = 1000

_log = get_logger(__name__)


def endpoint_controller(cluster: Cluster) -> Controller:
    """Return the controller that writes Endpoints."""
    lost = Watches(Endpoints, map=lambda one: [one.key], predicate=_is_lost)
    return service_controller("endpoint", cluster, EndpointsWriter(cluster), watches=[lost])


def _is_lost(event: Event[Endpoints]) -> bool:
    """Return whether Endpoints were deleted, or existed at the start."""
    return event.new is None or event.initial


class EndpointsWriter:
    """Writes the Endpoints of services."""

    def __init__(self, cluster: Cluster) -> None:
        self._client = cluster.client
        self._endpoints = cluster.cache.informer(Endpoints, sharded=False).store
        self._times = TriggerTimes()
        self._refusals = Refusals("Endpoints", cluster.recorder(COMPONENT), _log)

    async def write(self, service: Service, pods: list[Backend], run: Run) -> bool:
        """Write the Endpoints of *service*, unless they say the same already."""
        wanted = endpoints_for(service, pods)
        current = self._endpoints.find(service.key)
        if current is not None and _says(current, wanted):
            return False
        changed_at = self._times.of(service, pods)
        if changed_at is not None:
            wanted.metadata.annotations[LAST_CHANGE] = format_time(changed_at)
        try:
            await self._put(current, wanted)
        except APIError as error:
            self._report_refusal(current or wanted, error, new=current is None)
            return False
        run.changed = True
        self._refusals.forget(service.key)
        return True

    async def forget(self, key: ObjectKey, run: Run) -> None:
        """Delete the Endpoints of a service that is gone."""
        self._times.forget(key)
        self._refusals.forget(key)
        left = self._endpoints.find(key)
        # Some programs elect their leader with an Endpoints object.
        if left is not None and LEADER not in left.metadata.annotations:
            run.changed = True
            await self._client.delete(left, uid=left.metadata.uid, missing_ok=True)

    async def _put(self, current: Endpoints | None, wanted: Endpoints) -> None:
        if current is None:
            await self._client.create(wanted)
        else:
            _take_over(current, wanted)
            await self._client.update(current)

    def _report_refusal(self, about: Endpoints, error: APIError, *, new: bool) -> None:
        key = about.key
        what = f"create endpoint for service {key}" if new else f"update endpoint {key}"
        self._refusals.tell(
            key,
            error,
            about=about,
            reason="FailedToCreateEndpoint" if new else "FailedToUpdateEndpoint",
            message=f"Failed to {what}: {said(error)}",
        )


def endpoints_for(service: Service, pods: Iterable[Backend]) -> Endpoints:
    """Return the Endpoints of *service* when these are its pods."""
    subsets, cut = _within_capacity(_subsets(service, pods))
    return Endpoints(
        metadata=ObjectMeta(
            name=service.metadata.name,
            namespace=service.metadata.namespace,
            labels=labels_for(service, {MANAGED_BY: COMPONENT}),
            annotations={OVER_CAPACITY: "truncated"} if cut else {},
        ),
        subsets=subsets,
    )


def _subsets(service: Service, pods: Iterable[Backend]) -> list[EndpointSubset]:
    """Return the addresses under the ports that they share; the same input, the same order."""
    spec = service.spec
    family = spec.ip_families[0] if spec.ip_families else "IPv4"
    every = bool(spec.publish_not_ready_addresses)
    addresses: dict[str, EndpointAddress] = {}
    behind: dict[Port | None, dict[str, bool]] = {}
    for pod in pods:
        ip = pod.ip(family)
        if ip is None or (pod.deleting and not every):
            continue
        addresses[pod.uid] = _address(service, pod, ip)
        for port in _ports(service, pod):
            behind.setdefault(port, {})[pod.uid] = pod.ready or every
    shared: dict[frozenset[tuple[str, bool]], list[Port]] = {}
    for port, found in behind.items():
        ports = shared.setdefault(frozenset(found.items()), [])
        ports += [port] if port is not None else []
    made = [_subset(addresses, group, ports) for group, ports in shared.items()]
    return sorted(made, key=lambda one: [(port.name or "", port.port) for port in one.ports])


def _ports(service: Service, pod: Backend) -> Sequence[Port | None]:
    if not service.spec.ports and is_headless(service):
        return [None]  # its DNS name has addresses and no ports
    return ports_of(service, pod)


def _address(service: Service, pod: Backend, ip: str) -> EndpointAddress:
    return EndpointAddress(
        ip=ip,
        node_name=pod.node,
        hostname=pod.hostname_in(service),
        target_ref=pod.reference,
    )


def _subset(
    addresses: dict[str, EndpointAddress],
    group: frozenset[tuple[str, bool]],
    ports: list[Port],
) -> EndpointSubset:
    def chosen(*, ready: bool) -> list[EndpointAddress]:
        found = sorted((addresses[uid].ip, uid) for uid, is_ready in group if is_ready is ready)
        return [addresses[uid] for _, uid in found]

    return EndpointSubset(
        addresses=chosen(ready=True),
        not_ready_addresses=chosen(ready=False),
        ports=[
            EndpointPort(name=name or None, port=number, protocol=protocol, app_protocol=app)
            for name, number, protocol, app in sorted(
                ports, key=lambda one: (one[:3], one[3] or "")
            )
        ],
    )


def _within_capacity(subsets: list[EndpointSubset]) -> tuple[list[EndpointSubset], bool]:
    """Return *subsets* with at most 1,000 addresses, ready ones first, and whether any was cut."""
    left, cut = CAPACITY, False
    for kind in ("addresses", "not_ready_addresses"):
        for subset in subsets:
            found = getattr(subset, kind)
            setattr(subset, kind, found[:left])
            cut, left = cut or len(found) > left, max(0, left - len(found))
    return [one for one in subsets if one.addresses or one.not_ready_addresses], cut


def _says(current: Endpoints, wanted: Endpoints) -> bool:
    """Return whether *current* says what *wanted* does, whoever wrote it and when."""
    noted, asked = current.metadata.annotations, wanted.metadata.annotations
    return (
        current.subsets == wanted.subsets
        and current.metadata.labels == wanted.metadata.labels
        and noted.get(OVER_CAPACITY) == asked.get(OVER_CAPACITY)
    )


def _take_over(current: Endpoints, wanted: Endpoints) -> None:
    current.subsets = wanted.subsets
    current.metadata.labels = wanted.metadata.labels
    notes = current.metadata.annotations
    for name in (LAST_CHANGE, OVER_CAPACITY):
        notes.pop(name, None)
    notes.update(wanted.metadata.annotations)
