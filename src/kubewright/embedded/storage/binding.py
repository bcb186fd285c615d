"""The two writes of a binding as changes of objects: a volume names its claim, a claim its volume.

Who makes them sends them with the version that was read, so that of two who want one volume one
loses. The volume comes first: a claim that names a volume can rely on it.
"""

from kubewright.embedded.storage.annotations import BIND_COMPLETED, BOUND_BY_CONTROLLER
from kubewright.embedded.storage.matching import is_reserved_for
from kubewright.kinds.core.v1 import ObjectReference, PersistentVolume, PersistentVolumeClaim

__all__ = ["bind_claim", "claim_reference", "reserve_volume", "unbind_volume"]

_YES = "yes"


def claim_reference(claim: PersistentVolumeClaim) -> ObjectReference:
    """Return what a volume says of its claim."""
    meta = claim.metadata
    return ObjectReference(
        api_version="v1",
        kind="PersistentVolumeClaim",
        namespace=meta.namespace,
        name=meta.name,
        uid=meta.uid,
        resource_version=meta.resource_version,
    )


def reserve_volume(volume: PersistentVolume, claim: PersistentVolumeClaim) -> None:
    """Let *volume* name this very *claim*; note that a user had not done so."""
    if not is_reserved_for(volume, claim):
        volume.metadata.annotations.setdefault(BOUND_BY_CONTROLLER, _YES)
    reference = volume.spec.claim_ref
    if not is_reserved_for(volume, claim) or reference is None or not reference.uid:
        volume.spec.claim_ref = claim_reference(claim)


def bind_claim(claim: PersistentVolumeClaim, volume: PersistentVolume) -> None:
    """Let *claim* name *volume*, and say that this is settled."""
    if claim.spec.volume_name != volume.metadata.name:
        claim.spec.volume_name = volume.metadata.name
        claim.metadata.annotations.setdefault(BOUND_BY_CONTROLLER, _YES)
    claim.metadata.annotations.setdefault(BIND_COMPLETED, _YES)


def unbind_volume(volume: PersistentVolume) -> None:
    """Take back `reserve_volume`; what a user had reserved stays so, for any claim of the name."""
    if BOUND_BY_CONTROLLER in volume.metadata.annotations:
        del volume.metadata.annotations[BOUND_BY_CONTROLLER]
        volume.spec.claim_ref = None
    elif volume.spec.claim_ref is not None:
        volume.spec.claim_ref.uid = None
