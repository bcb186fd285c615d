"""What the tests of the binder look at."""

from kubewright.embedded.controllers.persistentvolume import persistentvolume_binder_controller
from kubewright.kinds.core.v1 import PersistentVolume, PersistentVolumeClaim
from tests.unit.embedded.controllers.stage import Stage

binder = persistentvolume_binder_controller


async def phases(stage: Stage) -> dict[str, str | None]:
    """Return the phase of each claim and volume, after a while."""
    await stage.clock.advance(1)
    objects: list[PersistentVolume | PersistentVolumeClaim] = [
        *await stage.client.list(PersistentVolumeClaim),
        *await stage.client.list(PersistentVolume),
    ]
    return {one.metadata.name: one.status.phase for one in objects}


async def pairs(stage: Stage) -> dict[str, str]:
    """Return the volume of each bound claim; both sides have to agree."""
    found: dict[str, str] = {}
    volumes = {one.metadata.name: one for one in await stage.client.list(PersistentVolume)}
    for one in await stage.client.list(PersistentVolumeClaim):
        if one.status.phase != "Bound":
            continue
        other = volumes[one.spec.volume_name or ""]
        assert other.spec.claim_ref is not None
        assert other.spec.claim_ref.uid == one.metadata.uid
        assert other.status.phase == "Bound"
        assert one.status.capacity == other.spec.capacity
        found[one.metadata.name] = other.metadata.name
    assert len(set(found.values())) == len(found)
    return found
