from kubewright.api.kind import ObjectKey
from kubewright.embedded.controllers.persistentvolume.catalog import Catalog
from tests.unit.embedded.controllers.stage import staged
from tests.unit.embedded.storage.samples import claim, reference, storage_class, volume


async def test_claims_and_volumes_are_found_from_each_other() -> None:
    """Without a look at all of them, however many there are."""
    async with staged() as stage:
        catalog = Catalog(stage.cluster)
        mine = await stage.create(claim(storage_class_name="fast"))
        await stage.create(claim("asking", volume_name="asked"))
        await stage.create(volume("reserved", claim_ref=reference()))
        await stage.create(volume("alike", storage_class_name="fast"))
        await stage.create(volume("other"))

        found = [one.metadata.name for one in catalog.candidates(mine)]
        waiting = catalog.claims_waiting("fast")
        naming = catalog.claims_naming("asked")

    assert found == ["reserved", "alike"]
    assert waiting == [mine.key]
    assert naming == [ObjectKey("default", "asking")]


async def test_what_is_as_it_should_be_is_not_written() -> None:
    """At rest nothing is sent."""
    async with staged() as stage:
        catalog = Catalog(stage.cluster)
        await stage.create(storage_class())
        made = await stage.create(volume())
        made = await catalog.set_phase(made, "Available")

        await catalog.set_phase(made, "Available")
        await catalog.save_volume(made)

        assert catalog.writes == 1
        assert catalog.find_class("fast") is not None
        assert catalog.find_class("") is None
