"""Claims as users see them: pending, bound or lost, and why."""

from kubewright.kinds.core.v1 import PersistentVolume, PersistentVolumeClaim
from tests.unit.embedded.controllers.persistentvolume.binding import binder, phases
from tests.unit.embedded.controllers.stage import staged
from tests.unit.embedded.storage.samples import claim, storage_class, volume


async def test_a_claim_that_names_a_volume_gets_that_one_or_none() -> None:
    """It waits until the volume exists; one that does not suit is refused with a reason."""
    async with staged(binder) as stage:
        await stage.create(volume("other"))
        await stage.create(claim("data", volume_name="chosen"))
        await stage.create(claim("large", size="5Gi", volume_name="other"))
        before = await phases(stage)

        await stage.create(volume("chosen"))
        await stage.create(claim("second", volume_name="chosen"))

        assert before == {"data": "Pending", "large": "Pending", "other": "Available"}
        after = await phases(stage)
        assert (after["data"], after["large"], after["second"]) == ("Bound", "Pending", "Pending")
        assert 'Cannot bind to requested volume "other": requested PV is too small' in (
            await stage.events("VolumeMismatch")
        )
        assert 'volume "chosen" already bound to a different claim.' in (
            await stage.events("FailedBinding")
        )


async def test_claims_that_wait_for_a_pod_leave_free_volumes_alone() -> None:
    """A volume on the wrong node would keep the pod from running."""
    async with staged(binder) as stage:
        await stage.create(storage_class("late", mode="WaitForFirstConsumer"))
        await stage.create(volume("disk", storage_class_name="late"))
        await stage.create(claim(storage_class_name="late"))

        assert await phases(stage) == {"data": "Pending", "disk": "Available"}
        text = "waiting for first consumer to be created before binding"
        assert text in await stage.events("WaitForFirstConsumer")


async def test_a_claim_of_a_provisioner_says_whom_it_waits_for() -> None:
    """Nobody answers here; the class, or its provisioner, may come later."""
    async with staged(binder) as stage:
        await stage.create(claim(storage_class_name="cloud"))
        missing = await stage.events("ProvisioningFailed")
        await stage.create(storage_class("cloud", provisioner="disks.example.com"))
        await stage.create(claim("odd", storage_class_name="none"))
        await stage.create(storage_class("none", provisioner="kubernetes.io/no-provisioner"))

        [text] = await stage.events("ExternalProvisioning")
        assert text.startswith(
            "Waiting for a volume to be created either by the external provisioner"
            " 'disks.example.com' or manually by the system administrator."
        )
        found = await stage.client.get(PersistentVolumeClaim, "data")
        assert missing == ['storageclass.storage.k8s.io "cloud" not found']
        assert set(found.metadata.annotations.values()) == {"disks.example.com"}
        assert "no volume plugin matched name: kubernetes.io/no-provisioner" in (
            await stage.events("ProvisioningFailed")
        )


async def test_a_claim_that_came_before_the_default_class_gets_it() -> None:
    """A claim that wants none, by an empty name, does not."""
    async with staged(binder) as stage:
        await stage.create(claim("open", storage_class_name=None))
        await stage.create(claim("none"))

        notes = {"storageclass.kubernetes.io/is-default-class": "true"}
        await stage.create(storage_class("standard", annotations=notes))

        found = await stage.client.list(PersistentVolumeClaim)
        assert {one.metadata.name: one.spec.storage_class_name for one in found} == {
            "open": "standard",
            "none": "",
        }


async def test_a_claim_without_its_volume_is_lost() -> None:
    """For good, and it says so."""
    async with staged(binder) as stage:
        made = await stage.create(volume())
        await stage.create(claim())
        await phases(stage)
        no_finalizers = {"metadata": {"finalizers": None}}
        await stage.client.patch(PersistentVolume, "disk", no_finalizers)

        await stage.client.delete(made)

        assert await phases(stage) == {"data": "Lost"}
        lost = await stage.client.get(PersistentVolumeClaim, "data")
        assert lost.status.capacity == {}
        assert await stage.events("ClaimLost") == [
            "Bound claim has lost its PersistentVolume. Data on the volume is lost!"
        ]
