"""`CachedListing`: a list from the cache is used like any other."""

from kubewright.api.kind import ObjectKey
from kubewright.api.meta import ObjectMeta
from kubewright.client.listing import Listing
from kubewright.kinds.core.v1 import ConfigMap
from tests.unit.cluster.clusters import Lab, lab


async def filled(made: Lab) -> None:
    for name in ("b", "a", "c"):
        meta = ObjectMeta(name=name, namespace="default")
        await made.other.create(ConfigMap(metadata=meta, data={"name": name}))
    made.cluster.cache.informer(ConfigMap)
    await made.start()


async def test_it_can_be_awaited_iterated_and_paged() -> None:
    """Code that reads a list does not know where it comes from."""
    async with lab() as made:
        await filled(made)
        listing = made.cluster.client.list(ConfigMap)

        whole = await listing
        streamed = [one.data["name"] async for one in listing]
        pages = [len(page) async for page in listing.pages()]

        assert isinstance(listing, Listing)
        assert [one.data["name"] for one in whole] == streamed == ["a", "b", "c"]
        assert pages == [3]


async def test_its_objects_have_keys_bytes_and_a_version() -> None:
    """A watch can go on from the version of the list."""
    async with lab() as made:
        await filled(made)

        found = await made.cluster.client.list(ConfigMap)

        assert list(found.keys()) == [ObjectKey("default", name) for name in "abc"]
        assert all(b'"namespace":"default"' in raw for raw in found.raw())
        assert int(found.resource_version) >= int(found[2].metadata.resource_version)
        assert [one.metadata.name for one in found[1:]] == ["b", "c"]
        assert len(found) == 3


async def test_an_object_is_decoded_once_and_is_private() -> None:
    """What is done to it stays in this list, and does not reach the cache."""
    async with lab() as made:
        await filled(made)
        found = await made.cluster.client.list(ConfigMap)

        found[0].data["name"] = "changed"

        assert found[0] is found[0]
        assert found[0].data["name"] == "changed"
        assert (await made.cluster.client.list(ConfigMap))[0].data["name"] == "a"


async def test_where_it_is_read_from_is_decided_when_it_is_awaited() -> None:
    """A listing that was made before the kind was declared reads the cache after."""
    async with lab() as made:
        listing = made.cluster.client.list(ConfigMap)
        live = await listing
        await filled(made)
        reads = made.transport.reads

        cached = await listing

        assert len(live) == 0
        assert len(cached) == 3
        assert made.transport.reads == reads
