"""An operator that runs in virtual time against an embedded server, and what it wrote there."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import kubewright as kw
from kubewright._aio import VirtualClock
from kubewright.api.requests import Request
from kubewright.application.install import install_crds
from kubewright.client.transport import Duplex, Response, Stream, Transport
from kubewright.embedded import InProcessTransport
from kubewright.kinds.core.v1 import ConfigMap
from kubewright.testing import EmbeddedServer


class ShopSpec(kw.Model):
    size: int = 1


class ShopStatus(kw.Model):
    phase: str | None = None
    observed_generation: int | None = None
    conditions: list[kw.Condition] = []


@kw.resource(group="example.com", version="v1")
class Shop(kw.Resource):
    """A shop."""

    spec: ShopSpec = kw.field(default_factory=ShopSpec)
    status: ShopStatus = kw.field(default_factory=ShopStatus)


@kw.resource(group="example.com", version="v1", scope="Cluster")
class Mall(kw.Resource):
    """Many shops, in no namespace."""

    spec: ShopSpec = kw.field(default_factory=ShopSpec)


def shop(name: str = "corner", **spec: Any) -> Shop:
    return Shop(metadata=kw.ObjectMeta(name=name), spec=ShopSpec(**spec))


def config(name: str = "corner", **data: str) -> ConfigMap:
    return ConfigMap(metadata=kw.ObjectMeta(name=name), data=data)


@dataclass
class WatchedTransport:
    """Notes every write, and lets a test answer instead of the server."""

    inner: Transport
    writes: list[Request] = field(default_factory=list)
    intercept: Callable[[Request], Response | None] | None = None

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        if request.method != "GET" and "/events" not in request.target:
            self.writes.append(request)
        answer = self.intercept(request) if self.intercept else None
        return answer or await self.inner.send(request, timeout=timeout)

    def stream(
        self, request: Request, *, timeout: float | None = None
    ) -> AbstractAsyncContextManager[Stream]:
        return self.inner.stream(request, timeout=timeout)

    def upgrade(
        self, request: Request, *, timeout: float | None = None
    ) -> AbstractAsyncContextManager[Duplex]:
        return self.inner.upgrade(request, timeout=timeout)

    async def close(self) -> None:
        await self.inner.close()


@dataclass
class World:
    """What a test looks at."""

    clock: VirtualClock
    server: EmbeddedServer
    transport: WatchedTransport
    cluster: kw.Cluster
    other: kw.Client
    """Somebody else, of whose writes the operator hears only through its watches."""
    manager: kw.Manager | None = None
    controllers: tuple[kw.Controller, ...] = ()

    async def pass_time(self, seconds: float = 1.0) -> None:
        await self.clock.advance(seconds)

    def take_writes(self) -> list[str]:
        """Return what was written since this was last asked: verb, resource, name, subresource."""
        taken, self.transport.writes = self.transport.writes, []
        return [_text(request) for request in taken]

    async def shop(self, name: str = "corner") -> Shop:
        return await self.other.get(Shop, name)


def _text(request: Request) -> str:
    attempt = request.attempt
    parts = (attempt.action or attempt.verb, attempt.resource, attempt.name, attempt.subresource)
    return " ".join(part for part in parts if part)


@asynccontextmanager
async def world(
    *, crds: tuple[type[kw.Resource], ...] = (Shop, Mall), clock: VirtualClock | None = None
) -> AsyncIterator[World]:
    """Make a cluster with our kinds; nothing runs yet."""
    clock = clock or VirtualClock()
    async with EmbeddedServer(clock=clock) as server:
        token = (("Authorization", f"Bearer {server.admin.token}"),)
        transport = WatchedTransport(InProcessTransport(server.api, headers=token, clock=clock))
        settings = server.config(server.admin).replace(token=None, namespace="default")
        client = kw.Client(settings, transport=transport, field_owner="test", clock=clock)
        async with client, server.client() as other:
            await clock.run(install_crds(other, crds))
            yield World(clock, server, transport, kw.Cluster(client), other)


@asynccontextmanager
async def running(
    operator: kw.Operator, *, clock: VirtualClock | None = None, **options: Any
) -> AsyncIterator[World]:
    """Run *operator*; it has settled when the block begins, and has stopped after it."""
    async with world(clock=clock) as made:
        made.manager = kw.Manager(made.cluster, clock=made.clock)
        made.controllers = operator.add_to(made.manager, made.cluster, **options)
        task = asyncio.create_task(made.manager.run())
        try:
            await made.pass_time()
            yield made
        finally:
            made.manager.stop()
            await made.clock.run(task)
