"""`endpointslice_controller`: keeps the EndpointSlices of each service in step with its pods."""

from collections.abc import Iterable, Sequence

import msgspec

from kubewright.api.kind import ObjectKey
from kubewright.api.meta import ObjectMeta
from kubewright.api.owners import owner_reference
from kubewright.api.times import format_time
from kubewright.cluster import Cluster
from kubewright.controller import Controller, Owns, Run
from kubewright.embedded.controllers.batch import said
from kubewright.embedded.controllers.refusal import Refusals
from kubewright.embedded.controllers.service_controller import (
    LAST_CHANGE,
    Port,
    labels_for,
    ports_of,
    service_controller,
)
from kubewright.embedded.controllers.service_pods import Backend, TriggerTimes
from kubewright.errors import APIError
from kubewright.kinds.core.v1 import Node, Service
from kubewright.kinds.discovery.v1 import (
    Endpoint,
    EndpointConditions,
    EndpointPort,
    EndpointSlice,
)
from kubewright.log import get_logger

__all__ = ["endpointslice_controller"]

COMPONENT: str = "endpoint-slice-controller"
MANAGER: str = "endpointslice-controller.k8s.io"
SERVICE_NAME: str = "kubernetes.io/service-name"
MANAGED_BY: str = "endpointslice.kubernetes.io/managed-by"
ZONE: str = "topology.kubernetes.io/zone"
LARGEST: int = 100
"""The most endpoints in one slice."""

_log = get_logger(__name__)

_Ports = tuple[Port, ...]


def endpointslice_controller(cluster: Cluster) -> Controller:
    """Return the controller that writes EndpointSlices."""
    owns = [Owns(EndpointSlice)]
    return service_controller("endpointslice", cluster, SliceWriter(cluster), owns=owns)


class Plan(msgspec.Struct):
    """The writes that bring the slices up to date, as few as possible."""

    create: list[EndpointSlice] = []
    update: list[EndpointSlice] = []
    delete: list[EndpointSlice] = []

    def __bool__(self) -> bool:
        return bool(self.create or self.update or self.delete)


class SliceWriter:
    """Writes the EndpointSlices of services."""

    def __init__(self, cluster: Cluster) -> None:
        self._client = cluster.client
        self._slices = cluster.cache.informer(EndpointSlice, sharded=False).store
        self._nodes = cluster.cache.informer(Node, sharded=False).store
        self._times = TriggerTimes()
        self._refusals = Refusals("EndpointSlice", cluster.recorder(COMPONENT), _log)

    async def write(self, service: Service, pods: list[Backend], run: Run) -> bool:
        """Write the slices of *service*, unless they say the same already."""
        if service.metadata.deletion_timestamp is not None:
            return False
        plan = planned(service, self._slices_of(service), self._endpoints(service, pods))
        if plan:
            self._stamp(plan, service, pods)
            await self._carry_out(service, plan, run)
        return bool(plan)

    async def forget(self, key: ObjectKey, run: Run) -> None:
        """Forget a service that is gone; the garbage collector deletes its slices."""
        self._times.forget(key)
        self._refusals.forget(key)

    def _slices_of(self, service: Service) -> list[EndpointSlice]:
        """Return the slices that we keep for *service*; others keep some of their own."""
        labels = {SERVICE_NAME: service.metadata.name, MANAGED_BY: MANAGER}
        found = self._slices.list_entries(index="owner", value=service.metadata.uid)
        return [
            one.object for one in found if not one.deleting and labels.items() <= one.labels.items()
        ]

    def _endpoints(
        self, service: Service, pods: Iterable[Backend]
    ) -> dict[tuple[str, _Ports], list[Endpoint]]:
        """Return the endpoints by family and ports: those of one slice have them in common."""
        families = service.spec.ip_families or ["IPv4"]
        found: dict[tuple[str, _Ports], list[Endpoint]] = {}
        for pod in pods:
            ports = tuple(ports_of(service, pod))
            for family in families:
                ip = pod.ip(family)
                if ip is not None:
                    made = endpoint_for(service, pod, ip, zone=self._zone(pod.node))
                    found.setdefault((family, ports), []).append(made)
        for family in families:
            if not any(one == family for one, _ in found):
                found[family, ()] = []  # an empty slice says that there are no endpoints
        return found

    def _zone(self, node: str | None) -> str | None:
        entry = self._nodes.find_entry(ObjectKey("", node)) if node else None
        return entry.labels.get(ZONE) if entry is not None else None

    def _stamp(self, plan: Plan, service: Service, pods: list[Backend]) -> None:
        time = self._times.of(service, pods)
        for one in (*plan.create, *plan.update):
            one.metadata.annotations.pop(LAST_CHANGE, None)
            if time is not None:
                one.metadata.annotations[LAST_CHANGE] = format_time(time)

    async def _carry_out(self, service: Service, plan: Plan, run: Run) -> None:
        try:
            for one in plan.create:
                await self._client.create(one)
            for one in plan.update:
                await self._client.update(one)
            for one in plan.delete:
                await self._client.delete(one, uid=one.metadata.uid, missing_ok=True)
        except APIError as error:
            text = f"Error updating Endpoint Slices for Service {service.key}: {said(error)}"
            reason = "FailedToUpdateEndpointSlices"
            self._refusals.tell(service.key, error, about=service, reason=reason, message=text)
            return
        run.changed = True
        self._refusals.forget(service.key)


def endpoint_for(service: Service, pod: Backend, ip: str, *, zone: str | None) -> Endpoint:
    """Return the endpoint of *pod* in a slice of *service*."""
    every = bool(service.spec.publish_not_ready_addresses)
    return Endpoint(
        addresses=[ip],
        conditions=EndpointConditions(
            ready=every or (pod.ready and not pod.deleting),
            serving=pod.ready,
            terminating=pod.deleting,
        ),
        hostname=pod.hostname_in(service),
        node_name=pod.node,
        target_ref=pod.reference,
        zone=zone,
    )


def planned(
    service: Service,
    current: Sequence[EndpointSlice],
    wanted: dict[tuple[str, _Ports], list[Endpoint]],
) -> Plan:
    """Return what to write so that slices of at most 100 endpoints name all that is *wanted*.

    An endpoint stays in its slice, so that one change is one write.
    """
    plan = Plan()
    labels = labels_for(service, {SERVICE_NAME: service.metadata.name, MANAGED_BY: MANAGER})
    by_group: dict[tuple[str, _Ports], list[EndpointSlice]] = {}
    for one in current:
        by_group.setdefault((one.address_type, _ports_of(one)), []).append(one)
    for group, endpoints in wanted.items():
        _fill(plan, service, by_group.pop(group, []), group, endpoints, labels)
    plan.delete += [one for slices in by_group.values() for one in slices]
    return plan


def _fill(
    plan: Plan,
    service: Service,
    slices: list[EndpointSlice],
    group: tuple[str, _Ports],
    endpoints: list[Endpoint],
    labels: dict[str, str],
) -> None:
    left = {_uid(one): one for one in endpoints}
    kept = [[left.pop(_uid(e)) for e in one.endpoints if _uid(e) in left] for one in slices]
    new = list(left.values())
    for filled in kept:
        room = max(0, LARGEST - len(filled))
        filled.extend(new[:room])
        new = new[room:]
    for one, filled in zip(slices, kept, strict=True):
        if not filled and (endpoints or one is not slices[0]):
            plan.delete.append(one)
        elif filled != one.endpoints or one.metadata.labels != labels:
            one.endpoints, one.metadata.labels = filled, dict(labels)
            plan.update.append(one)
    if not slices and not new:
        plan.create.append(_new_slice(service, group, [], labels))
    for start in range(0, len(new), LARGEST):
        plan.create.append(_new_slice(service, group, new[start : start + LARGEST], labels))


def _new_slice(
    service: Service, group: tuple[str, _Ports], endpoints: list[Endpoint], labels: dict[str, str]
) -> EndpointSlice:
    family, ports = group
    return EndpointSlice(
        metadata=ObjectMeta(
            generate_name=f"{service.metadata.name}-",
            namespace=service.metadata.namespace,
            labels=dict(labels),
            owner_references=[owner_reference(service)],
        ),
        address_type=family,
        endpoints=endpoints,
        ports=[
            EndpointPort(name=name, port=number, protocol=protocol, app_protocol=app)
            for name, number, protocol, app in ports
        ],
    )


def _ports_of(one: EndpointSlice) -> _Ports:
    return tuple(
        (port.name or "", port.port or 0, port.protocol or "TCP", port.app_protocol)
        for port in one.ports
    )


def _uid(one: Endpoint) -> tuple[str, str]:
    return (one.target_ref.uid or "" if one.target_ref else "", one.addresses[0])
