from collections.abc import AsyncIterator

import msgspec
import pytest

from kubewright._aio import VirtualClock
from kubewright.api.selectors import selector_from
from kubewright.cache.entry import Event
from kubewright.cluster import Cluster
from kubewright.embedded.controllers.selection import Selectors
from kubewright.kinds.apps.v1 import ReplicaSet
from kubewright.testing import EmbeddedServer
from tests.unit.controller.world import running
from tests.unit.embedded.controllers.pods import entry
from tests.unit.embedded.controllers.world import workload

WEB, OTHER = entry(labels={"app": "web"}), entry(labels={"app": "other"})
OWNER = {"apiVersion": "v1", "kind": "Pod", "name": "a", "uid": "a", "controller": True}
OWNED = entry(labels={"app": "web"}, ownerReferences=[OWNER])


@pytest.fixture
async def selectors() -> AsyncIterator[Selectors[ReplicaSet]]:
    """Return what replica sets select, of which there is one."""
    clock = VirtualClock()
    async with EmbeddedServer(clock=clock) as server, server.client() as client:
        cluster = Cluster(client, clock=clock)
        made = Selectors(cluster, ReplicaSet, lambda one: selector_from(one.spec.selector))
        await client.create(msgspec.convert(workload(), ReplicaSet))
        async with running(cluster, clock=clock):
            yield made
            await client.delete(ReplicaSet, "web")
            await clock.settle()
        assert not made.concern(Event(None, WEB))


async def test_only_what_is_selected_concerns_anybody(selectors: Selectors[ReplicaSet]) -> None:
    """Before or after the change: an object that is no longer selected must be released."""
    changes = [Event(None, WEB), Event(WEB, OTHER), Event(OTHER, OTHER), Event(OTHER, None)]

    assert [selectors.concern(one) for one in changes] == [True, True, False, False]
    assert [str(key) for key in selectors.matching(WEB.object)] == ["default/web"]
    assert selectors.matching(OTHER.object) == []


async def test_what_somebody_controls_is_not_to_be_taken_in(
    selectors: Selectors[ReplicaSet],
) -> None:
    """Nearly all pods are controlled, and change all the time."""
    assert selectors.concern_orphan(Event(None, WEB))
    assert not selectors.concern_orphan(Event(OWNED, OWNED))
    assert not selectors.concern_orphan(Event(None, OTHER))
