"""Places where the same story is told: a server, somebody who controls, and who plays a node."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from typing import Any

import msgspec

import kubewright as kw
from kubewright.client import Client
from kubewright.cluster import Cluster
from kubewright.embedded.controllers import make
from kubewright.kinds.core.v1 import Namespace
from kubewright.runnable import Runnable
from kubewright.testing import EmbeddedServer, RealServer
from tests.cluster.portrait import Objects, objects_in, versions_of
from tests.unit.embedded.controllers.world import FakeNode

QUIET_FOR = 1.2
"""Seconds without any change after which a step of a story is over."""
PATIENCE = 60.0


class Place:
    """A namespace of a server in which a story is told."""

    def __init__(self, client: Client, namespace: str, node: FakeNode) -> None:
        self.client = client
        self.namespace = namespace
        self.node = node

    async def create(self, kind: type[kw.Resource], document: dict[str, Any]) -> None:
        """Create an object in this namespace."""
        made = msgspec.convert(document, kind)
        made.metadata.namespace = self.namespace
        await self.client.create(made)

    async def patch(self, kind: type[kw.Resource], name: str, patch: dict[str, Any]) -> None:
        """Change an object of this namespace."""
        await self.client.patch(kind, name, patch, namespace=self.namespace)

    async def quiet(self) -> Objects:
        """Wait until nothing changes any more, and return how all is then."""
        end = time.monotonic() + PATIENCE
        before: set[tuple[str, str]] = set()
        since = time.monotonic()
        while time.monotonic() < end:
            objects = await objects_in(self.client, self.namespace)
            now = versions_of(objects)
            if now != before:
                before, since = now, time.monotonic()
            elif time.monotonic() - since > QUIET_FOR:
                return objects
            await asyncio.sleep(0.1)
        raise TimeoutError(f"{self.namespace} does not come to rest")

    async def until(self, ready: Callable[[], Awaitable[bool]]) -> None:
        """Wait for something that takes its time."""
        async with asyncio.timeout(PATIENCE):
            while not await ready():  # noqa: ASYNC110  # on real servers there is nothing to wait for
                await asyncio.sleep(0.1)


@asynccontextmanager
async def place(
    server: EmbeddedServer | RealServer, *, ours: Iterable[str] = (), nodes: Iterable[str]
) -> AsyncIterator[Place]:
    """Give a fresh namespace of *server*, with our controllers called *ours*."""
    config = server.config(server.admin)
    async with (
        kw.Client(config, field_owner="kube-controller-manager") as for_controllers,
        kw.Client(config, field_owner="kubelet") as for_node,
        kw.Client(config, field_owner="test") as client,
    ):
        cluster, elsewhere = Cluster(for_controllers), Cluster(for_node)
        node = FakeNode(elsewhere, nodes)
        runnables: list[Runnable] = [elsewhere, node.controller]
        runnables += [cluster, *make(cluster, ours)] if ours else []
        tasks = [asyncio.create_task(one.run()) for one in runnables]
        try:
            made = await client.create(Namespace(metadata=kw.ObjectMeta(generate_name="story-")))
            yield Place(client, made.metadata.name, node)
        finally:
            for task in reversed(tasks):
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
