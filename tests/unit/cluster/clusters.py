"""A cluster on an embedded server in this process, in virtual time, with watches one can hold."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from kubewright._aio import VirtualClock
from kubewright.client import Client, Config
from kubewright.cluster import Cluster
from kubewright.embedded import InProcessTransport
from kubewright.testing.embedded import EmbeddedServer
from kubewright.testing.server import User
from tests.unit.cluster.held import HeldTransport


class Lab(msgspec.Struct):
    """What a test works with."""

    server: EmbeddedServer
    clock: VirtualClock
    transport: HeldTransport
    cluster: Cluster
    other: Client
    """Somebody else, whose writes the cluster hears of only through its watches."""
    running: "list[asyncio.Task[None]]" = []

    async def begin(self) -> "asyncio.Task[None]":
        """Run the cluster as far as it comes without time passing."""
        task = asyncio.create_task(self.cluster.run())
        self.running.append(task)
        await self.clock.settle()
        return task

    async def start(self) -> "asyncio.Task[None]":
        """Run the cluster until its informers are settled."""
        task = await self.begin()
        await self.clock.run(self.cluster.wait_ready())
        await self.clock.settle()
        return task

    async def stop(self) -> None:
        """Stop the cluster, if it runs, and wait for its end."""
        for task in self.running:
            task.cancel()
            await asyncio.wait([task])
        self.running.clear()


@asynccontextmanager
async def lab(*, user: str = "admin", **options: Any) -> AsyncIterator[Lab]:
    """Make a cluster; it is not running yet, and is stopped at the end if it was started."""
    clock = VirtualClock()
    async with EmbeddedServer(clock=clock, controllers=False) as server:
        who: User = getattr(server, user)
        headers = (("Authorization", f"Bearer {who.token}"),)
        transport = HeldTransport(InProcessTransport(server.api, headers=headers, clock=clock))
        config = Config(server="https://embedded", namespace="default")
        client = Client(config, transport=transport, field_owner="test", clock=clock)
        async with client, server.client() as other:
            cluster = Cluster(client, **options)
            made = Lab(server, clock, transport, cluster, other)
            try:
                yield made
            finally:
                await made.stop()
