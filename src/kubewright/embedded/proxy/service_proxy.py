"""`ServiceProxy`: listens at the addresses of services, and forwards to their endpoints."""

import asyncio
import ipaddress
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, ClassVar, NamedTuple

from kubewright import _json
from kubewright._aio import Clock, TaskSet
from kubewright.api.kind import ObjectKey
from kubewright.cache.entry import Event
from kubewright.cache.handlers import Registration
from kubewright.cluster import Cluster
from kubewright.embedded.node.access import BROKEN, AccessError, PodConnection
from kubewright.embedded.proxy.balancer import Balancer
from kubewright.embedded.proxy.relay import BUFFER, SocketConnection, dial, relay
from kubewright.embedded.proxy.table import (
    SERVICE_NAME,
    Endpoint,
    Obj,
    ServicePort,
    endpoints_of,
    tcp_ports,
)
from kubewright.kinds.core.v1 import Service
from kubewright.kinds.discovery.v1 import EndpointSlice
from kubewright.log import get_logger
from kubewright.runnable import Stage

Connect = Callable[[str, str, int], Awaitable[PodConnection]]
"""Connects to a port of a pod: its namespace, its name, the port."""

_log = get_logger(__name__)

_NOT_FOUND = 404
_AFFINITY = 10800  # seconds; Kubernetes' own default
_BACKLOG = 512
_PATIENCE = 2.0  # seconds in which an endpoint must answer, if there is one at all
_RETRY = 0.1


class Address(NamedTuple):
    """Where the proxy listens."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


class PortKey(NamedTuple):
    """A port of a service, by its name."""

    service: ObjectKey
    port: str


class ServiceProxy:
    """Makes services reachable at their cluster addresses, while it runs.

    It listens at cluster addresses on loopback, and ignores all others; and at node ports, on
    *node_address*; both while there are ready endpoints, so that a pod that listens at all
    addresses can have the port of its own service. A connection goes to the next ready endpoint
    in turn, or to another one if nothing listens there. It stays open when the endpoints change.

    Args:
        cluster: Where services and endpoint slices are read; it must run, too.
        connect: Connects to a port of a pod; for pods that have no socket at their address.
        node_address: Where node ports are; ``None`` for nowhere.
        clock: Where time comes from; the cluster's unless given.

    Example:
        manager.add(ServiceProxy(cluster, connect=node.connect))
    """

    stage: ClassVar[Stage] = Stage.ALWAYS
    """When a manager starts it: whether it leads or not."""

    def __init__(
        self,
        cluster: Cluster,
        *,
        connect: Connect | None = None,
        node_address: str | None = "127.0.0.1",
        clock: Clock | None = None,
    ) -> None:
        self._services_informer = cluster.cache.informer(Service)
        self._slices_informer = cluster.cache.informer(EndpointSlice)
        self._connect = connect
        self._node_address = node_address
        self._clock = clock or cluster.clock
        self._services: dict[ObjectKey, Obj] = {}
        self._slices: dict[ObjectKey, dict[ObjectKey, Obj]] = {}
        self._balancers: dict[PortKey, Balancer] = {}
        self._wanted: dict[Address, PortKey] = {}
        self._servers: dict[Address, asyncio.Server] = {}
        self._refused: set[Address] = set()
        self._changed = asyncio.Event()
        self._ready = asyncio.Event()
        self._tasks: TaskSet | None = None

    @property
    def addresses(self) -> list[tuple[str, int]]:
        """Where it listens now."""
        return sorted(self._servers)

    async def run(self) -> None:
        """Listen until cancelled; connections end with it."""
        handlers: list[Registration[Any]] = [
            self._services_informer.add_handler(self._note_service),
            self._slices_informer.add_handler(self._note_slice),
        ]
        try:
            async with TaskSet() as self._tasks:
                for handler in handlers:
                    await handler.wait_synced()
                while True:
                    self._changed.clear()
                    await self._listen()
                    self._ready.set()
                    await self._changed.wait()
        finally:
            for handler in handlers:
                handler.remove()
            for server in self._servers.values():
                server.close()
            self._servers.clear()

    async def wait_ready(self) -> None:
        """Return once it listens for the services that there are."""
        await self._ready.wait()

    # --- What changes ---

    def _note_service(self, event: Event[Service]) -> None:
        key = event.key
        if event.new is None:
            self._services.pop(key, None)
        else:
            self._services[key] = _json.loads(event.new.raw)
        self._update(key)

    def _note_slice(self, event: Event[EndpointSlice]) -> None:
        key = event.key
        changed: set[ObjectKey] = set()
        for entry in (event.old, event.new):
            if entry is None or not (name := entry.labels.get(SERVICE_NAME)):
                continue
            service = ObjectKey(name=name, namespace=key.namespace)
            changed.add(service)
            slices = self._slices.setdefault(service, {})
            if entry is event.new:
                slices[key] = _json.loads(entry.raw)
            else:
                slices.pop(key, None)
        for service in changed:
            if not self._slices[service]:
                del self._slices[service]
            self._update(service)

    def _update(self, key: ObjectKey) -> None:
        """Update the addresses and endpoints of a service; new connections use them at once."""
        service = self._services.get(key)
        self._wanted = {at: port for at, port in self._wanted.items() if port.service != key}
        ports = tcp_ports(service) if service is not None else []
        named = {PortKey(key, port.name) for port in ports}
        for gone in [one for one in self._balancers if one.service == key and one not in named]:
            del self._balancers[gone]
        if service is not None:
            slices = list(self._slices.get(key, {}).values())
            for port in ports:
                balancer = self._balancers.setdefault(
                    PortKey(key, port.name), Balancer(clock=self._clock)
                )
                endpoints = endpoints_of(slices, port.name)
                balancer.update(endpoints, affinity=_affinity(service))
                if endpoints:
                    self._wanted |= dict.fromkeys(
                        self._addresses(service, port), PortKey(key, port.name)
                    )
        self._changed.set()

    def _addresses(self, service: Obj, port: ServicePort) -> Iterator[Address]:
        spec = service.get("spec", {})
        for address in spec.get("clusterIPs") or [spec.get("clusterIP", "")]:
            if _is_loopback(address):
                yield Address(address, port.port)
        if port.node_port and self._node_address is not None:
            yield Address(self._node_address, port.node_port)

    # --- Where it listens ---

    async def _listen(self) -> None:
        for address in [one for one in self._servers if one not in self._wanted]:
            self._servers.pop(address).close()  # what is connected stays so
        self._refused &= self._wanted.keys()
        for address in [one for one in self._wanted if one not in self._servers]:
            try:
                self._servers[address] = await asyncio.start_server(
                    partial(self._accept, address),
                    address.host,
                    address.port,
                    limit=BUFFER,
                    backlog=_BACKLOG,
                )
            except OSError as error:
                self._report_refusal(address, error)

    def _report_refusal(self, address: Address, error: OSError) -> None:
        wanted = self._wanted.get(address)  # its service may be gone by now
        if wanted is None or address in self._refused:
            return
        self._refused.add(address)
        service = wanted.service
        hint = "reach it by kubectl port-forward, or choose a port above 1023"
        if not isinstance(error, PermissionError):
            hint = (
                "a program that listens at all addresses has this port, and gets what is sent to"
                " the service; unless it is the only pod of it, end it, or choose another port"
            )
        _log.warning(
            "cannot listen for a service",
            namespace=service.namespace, name=service.name, address=str(address),
            error=error.strerror or str(error), hint=hint,
        )  # fmt: skip

    # --- Connections ---

    def _accept(
        self, address: Address, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        client = SocketConnection(reader, writer)
        port = self._wanted.get(address)
        if port is None or self._tasks is None:
            client.reset()
            return
        peer: str = writer.get_extra_info("peername", ("",))[0]
        self._tasks.start(self._serve(client, port, peer), name=f"connection to {address}")

    async def _serve(self, client: SocketConnection, port: PortKey, peer: str) -> None:
        try:
            endpoint = await self._reach(port, peer)
            if endpoint is None:
                client.reset()  # as a kernel does when nothing listens
            else:
                await relay(client, endpoint)
        except Exception as error:  # noqa: BLE001  # one connection must not end the others
            client.reset()
            _log.exception("connection failed", name=port.service.name, error=repr(error))
        finally:
            await client.close()

    async def _reach(self, port: PortKey, peer: str) -> PodConnection | None:
        """Connect to an endpoint; return ``None`` if there is none that answers.

        If none of them answers, we wait a little: they may have ended, and we do not know their
        successors yet; or they are about to listen.
        """
        balancer = self._balancers.get(port)
        order = balancer.order(peer) if balancer is not None else []
        if balancer is None or not order:
            return None
        until = self._clock.monotonic() + _PATIENCE
        while True:
            for endpoint in order:
                with suppress(*BROKEN):
                    connection = await self._dial(endpoint)
                    balancer.note_choice(peer, endpoint)
                    return connection
            if self._clock.monotonic() >= until:
                return None
            await balancer.wait_changed(_RETRY)
            order = balancer.order(peer)

    async def _dial(self, endpoint: Endpoint) -> PodConnection:
        if self._connect is not None and endpoint.pod:
            try:
                return await self._connect(endpoint.namespace, endpoint.pod, endpoint.port)
            except AccessError as error:
                if error.code != _NOT_FOUND:
                    raise
        return await dial(endpoint.address, endpoint.port)  # not one of our pods


def _affinity(service: Obj) -> float:
    spec = service.get("spec", {})
    if spec.get("sessionAffinity") != "ClientIP":
        return 0.0
    config = (spec.get("sessionAffinityConfig") or {}).get("clientIP") or {}
    return float(config.get("timeoutSeconds") or _AFFINITY)


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:  # such as None, for a headless service
        return False
