"""The binder, from what users see: phases, events, and who has which volume."""

import random
from collections.abc import Iterable

import pytest

from kubewright.embedded.storage.matching import best_volume
from kubewright.kinds.core.v1 import PersistentVolume, PersistentVolumeClaim
from kubewright.testing import Lost, Refused, Unreachable
from kubewright.testing.faults import Fault
from tests.unit.embedded.controllers.persistentvolume.binding import binder, pairs, phases
from tests.unit.embedded.controllers.stage import NthWrite, staged
from tests.unit.embedded.storage.samples import claim, reference, volume


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


@pytest.mark.parametrize("seed", range(25))
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
