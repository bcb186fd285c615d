"""A pod starts when its claims are bound, and mounts what is behind them."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

import kubewright as kw
from kubewright.embedded.node.volumes.claims import ClaimError, claim_files, read_claims
from kubewright.embedded.node.volumes.material import Files
from kubewright.embedded.storage.annotations import PROVISIONED_BY, PROVISIONER
from kubewright.kinds.core.v1 import (
    CSIPersistentVolumeSource,
    HostPathVolumeSource,
    LocalVolumeSource,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeClaimVolumeSource,
    Pod,
    Volume,
)
from tests.unit.embedded.node.world import World, a_server, a_world, pod
from tests.unit.embedded.storage.samples import claim, reference, volume


@pytest.fixture
async def world() -> AsyncIterator[World]:
    """Yield a server."""
    async with a_server() as found:
        yield found


def user() -> Pod:
    """Return a pod on a node that uses the claim ``data``."""
    source = PersistentVolumeClaimVolumeSource(claim_name="data")
    return pod(volumes=[Volume(name="v", persistent_volume_claim=source)])


async def bind(client: kw.Client, **spec: Any) -> None:
    """Create a claim, and bind it to a new volume."""
    await client.create(claim(volume_name="disk"))
    await complete(client, **spec)


async def complete(client: kw.Client, **spec: Any) -> None:
    """Bind the claim to a new volume."""
    made = await client.get(PersistentVolumeClaim, "data")
    await client.create(volume(claim_ref=reference(uid=made.metadata.uid), **spec))
    bound = {"status": {"phase": "Bound"}}
    await client.status.patch(PersistentVolumeClaim, "data", bound)


async def problem(world: World) -> str:
    """Return why the claims of a pod cannot be used."""
    with pytest.raises(ClaimError) as caught:
        await read_claims(world.client, user())
    return caught.value.problem


async def test_what_is_missing_is_said_in_the_words_of_the_kubelet(world: World) -> None:
    """Claim, binding and volume, one after the other."""
    found = [await problem(world)]
    await world.client.create(claim(volume_name="disk"))
    found.append(await problem(world))
    await world.client.status.patch(PersistentVolumeClaim, "data", {"status": {"phase": "Bound"}})
    found.append(await problem(world))
    await world.client.create(volume(claim_ref=reference(uid="another")))
    found.append(await problem(world))

    head = "error processing PVC default/data:"
    assert found == [
        f'{head} failed to fetch PVC from API server: persistentvolumeclaims "data" not found',
        f"{head} PVC is not bound",
        f'{head} failed to fetch PV disk from API server: persistentvolumes "disk" not found',
        f"{head} PV disk is bound to another claim",
    ]


async def test_a_claim_that_is_being_deleted_takes_no_more_pods(world: World) -> None:
    """Or it would never be gone."""
    await bind(world.client)
    keeping = {"metadata": {"finalizers": ["example.com/keep"]}}
    await world.client.patch(PersistentVolumeClaim, "data", keeping)
    await world.client.delete(PersistentVolumeClaim, "data")

    assert (await problem(world)).endswith("PVC is being deleted")


async def test_a_bound_claim_has_a_volume(world: World) -> None:
    """By the name that the pod has for it."""
    await bind(world.client)

    found = await read_claims(world.client, user())

    assert {name: one.metadata.name for name, one in found.items()} == {"v": "disk"}


async def test_a_simulated_pod_waits_for_its_claim_too() -> None:
    """Who tests an operator wants to see what happens on a cluster."""
    async with a_world() as world:
        await world.client.create(claim(volume_name="disk"))
        waiting = await world.create(user(), after=1)
        told = await world.events()
        await complete(world.client)

        started = await world.read(after=30)

    assert waiting.status.phase == "Pending"
    names = "unmounted volumes=[v], unattached volumes=[v], failed to process volumes=[v]"
    why = "error processing PVC default/data: PVC is not bound"
    assert told == [("FailedMount", f"Unable to attach or mount volumes: {names}: {why}")]
    assert started.status.phase == "Running"


def ours() -> PersistentVolume:
    path = HostPathVolumeSource(path="/data/claims/pvc-1_default_data")
    made: PersistentVolume = volume("pvc-1", host_path=path)
    made.metadata.annotations[PROVISIONED_BY] = PROVISIONER
    return made


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (ours(), Files(kept="pvc-1_default_data")),
        (volume(), Files(link="/srv/disk")),
        (
            volume(host_path=HostPathVolumeSource(path="/srv", type="DirectoryOrCreate")),
            Files(link="/srv", create=True),
        ),
        (volume(host_path=None, local=LocalVolumeSource(path="/mnt/ssd")), Files(link="/mnt/ssd")),
    ],
)
def test_a_volume_is_a_folder_of_this_machine(given: PersistentVolume, expected: Files) -> None:
    """That of a claim, or the one that the user has named."""
    assert claim_files(given) == expected


def test_a_volume_of_elsewhere_is_refused() -> None:
    """There is no driver for it."""
    source = CSIPersistentVolumeSource(driver="disks.example.com", volume_handle="1")

    with pytest.raises(ValueError, match="not supported by the embedded node"):
        claim_files(volume(host_path=None, csi=source))
