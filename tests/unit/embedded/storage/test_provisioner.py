"""Claims get folders, which grow, and are removed as the class says."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from kubewright.cluster import Cluster
from kubewright.controller import Controller
from kubewright.embedded.controllers.persistentvolume import persistentvolume_binder_controller
from kubewright.embedded.storage.annotations import FINALIZER, PROVISIONER
from kubewright.embedded.storage.folders import Folders
from kubewright.embedded.storage.provisioner import folder_provisioner
from kubewright.kinds.core.v1 import (
    Event,
    PersistentVolume,
    PersistentVolumeClaim,
    TypedLocalObjectReference,
)
from kubewright.testing import Lost, Unreachable
from kubewright.testing.faults import Fault
from tests.unit.embedded.controllers.stage import NthWrite, Stage, staged
from tests.unit.embedded.storage.samples import claim, storage_class


@asynccontextmanager
async def provisioned(**fields: Any) -> AsyncIterator[Stage]:
    """Run binder and provisioner, with a class ``fast``; there are no folders."""
    async with staged(persistentvolume_binder_controller, folder_provisioner) as stage:
        await stage.create(storage_class(allow_volume_expansion=True, **fields))
        yield stage


async def volume_of(stage: Stage) -> PersistentVolume | None:
    """Return the only volume there is."""
    await stage.clock.advance(1)
    found = list(await stage.client.list(PersistentVolume))
    return found[0] if found else None


async def bound(stage: Stage, **spec: Any) -> PersistentVolume:
    """Create a claim, and return the volume that was made for it."""
    await stage.create(claim(storage_class_name="fast", **spec))
    made = await volume_of(stage)
    assert made is not None
    return made


async def test_a_claim_gets_a_volume_of_its_size() -> None:
    """And is bound to it; the events say who made it."""
    async with provisioned() as stage:
        made = await bound(stage, size="3Gi")

        found = await stage.client.get(PersistentVolumeClaim, "data")
        assert found.status.phase == made.status.phase == "Bound"
        assert made.metadata.name == found.spec.volume_name == f"pvc-{found.metadata.uid}"
        assert made.metadata.annotations == {"pv.kubernetes.io/provisioned-by": PROVISIONER}
        assert made.spec.capacity == found.status.capacity == {"storage": "3Gi"}
        assert made.spec.storage_class_name == "fast"
        assert made.spec.persistent_volume_reclaim_policy == "Delete"
        assert await stage.events("ProvisioningSucceeded") == [
            f"Successfully provisioned volume {made.metadata.name}"
        ]


async def test_a_claim_that_waits_for_a_pod_gets_no_volume_before() -> None:
    """The scheduler says when, by naming the node."""
    async with provisioned(mode="WaitForFirstConsumer") as stage:
        await stage.create(claim(storage_class_name="fast"))
        before = await volume_of(stage)

        note = {"volume.kubernetes.io/selected-node": "n1"}
        await stage.client.patch(PersistentVolumeClaim, "data", {"metadata": {"annotations": note}})

        assert before is None
        assert await volume_of(stage) is not None


async def test_a_class_of_somebody_else_is_left_to_them() -> None:
    """Two provisioners for one claim would leave a volume over."""
    async with provisioned(provisioner="disks.example.com") as stage:
        await stage.create(claim(storage_class_name="fast"))

        assert await volume_of(stage) is None


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({"volume_mode": "Block"}, "a folder is a file system: set volumeMode to Filesystem"),
        (
            {"data_source": TypedLocalObjectReference(kind="PersistentVolumeClaim", name="x")},
            "a folder starts empty: remove the dataSource and copy the data in a pod",
        ),
    ],
)
async def test_what_a_folder_cannot_do_is_refused(spec: dict[str, Any], problem: str) -> None:
    """An empty folder in place of a copy would look like lost data."""
    async with provisioned() as stage:
        await stage.create(claim(storage_class_name="fast", **spec))

        assert await volume_of(stage) is None
        assert await stage.events("ProvisioningFailed") == [
            f'failed to provision volume with StorageClass "fast": {problem}'
        ]


@pytest.mark.parametrize(("policy", "is_kept"), [("Delete", False), ("Retain", True)])
async def test_a_volume_goes_with_its_claim_or_stays(policy: str, is_kept: bool) -> None:
    """As its class says."""
    async with provisioned(reclaim_policy=policy) as stage:
        await bound(stage)

        await stage.client.delete(PersistentVolumeClaim, "data")

        left = await volume_of(stage)
        assert (left is not None) is is_kept
        assert left is None or left.status.phase == "Released"


@pytest.mark.parametrize("fault", [Unreachable(), Lost()])
@pytest.mark.parametrize("number", range(3))
async def test_a_deletion_that_is_cut_short_is_completed_by_the_next_process(
    number: int, fault: Fault
) -> None:
    """The finalizer keeps the volume until its folder is gone."""
    async with staged(persistentvolume_binder_controller) as stage:
        await stage.create(storage_class())
        async with stage.elsewhere(folder_provisioner):
            made = await bound(stage)
        broken = NthWrite(number, fault)
        async with stage.elsewhere(folder_provisioner, faults=broken):
            await stage.client.delete(PersistentVolumeClaim, "data")
            await stage.clock.settle()

        async with stage.elsewhere(folder_provisioner):
            left = await volume_of(stage)

    assert FINALIZER in made.metadata.finalizers
    assert left is None


async def test_a_folder_is_there_before_its_volume(tmp_path: Path) -> None:
    """What was written before there were volumes, when a claim was a folder, is in it."""
    old = tmp_path / "claims" / "default_data"
    old.mkdir(parents=True)
    (old / "kept").write_text("1")

    def provisioner(cluster: Cluster) -> Controller:
        return folder_provisioner(cluster, Folders(tmp_path / "claims", real=True))

    async with staged(persistentvolume_binder_controller, provisioner) as stage:
        await stage.create(storage_class())
        made = await bound(stage)
        assert made.spec.host_path is not None

    assert (Path(made.spec.host_path.path) / "kept").read_text() == "1"
    assert not old.exists()


async def test_a_folder_that_cannot_be_made_is_told_of(tmp_path: Path) -> None:
    """The claim waits, and the next try may do."""
    (tmp_path / "claims").write_text("in the way")

    def provisioner(cluster: Cluster) -> Controller:
        return folder_provisioner(cluster, Folders(tmp_path / "claims", real=True))

    async with staged(persistentvolume_binder_controller, provisioner) as stage:
        await stage.create(storage_class())
        await stage.create(claim(storage_class_name="fast"))
        told = await stage.events("ProvisioningFailed")

        (tmp_path / "claims").unlink()
        await stage.clock.advance(30)

        assert "File exists" in told[0]
        assert await volume_of(stage) is not None
        assert len(await stage.client.list(Event)) > len(told)
