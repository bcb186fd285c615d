"""Volumes after their claim."""

import pytest

from kubewright.kinds.core.v1 import PersistentVolume
from tests.unit.embedded.controllers.persistentvolume.binding import binder, phases
from tests.unit.embedded.controllers.stage import staged
from tests.unit.embedded.storage.samples import claim, reference, volume


@pytest.mark.parametrize(
    ("policy", "phase", "told"),
    [
        ("Retain", "Released", ""),
        ("Recycle", "Failed", "No recycler plugin found for the volume!"),
        (
            "Delete",
            "Failed",
            "host_path deleter only supports /tmp/.+ but received provided /srv/disk",
        ),
    ],
)
async def test_a_volume_of_a_user_is_not_emptied(policy: str, phase: str, told: str) -> None:
    """What it has is theirs; it says that its claim is gone, or why it cannot be deleted."""
    async with staged(binder) as stage:
        await stage.create(volume(persistent_volume_reclaim_policy=policy))
        made = await stage.create(claim())
        await phases(stage)

        await stage.client.delete(made)

        assert await phases(stage) == {"disk": phase}
        kept = await stage.client.get(PersistentVolume, "disk")
        assert (kept.status.message or "") == told
        assert (told in await stage.events()) == bool(told)


async def test_a_released_volume_is_bound_again_only_when_its_claim_is_taken_off() -> None:
    """A new claim of the same name must not see what the old one wrote."""
    async with staged(binder) as stage:
        await stage.create(volume())
        made = await stage.create(claim())
        await phases(stage)
        await stage.client.delete(made)
        await phases(stage)
        await stage.create(claim())
        before = await phases(stage)

        await stage.client.patch(PersistentVolume, "disk", {"spec": {"claimRef": None}})

        assert before == {"data": "Pending", "disk": "Released"}
        assert await phases(stage) == {"data": "Bound", "disk": "Bound"}


async def test_a_volume_that_a_claim_did_not_take_is_free_again() -> None:
    """The claim chose another one meanwhile."""
    async with staged(binder) as stage:
        await stage.create(volume("one"))
        made = await stage.create(claim())
        await phases(stage)
        spare = volume("two", claim_ref=reference(uid=made.metadata.uid))
        spare.metadata.annotations["pv.kubernetes.io/bound-by-controller"] = "yes"

        await stage.create(spare)

        assert await phases(stage) == {"data": "Bound", "one": "Bound", "two": "Available"}
        free = await stage.client.get(PersistentVolume, "two")
        assert free.spec.claim_ref is None
