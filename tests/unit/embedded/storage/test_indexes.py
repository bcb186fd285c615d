from kubewright.embedded.storage.indexes import VOLUME_INDEXES, candidates, volumes_of
from kubewright.kinds.core.v1 import PersistentVolume
from tests.unit.embedded.controllers.stage import staged
from tests.unit.embedded.storage.samples import claim, reference, volume


async def test_only_volumes_that_may_be_had_are_looked_at() -> None:
    """Those of others are many, and reading them all for each claim takes long."""
    async with staged() as stage:
        informer = stage.cluster.cache.informer(PersistentVolume, indexes=VOLUME_INDEXES)
        store = informer.store
        mine = claim(storage_class_name="fast")
        await stage.create(volume("reserved", claim_ref=reference()))
        await stage.create(volume("free", storage_class_name="fast"))
        taken = reference("another")
        await stage.create(volume("taken", storage_class_name="fast", claim_ref=taken))
        await stage.create(volume("slow"))

        found = [one.metadata.name for one in candidates(store, mine)]
        named = [one.metadata.name for one in volumes_of(store, mine.key)]

    assert found == ["reserved", "free"]
    assert named == ["reserved"]
