"""Reconcilers that are added and removed while a manager runs."""

import asyncio
import gc
from typing import Any

import pytest

import kubewright as kw
from kubewright import metrics
from kubewright.kinds.core.v1 import ConfigMap, Secret
from kubewright.testing import EmbeddedServer, VirtualClock
from tests.unit.operator.world import Shop, config, shop

MANY = 1000


def make_operator(number: int, seen: list[str]) -> kw.Operator:
    """Return an operator that makes a ConfigMap for each shop."""
    operator = kw.Operator(f"operator-{number}")

    @operator.reconciler(Shop, name=f"shop-{number}", owns=[ConfigMap])
    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        seen.append(f"{number}/{obj.metadata.name}")

    return operator


def on_the_page(name: str) -> bool:
    """Say whether the page of metrics has *name*."""
    return name.encode() in metrics.exposition()


async def test_a_reconciler_comes_and_goes_while_the_others_work() -> None:
    """A front end that reads its declarations from the cluster does so all the time."""
    clock, seen = VirtualClock(), list[str]()
    async with EmbeddedServer(clock=clock) as server, server.client() as client:
        await clock.run(make_operator(0, seen).install_crds(client))
        await clock.run(client.create(shop("corner")))
        cluster = kw.Cluster(client)
        manager = kw.Manager(cluster)
        make_operator(0, seen).add_to(manager)
        async with manager:
            await manager.settled()
            lists = sum(one.lists for informer in cluster.cache for one in informer.reflectors)
            added = make_operator(1, seen).add_to(manager)
            await manager.settled()

            assert seen == ["0/corner", "1/corner"]
            again = sum(one.lists for informer in cluster.cache for one in informer.reflectors)
            assert again == lists  # both kinds are watched already
            assert on_the_page('controller="shop-1"')

            for controller in added:
                await manager.remove(controller)
            await clock.run(client.create(shop("other")))
            await manager.settled()

            assert seen == ["0/corner", "1/corner", "0/other"]
            assert not on_the_page('controller="shop-1"')
            assert len(cluster.cache) == 2


async def test_an_informer_ends_with_the_last_who_needs_it() -> None:
    """Whoever is left, or has declared it by hand, keeps it."""
    clock, seen = VirtualClock(), list[str]()
    async with EmbeddedServer(clock=clock) as server, server.client() as client:
        await clock.run(make_operator(0, seen).install_crds(client))
        cluster = kw.Cluster(client)
        cluster.cache.informer(ConfigMap, sharded=False)
        manager = kw.Manager(cluster)
        async with manager:
            first = make_operator(1, seen).add_to(manager)
            second = make_operator(2, seen).add_to(manager)
            await manager.settled()
            assert len(cluster.cache) == 2

            await manager.remove(first[0])
            assert len(cluster.cache) == 2
            await manager.remove(second[0])
            await manager.settled()

            assert [one.selection.mapping.kind for one in cluster.cache] == ["ConfigMap"]
            await clock.run(client.create(config("kept")))
            await manager.settled()
            assert cluster.cache.find(ConfigMap, "kept", namespace="default") is not None


async def test_a_kind_that_is_watched_at_run_time_is_left_without_a_trace() -> None:
    """The same holds for what one controller listens to."""
    clock, seen = VirtualClock(), list[str]()
    async with EmbeddedServer(clock=clock) as server, server.client() as client:
        await clock.run(make_operator(0, seen).install_crds(client))
        cluster = kw.Cluster(client)
        manager = kw.Manager(cluster)
        (controller,) = make_operator(0, seen).add_to(manager)
        async with manager:
            await clock.settle()
            before = _traces(cluster)
            watched = kw.Watches(Secret, map=lambda secret: [secret.metadata.name])
            for _ in range(10):
                controller.watch(watched)
                await clock.settle()
                controller.unwatch(watched)
                await clock.settle()

            assert _traces(cluster) == before


async def test_a_thousand_reconcilers_leave_nothing_behind() -> None:
    """No task, no stream, no series on the page, no memory that grows."""
    clock, seen = VirtualClock(), list[str]()
    async with EmbeddedServer(clock=clock) as server, server.client() as client:
        await clock.run(make_operator(0, seen).install_crds(client))
        cluster = kw.Cluster(client)
        manager = kw.Manager(cluster)
        make_operator(0, seen).add_to(manager)
        async with manager:
            await clock.settle()
            sizes: list[int] = []
            before = _traces(cluster)
            for number in range(1, MANY + 1):
                (added,) = make_operator(number, seen).add_to(manager)
                if number % 100 == 0:
                    await clock.settle()
                for _ in range(number % 10):  # at each of the first turns, and before the first
                    await asyncio.sleep(0)
                await manager.remove(added)
                if number in {MANY // 2, MANY}:
                    await clock.settle()
                    sizes.append(_objects())
            assert _traces(cluster) == before
            assert sizes[1] < sizes[0] + 1000


class Beside:
    """Something that runs beside the reconcilers of an operator."""

    def __init__(self, seen: list[str]) -> None:
        self.seen = seen

    async def run(self) -> None:
        self.seen.append("runs")
        try:
            await asyncio.Event().wait()
        finally:
            self.seen.append("ended")


def make_everything(number: int, seen: list[str]) -> kw.Operator:
    """Return an operator with one of each that an operator can have."""
    operator = kw.Operator(f"everything-{number}")
    operator.add(Beside(seen))

    @operator.reconciler(Shop, name=f"shop-{number}", owns=[ConfigMap])
    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        ctx.event("Seen", "a reconciler has seen it")
        seen.append("reconciled")

    @operator.gone(Shop, name=f"shop-{number}")
    async def part(obj: Shop, ctx: kw.Context) -> None:
        seen.append("gone")

    @operator.timer(Shop, interval=60.0, name=f"timer-{number}")
    async def tick(obj: Shop, ctx: kw.Context) -> None:
        seen.append("ticked")

    @operator.daemon(Secret, name=f"daemon-{number}")
    async def live(obj: Secret, ctx: kw.Context) -> None:
        seen.append("lives")
        try:
            await asyncio.Event().wait()
        finally:
            seen.append("died")

    return operator


async def test_an_operator_is_removed_as_a_whole() -> None:
    """Its timers, daemons and runnables would go on without its reconcilers otherwise."""
    clock, seen = VirtualClock(), list[str]()
    async with EmbeddedServer(clock=clock) as server, server.client() as client:
        await clock.run(make_operator(0, []).install_crds(client))
        await clock.run(client.create(shop("corner")))
        await clock.run(client.create(Secret(metadata=config("key").metadata)))
        cluster = kw.Cluster(client)
        manager = kw.Manager(cluster)
        make_operator(0, []).add_to(manager)
        async with manager:
            await clock.settle()
            before = _traces(cluster)
            for number in range(1, 51):
                operator = make_everything(number, seen)
                operator.add_to(manager)
                await clock.settle()
                await clock.run(manager.remove(operator))
                await clock.settle()
                with pytest.raises(LookupError, match=f"cannot remove Operator {operator.name}"):
                    await manager.remove(operator)

                assert sorted(seen) == ["died", "ended", "lives", "reconciled", "runs", "ticked"]
                seen.clear()

            assert _traces(cluster) == before
            await clock.run(client.delete(Shop, "corner"))
            await clock.settle()
            assert seen == []
            assert not on_the_page("everything-")


async def test_an_operator_that_cannot_be_added_leaves_nothing_behind() -> None:
    """The manager goes on without it, and whoever added it may try another one."""
    clock = VirtualClock()

    def fail(cluster: kw.Cluster) -> Beside:
        raise RuntimeError("no room")

    def namesake(config: ConfigMap) -> list[str]:
        return []

    async with EmbeddedServer(clock=clock) as server, server.client() as client:
        await clock.run(make_operator(0, []).install_crds(client))
        cluster = kw.Cluster(client)
        manager = kw.Manager(cluster)
        first = make_operator(0, [])
        first.index(ConfigMap, "name", lambda config: [config.metadata.name])
        first.add_to(manager)
        async with manager:
            await clock.settle()
            before = _traces(cluster)
            for number in range(1, 6):
                operator = make_everything(number, [])
                operator.index(Secret, "labelled", lambda secret: secret.metadata.labels or ())
                if number % 2:
                    operator.index(ConfigMap, "name", namesake)
                else:
                    operator.add(fail)
                with pytest.raises((ValueError, RuntimeError), match=r"an index|no room"):
                    operator.add_to(manager)
                await clock.settle()
                with pytest.raises(LookupError):
                    await manager.remove(operator)

            assert _traces(cluster) == before
            assert not on_the_page("everything-")
            assert cluster._recorder_holders == {"operator-0": 1}


async def test_what_was_removed_one_by_one_is_not_removed_again() -> None:
    """Whoever took a controller out can still take out the rest."""
    clock, seen = VirtualClock(), list[str]()
    async with EmbeddedServer(clock=clock) as server, server.client() as client:
        await clock.run(make_operator(0, []).install_crds(client))
        manager = kw.Manager(kw.Cluster(client))
        async with manager:
            operator = make_everything(1, seen)
            controllers = operator.add_to(manager)
            await clock.settle()

            await clock.run(manager.remove(controllers[0]))
            await clock.run(manager.remove(operator))

            assert seen == ["runs", "ended"]


async def test_the_others_no_longer_wait_for_a_reconciler_that_was_removed() -> None:
    """The last one to act on a generation says so in the status; one that is gone never acts."""
    clock = VirtualClock()
    operator = kw.Operator("shops")

    @operator.reconciler(Shop, name="slow")
    async def postpone(obj: Shop, ctx: kw.Context) -> None:
        raise kw.RetryAfter(3600)

    @operator.reconciler(Shop, name="quick")
    async def succeed(obj: Shop, ctx: kw.Context) -> None:
        pass

    async with EmbeddedServer(clock=clock) as server, server.client() as client:
        await clock.run(operator.install_crds(client))
        manager = kw.Manager(kw.Cluster(client))
        slow, quick = operator.add_to(manager)
        async with manager:
            await clock.run(client.create(shop("corner")))
            await clock.settle()
            waiting = await client.get(Shop, "corner")
            await clock.run(manager.remove(slow))
            quick.enqueue("default/corner")
            await clock.settle()
            done = await client.get(Shop, "corner")

    assert not waiting.status.observed_generation
    assert done.status.observed_generation == done.metadata.generation


def _traces(cluster: kw.Cluster) -> tuple[Any, ...]:
    """Return what there is of all that could be left behind."""
    gc.collect()  # what other tests have left on the page is not ours
    return len(asyncio.all_tasks()), len(cluster.cache), metrics.exposition().count(b"\n")


def _objects() -> int:
    gc.collect()
    return len(gc.get_objects())
