import pytest

import kubewright as kw
from kubewright.embedded.controllers.persistentvolume import persistentvolume_binder_controller
from kubewright.embedded.storage.provisioner import folder_provisioner
from kubewright.kinds.core.v1 import PersistentVolume, PersistentVolumeClaim
from kubewright.testing import Lost, Unreachable
from kubewright.testing.faults import Fault
from tests.unit.embedded.controllers.stage import NthWrite, Stage, staged
from tests.unit.embedded.storage.samples import claim, storage_class, volume

MORE = {"spec": {"resources": {"requests": {"storage": "5Gi"}}}}


async def sizes(stage: Stage) -> list[dict[str, kw.Quantity]]:
    """Return what the claim and its volume hold."""
    await stage.clock.advance(1)
    grown = await stage.client.get(PersistentVolumeClaim, "data")
    made = await stage.client.get(PersistentVolume, grown.spec.volume_name or "")
    assert grown.status.conditions == []
    return [grown.status.capacity, made.spec.capacity]


async def test_a_claim_grows_at_once() -> None:
    """Nothing has to be resized, so no condition is left."""
    async with staged(persistentvolume_binder_controller, folder_provisioner) as stage:
        await stage.create(storage_class(allow_volume_expansion=True))
        await stage.create(claim(storage_class_name="fast"))
        await stage.clock.advance(1)

        await stage.client.patch(PersistentVolumeClaim, "data", MORE)

        assert await sizes(stage) == [{"storage": "5Gi"}, {"storage": "5Gi"}]
        grown = await stage.client.get(PersistentVolumeClaim, "data")
        assert grown.status.allocated_resources == {"storage": "5Gi"}
        assert await stage.events("VolumeResizeSuccessful") == ["Resize volume succeeded"]


@pytest.mark.parametrize("fault", [Unreachable(), Lost()])
@pytest.mark.parametrize("number", range(2))
async def test_a_growth_that_is_cut_short_is_completed_by_the_next_process(
    number: int, fault: Fault
) -> None:
    """Between the volume and the claim."""
    async with staged(persistentvolume_binder_controller) as stage:
        await stage.create(storage_class(allow_volume_expansion=True))
        await stage.create(claim(storage_class_name="fast"))
        async with stage.elsewhere(folder_provisioner):
            await stage.clock.advance(1)
        broken = NthWrite(number, fault)
        async with stage.elsewhere(folder_provisioner, faults=broken):
            await stage.client.patch(PersistentVolumeClaim, "data", MORE)
            await stage.clock.run(broken.happened.wait())

        async with stage.elsewhere(folder_provisioner):
            assert await sizes(stage) == [{"storage": "5Gi"}, {"storage": "5Gi"}]


async def test_a_volume_of_a_user_does_not_grow() -> None:
    """Who has made it knows how large it is."""
    async with staged(persistentvolume_binder_controller, folder_provisioner) as stage:
        await stage.create(storage_class(allow_volume_expansion=True))
        await stage.create(volume("disk", "2Gi", storage_class_name="fast"))
        await stage.create(claim(storage_class_name="fast", volume_name="disk"))
        await stage.clock.advance(1)

        await stage.client.patch(PersistentVolumeClaim, "data", MORE)

        assert await sizes(stage) == [{"storage": "2Gi"}, {"storage": "2Gi"}]
