"""`service_controller`: what the controllers of Endpoints and of EndpointSlices have in common."""

from collections.abc import Iterable
from typing import Any, Protocol

from kubewright.api.kind import ObjectKey
from kubewright.cluster import Cluster
from kubewright.controller import Controller, For, Owns, Request, Result, Run, Watches
from kubewright.controller import resource_version_changed as changed
from kubewright.embedded.controllers.pace import Pace
from kubewright.embedded.controllers.service_pods import Backend, is_headless, service_pods_of
from kubewright.kinds.core.v1 import Pod, Service

__all__ = ["LAST_CHANGE", "Port", "Writer", "labels_for", "ports_of", "service_controller"]

HEADLESS: str = "service.kubernetes.io/headless"
LAST_CHANGE: str = "endpoints.kubernetes.io/last-change-trigger-time"
BATCH: float = 0.2
WORKERS: int = 5

Port = tuple[str, int, str, str | None]
"""The name, number, protocol and application protocol of a port."""


class Writer(Protocol):
    """Writes where the traffic of a service can go."""

    async def write(self, service: Service, pods: list[Backend], run: Run) -> bool:
        """Bring what is written in step with *pods*; say whether that took a write."""
        ...

    async def forget(self, key: ObjectKey, run: Run) -> None:
        """Remove what is left of a service that is gone."""
        ...


def service_controller(
    name: str,
    cluster: Cluster,
    writer: Writer,
    *,
    owns: Iterable[Owns[Any]] = (),
    watches: Iterable[Watches[Any]] = (),
) -> Controller:
    """Return a controller that lets *writer* look at each service when its pods change."""
    pods = service_pods_of(cluster)
    return Controller(
        name,
        _Reconciler(cluster, writer).reconcile,
        cluster=cluster,
        for_=For(Service, predicate=changed),
        owns=owns,
        watches=[Watches(Pod, map=pods.services_of, predicate=pods.matters), *watches],
        workers=WORKERS,
    )


class _Reconciler:
    def __init__(self, cluster: Cluster, writer: Writer) -> None:
        self._services = cluster.cache.informer(Service).store
        self._pods = service_pods_of(cluster)
        self._pace: Pace[ObjectKey] = Pace(BATCH, cluster.clock)
        self._writer = writer

    async def reconcile(self, request: Request, run: Run) -> Result | None:
        """Look at one service, unless it was written a moment ago."""
        key = request.key
        service = self._services.find(key)
        if service is None:
            self._pace.forget(key)
            await self._writer.forget(key, run)
            return None
        if service.spec.type == "ExternalName" or not service.spec.selector:
            return None
        if wait := self._pace.wait(key):
            return Result(requeue_after=wait)
        if await self._writer.write(service, self._pods.pods_of(service), run):
            self._pace.note_write(key)
        return None


def labels_for(service: Service, own: dict[str, str]) -> dict[str, str]:
    """Return the labels of *service* for what is written about it, and those that are *own*."""
    labels = {key: value for key, value in service.metadata.labels.items() if key != HEADLESS}
    return {**labels, **({HEADLESS: ""} if is_headless(service) else {}), **own}


def ports_of(service: Service, pod: Backend) -> list[Port]:
    """Return the ports of *service* as far as *pod* has them, with their numbers there."""
    return [
        (one.name or "", number, one.protocol or "TCP", one.app_protocol)
        for one in service.spec.ports
        if (number := pod.port(one)) is not None
    ]
