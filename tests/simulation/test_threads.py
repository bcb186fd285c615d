"""Plain functions work in threads, outside of virtual time; with faults, they come right, too."""

import asyncio
import threading
from collections.abc import Callable, Iterator

import pytest

import kubewright as kw
from kubewright.embedded import InProcessTransport
from kubewright.kinds.core.v1 import ConfigMap
from kubewright.testing import FaultyTransport, RandomFaults
from tests.simulation.seeds import SEEDS
from tests.simulation.shops import Shop, sign_of
from tests.simulation.world import World, world

NAMES = [f"shop-{number}" for number in range(6)]
A_MOMENT = 0.001


def make_operator(closed: list[str]) -> kw.Operator:
    """Return an operator of plain functions; *closed* gets the uid of each shop that is closed."""
    operator = kw.Operator("threads")

    @operator.reconciler(Shop, owns=[ConfigMap], workers=3)
    def reconcile(shop: Shop, ctx: kw.SyncContext) -> None:
        for number in range(shop.spec.signs):
            ctx.apply(sign_of(shop, number, "1"))
        ctx.prune()
        shop.status.signs = shop.spec.signs

    @operator.cleanup(Shop)
    def close(shop: Shop, ctx: kw.SyncContext) -> None:
        closed.append(shop.metadata.uid)

    return operator


def threads() -> list[threading.Thread]:
    """Return the threads that functions run in."""
    return [one for one in threading.enumerate() if one.name == "reconcile"]


async def until(w: World, condition: Callable[[], bool]) -> None:
    """Let time pass whenever no function makes progress, until *condition* holds."""
    began = w.clock.monotonic()
    while not condition():
        assert w.clock.monotonic() - began < 3600, f"{[*wanting(w)]} {threads()}"
        for thread in threads():
            await asyncio.to_thread(thread.join, A_MOMENT)
        await w.clock.advance_to_next()


def wanting(w: World) -> Iterator[str]:
    """Yield the shops that are not as they should be."""
    signs = {one["metadata"]["name"]: one for one in w.site.objects("configmaps")}
    shops = {one["metadata"]["name"]: one for one in w.site.objects("shops", "example.com")}
    yield from shops.keys() ^ w.wanted.keys()
    for name, (size, count) in w.wanted.items():
        found = {n: one["data"]["size"] for n, one in signs.items() if n.startswith(f"{name}-")}
        status = shops.get(name, {}).get("status") or {}
        expected = {f"{name}-{number}": str(size) for number in range(count)}
        if (found, status.get("signs")) != (expected, count):
            yield name


@pytest.mark.timeout(60)
@pytest.mark.parametrize("seed", SEEDS)
async def test_functions_in_threads_come_right_after_faults(seed: int) -> None:
    """Nothing is lost between a thread and the loop, and no thread is left."""
    async with world(seed=seed) as w:
        before, closed = w.remains(), list[str]()
        faults = RandomFaults(seed, rate=0.3)
        wire = InProcessTransport(w.site, user_agent="threads", clock=w.clock)
        settings = kw.Config(server="http://in-process", namespace="default")
        transport = FaultyTransport(wire, faults, clock=w.clock)
        async with kw.Client(settings, transport=transport, clock=w.clock) as client:
            cluster = kw.Cluster(client)
            manager = kw.Manager(cluster, clock=w.clock)
            make_operator(closed).add_to(manager, cluster)
            running = asyncio.create_task(manager.run())

            for number, name in enumerate(NAMES):
                await w.build(name, size=number, signs=2)
            await until(w, lambda: not [*wanting(w)])
            for round_ in range(1, 6):
                for number, name in enumerate(NAMES):
                    await w.change(name, size=round_, signs=(number + round_) % 4)
                await until(w, lambda: not [*wanting(w)])
            for name in NAMES[:2]:
                await w.close(name)
            await until(w, lambda: not [*wanting(w)])
            faults.heal()
            manager.stop()
            await until(w, running.done)
            await running

        assert len(set(closed)) == 2
        assert faults.count > 10
        assert threads() == []
        assert w.remains() == before
