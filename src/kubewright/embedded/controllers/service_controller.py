"""`service_controller`: what the controllers of Endpoints and of EndpointSlices have in common."""

from collections.abc import Iterable
from typing import Any, Generic, Protocol, TypeVar

from kubewright._aio import Clock
from kubewright.api.kind import ObjectKey
from kubewright.cluster import Cluster
from kubewright.controller import Controller, For, Owns, Request, Result, Run, Watches
from kubewright.controller import resource_version_changed as changed
from kubewright.embedded.controllers.service_pods import Backend, is_headless, service_pods_of
from kubewright.kinds.core.v1 import Pod, Service

__all__ = ["LAST_CHANGE", "Pace", "Port", "Writer", "labels_for", "ports_of", "service_controller"]

K = TypeVar("K")

HEADLESS: str = "service.kubernetes.io/headless"
LAST_CHANGE: str = "endpoints.kubernetes.io/last-change-trigger-time"
BATCH: float = 0.2
WORKERS: int = 5

Port = tuple[str, int, str, str | None]
"""The name, number, protocol and application protocol of a port."""


class Writer(Protocol):
    """Writes the endpoints of a service."""

    async def write(self, service: Service, pods: list[Backend], run: Run) -> bool:
        """Write the endpoints for *pods* if they changed; return whether they did."""
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
    """Return a controller that calls *writer* for each service whose pods change."""
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
        """Write the endpoints of one service, or requeue it if it was written a moment ago."""
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


class Pace(Generic[K]):
    """Limits how often each key is written: at once, and then at most once per period.

    When hundreds of pods become ready within a second, the list of their addresses is written a
    few times, and not hundreds of times.

    Args:
        period: Seconds between two writes of one key.
        clock: Where time comes from.
    """

    def __init__(self, period: float, clock: Clock) -> None:
        self._period = period
        self._clock = clock
        self._last: dict[K, float] = {}

    def wait(self, key: K) -> float:
        """Return how many seconds to wait with *key*; 0 if it may be written now."""
        last = self._last.get(key)
        left = 0.0 if last is None else last + self._period - self._clock.monotonic()
        return max(0.0, left)

    def note_write(self, key: K) -> None:
        """Note that *key* was written."""
        self._last[key] = self._clock.monotonic()

    def forget(self, key: K) -> None:
        """Forget *key*."""
        self._last.pop(key, None)


def labels_for(service: Service, own: dict[str, str]) -> dict[str, str]:
    """Return the labels of *service* for what is written about it, and those that are *own*."""
    labels = {key: value for key, value in service.metadata.labels.items() if key != HEADLESS}
    return {**labels, **({HEADLESS: ""} if is_headless(service) else {}), **own}


def ports_of(service: Service, pod: Backend) -> list[Port]:
    """Return the ports of *service* that *pod* has, with their numbers there."""
    return [
        (one.name or "", number, one.protocol or "TCP", one.app_protocol)
        for one in service.spec.ports
        if (number := pod.port(one)) is not None
    ]
