from kubewright.api.owners import controller_of
from kubewright.cache.entry import Event
from kubewright.embedded.controllers.dependents import (
    controller_in,
    dependents_of,
    is_orphan_event,
)
from kubewright.kinds.apps.v1 import ReplicaSet
from kubewright.kinds.core.v1 import Pod
from tests.unit.embedded.controllers.pods import entry
from tests.unit.embedded.controllers.world import World, template, workload, world

OWNED = entry(
    ownerReferences=[
        {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "w", "uid": "1", "controller": True}
    ]
)


async def add_orphan(w: World, name: str = "orphan", **labels: str) -> None:
    """Create a pod that nobody controls."""
    meta = {"name": name, "namespace": "default", "labels": labels or {"app": "web"}}
    await w.create(Pod, {"metadata": meta, "spec": template()["spec"]})


async def owners(w: World) -> dict[str, str]:
    """Return who controls each pod."""
    return {
        pod.metadata.name: owner.name if (owner := controller_of(pod)) else ""
        for pod in await w.pods()
    }


def test_an_orphan_is_one_without_a_controller_before_or_after() -> None:
    """An object that loses its controller must be adopted, too."""
    orphan = entry()

    assert controller_in(orphan) is None
    assert is_orphan_event(Event(OWNED, orphan))
    assert is_orphan_event(Event(None, orphan))
    assert not is_orphan_event(Event(OWNED, OWNED))


async def test_an_orphan_is_taken_in_whoever_comes_first() -> None:
    """The set may be older or younger than the pod."""
    async with world("replicaset") as w:
        await add_orphan(w, "early")
        await w.create(ReplicaSet, workload(replicas=2))
        (other,) = [name for name in await w.pod_names() if name != "early"]
        await w.client.delete(Pod, other, grace_period=0)

        await add_orphan(w, "foreign", app="other")

        assert (await owners(w))["early"] == "web"
        assert (await owners(w))["foreign"] == ""
        assert len(await owners(w)) == 3


async def test_a_pod_that_is_not_selected_any_more_is_let_go_and_replaced() -> None:
    """That is how people take a pod out of service to look at it."""
    async with world("replicaset") as w:
        await w.create(ReplicaSet, workload(replicas=1))
        (name,) = await w.pod_names()

        await w.patch(Pod, name, {"metadata": {"labels": {"app": "debug"}}})

        found = await owners(w)
        assert found.pop(name) == ""
        assert list(found.values()) == ["web"]


async def test_a_pod_of_another_controller_is_left_alone() -> None:
    """Two sets with the same selector do not fight over pods."""
    async with world("replicaset") as w:
        await w.create(ReplicaSet, workload(replicas=2))
        twin = workload(replicas=1)
        twin["metadata"]["name"] = "twin"

        await w.create(ReplicaSet, twin)

        assert sorted((await owners(w)).values()) == ["twin", "web", "web"]


async def test_an_owner_that_goes_away_takes_in_nothing() -> None:
    """What it took in would be deleted with it."""
    async with world("replicaset") as w:
        finalizer = {"finalizers": ["example.com/wait"]}
        spec = workload(replicas=1)
        spec["metadata"] |= finalizer
        await w.create(ReplicaSet, spec)
        await w.client.delete(ReplicaSet, "web", propagation="Background")
        await w.settle()

        await add_orphan(w)

        assert (await owners(w))["orphan"] == ""


async def test_all_controllers_of_a_cluster_share_what_they_know() -> None:
    """Each would listen to every pod otherwise."""
    async with world() as w:
        cluster = w.node.cluster

        assert dependents_of(cluster, Pod) is dependents_of(cluster, Pod)
