import asyncio

import pytest

from kubewright.cluster import Cluster
from kubewright.embedded.node import Node
from kubewright.kinds.coordination.v1 import Lease
from kubewright.kinds.core.v1 import Node as NodeObject
from kubewright.kinds.core.v1 import Pod
from kubewright.manager import Manager
from tests.unit.embedded.node.world import (
    a_server,
    a_world,
    conditions,
    container,
    pod,
    state_of,
)


async def test_a_node_runs_only_the_pods_that_are_bound_to_it() -> None:
    """Two nodes share a server, and do not fight over pods."""
    async with a_server() as world:
        await world.start("node-1")
        await world.start("node-2", pod_cidr="127.2.0.0/16")

        one = await world.create(pod(name="a", node="node-1"))
        two = await world.create(pod(name="b", node="node-2"))
        none = await world.create(pod(name="c", node="node-3"))

        assert (one.status.pod_ip, two.status.pod_ip) == ("127.1.0.1", "127.2.0.1")
        assert none.status.phase == "Pending"
        assert world.node.access is not None


async def test_several_nodes_share_one_cluster_in_a_manager() -> None:
    """As the embedded cluster runs them."""
    async with a_server() as world:
        cluster = Cluster(world.client, clock=world.clock)
        manager = Manager(cluster)
        for number in (1, 2):
            cidr = f"127.{number}.0.0/16"
            manager.add(Node(f"node-{number}", cluster=cluster, pod_cidr=cidr))

        async with manager:
            for number in (1, 2):
                await world.create(pod(name=f"web-{number}", node=f"node-{number}"))
            found = [await world.read(f"web-{number}") for number in (1, 2)]
            nodes = await world.client.list(NodeObject)
            await world.client.delete(Pod, "web-1")
            gone = await world.find("web-1")

        assert [one.status.phase for one in found] == ["Running", "Running"]
        assert [one.metadata.name for one in nodes] == ["node-1", "node-2"]
        assert gone is None


async def test_a_node_that_comes_back_restarts_what_it_had_run() -> None:
    """Containers of a former run are gone; the status says that their end was not seen."""
    async with a_world() as world:
        before = await world.create(pod())
        await world.stop()

        await world.start()
        after = await world.read(after=1)

        status = after.status.container_statuses[0]
        assert (state_of(after), status.restart_count) == ("running", 1)
        assert status.last_state is not None
        assert status.last_state.terminated is not None
        assert status.last_state.terminated.reason == "ContainerStatusUnknown"
        assert after.status.pod_ip == before.status.pod_ip
        assert after.status.start_time == before.status.start_time


async def test_a_node_that_comes_back_fails_what_may_not_be_restarted() -> None:
    """A Job then makes another pod."""
    async with a_world() as world:
        await world.create(pod(restart_policy="Never"))
        await world.stop()

        await world.start()
        after = await world.read()

        assert after.status.phase == "Failed"
        assert state_of(after) == "ContainerStatusUnknown"


async def test_a_node_that_comes_back_leaves_ended_pods_alone() -> None:
    """What is done is done, and need not be written again."""
    async with a_world() as world:
        done = pod(container(command=["true"]), restart_policy="Never")
        before = await world.create(done)
        await world.stop()

        await world.start()
        after = await world.read(after=60)

        assert after.metadata.resource_version == before.metadata.resource_version
        await world.client.delete(Pod, "web")
        assert await world.find(after=1) is None


async def test_a_pod_that_was_deleted_while_the_node_was_away_goes() -> None:
    """Nobody else could let it go."""
    async with a_world() as world:
        await world.create(pod())
        await world.stop()
        await world.client.delete(Pod, "web")

        await world.start()

        assert await world.find(after=1) is None


async def test_a_pod_of_the_same_name_starts_when_the_old_one_has_ended() -> None:
    """A StatefulSet does that all the time."""
    async with a_world() as world:
        first = await world.create(pod(simulate="term=5s"))
        await world.client.delete(Pod, "web", grace_period=0)
        early = await world.create(pod(), after=1)
        late = await world.read(after=10)

        assert early.metadata.uid != first.metadata.uid
        assert early.status.phase == "Pending"
        assert late.status.phase == "Running"
        assert late.status.container_statuses[0].restart_count == 0


async def test_many_pods_start_at_once_with_one_write_each() -> None:
    """A Deployment of hundreds is ready in the time that its writes take."""
    async with a_world() as world:
        await asyncio.gather(
            *(world.client.create(pod(name=f"web-{number}")) for number in range(200))
        )
        await world.settle(1)

        found = await world.client.list(Pod, namespace="default")
        assert all(conditions(one)["Ready"] == "True" for one in found)
        assert len({one.status.pod_ip for one in found}) == 200
        written = world.server.api.audit.events(verb="patch", subresource="status")
        assert sum(event.resource.resource == "pods" for event in written if event.resource) == 200


async def test_a_node_at_rest_writes_only_its_lease() -> None:
    """Every ten seconds, as a kubelet; its status every five minutes."""
    async with a_world() as world:
        await world.create(pod())
        await world.settle(5)
        world.server.api.audit.clear()

        await world.settle(290)

        found = [event for event in world.server.api.audit.events() if event.verb != "watch"]
        kinds = {event.resource.resource for event in found if event.resource}
        assert kinds == {"leases"}
        assert len(found) == 29


async def test_a_node_that_was_deleted_registers_again() -> None:
    """Somebody tidied up too much."""
    async with a_world() as world:
        await world.client.delete(NodeObject, "node-1")

        await world.settle(30)

        assert await world.client.find(NodeObject, "node-1") is not None
        assert await world.client.find(Lease, "node-1", namespace="kube-node-lease") is not None


async def test_a_node_says_how_it_is() -> None:
    """A manager shows it on /readyz."""
    async with a_server() as world:
        node = Node("node-1", cluster=Cluster(world.client, clock=world.clock))

        assert repr(node) == "<Node node-1: 0 pods>"
        assert list(node.health()) == []


@pytest.mark.parametrize("reason", ["ready", "not yet"])
async def test_a_manager_waits_until_a_node_is_registered(reason: str) -> None:
    """A scheduler without nodes would find none."""
    async with a_server() as world:
        node = Node("node-1", cluster=Cluster(world.client, clock=world.clock))
        waiting = asyncio.create_task(node.wait_ready())
        if reason == "ready":
            running = asyncio.create_task(node.run())
            await world.settle()
            running.cancel()
            await asyncio.wait([running])

        await world.settle()

        assert waiting.done() is (reason == "ready")
        waiting.cancel()
        await asyncio.wait([waiting])
