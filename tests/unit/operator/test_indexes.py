"""Indexes that come and go with the operators that declare them."""

import pytest

import kubewright as kw
from kubewright._aio import VirtualClock
from kubewright.kinds.core.v1 import ConfigMap, Secret
from tests.unit.operator.world import Shop, World, config, shop, world


def color_of(one: ConfigMap) -> list[str]:
    return [one.data["color"]]


def make_operator(name: str, *, kind: type[kw.Resource] | None = Shop) -> kw.Operator:
    operator = kw.Operator(name)
    operator.index(ConfigMap, "color", color_of)
    if kind is not None:

        @operator.reconciler(kind, name=name, owns=[ConfigMap])
        async def reconcile(obj: kw.Resource, ctx: kw.Context) -> None: ...

    return operator


def is_indexed(w: World) -> bool:
    """Say whether red config maps can be found, and are."""
    try:
        return len(w.cluster.cache.list(ConfigMap, index="color", value="red")) == 1
    except (ValueError, kw.LifecycleError):
        return False


async def test_an_index_goes_with_the_last_operator_that_declares_it() -> None:
    """It would be kept up to date for nobody, on an informer that others still use."""
    clock = VirtualClock()
    async with world(clock=clock) as w:
        await w.other.create(config(color="red"))
        manager = kw.Manager(w.cluster, clock=clock)
        w.cluster.cache.informer(ConfigMap, sharded=False)
        async with manager:
            first, second = make_operator("first"), make_operator("second", kind=Secret)
            seen = []
            for step in (first, second):
                step.add_to(manager)
                await clock.settle()
                seen.append(is_indexed(w))
            for step in (first, second):
                await clock.run(manager.remove(step))
                seen.append(is_indexed(w))

            assert seen == [True, True, True, False]
            assert len(w.cluster.cache.list(ConfigMap)) == 1


async def test_an_operator_without_reconcilers_lets_go_of_its_index_and_informer() -> None:
    """Nobody else watches the kind."""
    clock = VirtualClock()
    async with world(clock=clock) as w:
        await w.other.create(config(color="red"))
        manager = kw.Manager(w.cluster, clock=clock)
        async with manager:
            operator = make_operator("indexer", kind=None)
            operator.add_to(manager)
            await clock.settle()
            assert is_indexed(w)

            await clock.run(manager.remove(operator))

            assert len(w.cluster.cache) == 0


async def test_an_index_that_was_declared_by_hand_stays() -> None:
    """Whoever did so still reads by it."""
    clock = VirtualClock()
    async with world(clock=clock) as w:
        await w.other.create(config(color="red"))
        manager = kw.Manager(w.cluster, clock=clock)
        w.cluster.cache.informer(ConfigMap, sharded=False, indexes={"color": color_of})
        async with manager:
            operator = make_operator("shops")
            operator.add_to(manager)
            await w.other.create(shop())
            await clock.settle()

            await clock.run(manager.remove(operator))

            assert is_indexed(w)


async def test_two_operators_cannot_mean_different_things_by_one_name() -> None:
    """One of them would find what it did not look for."""
    async with world() as w:
        manager = kw.Manager(w.cluster)
        make_operator("first").add_to(manager)
        other = kw.Operator("second")
        other.index(ConfigMap, "color", lambda one: list(one.data))

        with pytest.raises(ValueError, match="'color'"):
            other.add_to(manager)
