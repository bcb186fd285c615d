"""Controllers as an operator makes them: one for each reconciler and cluster."""

from datetime import datetime
from itertools import pairwise

import kubewright as kw
from kubewright._aio import Clock
from kubewright.workqueue import FastSlow
from tests.unit.operator.world import Shop, running, shop, world


async def do_nothing(obj: Shop, ctx: kw.Context) -> None: ...


async def test_workers_are_those_of_the_reconciler_or_else_the_common_number() -> None:
    """``--workers`` is for those who do not know better."""
    operator = kw.Operator("shops")
    operator.reconciler(Shop)(do_nothing)
    operator.reconciler(Shop, name="many", workers=5)(do_nothing)

    async with running(operator, workers=2) as w:
        assert [one._count for one in w.controllers] == [2, 5]


async def test_one_operator_looks_after_several_clusters() -> None:
    """Each has controllers of its own; what runs beside them runs once."""
    seen: list[str] = []
    operator, runs = kw.Operator("shops"), []

    class Beside:
        async def run(self) -> None:
            runs.append(1)

    @operator.reconciler(Shop)
    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        seen.append(f"{obj.metadata.name} in {ctx.request.cluster}")

    operator.add(Beside())
    async with world() as here, world(clock=here.clock) as there:
        clusters = [
            kw.Cluster(w.cluster.live, name=name, clock=here.clock)
            for name, w in (("east", here), ("west", there))
        ]
        await here.other.create(shop("a"))
        await there.other.create(shop("b"))
        manager = kw.Manager(*clusters, clock=here.clock)
        controllers = operator.add_to(manager, *clusters)
        async with manager:
            for w in (here, there, here):
                await w.pass_time()

            assert sorted(seen) == ["a in east", "b in west"]
            assert [one.name for one in controllers] == ["shop-east", "shop-west"]
            assert runs == [1]


async def test_a_reconciler_brings_its_rate_limit_and_hears_of_its_failures() -> None:
    """What a controller can be told, its decorator can be told, too."""
    operator, told, tries = kw.Operator("shops"), list[str](), list[datetime]()

    @operator.reconciler(
        Shop,
        rate_limiter=lambda clock: FastSlow(10.0, 100.0, tries=2),
        on_failure=lambda run, error: told.append(f"{run.request.name}: {error}"),
    )
    async def reconcile(shop: Shop, ctx: kw.Context) -> None:
        tries.append(ctx.now())
        raise OSError("no")

    async with running(operator) as w:
        await w.other.create(shop())
        await w.pass_time(150)

    assert [(after - before).seconds for before, after in pairwise(tries)] == [10, 10, 100]
    assert told == ["corner: no"] * 4


async def test_a_queue_is_made_for_each_controller_on_its_clock() -> None:
    """One that was made beforehand would be shared, and shut down by the first that stops."""
    made: list[tuple[str, kw.WorkQueue[kw.Request]]] = []

    def make(name: str, clock: Clock) -> kw.WorkQueue[kw.Request]:
        made.append((name, kw.WorkQueue(name, clock=clock)))
        return made[-1][1]

    operator = kw.Operator("shops")

    @operator.reconciler(Shop, queue=make)
    async def reconcile(shop: Shop, ctx: kw.Context) -> None: ...

    async with running(operator) as w:
        assert [name for name, _ in made] == ["shop"]
        assert w.controllers[0].queue is made[0][1]
