"""The operator on a whole cluster in virtual time: Deployments become pods, and nothing waits."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from examples.helloworld.helloworld import HelloWorld, HelloWorldSpec, operator

import kubewright as kw
from kubewright.kinds.apps.v1 import Deployment
from kubewright.kinds.core.v1 import Pod
from kubewright.testing import EmbeddedCluster, VirtualClock

NAME = "hello"


class World:
    """A cluster with the operator on it, and the time."""

    def __init__(self, cluster: EmbeddedCluster, client: kw.Client, clock: VirtualClock) -> None:
        self.cluster, self.client, self.clock = cluster, client, clock

    async def create(self, size: int) -> None:
        """Create the HelloWorld of the test, and let everything settle."""
        spec = HelloWorldSpec(size=size)
        await self.client.create(HelloWorld(metadata=kw.ObjectMeta(name=NAME), spec=spec))
        await self.clock.advance(60)

    async def nodes(self) -> list[str]:
        """Return the pods that the status names."""
        return (await self.client.get(HelloWorld, NAME)).status.nodes

    async def pods(self) -> list[str]:
        """Return the pods that there are, sorted."""
        return sorted(pod.metadata.name for pod in await self.client.list(Pod))


@asynccontextmanager
async def running() -> AsyncIterator[World]:
    """Run the operator on a cluster of its own."""
    clock = VirtualClock()
    async with EmbeddedCluster(clock=clock) as cluster, cluster.client() as client:
        await operator.install_crds(client)
        manager = kw.Manager(kw.Cluster(client, field_owner=operator.name))
        operator.add_to(manager)
        async with manager:
            yield World(cluster, client, clock)


async def test_a_deployment_of_the_size_is_there_and_the_status_names_its_pods() -> None:
    """What everybody tries first."""
    async with running() as world:
        await world.create(2)

        deployment = await world.client.get(Deployment, NAME)
        assert deployment.status.ready_replicas == 2
        assert len(await world.nodes()) == 2
        assert await world.nodes() == await world.pods()


async def test_what_others_change_is_undone() -> None:
    """The size is what the HelloWorld says."""
    async with running() as world:
        await world.create(2)

        await world.client.patch(Deployment, NAME, {"spec": {"replicas": 5}})
        await world.clock.advance(60)

        assert (await world.client.get(Deployment, NAME)).spec.replicas == 2
        assert len(await world.pods()) == 2


async def test_at_rest_nothing_is_written() -> None:
    """An operator that writes without need keeps everybody awake."""
    async with running() as world:
        await world.create(2)
        world.cluster.api.audit.clear()

        await world.clock.advance(3600)

        for resource in ("helloworlds", "deployments"):
            assert not world.cluster.api.audit.events(resource=resource, verb="patch")


async def test_it_goes_with_all_that_it_made() -> None:
    """Deleting the custom resource leaves nothing behind."""
    async with running() as world:
        await world.create(2)

        await world.client.delete(HelloWorld, NAME)
        await world.clock.advance(60)

        assert await world.client.find(Deployment, NAME) is None
        assert await world.pods() == []
