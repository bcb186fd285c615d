"""What the binder does about a volume: say whether it is free, and reclaim it after its claim."""

from kubewright.api.kind import ObjectKey
from kubewright.embedded.controllers.persistentvolume.catalog import Catalog
from kubewright.embedded.storage.annotations import PROVISIONED_BY
from kubewright.embedded.storage.binding import unbind_volume
from kubewright.kinds.core.v1 import ObjectReference, PersistentVolume, PersistentVolumeClaim

__all__ = ["VolumeSync"]

_LET_GO = ("Released", "Failed")


class VolumeSync:
    """Brings the phase of one volume in line with its claim."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    async def sync(self, name: str) -> None:
        """Look at one volume."""
        volume = self._catalog.find_volume(name)
        if volume is None:
            return
        reference = volume.spec.claim_ref
        if reference is None or not reference.uid:
            await self._catalog.set_phase(volume, "Available")
            return
        claim = await self._find_claim(volume, reference)
        if claim is None:
            await self._release(volume)
        elif claim.spec.volume_name == name:
            await self._catalog.set_phase(volume, "Bound")
        elif claim.spec.volume_name:
            await self._give_up(volume)
        # Otherwise the binding is under way: the sync of the claim completes it.

    async def _find_claim(
        self, volume: PersistentVolume, reference: ObjectReference
    ) -> PersistentVolumeClaim | None:
        """Return the very claim that *volume* names, and not another one of its name."""
        key = ObjectKey(reference.namespace or "", reference.name or "")
        claim = self._catalog.find_claim(key)
        if _is(claim, reference) or volume.status.phase in _LET_GO:
            return claim if _is(claim, reference) else None
        claim = await self._catalog.find_claim_now(key)
        return claim if _is(claim, reference) else None

    async def _give_up(self, volume: PersistentVolume) -> None:
        """Let go of a claim that is bound to another volume."""
        policy = volume.spec.persistent_volume_reclaim_policy
        if PROVISIONED_BY in volume.metadata.annotations and policy == "Delete":
            await self._release(volume)  # it was made for that claim alone
            return
        unbind_volume(volume)
        volume = await self._catalog.save_volume(volume)
        await self._catalog.set_phase(volume, "Available")

    async def _release(self, volume: PersistentVolume) -> None:
        """Say that the claim is gone, and do what the policy says."""
        if volume.status.phase not in _LET_GO:
            volume = await self._catalog.set_phase(volume, "Released")
        policy = volume.spec.persistent_volume_reclaim_policy
        if policy == "Recycle":
            text = "No recycler plugin found for the volume!"
            await self._fail(volume, "VolumeFailedRecycle", text)
        elif policy == "Delete" and PROVISIONED_BY not in volume.metadata.annotations:
            await self._fail(volume, "VolumeFailedDelete", _why_not_deleted(volume))
        # Who has made a volume deletes it; one to retain stays, with what is in it.

    async def _fail(self, volume: PersistentVolume, reason: str, message: str) -> None:
        if volume.status.phase != "Failed":
            volume = await self._catalog.set_phase(volume, "Failed", message)
            self._catalog.tell(volume, reason, message, type="Warning")


def _is(claim: PersistentVolumeClaim | None, reference: ObjectReference) -> bool:
    return claim is not None and claim.metadata.uid == reference.uid


def _why_not_deleted(volume: PersistentVolume) -> str:
    path = volume.spec.host_path.path if volume.spec.host_path else ""
    if path and not path.startswith("/tmp/"):  # noqa: S108  # the only place where Kubernetes would
        return f"host_path deleter only supports /tmp/.+ but received provided {path}"
    return (
        f'error getting deleter volume plugin for volume "{volume.metadata.name}": no deletable'
        " volume plugin matched"
    )
