"""A claim that asks for more than it has: a folder has room at once."""

from kubewright.api.quantity import parse_quantity
from kubewright.client import Client
from kubewright.client.events import EventRecorder
from kubewright.embedded.storage.matching import capacity_of, request_of
from kubewright.kinds.core.v1 import PersistentVolume, PersistentVolumeClaim

__all__ = ["grow"]

PASSING: tuple[str, ...] = ("Resizing", "FileSystemResizePending")
"""The conditions of a claim while it grows; none of them is left at the end."""


async def grow(
    claim: PersistentVolumeClaim,
    volume: PersistentVolume,
    *,
    client: Client,
    recorder: EventRecorder,
) -> bool:
    """Give *claim* all that it asks for; return whether that was more than it had."""
    wanted, name = request_of(claim), volume.metadata.name
    had = claim.status.capacity.get("storage")
    if claim.status.phase != "Bound" or had is None or wanted <= parse_quantity(had):
        return False
    assert claim.spec.resources is not None
    size = claim.spec.resources.requests["storage"]
    if capacity_of(volume) < wanted:
        text = f"External resizer is resizing volume {name}"
        recorder.event(claim, reason="Resizing", message=text)
        volume.spec.capacity = {"storage": size}
        await client.patch(volume, optimistic=True)
    status = claim.status
    status.capacity = {"storage": size}
    status.allocated_resources = {"storage": size}
    status.allocated_resource_statuses = {}
    status.conditions = [one for one in status.conditions if one.type not in PASSING]
    await client.status.patch(claim, optimistic=True)
    recorder.event(claim, reason="VolumeResizeSuccessful", message="Resize volume succeeded")
    return True
