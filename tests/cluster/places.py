"""Places to run the same scenario in: a server, a set of controllers, and a fake node."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

import msgspec
import pytest

import kubewright as kw
from kubewright.client import Client
from kubewright.cluster import Cluster
from kubewright.embedded.controllers import make
from kubewright.errors import ConfigError
from kubewright.kinds.core.v1 import Namespace
from kubewright.runnable import Runnable
from kubewright.testing import EmbeddedServer, RealServer
from kubewright.testing.assets import get_program
from tests.cluster.portrait import Objects, objects_in, versions_of
from tests.unit.embedded.controllers.world import FakeNode

T = TypeVar("T")

QUIET_FOR = 1.2
"""Seconds without any change after which a step of a scenario is over."""
PATIENCE = 60.0


class Scene:
    """A namespace of a server, to run a scenario in."""

    def __init__(self, client: Client, namespace: str) -> None:
        self.client = client
        self.namespace = namespace

    async def create(self, kind: type[kw.Resource], document: dict[str, Any]) -> None:
        """Create an object in this namespace."""
        made = msgspec.convert(document, kind)
        made.metadata.namespace = self.namespace
        await self.client.create(made)

    async def patch(self, kind: type[kw.Resource], name: str, patch: dict[str, Any]) -> None:
        """Change an object of this namespace."""
        await self.client.patch(kind, name, patch, namespace=self.namespace)

    async def until(self, ready: Callable[[], Awaitable[bool]]) -> None:
        """Wait until *ready* returns true."""
        async with asyncio.timeout(PATIENCE):
            while not await ready():  # noqa: ASYNC110  # on real servers there is nothing to wait for
                await asyncio.sleep(0.1)

    async def at_rest(
        self,
        look: Callable[[], Awaitable[T]],
        mark: Callable[[T], object],
        *,
        quiet_for: float = QUIET_FOR,
    ) -> T:
        """Look until *mark* of what is seen stays the same for a while; return what is seen."""
        end = time.monotonic() + PATIENCE
        before: object = None
        since = time.monotonic()
        while time.monotonic() < end:
            seen = await look()
            now = mark(seen)
            if now != before:
                before, since = now, time.monotonic()
            elif time.monotonic() - since > quiet_for:
                return seen
            await asyncio.sleep(0.1)
        raise TimeoutError(f"{self.namespace} does not come to rest: {before}")


class Place(Scene):
    """A scene with a fake node."""

    def __init__(self, client: Client, namespace: str, node: FakeNode) -> None:
        super().__init__(client, namespace)
        self.node = node

    async def quiet(self) -> Objects:
        """Wait until nothing changes any more, and return the state then."""
        return await self.at_rest(lambda: objects_in(self.client, self.namespace), versions_of)


@asynccontextmanager
async def fresh_namespace(client: Client, runnables: Iterable[Runnable]) -> AsyncIterator[str]:
    """Yield a namespace, while *runnables* run."""
    tasks = [asyncio.create_task(one.run()) for one in runnables]
    try:
        made = await client.create(Namespace(metadata=kw.ObjectMeta(generate_name="story-")))
        yield made.metadata.name
    finally:
        for task in reversed(tasks):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


def need_real_servers() -> None:
    """Skip the test if the real servers are not installed."""
    try:
        for name in ("etcd", "kube-apiserver", "kube-controller-manager"):
            get_program(name)
    except ConfigError as error:
        pytest.skip(f"this needs the real servers: {error}")


@asynccontextmanager
async def place(
    server: EmbeddedServer | RealServer, *, ours: Iterable[str] = (), nodes: Iterable[str]
) -> AsyncIterator[Place]:
    """Yield a new namespace of *server*, with our controllers called *ours*."""
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
        async with fresh_namespace(client, runnables) as namespace:
            yield Place(client, namespace, node)
