"""When a manager has nothing to do."""

import asyncio
from collections.abc import Iterable

import pytest

from kubewright._aio import VirtualClock
from kubewright.api.meta import ObjectMeta
from kubewright.cache import Event
from kubewright.client import Client
from kubewright.cluster import Cluster
from kubewright.controller import Channel, Controller, Interval, Request, Result, Run, Watches
from kubewright.errors import LifecycleError
from kubewright.kinds.core.v1 import ConfigMap, Secret
from kubewright.manager import Manager
from kubewright.testing import EmbeddedServer
from tests.unit.controller.world import Recorder, Shop, Silent, cluster_of, make


def config(name: str = "a", **data: str) -> ConfigMap:
    """Return a ConfigMap."""
    return ConfigMap(metadata=ObjectMeta(name=name, namespace="default"), data=data)


async def is_done(waiting: "asyncio.Task[None]", clock: VirtualClock) -> bool:
    """Say whether *waiting* has come to its end, once everything has run that can."""
    await clock.settle()
    return waiting.done()


class Busy:
    """Is busy until *free* is set."""

    def __init__(self) -> None:
        self.free = asyncio.Event()

    async def run(self) -> None:
        await asyncio.Event().wait()

    def busy(self) -> Iterable[str]:
        return () if self.free.is_set() else ("it has its hands full",)

    async def wait_idle(self) -> None:
        await self.free.wait()


async def test_it_waits_for_reconciles_that_are_due_or_under_way_and_not_for_later_ones() -> None:
    """A test that goes on before that looks at half of the work; one that waits longer hangs."""
    clock = VirtualClock()

    async def reconcile(request: Request, run: Run) -> Result:
        await clock.sleep(5)
        return Result(requeue_after=3600)

    controller = make(reconcile, clock=clock)
    manager = Manager(clock=clock)
    manager.add(controller)
    async with manager:
        await manager.settled()
        controller.enqueue("default/a")
        controller.enqueue("default/b")
        waiting = asyncio.create_task(manager.settled())
        early = await is_done(waiting, clock)
        await clock.advance(6)
        between = waiting.done()
        await clock.advance(6)
        done = waiting.done()

    assert (early, between, done) == (False, False, True)


async def test_own_writes_have_come_back_and_led_to_what_they_lead_to() -> None:
    """A test writes, waits and looks: in real time, with a server in another thread."""
    seen: list[str] = []

    async def reconcile(request: Request, run: Run) -> None:
        found = await cluster.client.find(ConfigMap, request.key)
        if found is not None and "copy" not in request.name:
            copy = config(f"{request.name}-copy", **found.data)
            await cluster.client.apply(copy, force=True)
        seen.append(request.name)

    with EmbeddedServer() as server:
        async with server.client() as client:
            cluster = Cluster(client, field_owner="test", namespaces=["default"])
            controller = Controller("copy", reconcile, cluster=cluster, for_=ConfigMap)
            manager = Manager(cluster)
            manager.add(controller)
            async with manager:
                await manager.settled(timeout=30)
                for number in range(20):
                    await client.create(config(f"a{number}", size="1"))
                await manager.settled(timeout=30)

                assert {f"a{number}-copy" for number in range(20)} <= set(seen)
                assert not list(cluster.busy())


async def test_a_write_that_left_the_selection_unseen_is_not_waited_for() -> None:
    """No watch will ever show it."""
    clock = VirtualClock()
    async with cluster_of(clock) as (_, cluster):
        cluster.cache.informer(ConfigMap, labels={"app": "shop"})
        manager = Manager(cluster, clock=clock)
        async with manager:
            await cluster.client.create(config())
            waiting = asyncio.create_task(manager.settled())

            assert await is_done(waiting, clock)


async def test_map_functions_handlers_and_sources_are_waited_for() -> None:
    """Between an event and its reconcile, work may lie in any of them."""
    clock, seen = VirtualClock(), Recorder()

    async def slow(event: Event[Secret]) -> None:
        await clock.sleep(3)

    async def to_shop(obj: Secret) -> list[str]:
        await clock.sleep(4)
        return [obj.metadata.name]

    async def wanted() -> list[str]:
        await clock.sleep(5)
        return ["default/b"]

    async with cluster_of(clock) as (client, cluster):
        channel = Channel()
        controller = Controller(
            "test",
            seen,
            cluster=cluster,
            for_=Shop,
            watches=[Watches(Secret, to_shop)],
            sources=[channel, Interval(60, wanted)],
        )
        cluster.cache.informer(Secret).add_handler(slow)
        manager = Manager(cluster, clock=clock)
        manager.add(controller)
        async with manager:
            await clock.run(manager.settled())
            secret = Secret(metadata=ObjectMeta(name="a", namespace="default"))
            await clock.run(client.create(secret))
            await clock.settle()
            text = "; ".join([*cluster.busy(), *controller.busy()])
            await clock.run(manager.settled())
            mapped = list(seen.names)
            channel.send_nowait("default/c")
            waiting = list(controller.busy())
            await clock.run(manager.settled())
            await clock.advance(60 - clock.monotonic() % 60)
            asking = list(controller.busy())
            await clock.run(manager.settled())

    assert "1 changes wait for an async handler" in text
    assert "1 objects wait for the map function" in text
    assert mapped == ["a"]
    assert "1 requests wait in the channel" in waiting[0]
    assert "interval finds out" in asking[0]
    assert seen.names == ["a", "c", "b"]


async def test_what_waits_for_something_outside_does_not_hold_it_up() -> None:
    """A kind whose CRD is not there, and a failure that is tried again later."""
    clock = VirtualClock()

    async def fails(request: Request, run: Run) -> None:
        raise ValueError

    async with cluster_of(clock, shops=False) as (_, cluster):
        missing = Controller("shops", Recorder(), cluster=cluster, for_=Shop)
        failing = make(fails, clock=clock)
        manager = Manager(cluster, clock=clock)
        manager.add(missing)
        manager.add(failing)
        async with manager:
            failing.enqueue("default/a")
            waiting = asyncio.create_task(manager.settled())

            assert await is_done(waiting, clock)
            assert failing.queue.waiting == 1


async def test_a_kind_that_is_watched_from_now_on_is_heard_of_first() -> None:
    """Its present state leads to reconciles, also if the cache has had it for long."""
    clock, seen = VirtualClock(), Recorder()
    async with cluster_of(clock) as (client, cluster):
        await client.create(Secret(metadata=ObjectMeta(name="a", namespace="default")))
        cluster.cache.informer(Secret)
        controller = Controller("shop", seen, cluster=cluster, for_=ConfigMap)
        manager = Manager(cluster)
        manager.add(controller)
        async with manager:
            await manager.settled()
            controller.watch(Watches(Secret, map=lambda secret: [secret.metadata.name]))
            busy = list(controller.busy())
            await controller.wait_idle()
            heard = controller.queue.is_idle and seen.names == ["a"]

    assert busy == ["controller/shop: waits for the first list of secrets: under way"]
    assert heard


async def test_after_one_has_settled_all_are_asked_again() -> None:
    """The last work of one may be the first of another."""
    clock, first, second = VirtualClock(), Busy(), Busy()
    manager = Manager(clock=clock)
    manager.add(first)
    manager.add(second)
    second.free.set()
    async with manager:
        waiting = asyncio.create_task(manager.settled())
        await clock.settle()
        second.free.clear()
        first.free.set()
        between = await is_done(waiting, clock)
        second.free.set()

        assert (between, await is_done(waiting, clock)) == (False, True)


async def test_a_timeout_says_who_is_busy() -> None:
    """In CI there is only the message."""
    clock = VirtualClock()

    async def reconcile(request: Request, run: Run) -> None:
        await asyncio.Event().wait()

    paused = make(Recorder(), clock=clock)
    controller = make(reconcile, clock=clock, stop_grace=0)
    manager = Manager(clock=clock)
    for one in (Busy(), controller, paused):
        manager.add(one)
    async with manager:
        paused.pause()
        paused.enqueue("default/c")
        controller.enqueue("default/a")
        controller.enqueue("default/b")
        with pytest.raises(TimeoutError) as caught:
            await clock.run(manager.settled(timeout=10))
        await clock.run(manager.remove(controller))

    assert str(caught.value) == (
        "the manager has not settled within 10 seconds: it has its hands full;"
        " controller/test: 1 reconciles are due, 1 under way (default/a);"
        " controller/test: 0 reconciles are due, 1 under way, and it is paused"
    )


async def test_a_manager_that_never_started_or_has_stopped_says_so() -> None:
    """Rather than wait for ever."""
    clock = VirtualClock()
    manager = Manager(clock=clock)
    with pytest.raises(TimeoutError, match="has not started within 1 seconds"):
        await clock.run(manager.settled(timeout=1))
    busy = Busy()
    manager.add(busy)
    async with manager:
        waiting = asyncio.create_task(manager.settled())
        await clock.settle()
        manager.stop()
        with pytest.raises(LifecycleError, match="has stopped"):
            await waiting


async def test_one_that_is_removed_is_waited_for_no_more() -> None:
    """What was busy with it is nobody's work any more."""
    clock, busy = VirtualClock(), Busy()
    manager = Manager(clock=clock)
    manager.add(busy)
    async with manager:
        waiting = asyncio.create_task(manager.settled())
        early = await is_done(waiting, clock)
        await manager.remove(busy)

        assert (early, await is_done(waiting, clock)) == (False, True)


async def test_a_custom_source_without_a_word_about_it_is_taken_as_idle() -> None:
    """A source needs ``name`` and ``run``, and no more."""
    clock = VirtualClock()
    manager = Manager(clock=clock)
    manager.add(Controller("test", Recorder(), sources=[Silent()], clock=clock))
    async with manager:
        await manager.settled()


async def test_a_client_of_the_cluster_is_enough() -> None:
    """The client that a cluster was made with writes into its cache, too."""
    clock, seen = VirtualClock(), Recorder()
    async with EmbeddedServer(clock=clock) as server, server.client() as client:
        assert isinstance(client, Client)
        cluster = Cluster(client, namespaces=["default"])
        manager = Manager(cluster)
        manager.add(Controller("test", seen, cluster=cluster, for_=ConfigMap))
        async with manager:
            await manager.settled()
            seen.runs.clear()
            await client.create(config())
            await manager.settled()
            made = list(seen.names)
            await client.delete(ConfigMap, "a", namespace="default")
            await manager.settled()

    assert made == ["a"]
    assert seen.names == ["a", "a"]
