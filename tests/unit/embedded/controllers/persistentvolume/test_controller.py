"""The binder, from what users see: phases, events, and who has which volume."""

import random
from collections.abc import Iterable

import pytest

from kubewright.embedded.controllers.persistentvolume import persistentvolume_binder_controller
from kubewright.embedded.storage.matching import best_volume
from kubewright.kinds.core.v1 import PersistentVolume, PersistentVolumeClaim
from kubewright.testing import Lost, Refused, Unreachable
from kubewright.testing.faults import Fault
from tests.unit.embedded.controllers.stage import NthWrite, Stage, staged
from tests.unit.embedded.storage.samples import claim, reference, storage_class, volume

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


async def test_a_claim_and_a_volume_find_each_other() -> None:
    """Whoever comes first waits, and both say who chose."""
    async with staged(binder) as stage:
        await stage.create(claim("early"))
        waiting = await phases(stage)
        await stage.create(volume("one"))
        await stage.create(volume("two"))
        await stage.create(claim("late"))

        assert waiting == {"early": "Pending"}
        assert await phases(stage) == dict.fromkeys(("early", "late", "one", "two"), "Bound")
        assert await pairs(stage) == {"early": "one", "late": "two"}
        late = await stage.client.get(PersistentVolumeClaim, "late")
        assert late.metadata.annotations == {
            "pv.kubernetes.io/bind-completed": "yes",
            "pv.kubernetes.io/bound-by-controller": "yes",
        }
        two = await stage.client.get(PersistentVolume, "two")
        assert two.metadata.annotations == {"pv.kubernetes.io/bound-by-controller": "yes"}
        text = "no persistent volumes available for this claim and no storage class is set"
        assert text in await stage.events("FailedBinding")


async def test_of_two_claims_for_one_volume_exactly_one_wins() -> None:
    """The other one stays pending, and gets the next."""
    async with staged(binder) as stage:
        for name in ("a", "b"):
            await stage.client.create(claim(name))
        await stage.create(volume("one"))
        first = await phases(stage)
        await stage.create(volume("two"))
        await phases(stage)

        assert sorted(str(first[name]) for name in ("a", "b")) == ["Bound", "Pending"]
        assert sorted(await pairs(stage)) == ["a", "b"]


async def test_a_volume_that_names_a_claim_waits_for_it() -> None:
    """Nobody else gets it, though it is available."""
    async with staged(binder) as stage:
        await stage.create(volume("mine", claim_ref=reference("later")))
        await stage.create(claim("other"))
        before = await phases(stage)

        await stage.create(claim("later"))

        assert before == {"mine": "Available", "other": "Pending"}
        assert await phases(stage) == {"mine": "Bound", "other": "Pending", "later": "Bound"}
        mine = await stage.client.get(PersistentVolume, "mine")
        assert mine.metadata.annotations == {}


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


@pytest.mark.parametrize("fault", [Unreachable(), Lost(), Refused(409), Refused(500)])
@pytest.mark.parametrize("number", range(4))
async def test_a_binding_that_is_cut_short_is_completed_by_the_next_process(
    number: int, fault: Fault
) -> None:
    """Between any two of its writes."""
    async with staged() as stage:
        await stage.create(volume())
        await stage.client.status.patch(
            PersistentVolume, "disk", {"status": {"phase": "Available"}}
        )
        await stage.create(claim())
        broken = NthWrite(number, fault)
        async with stage.elsewhere(binder, faults=broken):
            await stage.clock.run(broken.happened.wait())

        async with stage.elsewhere(binder):
            assert await phases(stage) == {"data": "Bound", "disk": "Bound"}
            assert await pairs(stage) == {"data": "disk"}


SIZES = ("1Gi", "2Gi", "3Gi")
MODES = (["ReadWriteOnce"], ["ReadOnlyMany"], ["ReadWriteOnce", "ReadOnlyMany"])
CLASSES = ("", "fast")
KILLS: tuple[Fault, ...] = (Unreachable(), Lost())


def crowd(dice: random.Random) -> Iterable[PersistentVolume | PersistentVolumeClaim]:
    """Yield claims and volumes in a random order; some of them name one another."""
    names = [f"{kind}-{number}" for kind in "cv" for number in range(5)]
    dice.shuffle(names)
    for name in names:
        size, modes, kind = dice.choice(SIZES), dice.choice(MODES), dice.choice(CLASSES)
        other = dice.randrange(5) if dice.random() < 0.2 else None
        spec = {"access_modes": modes, "storage_class_name": kind}
        if name.startswith("c"):
            yield claim(name, size, volume_name=None if other is None else f"v-{other}", **spec)
        else:
            wanted = None if other is None else reference(f"c-{other}")
            yield volume(name, size, claim_ref=wanted, **spec)


@pytest.mark.parametrize("seed", range(12))
async def test_whatever_comes_in_whatever_order_ends_in_a_valid_matching(seed: int) -> None:
    """Though the binder is killed again and again between two of its writes."""
    dice = random.Random(seed)
    async with staged() as stage:
        arriving = iter(list(crowd(dice)))
        left = True
        while left:
            broken = NthWrite(dice.randrange(6), dice.choice(KILLS))
            async with stage.elsewhere(binder, faults=broken):
                for _ in range(dice.randrange(1, 4)):
                    one = next(arriving, None)
                    if left := one is not None:
                        await stage.client.create(one)
                    if dice.random() < 0.5:
                        await stage.clock.settle()

        async with stage.elsewhere(binder):
            await stage.clock.advance(60)
            bound = await pairs(stage)

            volumes = {one.metadata.name: one for one in await stage.client.list(PersistentVolume)}
            for one in await stage.client.list(PersistentVolumeClaim):
                name = one.metadata.name
                if name not in bound:
                    assert one.status.phase == "Pending"
                    assert one.spec.volume_name or best_volume(one, volumes.values()) is None
                elif one.spec.access_modes:
                    modes = volumes[bound[name]].spec.access_modes
                    named = volumes[bound[name]].metadata.annotations == {}
                    assert named or set(one.spec.access_modes) <= set(modes)
            taken = {name for name, one in volumes.items() if one.status.phase == "Bound"}
            assert taken == set(bound.values())
            assert {one.status.phase for one in volumes.values()} <= {"Bound", "Available"}
