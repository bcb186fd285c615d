"""`Cache`: what shares an informer, its life, its health and its reads."""

import asyncio
from typing import Any

import pytest

from kubewright.api.kind import ObjectKey, RESTMapping
from kubewright.api.meta import ObjectMeta
from kubewright.api.partial import PartialObjectMetadata
from kubewright.api.resource import Resource, mapping_of, resource
from kubewright.api.unstructured import Unstructured
from kubewright.cache import Cache, Shard, without
from kubewright.errors import CacheNotSyncedError, LifecycleError, NotFoundError
from kubewright.kinds.core.v1 import ConfigMap, Namespace, Pod, Secret
from tests.unit.cluster.clusters import Lab, lab


@resource(group="example.com", version="v1")
class Shop(Resource):
    """A kind that the server does not have until it is told."""


def config_map(name: str = "a", namespace: str = "default", **data: str) -> ConfigMap:
    meta = ObjectMeta(name=name, namespace=namespace, labels={"app": name})
    return ConfigMap(metadata=meta, data=data)


async def install_shops(made: Lab) -> None:
    names = {"kind": "Shop", "plural": "shops", "singular": "shop", "listKind": "ShopList"}
    schema = {"openAPIV3Schema": {"type": "object"}}
    version = {"name": "v1", "served": True, "storage": True, "schema": schema}
    spec = {"group": "example.com", "scope": "Namespaced", "names": names, "versions": [version]}
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "shops.example.com"},
        "spec": spec,
    }
    await made.other.create(Unstructured(crd))


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


# --- Life ---


async def test_an_informer_that_is_declared_late_starts_at_once() -> None:
    """And the cache is ready again when it has its first list."""
    async with lab() as made:
        await made.other.create(config_map("a"))
        await made.start()
        informer = made.cluster.cache.informer(ConfigMap)

        await made.cluster.cache.wait_ready()

        assert informer.synced
        assert made.cluster.cache.get(ConfigMap, "a").metadata.name == "a"


async def test_an_informer_that_is_removed_has_ended() -> None:
    """Its watch is closed when `remove` returns, and its kind is read live again."""
    async with lab() as made:
        cache = made.cluster.cache
        informer = cache.informer(ConfigMap)
        other = cache.informer(Secret)
        await made.start()
        tasks = len(asyncio.all_tasks())

        await cache.remove(informer)
        await made.clock.settle()

        assert list(cache) == [other]
        assert len(asyncio.all_tasks()) < tasks
        reads = made.transport.reads
        await made.cluster.client.list(ConfigMap)
        assert made.transport.reads == reads + 1
        with pytest.raises(LifecycleError, match="second time"):
            await informer.run()
        assert cache.informer(ConfigMap) is not informer


async def test_removing_before_the_start_and_twice_is_fine() -> None:
    """Whoever cleans up need not know how far things had come."""
    async with lab() as made:
        informer = made.cluster.cache.informer(ConfigMap)

        await made.cluster.cache.remove(informer)
        await made.cluster.cache.remove(informer)
        await made.start()

        assert made.transport.requests == []


async def test_stopping_leaves_no_task_and_no_observer() -> None:
    """Nothing outlives the cache."""
    async with lab() as made:
        made.cluster.cache.informer(ConfigMap)
        made.cluster.cache.informer(Pod)
        before = len(asyncio.all_tasks())
        await made.start()

        await made.stop()
        await made.clock.settle()

        assert len(asyncio.all_tasks()) == before
        assert made.cluster.client.rest.observers == []
        with pytest.raises(LifecycleError, match="has stopped"):
            made.cluster.cache.informer(Secret)
        with pytest.raises(LifecycleError, match="Make a new one"):
            await made.cluster.cache.run()


async def test_who_waits_for_a_cache_that_stops_is_told() -> None:
    """A lost wake-up would hang the start of a manager."""
    async with lab() as made:
        made.cluster.cache.informer(ConfigMap)
        made.transport.hold()
        await made.begin()
        waiting = asyncio.ensure_future(made.cluster.wait_ready())
        await made.clock.settle()
        assert not waiting.done()

        await made.stop()

        with pytest.raises(LifecycleError, match="before its first list"):
            await waiting


async def test_who_waits_also_waits_for_what_is_declared_meanwhile() -> None:
    """Ready means that every read works."""
    async with lab() as made:
        cache = made.cluster.cache
        cache.informer(ConfigMap)
        made.transport.hold()
        await made.begin()
        waiting = asyncio.ensure_future(made.cluster.wait_ready())
        await made.clock.settle()

        late = cache.informer(Secret)
        made.transport.release()
        await waiting

        assert late.synced


async def test_who_waits_does_not_wait_for_what_is_removed() -> None:
    """The others are ready."""
    async with lab() as made:
        informer = made.cluster.cache.informer(ConfigMap)
        made.transport.hold()
        await made.begin()
        waiting = asyncio.ensure_future(made.cluster.wait_ready())
        await made.clock.settle()

        await made.cluster.cache.remove(informer)
        await made.clock.settle()

        assert waiting.done()
        assert waiting.exception() is None


async def test_namespaces_are_changed_for_those_who_follow() -> None:
    """An informer with namespaces of its own, or of a kind without, stays where it is."""
    async with lab(namespaces=["default"]) as made:
        cache = made.cluster.cache
        for namespace in ("default", "kube-node-lease"):
            await made.other.create(config_map("a", namespace))
        following = cache.informer(ConfigMap)
        fixed = cache.informer(ConfigMap, namespaces=["kube-public"])
        nodes = cache.informer(Namespace)
        await made.start()
        before = [str(key) for key in following.store.keys()]  # noqa: SIM118  # no dict

        made.cluster.set_namespaces(["kube-node-lease"])
        await made.clock.settle()

        assert before == ["default/a"]
        assert [str(key) for key in following.store.keys()] == ["kube-node-lease/a"]  # noqa: SIM118
        assert fixed.namespaces == {"kube-public"}
        assert nodes.namespaces == frozenset()
        assert cache.namespaces == {"kube-node-lease"}
        assert cache.informer(ConfigMap) is following


async def test_a_namespace_that_is_added_does_not_hold_up_reads_of_the_others() -> None:
    """What was there before is as good as before."""
    async with lab(namespaces=["default"]) as made:
        cache, client = made.cluster.cache, made.cluster.client
        await made.other.create(config_map("a"))
        cache.informer(ConfigMap)
        await made.start()
        made.transport.hold()

        made.cluster.set_namespaces(["default", "kube-system"])
        await made.clock.settle()

        assert cache.find(ConfigMap, "a") is not None
        assert len(await client.list(ConfigMap, namespace="default")) == 1
        with pytest.raises(CacheNotSyncedError):
            await client.list(ConfigMap, namespace="kube-system")
        with pytest.raises(CacheNotSyncedError):
            cache.list(ConfigMap)


async def test_a_namespace_that_was_left_is_read_from_the_server() -> None:
    """Own writes to it are no business of the cache any more."""
    async with lab(namespaces=["default", "kube-node-lease"]) as made:
        cache, client = made.cluster.cache, made.cluster.client
        informer = cache.informer(ConfigMap)
        await made.start()
        await client.create(config_map("a", "kube-node-lease"))

        made.cluster.set_namespaces(["default"])
        await client.create(config_map("b", "kube-node-lease"))
        await made.clock.settle()

        assert len(informer.store) == 0
        assert len(await client.list(ConfigMap, namespace="kube-node-lease")) == 2


# --- Health ---


async def test_a_forbidden_informer_is_told_with_the_missing_rule_and_holds_nobody_up() -> None:
    """The others are ready, and readiness says what to add."""
    async with lab(user="nobody", namespaces=["default"]) as made:
        cache = made.cluster.cache
        cache.informer(Secret)

        await made.start()

        (problem,) = cache.health()
        assert problem.check == "informer/secrets"
        assert not problem.fatal
        assert problem.logged
        assert "secrets in namespace 'default'" in problem.text
        assert 'resources: ["secrets"]' in problem.text
        assert 'verbs: ["' in problem.text


async def test_a_missing_kind_is_told_and_found_when_it_appears() -> None:
    """An operator may be installed before its own definitions."""
    async with lab() as made:
        cache = made.cluster.cache
        informer = cache.informer(Shop)
        await made.start()
        (problem,) = cache.health()
        missing = informer.missing

        await install_shops(made)
        await made.clock.advance(15)

        assert missing
        assert problem.check == "informer/shops.example.com"
        assert "CustomResourceDefinition" in problem.text
        assert informer.synced
        assert list(cache.health()) == []


async def test_an_informer_that_has_not_listed_yet_is_not_ready() -> None:
    """Before the start, and until the first list is complete."""
    async with lab() as made:
        made.cluster.cache.informer(ConfigMap)
        (before,) = made.cluster.health()
        made.transport.hold()
        await made.begin()
        (during,) = made.cluster.health()
        made.transport.release()
        await made.clock.settle()

        assert "does not run yet" in before.text
        assert "not complete" in during.text
        assert list(made.cluster.health()) == []


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
