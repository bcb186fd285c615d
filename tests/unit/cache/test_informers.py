"""`Informers`: which of them run, wait, follow the namespaces, and what is wrong with them."""

import asyncio

import pytest

from kubewright import metrics
from kubewright.api.meta import ObjectMeta
from kubewright.api.requests import Request
from kubewright.api.resource import Resource, resource
from kubewright.api.unstructured import Unstructured
from kubewright.errors import Attempt, CacheNotSyncedError, LifecycleError
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


@pytest.mark.parametrize("is_running", [False, True])
async def test_an_informer_that_is_removed_before_its_first_step_has_ended(
    is_running: bool,
) -> None:
    """Whoever waits for it would wait for ever, and the page of metrics would keep it."""
    async with lab() as made:
        cache = made.cluster.cache
        if is_running:
            await made.start()
        informer = cache.informer(ConfigMap, labels={"test": "removed"})
        waiting = asyncio.create_task(informer.wait_for_sync())
        before = b'selection="with labels test=removed"' in metrics.exposition()
        await cache.remove(informer)

        with pytest.raises(LifecycleError, match="stopped before its first list"):
            await waiting
        assert before
        assert b"test=removed" not in metrics.exposition()


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


async def test_who_waits_for_an_informer_of_a_cache_that_stops_first_is_told() -> None:
    """It was declared in the last moment, and never began."""
    async with lab() as made:
        cache = await made.start()
        cache.cancel()
        informer = made.cluster.cache.informer(ConfigMap)
        waiting = asyncio.create_task(informer.wait_for_sync())
        await asyncio.wait([cache])

        with pytest.raises(LifecycleError, match="stopped before its first list"):
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


async def test_what_is_known_of_an_object_is_told_as_readers_see_it() -> None:
    """The record of a run compares a write with it; a part of an object would tell lies."""
    attempt = Attempt("update", "configmaps", namespace="default", name="a")
    request = Request("PUT", "/api/v1/namespaces/default/configmaps/a", attempt)
    other = Request("PUT", "/api/v2/namespaces/default/configmaps/a", attempt)
    async with lab() as made:
        made.cluster.cache.informer(ConfigMap)
        await made.start()
        rest = made.cluster.client.rest
        (know,) = rest.knowledge
        before = know(request)
        await made.cluster.client.create(config_map("a"))

        assert before is None
        assert b'"name":"a"' in (know(request) or b"")
        assert know(other) is None
        await made.stop()
        assert rest.knowledge == []

    async with lab() as made:
        made.cluster.cache.informer(ConfigMap, metadata_only=True)
        await made.start()
        await made.cluster.client.create(config_map("a"))

        assert made.cluster.client.rest.knowledge[0](request) is None
