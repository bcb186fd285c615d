"""`endpoint_controller`: keeps the Endpoints of each service in step with its pods."""

from collections.abc import Iterable

from kubewright.api.meta import ObjectMeta
from kubewright.api.times import format_time
from kubewright.cache.entry import Event
from kubewright.cluster import Cluster
from kubewright.controller import Controller, For, Request, Result, Run, Watches
from kubewright.controller import resource_version_changed as changed
from kubewright.embedded.controllers.batch import is_ending_namespace, said
from kubewright.embedded.controllers.pace import Pace
from kubewright.embedded.controllers.refusal import Refusals
from kubewright.embedded.controllers.service_pods import (
    Backend,
    TriggerTimes,
    is_headless,
    service_pods_of,
)
from kubewright.errors import APIError, InvalidError
from kubewright.kinds.core.v1 import (
    EndpointAddress,
    EndpointPort,
    Endpoints,
    EndpointSubset,
    Pod,
    Service,
)
from kubewright.log import get_logger

__all__ = ["endpoint_controller"]

COMPONENT: str = "endpoint-controller"
HEADLESS: str = "service.kubernetes.io/headless"
MANAGED_BY: str = "endpoints.kubernetes.io/managed-by"
LAST_CHANGE: str = "endpoints.kubernetes.io/last-change-trigger-time"
OVER_CAPACITY: str = "endpoints.kubernetes.io/over-capacity"
LEADER: str = "control-plane.alpha.kubernetes.io/leader"
CAPACITY: int = 1000
BATCH: float = 0.2
WORKERS: int = 5

_log = get_logger(__name__)

_Port = tuple[str, int, str, str | None]


def endpoint_controller(cluster: Cluster) -> Controller:
    """Return the controller that writes Endpoints."""
    writer = EndpointsWriter(cluster)
    pods = service_pods_of(cluster)
    return Controller(
        "endpoint",
        writer.reconcile,
        cluster=cluster,
        for_=For(Service, predicate=changed),
        watches=[
            Watches(Pod, map=pods.services_of, predicate=pods.matters),
            Watches(Endpoints, map=lambda one: [one.key], predicate=_is_lost),
        ],
        workers=WORKERS,
    )


def _is_lost(event: Event[Endpoints]) -> bool:
    """Let Endpoints through that somebody deleted, and those that were there at the start."""
    return event.new is None or event.initial


class EndpointsWriter:
    """Writes the Endpoints of services."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._services = cluster.cache.informer(Service).store
        self._endpoints = cluster.cache.informer(Endpoints, sharded=False).store
        self._pods = service_pods_of(cluster)
        self._recorder = cluster.recorder(COMPONENT)
        self._pace: Pace[Request] = Pace(BATCH, cluster.clock)
        self._times = TriggerTimes()
        self._refusals = Refusals(_log)

    async def reconcile(self, request: Request, run: Run) -> Result | None:
        """Write the Endpoints of one service, unless they say the same already."""
        service = self._services.find(request.key)
        if service is None:
            await self._service_is_gone(request, run)
            return None
        if service.spec.type == "ExternalName" or not service.spec.selector:
            return None
        if wait := self._pace.wait(request):
            return Result(requeue_after=wait)
        pods = self._pods.pods_of(service)
        wanted = endpoints_for(service, pods)
        current = self._endpoints.find(service.key)
        if current is not None and _says(current, wanted):
            return None
        changed_at = self._times.of(service, pods)
        if changed_at is not None:
            wanted.metadata.annotations[LAST_CHANGE] = format_time(changed_at)
        await self._write(current, wanted, run)
        return None

    async def _service_is_gone(self, request: Request, run: Run) -> None:
        self._pace.forget(request)
        self._times.forget(request.key)
        self._refusals.forget(request.key)
        left = self._endpoints.find(request.key)
        # Some programs elect their leader with an Endpoints object of its own.
        if left is not None and LEADER not in left.metadata.annotations:
            run.changed = True
            await self._cluster.client.delete(left, uid=left.metadata.uid, missing_ok=True)

    async def _write(self, current: Endpoints | None, wanted: Endpoints, run: Run) -> None:
        client = self._cluster.client
        try:
            if current is None:
                await client.create(wanted)
            else:
                _take_over(current, wanted)
                await client.update(current)
        except APIError as error:
            if not is_ending_namespace(error):
                self._refused(current or wanted, error, new=current is None)
            return
        run.changed = True
        self._refusals.forget(wanted.key)
        self._pace.wrote(Request(wanted.metadata.namespace, wanted.metadata.name))

    def _refused(self, about: Endpoints, error: APIError, *, new: bool) -> None:
        key = about.key
        final = isinstance(error, InvalidError)
        if not final or self._refusals.note(key, error, kind="Endpoints"):
            what = f"create endpoint for service {key}" if new else f"update endpoint {key}"
            self._recorder.event(
                about,
                type="Warning",
                reason="FailedToCreateEndpoint" if new else "FailedToUpdateEndpoint",
                message=f"Failed to {what}: {said(error)}",
            )
        if not final:
            raise error


def endpoints_for(service: Service, pods: Iterable[Backend]) -> Endpoints:
    """Return the Endpoints of *service* when these are its pods."""
    labels = {key: value for key, value in service.metadata.labels.items() if key != HEADLESS}
    if is_headless(service):
        labels[HEADLESS] = ""
    labels[MANAGED_BY] = COMPONENT
    subsets, cut = _within_capacity(_subsets(service, pods))
    return Endpoints(
        metadata=ObjectMeta(
            name=service.metadata.name,
            namespace=service.metadata.namespace,
            labels=labels,
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
    behind: dict[_Port | None, dict[str, bool]] = {}
    for pod in pods:
        ip = pod.ip(family)
        if ip is None or (pod.deleting and not every):
            continue
        addresses[pod.uid] = _address(service, pod, ip)
        for port in _ports(service, pod):
            behind.setdefault(port, {})[pod.uid] = pod.ready or every
    shared: dict[frozenset[tuple[str, bool]], list[_Port]] = {}
    for port, found in behind.items():
        ports = shared.setdefault(frozenset(found.items()), [])
        ports += [port] if port is not None else []
    made = [_subset(addresses, group, ports) for group, ports in shared.items()]
    return sorted(made, key=lambda one: [(port.name or "", port.port) for port in one.ports])


def _ports(service: Service, pod: Backend) -> list[_Port | None]:
    spec = service.spec
    if not spec.ports:
        return [None] if is_headless(service) else []
    found: list[_Port | None] = []
    for one in spec.ports:
        number = pod.port(one)
        if number is not None:
            found.append((one.name or "", number, one.protocol or "TCP", one.app_protocol))
    return found


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
    ports: list[_Port],
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
    """Return *subsets* with at most 1,000 addresses, ready ones first, and whether any went."""
    left, cut = CAPACITY, False
    for kind in ("addresses", "not_ready_addresses"):
        for subset in subsets:
            found = getattr(subset, kind)
            setattr(subset, kind, found[:left])
            cut, left = cut or len(found) > left, max(0, left - len(found))
    return [one for one in subsets if one.addresses or one.not_ready_addresses], cut


def _says(current: Endpoints, wanted: Endpoints) -> bool:
    """Say whether *current* says what *wanted* does; who wrote it when is no matter."""
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
