"""`Reading`: a kind that is named by a class and by a `Kind` is watched once, and read as both."""

import asyncio
from typing import Any

import pytest

import kubewright as kw
from kubewright.api.kind import ObjectKey
from kubewright.api.meta import ObjectMeta
from kubewright.api.resource import Resource, mapping_of, resource
from kubewright.api.unstructured import Unstructured
from kubewright.cache import Event, Informer, Shard, without
from kubewright.errors import LifecycleError
from kubewright.kinds.core.v1 import ConfigMap, Namespace, Node
from tests.unit.cluster.clusters import Lab, lab

UNTYPED = kw.Kind("v1", "ConfigMap")
BY_RESOURCE = kw.Kind("configmaps.v1")
OF_CORE = kw.Kind("configmaps")  # in whatever version the server prefers
A = ObjectKey("default", "a")


@resource(group="", version="v1", kind="ConfigMap", plural="configmaps")
class Strict(Resource):
    """A class for config maps that not every one of them fits."""

    data: dict[str, int] = {}


def config_map(name: str = "a", **data: str) -> ConfigMap:
    meta = ObjectMeta(name=name, namespace="default", labels={"app": name})
    return ConfigMap(metadata=meta, data=data)


def watched(made: Lab, plural: str = "configmaps") -> list[str]:
    """Return every list and watch of a kind that the server was asked for."""
    found = [one for one in made.transport.requests if one.method == "GET"]
    return [one.target for one in found if f"/{plural}?" in one.target]


def size_of(one: ConfigMap) -> list[str]:
    assert isinstance(one, ConfigMap)
    return [one.data["size"]]


def untyped_size_of(one: Unstructured) -> list[str]:
    assert isinstance(one, Unstructured)
    return [one["data"]["size"]]


async def running(made: Lab, *kinds: Any, **options: Any) -> list[Informer[Any]]:
    """Return informers of *kinds*, declared in that order, that have seen the config map ``a``."""
    await made.other.create(config_map(size="1"))
    found = [made.cluster.cache.informer(kind, **options) for kind in kinds]
    await made.start()
    return found


@pytest.mark.parametrize(
    "kinds",
    [
        (ConfigMap, UNTYPED),
        (UNTYPED, ConfigMap),
        (ConfigMap, BY_RESOURCE),
        (BY_RESOURCE, ConfigMap),
        (ConfigMap, OF_CORE),
        (OF_CORE, ConfigMap),
        (OF_CORE, BY_RESOURCE, UNTYPED, mapping_of(ConfigMap), Strict, ConfigMap),
    ],
)
async def test_a_kind_is_listed_and_watched_once_however_it_is_named(kinds: Any) -> None:
    """A second list costs the server as much as the first, and memory twice."""
    async with lab() as alone:
        await running(alone, ConfigMap)
    async with lab() as made:
        informers = await running(made, *kinds)

        assert len(watched(made)) == len(watched(alone))
        assert len({one.origin for one in informers}) == 1
        assert all(one.synced and A in one.store for one in informers)


@pytest.mark.parametrize(
    "kinds", [(ConfigMap, UNTYPED), (UNTYPED, ConfigMap), (OF_CORE, ConfigMap)]
)
async def test_each_reader_gets_its_type(kinds: Any) -> None:
    """A reconciler of a class must never see an object without one, nor the other way round."""
    async with lab() as made:
        await running(made, *kinds)
        cache = made.cluster.cache

        for kind in kinds:
            type_ = kind if isinstance(kind, type) else Unstructured
            store = cache.informer(kind).store
            found = [cache.get(kind, "a"), *cache.list(kind), store.get(A), *store.list()]
            found += [entry.object for entry in store.list_entries(labels="app=a")]
            assert [type(one) for one in found] == [type_] * 5
            assert {(one.api_version, one.kind) for one in found} == {("v1", "ConfigMap")}


async def test_handlers_and_their_entries_are_of_the_type_of_their_informer() -> None:
    """Predicates and handlers look at `event.new.object`."""
    heard: list[tuple[str, type]] = []

    def hear(event: Event[Any]) -> None:
        heard.append((event.type, type(event.entry.object)))

    async def hear_later(event: Event[Any]) -> None:
        hear(event)

    async with lab() as made:
        typed, untyped = await running(made, ConfigMap, UNTYPED)
        for informer in (typed, untyped):
            informer.add_handler(hear)
            informer.add_handler(hear_later)
        live = await made.other.get(ConfigMap, A)
        live.data["size"] = "2"
        await made.other.update(live)
        await made.clock.settle()

    for type_ in (ConfigMap, Unstructured):
        assert heard.count(("ADDED", type_)) == heard.count(("MODIFIED", type_)) == 2


async def test_an_index_function_gets_the_type_of_its_informer() -> None:
    """Both may even have the same name: each reads with what it has declared."""
    async with lab() as made:
        typed, untyped = await running(made, ConfigMap, UNTYPED)
        cache = made.cluster.cache
        cache.informer(ConfigMap, indexes={"size": size_of})
        cache.informer(UNTYPED, indexes={"size": untyped_size_of})
        await made.other.create(config_map("b", size="1"))
        await made.clock.settle()

        found = cache.list(ConfigMap, index="size", value="1")
        others = untyped.store.list(index="size", value="1")

        assert [type(one) for one in found] == [ConfigMap] * 2
        assert [type(one) for one in others] == [Unstructured] * 2
        with pytest.raises(ValueError, match="'size'"):
            typed.store.add_index("size", size_of)
        with pytest.raises(ValueError, match="There are: namespace, owner, size"):
            untyped.store.list(index="color", value="1")


async def test_indexes_and_handlers_move_to_the_informer_that_a_kind_is_found_to_share() -> None:
    """Where a resource lives is known only when the server was asked, after all was declared."""
    heard: list[type] = []

    async def hear(event: Event[Unstructured]) -> None:
        heard.append(type(event.entry.object))

    async with lab() as made:
        await made.other.create(config_map(size="1"))
        cache = made.cluster.cache
        cache.informer(ConfigMap)
        untyped = cache.informer(OF_CORE, indexes={"size": untyped_size_of})
        registration = untyped.add_handler(hear)
        await made.start()
        await registration.wait_synced()

        found = cache.list(OF_CORE, index="size", value="1")

        assert [one.name for one in found] == ["a"]
        assert heard
        assert set(heard) == {Unstructured}
        registration.remove()
        await made.other.delete(ConfigMap, A)
        await made.clock.settle()
        assert not cache.list(OF_CORE, index="size", value="1")


async def test_what_this_process_writes_is_seen_by_every_reader() -> None:
    """The write is laid over the one store that all of them read."""
    async with lab() as made:
        await running(made, ConfigMap, UNTYPED)
        made.transport.hold()

        await made.cluster.client.create(config_map("b", size="2"))

        assert made.cluster.cache.get(ConfigMap, "b").data == {"size": "2"}
        assert made.cluster.cache.get(UNTYPED, "b")["data"] == {"size": "2"}
        made.transport.release()


@pytest.mark.parametrize(
    "options",
    [
        {"labels": "app=a"},
        {"fields": "metadata.name=a"},
        {"metadata_only": True},
        {"namespaces": ["default"]},
        {"transform": without("data")},
        {"sharded": False},
    ],
)
async def test_what_is_selected_in_another_way_is_not_shared(options: Any) -> None:
    """One reader would get what the other asked for."""
    async with lab(shard=Shard(0, 2)) as made:
        cache = made.cluster.cache

        whole, part = cache.informer(ConfigMap), cache.informer(UNTYPED, **options)
        same = cache.informer(ConfigMap, **options)

        assert part.origin is not whole.origin
        assert part.origin is same.origin


async def test_another_version_of_a_kind_is_another_watch() -> None:
    """The objects have another shape."""
    async with lab() as made:
        cache = made.cluster.cache

        first = cache.informer(kw.Kind("autoscaling/v1", "HorizontalPodAutoscaler"))
        second = cache.informer(kw.Kind("autoscaling/v2", "HorizontalPodAutoscaler"))

        assert first.origin is not second.origin


@pytest.mark.parametrize("kind", [Namespace, Node])
async def test_a_kind_without_namespaces_is_shared_before_that_is_known(kind: Any) -> None:
    """A `Kind` is guessed to be in namespaces until the server was asked."""
    async with lab(namespaces=["default"]) as made:
        untyped = made.cluster.cache.informer(kw.Kind("v1", kind.__name__))
        typed = made.cluster.cache.informer(kind)
        await made.start()
        made.cluster.set_namespaces(["other"])
        await made.clock.settle()

        assert typed.origin is untyped.origin
        assert typed.synced
        assert not typed.namespaces


@resource(group="example.com", version="v1")
class Widget(Resource):
    """A kind whose definition comes and goes."""


@pytest.mark.parametrize("order", [1, -1])
async def test_a_shared_kind_that_returns_with_another_plural_is_found_by_both(order: int) -> None:
    """A class says where its kind lives; but if a `Kind` shares its watch, the server is asked."""
    async with lab() as made:
        await made.other.create(widget_crd("widgets"))
        await made.clock.advance(1)
        kinds: list[Any] = [Widget, kw.Kind("example.com/v1", "Widget")][::order]
        informers = [made.cluster.cache.informer(kind) for kind in kinds]
        await made.start()
        await made.other.delete(widget_crd("widgets").gvk, "widgets.example.com")
        await made.clock.advance(120)
        await made.other.create(widget_crd("widgetries"))
        await made.clock.advance(120)

        assert {one.selection.mapping.plural for one in informers} == {"widgetries"}
        assert not any(one.missing for one in informers)


async def test_a_resource_without_a_version_stays_in_the_one_that_a_class_needs() -> None:
    """The server may prefer another version when the kind returns."""
    async with lab() as made:
        await made.other.create(widget_crd("widgets"))
        await made.clock.advance(1)
        untyped = made.cluster.cache.informer(kw.Kind("widgets.example.com"))
        await made.start()
        typed = made.cluster.cache.informer(Widget)
        assert typed.origin is untyped.origin
        await made.other.delete(widget_crd("widgets").gvk, "widgets.example.com")
        await made.clock.advance(120)
        await made.other.create(widget_crd("widgets", "v1", "v2"))
        await made.clock.advance(120)

        assert typed.selection.mapping.gvk == mapping_of(Widget).gvk
        assert not typed.missing


def widget_crd(plural: str, *versions: str) -> Unstructured:
    schema = {"openAPIV3Schema": {"type": "object"}}
    names = versions or ("v1",)
    made = [
        {"name": name, "served": True, "storage": name == names[-1], "schema": schema}
        for name in names
    ]
    return Unstructured(
        apiVersion="apiextensions.k8s.io/v1",
        kind="CustomResourceDefinition",
        metadata={"name": f"{plural}.example.com"},
        spec={
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"kind": "Widget", "plural": plural},
            "versions": made,
        },
    )


async def test_metadata_is_shared_and_says_that_it_is_not_whole() -> None:
    """An update of it would delete all that is not there."""
    async with lab() as made:
        typed, untyped = await running(made, ConfigMap, UNTYPED, metadata_only=True)

        found = untyped.store.get(A)

        assert typed.origin is untyped.origin
        assert (found.kind, found.name) == ("ConfigMap", "a")
        with pytest.raises(ValueError, match="only its metadata"):
            await made.cluster.client.update(found)


async def test_an_object_that_does_not_fit_a_class_is_left_out_for_that_reader_alone() -> None:
    """Whoever reads it without a class, or with another one, still sees it."""
    async with lab() as made:
        await made.other.create(config_map(size="large"))
        strict = made.cluster.cache.informer(Strict)
        untyped = made.cluster.cache.informer(UNTYPED)
        await made.start()

        assert strict.store.list() == []
        assert [one.name for one in untyped.store.list()] == ["a"]


async def test_the_watch_ends_with_the_last_reader() -> None:
    """A reconciler that is removed must not end the watch of another one, nor leave one behind."""
    heard: list[str] = []
    async with lab() as made:
        cache = made.cluster.cache
        typed, untyped = await running(made, ConfigMap, UNTYPED)
        typed.add_handler(lambda event: heard.append(event.key.name))

        await cache.remove(typed)
        await made.other.create(config_map("b", size="1"))
        await made.clock.settle()

        assert heard == ["a"]
        assert sorted(one.name for one in cache.list(UNTYPED)) == ["a", "b"]
        with pytest.raises(LifecycleError, match="ConfigMap is not in the cache"):
            cache.list(ConfigMap)
        again = cache.informer(ConfigMap)
        assert again.origin is untyped.origin
        assert type(again.store.get(A)) is ConfigMap
        await cache.remove(untyped)
        await cache.remove(again)
        assert len(cache) == 0
        tasks = [one.get_name() for one in asyncio.all_tasks()]
        assert not [name for name in tasks if name.startswith("informer/")]


async def test_a_reading_cannot_be_run_by_itself() -> None:
    """It would be a second watch."""
    async with lab() as made:
        informer = made.cluster.cache.informer(UNTYPED)

        with pytest.raises(LifecycleError, match="shares a watch"):
            await informer.run()
