"""`Cache`: what shares an informer, and its reads."""

import asyncio
from typing import Any

import pytest

from kubewright.api.kind import ObjectKey, RESTMapping
from kubewright.api.meta import ObjectMeta
from kubewright.api.partial import PartialObjectMetadata
from kubewright.api.resource import mapping_of
from kubewright.cache import Cache, Shard, without
from kubewright.errors import CacheNotSyncedError, LifecycleError, NotFoundError
from kubewright.kinds.core.v1 import ConfigMap, Pod, Secret
from tests.unit.cluster.clusters import lab


def config_map(name: str = "a", namespace: str = "default", **data: str) -> ConfigMap:
    meta = ObjectMeta(name=name, namespace=namespace, labels={"app": name})
    return ConfigMap(metadata=meta, data=data)


# --- What is declared ---


async def test_equal_declarations_share_an_informer() -> None:
    """Two controllers that watch one kind cost one watch."""
    async with lab() as made:
        cache = made.cluster.cache

        first = cache.informer(ConfigMap, labels="app=a,tier")

        assert cache.informer(ConfigMap, labels="tier,app=a") is first
        assert len(cache) == 1


def drop_data(document: dict[str, Any]) -> dict[str, Any]:
    return without("data")(document) or document


async def test_declarations_that_differ_do_not_share() -> None:
    """One would get what the other asked for."""
    async with lab() as made:
        cache = made.cluster.cache

        informers = {
            cache.informer(ConfigMap),
            cache.informer(ConfigMap, labels="app=a"),
            cache.informer(ConfigMap, fields="metadata.name=a"),
            cache.informer(ConfigMap, metadata_only=True),
            cache.informer(ConfigMap, namespaces=["default"]),
            cache.informer(ConfigMap, transform=drop_data),
            cache.informer(mapping_of(ConfigMap)),
        }

        assert len(informers) == len(cache) == 7


async def test_metadata_alone_is_read_as_what_it_is() -> None:
    """The class of the kind may demand fields that nobody asked for."""
    async with lab() as made:
        informer = made.cluster.cache.informer(Pod, metadata_only=True)
        await made.other.create(config_map("a", size="1"))
        only = made.cluster.cache.informer(ConfigMap, metadata_only=True, fields="metadata.name=a")
        await made.start()

        found = only.store.get(ObjectKey("default", "a"))

        assert isinstance(found, PartialObjectMetadata)
        assert (found.kind, found.metadata.labels) == ("ConfigMap", {"app": "a"})
        assert b'"size"' not in only.store.list_entries()[0].raw
        assert len(informer.store) == 0


async def test_a_shared_informer_takes_the_indexes_of_both() -> None:
    """The same one twice is fine; another one of the same name is a mistake."""

    def by_size(one: ConfigMap) -> list[str]:
        return [one.data["size"]]

    def by_color(one: ConfigMap) -> list[str]:
        return [one.data["color"]]

    async with lab() as made:
        cache = made.cluster.cache
        await made.other.create(config_map("a", size="1", color="red"))
        cache.informer(ConfigMap, indexes={"size": by_size})
        cache.informer(ConfigMap, indexes={"size": by_size, "color": by_color})
        await made.start()

        found = cache.list(ConfigMap, index="color", value="red")

        assert [one.data["size"] for one in found] == ["1"]
        with pytest.raises(ValueError, match="'size'"):
            cache.informer(ConfigMap, indexes={"size": by_color})


async def test_nothing_is_asked_and_nothing_runs_without_informers() -> None:
    """A cluster that nobody reads from costs nothing."""
    async with lab() as made:
        before = len(asyncio.all_tasks())

        await made.start()

        assert made.transport.requests == []
        assert made.cluster.client.rest.observers == []
        assert len(asyncio.all_tasks()) == before + 1


# --- Reads ---


async def test_reads_are_typed_fresh_and_from_memory() -> None:
    """They need no ``await``, for predicates and mapping functions."""
    async with lab() as made:
        cache = made.cluster.cache
        await made.other.create(config_map("a", size="1"))
        cache.informer(ConfigMap)
        await made.start()
        requests = len(made.transport.requests)

        cache.get(ConfigMap, "a").data["size"] = "changed"

        assert cache.get(ConfigMap, "default/a").data == {"size": "1"}
        assert cache.find(ConfigMap, "b") is None
        assert [one.data for one in cache.list(ConfigMap, labels="app=a")] == [{"size": "1"}]
        assert cache.list(ConfigMap, namespace="kube-public") == []
        with pytest.raises(NotFoundError, match="not found"):
            cache.get(ConfigMap, "b")
        assert len(made.transport.requests) == requests


async def test_a_read_of_what_is_not_declared_says_how_to() -> None:
    """The cache does not begin to watch by itself."""
    async with lab() as made:
        with pytest.raises(LifecycleError, match=r"cache\.informer\(Secret\)"):
            made.cluster.cache.find(Secret, "a")


async def test_a_read_of_one_of_several_parts_asks_which() -> None:
    """Any of them could be meant, and none is the whole."""
    async with lab() as made:
        cache = made.cluster.cache
        cache.informer(ConfigMap, labels="app=a")
        await made.other.create(config_map("a"))
        await made.other.create(config_map("b"))
        await made.start()
        only = cache.list(ConfigMap)
        cache.informer(ConfigMap, labels="app=b")
        await cache.wait_ready()

        assert [one.metadata.name for one in only] == ["a"]
        with pytest.raises(ValueError, match="several informers of ConfigMap"):
            cache.list(ConfigMap)
        cache.informer(ConfigMap)
        await cache.wait_ready()
        assert len(cache.list(ConfigMap, namespace="default")) == 2


async def test_a_read_before_the_first_list_is_refused() -> None:
    """Nothing is not the same as nothing known."""
    async with lab() as made:
        made.cluster.cache.informer(ConfigMap)

        with pytest.raises(CacheNotSyncedError, match="configmaps"):
            made.cluster.cache.list(ConfigMap)


async def test_a_kind_without_a_class_can_be_cached() -> None:
    """It is read as an `Unstructured`, from the store of its informer."""
    async with lab() as made:
        await made.other.create(config_map("a", size="1"))
        mapping = RESTMapping("", "v1", "ConfigMap", "configmaps")
        informer = made.cluster.cache.informer(mapping)
        await made.start()

        (found,) = informer.store.list("default")

        assert found["data"] == {"size": "1"}
        assert found["kind"] == "ConfigMap"


async def test_of_two_informers_the_one_that_drops_nothing_is_read() -> None:
    """Whichever was declared first."""
    async with lab() as made:
        cache = made.cluster.cache
        await made.other.create(config_map("a", size="1"))
        cache.informer(ConfigMap, transform=drop_data)
        whole = cache.informer(ConfigMap)
        await made.start()

        assert cache.reader(mapping_of(ConfigMap), "default") is whole
        assert cache.get(ConfigMap, "a").data == {"size": "1"}


async def test_a_shard_keeps_its_part_of_own_writes_too() -> None:
    """What another replica keeps must not show up here, not even for a moment."""
    async with lab(shard=Shard(1, 2)) as made:
        informer = made.cluster.cache.informer(ConfigMap)
        await made.start()
        made.transport.hold()

        for number in range(12):
            await made.cluster.client.create(config_map(f"c{number}"))
        shown = sorted(informer.store.keys())

        made.transport.release()
        await made.clock.settle()
        assert sorted(informer.store.keys()) == shown
        assert 0 < len(shown) < 12


async def test_two_caches_of_one_client_both_see_its_writes() -> None:
    """Each of them notes down what its own readers must see."""
    async with lab() as made:
        made.cluster.cache.informer(ConfigMap)
        await made.start()
        second = Cache(made.cluster.live)
        second.informer(ConfigMap)
        running = asyncio.ensure_future(second.run())
        await made.clock.settle()
        made.transport.hold()

        await made.cluster.client.create(config_map("a"))

        assert second.find(ConfigMap, "a") == made.cluster.cache.find(ConfigMap, "a") is not None
        running.cancel()
        await asyncio.wait([running])
        assert len(made.cluster.client.rest.observers) == 1
