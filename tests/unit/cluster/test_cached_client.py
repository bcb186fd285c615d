"""`CachedClient`: which reads come from the cache, and which do not."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from kubewright.api.kind import GroupVersionKind, ObjectKey
from kubewright.api.meta import ObjectMeta
from kubewright.api.resource import Resource, builtin, mapping_of
from kubewright.cache import Shard, without
from kubewright.cluster import CachedClient
from kubewright.errors import CacheNotSyncedError, NotFoundError
from kubewright.kinds.core.v1 import ConfigMap, Namespace, Pod, Secret
from tests.unit.cluster.clusters import Lab, lab

Read = Callable[[CachedClient], Awaitable[Any]]


@builtin("", "v1", "ConfigMap", "configmaps")
class Settings(Resource):
    """The same kind, with another class."""

    data: dict[str, str] = {}


def config_map(name: str = "a", namespace: str = "default", **labels: str) -> ConfigMap:
    meta = ObjectMeta(name=name, namespace=namespace, labels=labels)
    return ConfigMap(metadata=meta, data={"name": name})


@pytest.fixture
async def started() -> AsyncIterator[Lab]:
    async with lab() as made:
        await made.other.create(config_map("a", app="web"))
        await made.other.create(config_map("b", app="api"))
        await made.other.create(config_map("a", "kube-system"))
        made.cluster.cache.informer(ConfigMap)
        await made.start()
        yield made


async def reads_of(made: Lab, read: Read) -> int:
    """Return how many requests *read* costs."""
    before = made.transport.reads
    await read(made.cluster.client)
    return made.transport.reads - before


@pytest.mark.parametrize(
    "read",
    [
        lambda client: client.get(ConfigMap, "a"),
        lambda client: client.get(ConfigMap, "kube-system/a"),
        lambda client: client.get(ConfigMap, ObjectKey("default", "a")),
        lambda client: client.get(Settings, "a"),
        lambda client: client.get(GroupVersionKind("", "v1", "ConfigMap"), "a"),
        lambda client: client.find(ConfigMap, "none"),
        lambda client: client.list(ConfigMap),
        lambda client: client.list(ConfigMap, namespace="default", labels="app=web"),
        lambda client: client.list(ConfigMap, fields={"metadata.name": "a"}),
        lambda client: client.list(Settings),
    ],
)
async def test_a_declared_kind_costs_no_request(started: Lab, read: Read) -> None:
    """By whatever class or name it is asked for."""
    await started.cluster.client.mapper.resolve("cm")  # discovery is another matter

    assert await reads_of(started, read) == 0


@pytest.mark.parametrize(
    "read",
    [
        lambda client: client.get(ConfigMap, "a", resource_version="0"),
        lambda client: client.list(ConfigMap, resource_version="0"),
        lambda client: client.find(Secret, "a"),
        lambda client: client.list(Secret),
        lambda client: client.live.get(ConfigMap, "a"),
        lambda client: client.status.get(Namespace, "default"),
    ],
)
async def test_everything_else_asks_the_server(started: Lab, read: Read) -> None:
    """Nothing starts an informer behind anybody's back."""
    assert await reads_of(started, read) == 1
    assert len(started.cluster.cache) == 1


async def test_a_list_selects_as_the_server_does(started: Lab) -> None:
    """The same question gets the same answer from both."""
    client = started.cluster.client
    questions: list[dict[str, Any]] = [
        {},
        {"namespace": "default"},
        {"labels": "app in (web, api)"},
        {"labels": {"app": "web"}, "namespace": "kube-system"},
        {"fields": "metadata.name=a"},
        {"fields": "metadata.namespace!=default,metadata.name!=b"},
    ]

    for question in questions:
        cached = await client.list(ConfigMap, **question)
        live = await client.live.list(ConfigMap, **question)
        assert list(cached.keys()) == list(live.keys())


async def test_a_missing_object_is_told_as_the_server_tells_it(started: Lab) -> None:
    """Who handles the error must not care where it comes from."""
    with pytest.raises(NotFoundError) as cached:
        await started.cluster.client.get(ConfigMap, "none")
    with pytest.raises(NotFoundError) as live:
        await started.cluster.client.live.get(ConfigMap, "none")

    assert str(cached.value) == str(live.value)
    assert cached.value.status == live.value.status
    assert cached.value.is_about_object


async def test_a_dynamic_read_of_a_cached_kind_says_what_it_is(started: Lab) -> None:
    """The items of a list do not; an update of the object has to."""
    await started.cluster.client.mapper.resolve("cm")
    reads = started.transport.reads

    found = await started.cluster.client.get("cm", "a")
    listed = await started.cluster.client.list("configmaps", namespace="default")

    assert (found["apiVersion"], found["kind"]) == ("v1", "ConfigMap")
    assert [one["kind"] for one in listed] == ["ConfigMap", "ConfigMap"]
    assert started.transport.reads == reads


async def test_what_was_read_from_the_cache_can_be_written_back(started: Lab) -> None:
    """Fields that the class does not know survive, as after any other read."""
    client = started.cluster.client
    found = await client.get(Settings, "a")
    found.data["more"] = "yes"

    await client.update(found)

    stored = await started.other.get(ConfigMap, "a")
    assert stored.data == {"name": "a", "more": "yes"}
    assert stored.metadata.labels == {"app": "web"}


async def test_a_cached_object_is_a_private_copy(started: Lab) -> None:
    """Nobody can damage the cache."""
    client = started.cluster.client

    (await client.get(ConfigMap, "a")).data["name"] = "changed"

    assert (await client.get(ConfigMap, "a")).data == {"name": "a"}


async def test_only_covered_namespaces_are_cached() -> None:
    """A list of all namespaces is not complete in a cache of some."""
    async with lab(namespaces=["default"]) as made:
        await made.other.create(config_map("a", "kube-system"))
        made.cluster.cache.informer(ConfigMap)
        made.cluster.cache.informer(Namespace)
        await made.start()

        inside = await reads_of(made, lambda client: client.list(ConfigMap, namespace="default"))
        outside = await reads_of(made, lambda client: client.get(ConfigMap, "kube-system/a"))
        everywhere = await reads_of(made, lambda client: client.list(ConfigMap))
        unscoped = await reads_of(made, lambda client: client.list(Namespace))

        assert (inside, outside, everywhere, unscoped) == (0, 1, 1, 0)


async def test_a_part_of_a_kind_is_not_taken_for_the_whole() -> None:
    """Informers with selectors or of metadata alone cannot answer."""
    async with lab() as made:
        await made.other.create(config_map("a"))
        made.cluster.cache.informer(ConfigMap, labels="app=web")
        made.cluster.cache.informer(ConfigMap, fields="metadata.name=b")
        made.cluster.cache.informer(ConfigMap, metadata_only=True)
        await made.start()

        assert await reads_of(made, lambda client: client.get(ConfigMap, "a")) == 1
        assert await reads_of(made, lambda client: client.list(ConfigMap)) == 1


async def test_a_field_that_only_the_server_knows_asks_the_server() -> None:
    """Each kind has fields of its own to select by."""
    async with lab() as made:
        made.cluster.cache.informer(Pod)
        await made.start()

        named = await reads_of(made, lambda client: client.list(Pod, fields="metadata.name=a"))
        phase = await reads_of(made, lambda client: client.list(Pod, fields="status.phase=Failed"))

        assert (named, phase) == (0, 1)


async def test_a_transformed_kind_is_read_but_not_written_back() -> None:
    """An update would remove from the server what the transform dropped."""
    async with lab() as made:
        await made.other.create(config_map("a"))
        made.cluster.cache.informer(ConfigMap, transform=without("data"))
        await made.start()
        client = made.cluster.client

        found = await client.get(ConfigMap, "a")

        assert found.data == {}
        with pytest.raises(ValueError, match="transform"):
            await client.update(found)
        with pytest.raises(ValueError, match="transform"):
            await client.update((await client.list(ConfigMap))[0])


async def test_a_shard_answers_for_what_it_has_and_the_server_for_the_rest() -> None:
    """The children of an object are in other shards than the object."""
    async with lab(shard=Shard(0, 2)) as made:
        names = [f"c{number}" for number in range(12)]
        for name in names:
            await made.other.create(config_map(name))
        informer = made.cluster.cache.informer(ConfigMap)
        await made.start()
        ours = {key.name for key in informer.store.keys()}  # noqa: SIM118  # a store is no dict

        for name in names:
            before = made.transport.reads
            await made.cluster.client.get(ConfigMap, name)
            assert made.transport.reads - before == (0 if name in ours else 1)
        assert 0 < len(ours) < 12
        assert len(await made.cluster.client.list(ConfigMap, namespace="default")) == 12


async def test_a_read_before_the_first_list_says_so() -> None:
    """An empty answer would make a controller create everything again."""
    async with lab() as made:
        made.cluster.cache.informer(ConfigMap)
        client = made.cluster.client

        with pytest.raises(CacheNotSyncedError, match=r"configmaps .* does not run yet.*live"):
            await client.get(ConfigMap, "a")
        with pytest.raises(CacheNotSyncedError):
            await client.list(ConfigMap)
        made.transport.hold()
        await made.begin()
        with pytest.raises(CacheNotSyncedError, match="first list is not complete"):
            await client.find(ConfigMap, "a")


async def test_a_read_of_what_we_may_not_list_holds_the_missing_rule() -> None:
    """The first deploy of every operator meets a 403; the message is the fix."""
    async with lab(user="nobody") as made:
        made.cluster.cache.informer(ConfigMap)
        await made.start()

        with pytest.raises(CacheNotSyncedError, match=r'resources: \["configmaps"\]'):
            await made.cluster.client.list(ConfigMap)


async def test_it_shares_the_connection_and_the_defaults() -> None:
    """One rate limit, one discovery, one field owner for both."""
    async with lab() as made:
        client = made.cluster.client

        assert client.rest is client.live.rest
        assert client.discovery is client.live.discovery
        assert client.namespace == "default"
        stored = await client.apply(config_map("a"))
        assert stored.metadata.managed_fields[0].manager == "test"
        assert mapping_of(Settings) == mapping_of(ConfigMap)
