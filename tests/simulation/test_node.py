"""A node behind a bad network, in virtual time: pods start, crash and end all the same."""

import asyncio
from contextlib import suppress

import pytest

from kubewright._aio import VirtualClock
from kubewright.cluster import Cluster
from kubewright.embedded.node import Node
from kubewright.kinds.core.v1 import Node as NodeObject
from kubewright.kinds.core.v1 import Pod
from kubewright.testing import EmbeddedServer, RandomFaults
from tests.unit.embedded.node.world import conditions, container, pod

PODS = 12


async def finished(task: "asyncio.Task[None]") -> None:
    """Wait for a task, however it ends."""
    await asyncio.wait([task])


@pytest.mark.timeout(60)
@pytest.mark.parametrize("seed", range(8))
async def test_pods_live_and_end_whatever_the_network_does(seed: int) -> None:
    """A fifth of all requests goes wrong; each pod has one container, started once, and it goes."""
    clock = VirtualClock()
    faults = RandomFaults(seed, rate=0.2)
    async with (
        EmbeddedServer(clock=clock, rbac=False) as server,
        server.client() as user,
        server.client(faults=faults) as client,
    ):
        cluster = Cluster(client, clock=clock)
        node = Node("node-1", cluster=cluster)
        running = [asyncio.create_task(cluster.run()), asyncio.create_task(node.run())]
        await clock.advance(60)
        for number in range(PODS):
            job = container(command=["sh", "-c", "echo YAY; sleep 5"])
            web = (
                pod(name=f"web-{number}")
                if number % 2
                else pod(job, name=f"job-{number}", restart_policy="Never")
            )
            await user.create(web)
        await clock.advance(600)
        found = {one.metadata.name: one for one in await user.list(Pod, namespace="default")}
        for name in found:
            await user.delete(Pod, name)
        await clock.advance(900)
        left = await user.list(Pod, namespace="default")
        registered = await user.get(NodeObject, "node-1")

        for task in reversed(running):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await clock.run(finished(task))
        assert all(
            conditions(one)["Ready"] == "True" for name, one in found.items() if "web" in name
        )
        assert all(one.status.phase == "Succeeded" for name, one in found.items() if "job" in name)
        counts = {one.status.container_statuses[0].restart_count for one in found.values()}
        assert counts == {0}
        assert list(left) == []
        assert registered.status.conditions[-1].status == "True"
