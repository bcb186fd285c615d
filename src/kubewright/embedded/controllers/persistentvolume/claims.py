"""What the binder does about a claim: bind it, wait, ask for a volume, or call it lost."""

from kubewright.api.kind import ObjectKey
from kubewright.api.quantity import parse_quantity
from kubewright.embedded.controllers.persistentvolume.catalog import Catalog
from kubewright.embedded.storage.annotations import (
    BIND_COMPLETED,
    BOUND_BY_CONTROLLER,
    SELECTED_NODE,
    STORAGE_PROVISIONERS,
)
from kubewright.embedded.storage.binding import bind_claim, reserve_volume
from kubewright.embedded.storage.classes import class_of, names_no_class, waits_for_consumer
from kubewright.embedded.storage.matching import (
    best_volume,
    capacity_of,
    is_reserved_for,
    mismatch,
)
from kubewright.kinds.core.v1 import PersistentVolume, PersistentVolumeClaim
from kubewright.kinds.storage.v1 import StorageClass

__all__ = ["ClaimSync"]

IN_TREE: str = "kubernetes.io/"
"""Provisioners of this prefix were part of Kubernetes once; nobody else answers to it."""

_LOST = "Bound claim has lost"
_NO_VOLUME = "no persistent volumes available for this claim and no storage class is set"
_WAITING = "waiting for first consumer to be created before binding"
_MISBOUND = "Two claims are bound to the same volume, this one is bound incorrectly"


class ClaimSync:
    """Brings one claim as far as it can come now."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    async def sync(self, key: ObjectKey) -> None:
        """Look at one claim."""
        claim = self._catalog.find_claim(key)
        if claim is None:
            return
        if BIND_COMPLETED in claim.metadata.annotations:
            await self._sync_bound(claim)
        elif claim.metadata.deletion_timestamp is not None:
            return  # only its finalizers keep it
        elif claim.spec.volume_name:
            await self._sync_naming(claim, claim.spec.volume_name)
        else:
            await self._sync_unbound(claim)

    # --- Claims that have no volume yet ---

    async def _sync_unbound(self, claim: PersistentVolumeClaim) -> None:
        found = self._catalog.find_class(class_of(claim))
        waits = waits_for_consumer(found)
        candidates = self._catalog.candidates(claim)
        volume = best_volume(claim, candidates, reserved_only=waits)
        if volume is not None:
            await self._bind(volume, claim)
        elif await self._assign_class(claim):
            return  # the change brings it back here
        elif waits and SELECTED_NODE not in claim.metadata.annotations:
            self._catalog.tell(claim, "WaitForFirstConsumer", _WAITING)
            await self._set_unbound(claim, "Pending")
        elif class_of(claim):
            await self._ask_for_volume(claim, found)
        else:
            self._catalog.tell(claim, "FailedBinding", _NO_VOLUME)
            await self._set_unbound(claim, "Pending")

    async def _assign_class(self, claim: PersistentVolumeClaim) -> bool:
        """Give the default class to a claim that was created before there was one."""
        default = self._catalog.find_default_class() if names_no_class(claim) else None
        if default is None:
            return False
        claim.spec.storage_class_name = default.metadata.name
        await self._catalog.save_claim(claim)
        return True

    async def _ask_for_volume(
        self, claim: PersistentVolumeClaim, found: StorageClass | None
    ) -> None:
        """Say on *claim* who is to make a volume for it."""
        if found is None:
            text = f'storageclass.storage.k8s.io "{class_of(claim)}" not found'
            self._catalog.tell(claim, "ProvisioningFailed", text, type="Warning")
            return
        name = found.provisioner
        if name.startswith(IN_TREE):
            text = f"no volume plugin matched name: {name}"
            self._catalog.tell(claim, "ProvisioningFailed", text, type="Warning")
            return
        for note in STORAGE_PROVISIONERS:
            claim.metadata.annotations[note] = name
        if await self._catalog.save_claim(claim) is not claim:
            text = (
                f"Waiting for a volume to be created either by the external provisioner '{name}' or"
                " manually by the system administrator. If volume creation is delayed, please"
                " verify that the provisioner is running and correctly registered."
            )
            self._catalog.tell(claim, "ExternalProvisioning", text)

    async def _sync_naming(self, claim: PersistentVolumeClaim, name: str) -> None:
        """Bind a claim to the volume that its user has chosen, if that can be."""
        volume = self._catalog.find_volume(name)
        if volume is None:
            await self._set_unbound(claim, "Pending")
        elif volume.spec.claim_ref is None:
            await self._bind_if_suitable(volume, claim)
        elif is_reserved_for(volume, claim):
            await self._bind(volume, claim)
        else:
            text = f'volume "{name}" already bound to a different claim.'
            self._catalog.tell(claim, "FailedBinding", text, type="Warning")
            if BOUND_BY_CONTROLLER not in claim.metadata.annotations:
                await self._set_unbound(claim, "Pending")

    async def _bind_if_suitable(
        self, volume: PersistentVolume, claim: PersistentVolumeClaim
    ) -> None:
        problem = mismatch(volume, claim)
        if not problem:
            await self._bind(volume, claim)
            return
        text = f'Cannot bind to requested volume "{volume.metadata.name}": {problem}'
        self._catalog.tell(claim, "VolumeMismatch", text, type="Warning")
        await self._set_unbound(claim, "Pending")

    # --- Claims that had one ---

    async def _sync_bound(self, claim: PersistentVolumeClaim) -> None:
        if not claim.spec.volume_name:
            text = f"{_LOST} reference to PersistentVolume. Data on the volume is lost!"
            await self._lose(claim, "ClaimLost", text)
            return
        volume = self._catalog.find_volume(claim.spec.volume_name)
        if volume is None:
            text = f"{_LOST} its PersistentVolume. Data on the volume is lost!"
            await self._lose(claim, "ClaimLost", text)
        elif volume.spec.claim_ref is None or volume.spec.claim_ref.uid == claim.metadata.uid:
            await self._bind(volume, claim)
        else:
            await self._lose(claim, "ClaimMisbound", _MISBOUND)

    async def _lose(self, claim: PersistentVolumeClaim, reason: str, message: str) -> None:
        if claim.status.phase == "Lost":
            return
        await self._set_unbound(claim, "Lost")
        self._catalog.tell(claim, reason, message, type="Warning")

    # --- Writing ---

    async def _bind(self, volume: PersistentVolume, claim: PersistentVolumeClaim) -> None:
        """Bind both to each other; whatever of it is done already is left out.

        It may end after each write. The next sync goes on from there: a volume that names a claim
        is found before any other.
        """
        reserve_volume(volume, claim)
        volume = await self._catalog.save_volume(volume)
        volume = await self._catalog.set_phase(volume, "Bound")
        bind_claim(claim, volume)
        claim = await self._catalog.save_claim(claim)
        status = claim.status
        if status.phase != "Bound" and _capacity(claim) != capacity_of(volume):
            # Only then: later it may differ on purpose, while the volume grows.
            status.capacity = dict(volume.spec.capacity)
        status.phase, status.access_modes = "Bound", list(volume.spec.access_modes)
        await self._catalog.save_claim_status(claim)

    async def _set_unbound(self, claim: PersistentVolumeClaim, phase: str) -> None:
        status = claim.status
        status.phase, status.access_modes, status.capacity = phase, [], {}
        await self._catalog.save_claim_status(claim)


def _capacity(claim: PersistentVolumeClaim) -> object:
    found = claim.status.capacity.get("storage")
    return None if found is None else parse_quantity(found)
