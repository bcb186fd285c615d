"""Pods with claims, and the nodes that they get."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from kubewright.embedded.controllers.persistentvolume import persistentvolume_binder_controller
from kubewright.embedded.scheduler import scheduler
from kubewright.embedded.storage.provisioner import folder_provisioner
from kubewright.kinds.core.v1 import (
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeClaimVolumeSource,
    Pod,
    TopologySelectorLabelRequirement,
    TopologySelectorTerm,
    Volume,
)
from kubewright.testing import Refused
from kubewright.testing.faults import NextFaults, RandomFaults
from tests.unit.embedded.controllers.stage import Stage, staged
from tests.unit.embedded.scheduler.samples import add_node, node, places, pod
from tests.unit.embedded.storage.samples import claim, only_on, storage_class, volume

NOT_HELPFUL = "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."


def user(name: str = "a", *claims: str) -> Pod:
    """Return a pod that uses claims."""
    sources = [PersistentVolumeClaimVolumeSource(claim_name=one) for one in claims or ("data",)]
    volumes = [
        Volume(name=f"v{number}", persistent_volume_claim=one) for number, one in enumerate(sources)
    ]
    return pod(name, volumes=volumes)


@asynccontextmanager
async def two_nodes() -> AsyncIterator[Stage]:
    """Run scheduler, binder and provisioner; claims of the class ``late`` wait for pods."""
    parts = (scheduler, persistentvolume_binder_controller, folder_provisioner)
    async with staged(*parts) as stage:
        await stage.create(storage_class("late", mode="WaitForFirstConsumer"))
        for name in ("n1", "n2"):
            await add_node(stage, node(name))
        yield stage


async def said(stage: Stage, name: str = "a") -> str:
    """Return why a pod has no node."""
    await stage.clock.advance(1)
    found = await stage.client.get(Pod, name)
    [one] = [each for each in found.status.conditions if each.type == "PodScheduled"]
    return one.message or ""


async def test_a_claim_gets_its_volume_with_the_node_of_its_pod() -> None:
    """First the node is chosen, then the volume is made, and the pod waits for it."""
    async with two_nodes() as stage:
        await stage.create(claim(storage_class_name="late"))
        await stage.create(user())

        chosen = (await places(stage))["a"]
        found = await stage.client.get(PersistentVolumeClaim, "data")
        assert found.status.phase == "Bound"
        assert found.metadata.annotations["volume.kubernetes.io/selected-node"] == chosen
        assert await stage.events("FailedScheduling") == []


async def test_a_pod_waits_for_its_claim() -> None:
    """It says what it waits for, and goes on when the claim comes."""
    async with two_nodes() as stage:
        await stage.create(user())
        missing = await said(stage)
        await stage.create(claim(storage_class_name="late"))

        text = '0/2 nodes are available: persistentvolumeclaim "data" not found.'
        assert missing == f"{text} {NOT_HELPFUL}"
        assert (await places(stage))["a"] is not None


async def test_a_pod_waits_while_its_claim_could_be_bound_without_it() -> None:
    """An Immediate claim waits for a volume, and the pod for the claim."""
    async with two_nodes() as stage:
        await stage.create(claim())
        await stage.create(user())
        waiting = await said(stage)
        await stage.create(volume())

        text = "0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims."
        assert waiting == f"{text} {NOT_HELPFUL}"
        assert (await places(stage))["a"] is not None


@pytest.mark.parametrize("name", ["n1", "n2"])
async def test_a_pod_goes_where_its_volume_is(name: str) -> None:
    """A local disk; bound before, or chosen with the node."""
    async with two_nodes() as stage:
        await stage.create(volume("now", node_affinity=only_on(name)))
        await stage.create(volume("soon", node_affinity=only_on(name), storage_class_name="disks"))
        no_provisioner = "kubernetes.io/no-provisioner"
        kind = storage_class("disks", mode="WaitForFirstConsumer", provisioner=no_provisioner)
        await stage.create(kind)
        await stage.create(claim("bound"))
        await stage.create(claim("waiting", storage_class_name="disks"))

        await stage.create(user("a", "bound"))
        await stage.create(user("b", "waiting"))

        assert await places(stage) == {"a": name, "b": name}
        soon = await stage.client.get(PersistentVolume, "soon")
        assert soon.status.phase == "Bound"


async def test_a_volume_out_of_reach_keeps_a_pod_waiting() -> None:
    """Until a node comes that has it."""
    async with two_nodes() as stage:
        await stage.create(volume(node_affinity=only_on("n3")))
        await stage.create(claim())
        await stage.create(user())
        far = await said(stage)
        await add_node(stage, node("n3"))

        text = "0/2 nodes are available: 2 node(s) didn't match PersistentVolume's node affinity."
        assert far == f"{text} {NOT_HELPFUL}"
        assert await places(stage) == {"a": "n3"}


async def test_two_pods_never_get_the_same_volume() -> None:
    """One waits for the next."""
    async with two_nodes() as stage:
        no_provisioner = "kubernetes.io/no-provisioner"
        kind = storage_class("disks", mode="WaitForFirstConsumer", provisioner=no_provisioner)
        await stage.create(kind)
        await stage.create(volume("one", node_affinity=only_on("n1"), storage_class_name="disks"))
        for name in ("a", "b"):
            await stage.client.create(claim(name, storage_class_name="disks"))
            await stage.client.create(user(name, name))
        first = sorted(map(str, (await places(stage)).values()))
        [loser] = [name for name, place in (await places(stage)).items() if place is None]
        told = await said(stage, loser)

        await stage.create(volume("two", node_affinity=only_on("n2"), storage_class_name="disks"))

        assert first == ["None", "n1"]
        assert "2 node(s) didn't find available persistent volumes to bind" in told
        assert sorted(map(str, (await places(stage)).values())) == ["n1", "n2"]


async def test_a_class_may_be_for_some_nodes_only() -> None:
    """Its topology says where volumes can be made."""
    term = TopologySelectorLabelRequirement(key="kubernetes.io/hostname", values=["n2"])
    async with two_nodes() as stage:
        kind = storage_class("some", mode="WaitForFirstConsumer")
        kind.allowed_topologies = [TopologySelectorTerm(match_label_expressions=[term])]
        await stage.create(kind)
        await stage.create(claim(storage_class_name="some"))

        await stage.create(user())

        assert await places(stage) == {"a": "n2"}


async def test_a_lost_claim_keeps_a_pod_waiting() -> None:
    """A pod with an empty disk in place of its data would do harm."""
    async with two_nodes() as stage:
        made = await stage.create(volume())
        await stage.create(claim())
        await stage.clock.advance(1)
        await stage.client.patch(PersistentVolume, "disk", {"metadata": {"finalizers": None}})
        await stage.client.delete(made)
        await stage.clock.advance(1)

        await stage.create(user())

        text = 'persistentvolumeclaim "data" bound to non-existent persistentvolume "disk"'
        assert text in await said(stage)


async def test_a_pod_keeps_its_place_while_its_volume_is_made() -> None:
    """Another pod must not take the room for which the volume was made."""
    parts = (scheduler, persistentvolume_binder_controller)
    async with staged(*parts) as stage:
        await stage.create(storage_class("late", mode="WaitForFirstConsumer"))
        await add_node(stage, node(), pods="1")
        await stage.create(claim(storage_class_name="late"))
        await stage.create(user())  # nobody makes its volume yet
        await stage.create(pod("other"))
        waiting = await places(stage)

        async with stage.elsewhere(folder_provisioner):
            served = await places(stage)

        assert waiting == {"a": None, "other": None}
        assert served == {"a": "n1", "other": None}


async def test_the_place_of_a_pod_that_was_deleted_meanwhile_is_free() -> None:
    """It waited for a volume that nobody made."""
    async with staged(scheduler, persistentvolume_binder_controller) as stage:
        await stage.create(storage_class("late", mode="WaitForFirstConsumer"))
        await add_node(stage, node(), pods="1")
        await stage.create(claim(storage_class_name="late"))
        await stage.create(user())
        await stage.create(pod("other"))

        await stage.client.delete(Pod, "a", grace_period=0)

        assert await places(stage) == {"other": "n1"}


async def test_a_claim_that_changes_meanwhile_is_asked_for_again() -> None:
    """A conflict costs a moment, and not the place of the pod for ever."""
    conflict = NextFaults(
        [Refused(409)],
        matching=lambda one: one.method != "GET" and "persistentvolumeclaims" in one.target,
    )
    async with staged(persistentvolume_binder_controller, folder_provisioner) as stage:
        await stage.create(storage_class("late", mode="WaitForFirstConsumer"))
        await add_node(stage, node())
        await stage.create(claim(storage_class_name="late"))
        await stage.create(user())

        async with stage.elsewhere(scheduler, faults=conflict):
            found = await places(stage)

    assert conflict.left == 0
    assert found == {"a": "n1"}


@pytest.mark.parametrize("seed", range(4))
async def test_a_bad_network_delays_volumes_and_loses_none(seed: int) -> None:
    """Pods, claims and volumes come and go while requests are lost, refused and late."""
    faults = RandomFaults(seed, rate=0.2)
    parts = (scheduler, persistentvolume_binder_controller, folder_provisioner)
    async with staged(*parts, faults=faults) as stage:
        await stage.create(storage_class("late", mode="WaitForFirstConsumer"))
        for name in ("n1", "n2"):
            await add_node(stage, node(name))
        for number in range(8):
            await stage.client.create(claim(f"c{number}", storage_class_name="late"))
            await stage.client.create(user(f"p{number}", f"c{number}"))
        await stage.clock.advance(60)
        for number in range(0, 8, 2):
            await stage.client.delete(Pod, f"p{number}", grace_period=0)
            await stage.client.delete(PersistentVolumeClaim, f"c{number}")
        await stage.clock.advance(60)
        faults.heal()
        await stage.clock.advance(600)

        claims = await stage.client.list(PersistentVolumeClaim)
        volumes = await stage.client.list(PersistentVolume)
        assert faults.count > 0
        assert set((await places(stage)).values()) <= {"n1", "n2"}
        assert {one.metadata.name: one.status.phase for one in claims} == {
            f"c{number}": "Bound" for number in range(1, 8, 2)
        }
        assert {one.metadata.name for one in volumes} == {one.spec.volume_name for one in claims}
