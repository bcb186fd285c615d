"""Watches: from a version, from now, resumed, and when the version is gone."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from kubewright.api.meta import ObjectMeta
from kubewright.client import Client, Watch, WatchEvent
from kubewright.errors import APIError, GoneError
from kubewright.kinds.core.v1 import ConfigMap, Event, ObjectReference
from tests.conformance.objects import config_map
from tests.conformance.wire import OwnServer


async def take(watch: Watch[ConfigMap], count: int) -> list[tuple[str, str]]:
    """Return the next *count* events as type and name."""
    events: AsyncIterator[WatchEvent[ConfigMap]] = aiter(watch)
    return [
        (event.type, event.object.metadata.name)
        for event in [await anext(events) for _ in range(count)]
    ]


async def test_a_watch_goes_on_where_a_list_ended(client: Client) -> None:
    """No change between the two is missed: the base of every cache."""
    await client.create(config_map("before"))
    listed = await client.list(ConfigMap, namespace=client.namespace)
    await client.create(config_map("between"))

    async with client.watch(
        ConfigMap, namespace=client.namespace, resource_version=listed.resource_version
    ) as watch:
        first = await take(watch, 1)
        await client.patch(ConfigMap, "before", {"data": {"k": "v"}})
        await client.delete(ConfigMap, "between")
        rest = await take(watch, 2)

    assert first == [("ADDED", "between")]
    assert rest == [("MODIFIED", "before"), ("DELETED", "between")]


async def test_a_watch_without_a_version_begins_with_what_exists(client: Client) -> None:
    """Each object comes as ADDED, then the changes."""
    await client.create(config_map("a"))
    await client.create(config_map("b"))

    async with client.watch(ConfigMap, namespace=client.namespace, labels="!ignored") as watch:
        initial = await take(watch, 2)
        await client.delete(ConfigMap, "a")
        changes = await take(watch, 1)

    assert sorted(initial) == [("ADDED", "a"), ("ADDED", "b")]
    assert changes == [("DELETED", "a")]


async def test_an_object_that_stops_matching_is_deleted_for_the_watcher(client: Client) -> None:
    """And one that begins to match is added, whatever happened to it."""
    await client.create(config_map("a", labels={"app": "x"}))
    listed = await client.list(ConfigMap, namespace=client.namespace, labels="app=x")

    async with client.watch(
        ConfigMap,
        namespace=client.namespace,
        labels="app=x",
        resource_version=listed.resource_version,
    ) as watch:
        await client.patch(ConfigMap, "a", {"metadata": {"labels": {"app": "y"}}})
        await client.patch(ConfigMap, "a", {"metadata": {"labels": {"app": "x"}}})
        seen = await take(watch, 2)

    assert seen == [("DELETED", "a"), ("ADDED", "a")]


async def test_a_watch_of_one_name_sees_only_that(client: Client) -> None:
    """A field selector on the name is how one object is followed."""
    listed = await client.list(ConfigMap, namespace=client.namespace)
    await client.create(config_map("other"))
    await client.create(config_map("mine"))

    async with client.watch(
        ConfigMap,
        namespace=client.namespace,
        fields={"metadata.name": "mine"},
        resource_version=listed.resource_version,
    ) as watch:
        assert await take(watch, 1) == [("ADDED", "mine")]


async def test_every_watcher_sees_the_same_order(client: Client) -> None:
    """Two caches of one kind must not disagree about what came first."""
    listed = await client.list(ConfigMap, namespace=client.namespace)
    for n in range(20):
        await client.create(config_map(f"a{n}"))

    async def follow() -> list[tuple[str, str]]:
        async with client.watch(
            ConfigMap, namespace=client.namespace, resource_version=listed.resource_version
        ) as watch:
            return await take(watch, 20)

    first, second = await asyncio.gather(follow(), follow())

    assert first == second == [("ADDED", f"a{n}") for n in range(20)]


async def test_a_version_that_was_compacted_is_gone(client: Client, own_server: OwnServer) -> None:
    """The server forgets old versions; a watch from one must say so, not skip changes."""
    # Events are the one kind that kube-apiserver keeps no cache of: others remember for a while.
    about = ObjectReference(kind="Pod", namespace=client.namespace, name="a")
    meta = ObjectMeta(name="a")
    made = await client.create(Event(metadata=meta, involved_object=about, reason="Test"))
    for count in range(3):
        await client.patch(Event, "a", {"count": count})
    own_server.compact()

    with pytest.raises(GoneError):
        async with client.watch(
            Event, namespace=client.namespace, resource_version=made.metadata.resource_version
        ) as watch:
            await anext(aiter(watch))


async def test_a_version_that_is_no_number_is_refused(client: Client) -> None:
    """A mistake must not look like a quiet watch."""
    with pytest.raises(APIError):
        async with client.watch(ConfigMap, resource_version="yesterday") as watch:
            await take(watch, 1)


async def test_bookmarks_can_be_asked_for(client: Client) -> None:
    """The request is accepted; when they come is up to the server."""
    listed = await client.list(ConfigMap, namespace=client.namespace)
    await client.create(config_map("a"))

    async with client.watch(
        ConfigMap,
        namespace=client.namespace,
        resource_version=listed.resource_version,
        bookmarks=True,
    ) as watch:
        async for event in watch:
            assert event.resource_version
            if event.type == "ADDED":
                break


@pytest.mark.since("1.32", reason="streaming lists are on by default from there")
async def test_initial_events_end_with_a_bookmark(client: Client) -> None:
    """A streaming list says when it is complete."""
    await client.create(config_map("a"))
    seen = []

    async with client.watch(
        ConfigMap, namespace=client.namespace, initial_events=True, bookmarks=True
    ) as watch:
        async for event in watch:
            seen.append(event.type)
            if event.ends_initial_events:
                break

    assert seen[-1] == "BOOKMARK"
    assert "ADDED" in seen


async def test_leaving_a_watch_closes_its_connection(client: Client) -> None:
    """A program that follows many things one after the other must not run out of sockets."""
    listed = await client.list(ConfigMap, namespace=client.namespace)
    await client.create(config_map("a"))

    for _ in range(30):
        async with client.watch(
            ConfigMap, namespace=client.namespace, resource_version=listed.resource_version
        ) as watch:
            assert await take(watch, 1) == [("ADDED", "a")]
