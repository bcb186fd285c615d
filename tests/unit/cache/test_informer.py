"""Informers against a real API server in the same process, on a clock that the test turns."""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

import kubewright as kw
from kubewright._aio import VirtualClock
from kubewright.api.field_selectors import FieldSelector
from kubewright.api.kind import ObjectKey
from kubewright.api.resource import Resource, mapping_of
from kubewright.api.selectors import selector_from
from kubewright.api.unstructured import Unstructured
from kubewright.cache.entry import Event
from kubewright.cache.informer import Informer
from kubewright.cache.selection import Selection
from kubewright.client import Client
from kubewright.client.rest import RESTClient
from kubewright.client.target import typed
from kubewright.errors import LifecycleError
from kubewright.kinds.core.v1 import ConfigMap, Namespace
from kubewright.testing import EmbeddedServer
from tests.unit.cache.informing import (
    Cable,
    Feed,
    Informing,
    added,
    bookmark,
    deleted,
    modified,
    pod,
)
from tests.unit.client.scripted import failure

SHOP_CRD = Unstructured(
    {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "shops.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {
                "kind": "Shop",
                "plural": "shops",
                "singular": "shop",
                "listKind": "ShopList",
            },
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": {"type": "object"}},
                }
            ],
        },
    }
)


@kw.resource(group="example.com", version="v1")
class Shop(kw.Resource):
    """Sells things."""


class World:
    """A server, an administrator, and time."""

    def __init__(self, server: EmbeddedServer, client: Client, clock: VirtualClock) -> None:
        self.server = server
        self.client = client
        self.clock = clock
        self.cable = Cable(client.rest.transport, clock)

    def informer(
        self, kind: type[Resource] = ConfigMap, *, rest: RESTClient | None = None, **selection: Any
    ) -> Informer[Any]:
        rest = rest or RESTClient(self.cable, clock=self.clock)
        chosen = Selection(mapping=mapping_of(kind), **selection)
        return Informer(rest, chosen, decode=typed(kind).decode)

    @asynccontextmanager
    async def running(self, informer: Informer[Any]) -> AsyncIterator[list[str]]:
        """Run *informer* within the block; yields what its handler hears, in short."""
        heard: list[str] = []
        informer.add_handler(lambda event: heard.append(short(event)))
        before = asyncio.all_tasks()
        task = asyncio.create_task(informer.run())
        await self.clock.settle()
        try:
            yield heard
        finally:
            task.cancel()
            await asyncio.wait([task])
            assert task.cancelled()
            await self.clock.settle()
            assert asyncio.all_tasks() <= before

    async def create(self, name: str, namespace: str = "default", **metadata: Any) -> ConfigMap:
        made = ConfigMap(metadata=kw.ObjectMeta(name=name, namespace=namespace, **metadata))
        created = await self.client.create(made)
        await self.clock.settle()
        return created

    async def change(self, name: str, **data: str) -> None:
        await self.client.patch(ConfigMap, name, {"data": data})
        await self.clock.settle()

    async def delete(self, name: str) -> None:
        await self.client.delete(ConfigMap, name)
        await self.clock.settle()


def short(event: Event[Any]) -> str:
    return f"{event.type}{'*' * event.initial}{'?' * event.unseen} {event.key.name}"


@pytest.fixture
async def world() -> AsyncIterator[World]:
    clock = VirtualClock()
    async with EmbeddedServer(clock=clock) as server, server.client() as client:
        yield World(server, client, clock)


# --- What handlers hear ---


async def test_everything_that_exists_is_told_before_anything_that_changes(world: World) -> None:
    """And the handler is synced only then."""
    for name in ("x", "y"):
        await world.create(name)
    informer = world.informer(namespaces=frozenset({"default"}))
    early = informer.add_handler(lambda _: None)
    assert not early.synced

    async with world.running(informer) as heard:
        await early.wait_synced()
        await world.change("x", key="value")
        await world.delete("y")

        assert heard == ["ADDED* x", "ADDED* y", "MODIFIED x", "DELETED y"]


async def test_events_carry_the_objects_before_and_after(world: World) -> None:
    """Predicates compare the two."""
    await world.create("x")
    informer = world.informer(namespaces=frozenset({"default"}))
    events: list[Event[ConfigMap]] = []
    informer.add_handler(events.append)

    async with world.running(informer):
        await world.change("x", key="value")

        old, new = events[-1].old, events[-1].new
        assert old is not None
        assert new is not None
        assert (old.object.data, new.object.data) == ({}, {"key": "value"})


async def test_a_late_handler_hears_the_present_state_first(world: World) -> None:
    """Atomically: no change is missed between the two, and none is heard twice."""
    informer = world.informer(namespaces=frozenset({"default"}))
    async with world.running(informer):
        await world.create("x")
        await world.create("y")
        late: list[str] = []

        registration = informer.add_handler(lambda event: late.append(short(event)))

        assert (late, registration.synced) == (["ADDED* x", "ADDED* y"], True)
        await world.delete("x")
        assert late[2:] == ["DELETED x"]


async def test_a_handler_hears_the_stream_and_not_our_own_writes() -> None:
    """Old and new in events stay true, whatever readers see meanwhile."""
    feed = Feed().send(added("x", 3), bookmark(4, end=True))
    async with Informing(feed) as it:
        store = it.informer.store
        store.note_write(
            store.codec.entry(modified("x", 6)[len('{"type":"MODIFIED","object":') : -2])
        )
        late: list[str] = []
        it.informer.add_handler(lambda event: late.append(event.entry.resource_version))
        assert (it.version("x"), late) == ("6", ["3"])

        await it.send(feed, modified("x", 5), modified("x", 6))

        assert [event.entry.resource_version for event in it.events] == ["3", "5", "6"]
        assert it.version("x") == "6"


async def test_a_removed_handler_hears_nothing(world: World) -> None:
    """It may have been closed already."""
    informer = world.informer()
    heard: list[str] = []
    registration = informer.add_handler(lambda event: heard.append(short(event)))
    registration.remove()

    async with world.running(informer):
        await world.create("x")

    assert heard == []


async def test_one_handler_that_fails_does_not_stop_the_others(world: World) -> None:
    """Nor the informer."""
    informer = world.informer(namespaces=frozenset({"default"}))

    def fail(event: Event[ConfigMap]) -> None:
        raise RuntimeError("bad day")

    failing = informer.add_handler(fail)
    async with world.running(informer) as heard:
        await world.create("x")
        await world.create("y")

        assert heard == ["ADDED x", "ADDED y"]
        assert failing.failures == 2


async def test_an_async_handler_hears_what_it_missed_as_one_change() -> None:
    """It is called in the order of the stream; what it was too slow for is merged."""
    gate = asyncio.Event()
    heard: list[str] = []

    async def slow(event: Event[Unstructured]) -> None:
        await gate.wait()
        heard.append(f"{short(event)} {event.entry.resource_version}")

    feed = Feed().send(added("x", 1), bookmark(4, end=True))
    it = Informing(feed)
    registration = it.informer.add_handler(slow)
    async with it:
        await it.send(feed, modified("x", 5), added("y", 6), modified("x", 7), added("z", 8))
        await it.send(feed, modified("y", 9), deleted("z", 10))
        assert (heard, registration.synced) == ([], False)

        gate.set()
        await it.clock.settle()

        assert heard == ["ADDED* x 1", "MODIFIED x 7", "ADDED y 9", "DELETED z 8"]
        assert registration.synced


async def test_an_async_handler_that_is_added_late_runs_at_once(world: World) -> None:
    """It needs no restart."""
    informer = world.informer(namespaces=frozenset({"default"}))
    heard: list[str] = []

    async def handle(event: Event[ConfigMap]) -> None:
        heard.append(short(event))

    async with world.running(informer):
        await world.create("x")
        registration = informer.add_handler(handle)
        await registration.wait_synced()
        await world.create("y")

        assert heard == ["ADDED* x", "ADDED y"]


# --- Disconnects ---


async def test_what_happened_while_history_was_lost_is_told(world: World) -> None:
    """Unchanged is silent, changed is a change, vanished is deleted, and comes first."""
    for name in ("same", "changed", "gone", "replaced"):
        await world.create(name)
    informer = world.informer(namespaces=frozenset({"default"}))
    async with world.running(informer) as heard:
        uid = informer.store.get(ObjectKey("default", "replaced")).metadata.uid
        heard.clear()
        await _while_away(world, informer)

        assert heard == ["DELETED? gone", "MODIFIED changed", "ADDED new", "MODIFIED replaced"]
        assert informer.store.get(ObjectKey("default", "replaced")).metadata.uid != uid


async def _while_away(world: World, informer: Informer[Any]) -> None:
    """Cut the watch, change things, lose history, and let the informer come back."""
    world.cable.unplug()
    await world.client.delete(ConfigMap, "gone")
    await world.client.delete(ConfigMap, "replaced")
    await world.client.patch(ConfigMap, "changed", {"data": {"key": "value"}})
    for name in ("new", "replaced"):
        await world.client.create(ConfigMap(metadata=kw.ObjectMeta(name=name)))
    world.server.compact()
    world.cable.plugged = True
    await world.clock.advance(10)
    assert informer.reflectors[0].lists == 2


async def test_a_kind_that_is_installed_later_is_picked_up(world: World) -> None:
    """And again after it was removed and installed once more."""
    informer = world.informer(Shop)
    async with world.running(informer) as heard:
        await informer.wait_settled()
        assert (informer.missing, informer.synced) == (True, False)

        for name in ("first", "second"):
            await world.client.create(SHOP_CRD)
            await world.clock.advance(12)
            assert (informer.missing, informer.synced, informer.problem) == (False, True, None)
            await world.client.create(Shop(metadata=kw.ObjectMeta(name=name)))
            await world.clock.advance(1)
            await world.client.delete("crd", "shops.example.com")
            await world.clock.advance(60)
            assert (informer.missing, len(informer.store)) == (True, 0)

        assert [line.replace("?", "") for line in heard] == [
            "ADDED first", "DELETED first", "ADDED second", "DELETED second",
        ]  # fmt: skip


async def test_a_missing_right_is_told_and_does_not_last(world: World) -> None:
    """The operator goes on when somebody adds the rule."""
    async with world.server.client(world.server.nobody) as nobody:
        informer = world.informer(rest=nobody.rest)
        async with world.running(informer):
            await informer.wait_settled()
            assert 'resources: ["configmaps"]' in (informer.problem or "")

            await _allow(world.client, "nobody")
            await world.clock.advance(60)

            assert (informer.synced, informer.problem) == (True, None)


async def _allow(client: Client, user: str) -> None:
    group = "rbac.authorization.k8s.io"
    await client.create(
        Unstructured(
            {
                "apiVersion": f"{group}/v1",
                "kind": "ClusterRoleBinding",
                "metadata": {"name": "allow"},
                "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "cluster-admin"},
                "subjects": [{"apiGroup": group, "kind": "User", "name": user}],
            }
        )
    )


async def test_a_day_of_watches_costs_no_second_list(world: World) -> None:
    """Watches end every few minutes, and are resumed from bookmarks; nothing piles up."""
    informer = world.informer(namespaces=frozenset({"default"}))
    async with world.running(informer) as heard:
        await world.create("x")
        tasks = len(asyncio.all_tasks())

        await world.clock.advance(24 * 3600)
        await world.create("y")

        assert heard == ["ADDED x", "ADDED y"]
        assert informer.reflectors[0].lists == 1
        assert len(asyncio.all_tasks()) == tasks


@pytest.mark.parametrize("seed", range(6))
async def test_whatever_breaks_handlers_and_store_end_up_as_the_server(
    world: World, seed: int
) -> None:
    """And each event goes on where the one before it left off."""
    dice = random.Random(seed)
    informer = world.informer(namespaces=frozenset({"default"}))
    quick, slow = Picture(), Picture()
    exact = informer.add_handler(quick.hear_exactly)
    informer.add_handler(slow.hear_late)
    async with world.running(informer):
        for _ in range(60):
            await _something_happens(world, dice)
        world.cable.plugged = True
        await world.clock.advance(200)

        truth = await world.client.list(ConfigMap, namespace="default")
        expected = {one.metadata.name: one.metadata.resource_version for one in truth}
        assert quick.known == slow.known == expected
        assert {e.key.name: e.resource_version for e in informer.store.streamed()} == expected
        assert exact.failures == 0


async def _something_happens(world: World, dice: random.Random) -> None:
    meta = kw.ObjectMeta(name=f"x{dice.randrange(6)}")
    match dice.choice(["write", "write", "write", "delete", "cut", "plug", "forget", "wait"]):
        case "write":
            await world.client.apply(ConfigMap(metadata=meta, data={"n": str(dice.random())}))
        case "delete":
            await world.client.delete(ConfigMap, meta.name, missing_ok=True)
        case "cut":
            world.cable.unplug()
        case "plug":
            world.cable.plugged = True
        case "forget":
            world.server.compact()
        case _:
            await world.clock.advance(dice.choice([0.0, 1.0, 20.0, 400.0]))


class Picture:
    """What a handler knows from events alone."""

    def __init__(self) -> None:
        self.known: dict[str, str] = {}

    def hear_exactly(self, event: Event[ConfigMap]) -> None:
        old = event.old.resource_version if event.old else None
        known = self.known.get(event.key.name)
        assert (old is None) == (known is None)
        assert event.type == "DELETED" or old == known
        self._hear(event)

    async def hear_late(self, event: Event[ConfigMap]) -> None:
        await asyncio.sleep(0)
        self._hear(event)

    def _hear(self, event: Event[ConfigMap]) -> None:
        if event.new is None:
            self.known.pop(event.key.name, None)
        else:
            self.known[event.key.name] = event.new.resource_version


# --- What it is about ---


async def test_only_what_is_selected_is_kept(world: World) -> None:
    """An object whose labels do not fit any more is deleted, as far as the informer can tell."""
    await world.create("x", labels={"app": "web"})
    await world.create("y", labels={"app": "db"})
    informer = world.informer(labels=selector_from("app=web"))
    async with world.running(informer) as heard:
        await world.client.patch(ConfigMap, "x", {"metadata": {"labels": {"app": "db"}}})
        await world.clock.settle()

        assert heard == ["ADDED* x", "DELETED x"]


async def test_metadata_only_keeps_no_content(world: World) -> None:
    """A Secret's data has no place in the memory of who needs only its name."""
    await world.client.create(ConfigMap(metadata=kw.ObjectMeta(name="x"), data={"secret": "s"}))
    informer = world.informer(namespaces=frozenset({"default"}), metadata_only=True)
    async with world.running(informer):
        await world.create("y")

        entries = list(informer.store.streamed())
        assert [entry.key.name for entry in entries] == ["x", "y"]
        assert not any(b"secret" in entry.raw for entry in entries)


async def test_namespaces_are_added_and_removed_while_it_runs(world: World) -> None:
    """The objects of a removed one leave, unseen; those of the others do not notice."""
    for namespace in ("one", "two"):
        await world.client.create(Namespace(metadata=kw.ObjectMeta(name=namespace)))
        await world.create(f"in-{namespace}", namespace)
    informer = world.informer(namespaces=frozenset({"one"}))
    async with world.running(informer) as heard:
        informer.set_namespaces(["one", "two"])
        assert not informer.synced
        await informer.wait_for_sync()
        await world.clock.settle()
        assert informer.namespaces == {"one", "two"}

        informer.set_namespaces(["two"])
        assert informer.synced
        await world.create("unheard", "one")
        await world.create("heard", "two")

        assert [line for line in heard if "in-" in line or "heard" in line] == [
            "ADDED* in-one", "ADDED* in-two", "DELETED? in-one", "ADDED heard",
        ]  # fmt: skip
        assert len(informer.reflectors) == 1


async def test_from_everywhere_to_some_namespaces_and_back_nothing_is_told_twice(
    world: World,
) -> None:
    """What stays is not news."""
    await world.create("stays")
    await world.create("leaves", "kube-system")
    informer = world.informer(fields=FieldSelector.parse("metadata.name!=kube-root-ca.crt"))
    async with world.running(informer) as heard:
        informer.set_namespaces(["default"])
        await informer.wait_for_sync()
        await world.clock.settle()
        informer.set_namespaces(None)
        await informer.wait_for_sync()
        await world.clock.settle()

        news = [line for line in heard if "stays" in line or "leaves" in line]
        assert sorted(news[:2]) == ["ADDED* leaves", "ADDED* stays"]
        assert news[2:] == ["DELETED? leaves", "ADDED* leaves"]


def test_a_kind_in_no_namespace_has_none_to_set(world_less: Callable[..., Informer[Any]]) -> None:
    """A path with one would not exist."""
    informer = world_less(Namespace)

    with pytest.raises(ValueError, match="namespaces are in no namespace"):
        informer.set_namespaces(["default"])


@pytest.fixture
def world_less() -> Callable[..., Informer[Any]]:
    def make(kind: type[Resource]) -> Informer[Any]:
        selection = Selection(mapping=mapping_of(kind))
        rest = Informing().informer._rest
        return Informer(rest, selection, decode=typed(kind).decode)

    return make


# --- Life ---


async def test_who_waits_for_an_informer_that_stops_is_told() -> None:
    """Nobody waits for ever."""
    it = Informing(Feed())
    registration = it.informer.add_handler(lambda _: None)
    waits = [
        asyncio.create_task(wait())
        for wait in (it.informer.wait_for_sync, it.informer.wait_settled, registration.wait_synced)
    ]
    async with it:
        assert not any(wait.done() for wait in waits)

    for wait in waits:
        with pytest.raises(LifecycleError, match=r"the informer .*stopped"):
            await wait


async def test_an_informer_runs_once() -> None:
    """Handlers would hear of everything a second time."""
    async with Informing(Feed()) as it:
        with pytest.raises(LifecycleError, match="second time"):
            await it.informer.run()

    with pytest.raises(LifecycleError, match="second time"):
        await it.informer.run()


async def test_a_write_that_no_watch_can_show_is_not_waited_for() -> None:
    """The right to watch was taken away: whoever waits until all is done would wait for ever."""
    feed = Feed().send(added("x", 1), bookmark(4, end=True))
    refused = failure(403, "Forbidden", 'User "op" cannot watch resource "pods" in API group ""')
    async with Informing(feed, *[refused] * 20) as it:
        store = it.informer.store
        store.note_write(store.codec.entry(json.dumps(pod("x", 7)).encode()))
        busy = list(it.informer.busy())
        waiting = asyncio.create_task(it.informer.wait_idle())
        await it.clock.settle()
        early = waiting.done()
        feed.end()
        await it.until(request=5)

        assert (len(busy), early) == (1, False)
        assert waiting.done()
        assert not list(it.informer.busy())
