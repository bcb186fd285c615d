"""Memcached and Foo killed at each of their requests in turn, in virtual time, on a cluster."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest

import kubewright as kw
from kubewright.kinds.apps.v1 import Deployment
from kubewright.kinds.core.v1 import Pod
from kubewright.testing import EmbeddedCluster, Faults, VirtualClock
from memcached_operator.api.v1alpha1.memcached import Memcached, MemcachedSpec
from memcached_operator.main import operator as memcached_operator
from sample_controller.api.v1alpha1.foo import Foo, FooSpec
from sample_controller.main import operator as sample_controller
from tests.e2e.test_at_killed import Death

NAME = "tea"
WAIT = 30.0
SIZE = 2

META = kw.ObjectMeta(name=NAME)


def memcached() -> Memcached:
    """Return a Memcached of two nodes."""
    return Memcached(metadata=META, spec=MemcachedSpec(size=SIZE))


def foo() -> Foo:
    """Return a Foo of two pods."""
    return Foo(metadata=META, spec=FooSpec(deployment_name=NAME, replicas=SIZE))


def is_well(obj: Memcached | Foo) -> bool:
    """Return whether the status says that all pods are there."""
    if isinstance(obj, Memcached):
        return len(obj.status.nodes) == SIZE
    return obj.status.available_replicas == SIZE


@dataclass
class World:
    """A cluster, its time, and whoever looks at it."""

    operator: kw.Operator
    server: EmbeddedCluster
    clock: VirtualClock
    client: kw.Client

    async def live(self, death: Faults | None = None) -> None:
        """Run the operator for a while, and kill it."""
        async with self.server.client(faults=death) as client:
            cluster = kw.Cluster(client, field_owner=self.operator.name)
            manager = kw.Manager(cluster, grace_period=0)
            self.operator.add_to(manager)
            running = asyncio.ensure_future(manager.run())
            await self.clock.advance(WAIT)
            running.cancel()
            await self.clock.run(asyncio.wait([running]))

    async def deployments(self) -> list[tuple[str, int | None]]:
        """Return the Deployments and their sizes."""
        found = await self.client.list(Deployment)
        return [(one.metadata.name, one.spec.replicas) for one in found]


@asynccontextmanager
async def world(operator: kw.Operator, make: Callable[[], Any]) -> AsyncIterator[World]:
    """Yield a cluster with one object of the operator."""
    clock = VirtualClock()
    async with EmbeddedCluster(clock=clock) as server, server.client() as client:
        await operator.install_crds(client)
        await client.create(make())
        yield World(operator, server, clock, client)


@pytest.mark.timeout(120)
@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(
    ("operator", "make"), [(memcached_operator, memcached), (sample_controller, foo)]
)
async def test_killed_at_any_request_it_makes_one_deployment_and_takes_it_along(
    operator: kw.Operator, make: Callable[[], Any], *, done: bool
) -> None:
    """First while it is made, then while it is deleted: at the end, nothing is left."""
    for number in itertools.count(1):
        making, deleting = Death(number, done), Death(number, done)
        async with world(operator, make) as w:
            await w.live(making)
            await w.live()
            assert await w.deployments() == [(NAME, SIZE)], f"killed at request {number}"
            assert is_well(await w.client.get(type(make()), NAME)), f"killed at request {number}"

            await w.client.delete(make())
            await w.live(deleting)
            await w.live()
            assert await w.client.find(type(make()), NAME) is None, f"killed at request {number}"
            assert await w.deployments() == [], f"killed at request {number}"
            assert list(await w.client.list(Pod)) == []
        if making.count < number and deleting.count < number:
            break  # it has lived to the end
    assert number > len(("watches", "a Deployment", "a status"))
