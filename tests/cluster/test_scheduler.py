"""Our scheduler on a real kube-apiserver, which checks every binding."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress

import pytest

import kubewright as kw
from kubewright.client import Client
from kubewright.cluster import Cluster
from kubewright.embedded.controllers import make
from kubewright.embedded.scheduler import scheduler
from kubewright.errors import ConfigError
from kubewright.kinds.core.v1 import (
    Container,
    Node,
    NodeCondition,
    NodeStatus,
    Pod,
    PodSpec,
    ResourceRequirements,
)
from kubewright.runnable import Runnable
from kubewright.testing import RealServer
from kubewright.testing.assets import get_program

pytestmark = pytest.mark.timeout(120)

TEXT = "0/1 nodes are available: 1 Insufficient cpu."


@pytest.fixture(scope="module")
def server() -> Iterator[RealServer]:
    """Return a real server, on which nothing else runs."""
    try:
        for name in ("etcd", "kube-apiserver"):
            get_program(name)
    except ConfigError as error:
        pytest.skip(f"this needs the real servers: {error}")
    with RealServer() as real:
        yield real


@asynccontextmanager
async def scheduled(server: RealServer) -> AsyncIterator[Client]:
    """Yield a client, while the scheduler and the controller that untaints nodes run."""
    config = server.config(server.admin)
    async with kw.Client(config) as ours, kw.Client(config) as client:
        cluster = Cluster(ours)
        parts: list[Runnable] = [cluster, scheduler(cluster), *make(cluster, ["nodelifecycle"])]
        tasks = [asyncio.create_task(one.run()) for one in parts]
        try:
            yield client
        finally:
            for task in reversed(tasks):
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    """Wait for something that takes its time."""
    async with asyncio.timeout(30):
        while not await holds():  # noqa: ASYNC110  # real servers tell nobody
            await asyncio.sleep(0.1)


def pod(name: str) -> Pod:
    resources = ResourceRequirements(requests={"cpu": "1"})
    container = Container(name="main", image="busybox", resources=resources)
    return Pod(metadata=kw.ObjectMeta(name=name), spec=PodSpec(containers=[container]))


async def test_pods_get_nodes_of_a_real_server(server: RealServer) -> None:
    """As many as fit; the last one says why it does not, and fits when another goes."""
    async with scheduled(server) as client:
        node = await client.create(Node(metadata=kw.ObjectMeta(name="n1")))
        room: dict[str, kw.Quantity] = {"cpu": "2", "memory": "1Gi", "pods": "10"}
        ready = NodeCondition(type="Ready", status="True")
        node.status = NodeStatus(allocatable=room, capacity=room, conditions=[ready])
        await client.status.update(node)
        for name in ("a", "b", "c"):
            await client.create(pod(name))

        async def waiting() -> list[Pod]:
            return [one for one in await client.list(Pod) if not one.spec.node_name]

        async def one_is_left_and_says_why() -> bool:
            said = [one.message or "" for each in await waiting() for one in each.status.conditions]
            return len(said) == 1 and said[0].startswith(TEXT)

        await until(one_is_left_and_says_why)
        gone = next(one for one in await client.list(Pod) if one.spec.node_name)
        await client.delete(gone, grace_period=0)

        async def all_have_nodes() -> bool:
            return not await waiting()

        await until(all_have_nodes)
