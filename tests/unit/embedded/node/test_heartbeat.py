from datetime import timedelta

from kubewright.kinds.coordination.v1 import Lease
from kubewright.kinds.core.v1 import Event, Namespace, Node
from tests.unit.embedded.node.world import World, a_server, a_world


async def the_lease(world: World) -> Lease:
    """Return the Lease of the node."""
    return await world.client.get(Lease, "node-1", namespace="kube-node-lease")


async def test_a_node_registers_and_is_ready() -> None:
    """``kubectl get nodes`` shows it."""
    async with a_world(labels={"zone": "a"}, kubelet_port=10250) as world:
        node = await world.client.get(Node, "node-1")

        assert node.metadata.labels["zone"] == "a"
        assert {one.type: one.status for one in node.status.conditions}["Ready"] == "True"
        assert node.status.daemon_endpoints is not None
        assert node.status.daemon_endpoints.kubelet_endpoint is not None
        assert node.status.daemon_endpoints.kubelet_endpoint.port == 10250


async def test_a_node_renews_its_lease_every_ten_seconds() -> None:
    """Controllers take a node for dead after forty seconds without a renewal."""
    async with a_world() as world:
        first = await the_lease(world)

        await world.settle(60)
        later = await the_lease(world)

        assert later.spec.holder_identity == "node-1"
        assert later.spec.lease_duration_seconds == 40
        assert later.metadata.owner_references[0].kind == "Node"
        assert first.spec.renew_time is not None
        assert later.spec.renew_time is not None
        assert later.spec.renew_time - first.spec.renew_time == timedelta(seconds=60)


async def test_a_node_that_comes_back_is_the_same_node() -> None:
    """With new labels, and what others wrote kept."""
    async with a_world() as world:
        before = await world.client.get(Node, "node-1")
        await world.stop()
        await world.client.patch(Node, "node-1", {"spec": {"unschedulable": True}})

        await world.start(labels={"zone": "b"}, capacity={"cpu": "64"})
        after = await world.client.get(Node, "node-1")

        assert after.metadata.uid == before.metadata.uid
        assert after.metadata.labels["zone"] == "b"
        assert after.spec.unschedulable
        assert after.status.capacity["cpu"] == "64"


STATES = ("NodeHasSufficientMemory", "NodeHasNoDiskPressure", "NodeHasSufficientPID", "NodeReady")


async def test_a_node_tells_that_it_starts_and_how_it_is() -> None:
    """The events that ``kubectl describe node`` shows on every cluster."""
    async with a_world() as world:
        events = await world.events("Node")

        assert ("Starting", "Starting kubelet.") in events
        told = {(state, f"Node node-1 status is now: {state}") for state in STATES}
        assert told <= set(events)
        found = (await world.client.list(Event, namespace="default"))[0]
        node = await world.client.get(Node, "node-1")
        assert found.involved_object.uid == node.metadata.uid
        assert (found.reporting_component, found.reporting_instance) == ("kubelet", "node-1")


async def test_a_node_that_was_taken_for_dead_says_that_it_is_ready_again() -> None:
    """Once, and only what has changed."""
    async with a_world() as world:
        lost = {"status": {"conditions": [{"type": "Ready", "status": "Unknown"}]}}
        await world.stop()
        await world.client.status.patch(Node, "node-1", lost, patch_type="strategic")
        await world.settle(60)

        await world.start()
        await world.settle(60)

        reasons = [reason for reason, _ in await world.events("Node")]
        assert (reasons.count("Starting"), reasons.count("NodeReady")) == (2, 2)
        assert reasons.count("NodeHasSufficientPID") == 1


async def test_a_missing_namespace_is_made() -> None:
    """Without controllers, nobody else creates it."""
    async with a_server() as world:
        await world.client.delete(Namespace, "kube-node-lease")
        await world.settle(1)

        await world.start()
        await world.settle(30)

        assert (await the_lease(world)).spec.holder_identity == "node-1"
