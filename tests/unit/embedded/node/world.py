"""What the tests of the node share: a server, a node and pods, in virtual time."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import kubewright as kw
from kubewright._aio import VirtualClock
from kubewright.client import Client
from kubewright.cluster import Cluster
from kubewright.embedded.node import Node
from kubewright.kinds.core.v1 import Container, Event, Pod, PodSpec
from kubewright.testing import EmbeddedServer


def container(name: str = "main", image: str = "nginx", **fields: Any) -> Container:
    """Return a container that runs on, unless *fields* say otherwise."""
    return Container(name=name, image=image, **fields)


def pod(
    *containers: Container,
    name: str = "web",
    node: str = "node-1",
    simulate: str = "",
    annotations: dict[str, str] | None = None,
    **spec: Any,
) -> Pod:
    """Return a pod that is bound to a node."""
    notes = {"kubewright.dev/simulate": simulate} if simulate else {}
    return Pod(
        metadata=kw.ObjectMeta(
            name=name, namespace="default", annotations={**notes, **(annotations or {})}
        ),
        spec=PodSpec(containers=list(containers) or [container()], node_name=node, **spec),
    )


class World:
    """A server with a node, and time that stands still until somebody moves it."""

    def __init__(self, server: EmbeddedServer, client: Client, clock: VirtualClock) -> None:
        self.server = server
        self.client = client
        self.clock = clock
        self.node: Node
        self._running: list[asyncio.Task[None]] = []

    async def start(self, name: str = "node-1", **options: Any) -> Node:
        """Start a node, with a cache of its own, as after a restart."""
        cluster = Cluster(self.client, clock=self.clock)
        self.node = Node(name, cluster=cluster, **options)
        self._running += [
            asyncio.create_task(cluster.run()),
            asyncio.create_task(self.node.run()),
        ]
        await self.settle()
        return self.node

    async def stop(self) -> None:
        """Stop all nodes at once, as a crash does."""
        running, self._running = self._running, []
        for task in reversed(running):
            task.cancel()
        for task in running:
            with suppress(asyncio.CancelledError):
                await self.clock.run(_done(task))

    async def settle(self, seconds: float = 0.0) -> None:
        """Let everything happen that happens within *seconds*."""
        await self.clock.advance(seconds)

    async def create(self, wanted: Pod, after: float = 0.0) -> Pod:
        """Create a pod, let *after* seconds pass, and return it as it is then."""
        await self.client.create(wanted)
        return await self.read(wanted.metadata.name or "", after)

    async def read(self, name: str = "web", after: float = 0.0) -> Pod:
        """Return a pod as it is after some seconds."""
        await self.settle(after)
        return await self.client.get(Pod, name)

    async def find(self, name: str = "web", after: float = 0.0) -> Pod | None:
        """Return a pod as it is after some seconds, if it still is."""
        await self.settle(after)
        return await self.client.find(Pod, name)

    async def events(self, kind: str = "Pod") -> list[tuple[str, str]]:
        """Return reason and message of all events about pods, or others, oldest first."""
        await self.settle()
        found = await self.client.list(Event, namespace="default")
        return [
            (one.reason or "", one.message or "")
            for one in found
            if one.involved_object.kind == kind
        ]


async def _done(task: "asyncio.Task[None]") -> None:
    await asyncio.wait([task])


@asynccontextmanager
async def a_server() -> AsyncIterator[World]:
    """Yield a server without a node, in virtual time."""
    clock = VirtualClock()
    async with EmbeddedServer(clock=clock, rbac=False) as server, server.client() as client:
        world = World(server, client, clock)
        try:
            yield world
        finally:
            await world.stop()


@asynccontextmanager
async def a_world(**options: Any) -> AsyncIterator[World]:
    """Yield a server with a node that simulates containers."""
    async with a_server() as world:
        await world.start(**options)
        yield world


def conditions(found: Pod) -> dict[str, str]:
    """Return the conditions of a pod by type."""
    return {one.type: one.status for one in found.status.conditions}


def state_of(found: Pod, number: int = 0) -> str:
    """Return the state of a container in a word, such as ``running`` or ``Completed``."""
    state = found.status.container_statuses[number].state
    if state is None:
        return ""
    if state.running is not None:
        return "running"
    if state.terminated is not None:
        return state.terminated.reason or ""
    return (state.waiting.reason if state.waiting else "") or ""
