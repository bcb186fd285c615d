"""Functions that are called for objects that are gone."""

import pytest

import kubewright as kw
from kubewright.errors import SchemeError
from kubewright.kinds.apiextensions.v1 import CustomResourceDefinition
from kubewright.operator.departed import RECENT, Departed
from kubewright.testing import EmbeddedServer, VirtualClock, operator_test
from tests.unit.operator.world import Shop, ShopSpec, shop


def make_operator(
    told: list[str], *, fails: int = 0, primary: kw.For[Shop] | None = None
) -> kw.Operator:
    """Return an operator that notes which shops it has seen, and which are gone."""
    operator = kw.Operator("shops")
    left = fails

    @operator.reconciler(primary or Shop)
    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        told.append(f"{obj.metadata.name} {obj.spec.size}")

    @operator.gone(Shop)
    async def gone(obj: Shop, ctx: kw.Context) -> None:
        nonlocal left
        left -= 1
        if left >= 0:
            raise RuntimeError("not now")
        told.append(f"{obj.metadata.name} {obj.spec.size} is gone")

    return operator


async def test_it_gets_the_object_as_it_was_and_needs_no_finalizer() -> None:
    """A route, a record elsewhere: what belongs to an object of others, which we must not hold."""
    told: list[str] = []
    async with operator_test(make_operator(told)) as test:
        await test.client.create(shop("corner", size=3))
        await test.settled()
        assert (await test.client.get(Shop, "corner")).metadata.finalizers == []
        await test.client.delete(Shop, "corner")
        await test.settled()

    assert told == ["corner 3", "corner 3 is gone"]


async def test_it_is_tried_again_until_it_succeeds() -> None:
    """Nobody else will remember."""
    told: list[str] = []
    async with operator_test(make_operator(told, fails=3)) as test:
        await test.client.create(shop("corner"))
        await test.settled()
        await test.client.delete(Shop, "corner")
        await test.advance(60)

    assert told == ["corner 1", "corner 1 is gone"]


async def test_one_that_is_replaced_at_once_is_gone_before_the_new_one_is_reconciled() -> None:
    """What was made for the old one must not be taken for the new one's."""
    told: list[str] = []
    async with operator_test(make_operator(told)) as test:
        await test.client.create(shop("corner", size=1))
        await test.settled()
        await test.client.delete(Shop, "corner")
        await test.client.create(shop("corner", size=2))
        await test.settled()

    assert told == ["corner 1", "corner 1 is gone", "corner 2"]


async def test_one_that_is_no_longer_selected_is_not_gone() -> None:
    """A watch says DELETED of it, too; the server knows better."""
    told: list[str] = []
    operator = make_operator(told, primary=kw.For(Shop, labels={"tier": "front"}))
    async with operator_test(operator) as test:
        labelled = Shop(
            metadata=kw.ObjectMeta(name="corner", labels={"tier": "front"}), spec=ShopSpec()
        )
        await test.client.create(labelled)
        await test.settled()
        await test.client.patch(Shop, "corner", {"metadata": {"labels": {"tier": None}}})
        await test.settled()

    assert told == ["corner 1"]


async def test_objects_go_with_their_kind() -> None:
    """Whoever uninstalls the CRD deletes all of them; nobody can ask the server any more."""
    told: list[str] = []
    async with operator_test(make_operator(told)) as test:
        await test.client.create(shop("corner"))
        await test.settled()
        await test.client.delete(CustomResourceDefinition, "shops.example.com")
        await test.settled()

    assert told == ["corner 1", "corner 1 is gone"]


async def test_a_new_leader_knows_what_went_in_the_last_minute() -> None:
    """The old one may have died before it acted; what is older was its business."""
    clock = VirtualClock()
    async with EmbeddedServer(clock=clock) as server, server.client() as client:
        await clock.run(make_operator([]).install_crds(client))
        cluster = kw.Cluster(client)
        informer = cluster.cache.informer(Shop)
        departed = Departed(informer, cluster="", clock=clock)
        for name in ("old", "new"):
            await clock.run(client.create(shop(name)))
        async with kw.Manager(cluster):
            await clock.settle()
            await clock.run(client.delete(Shop, "old"))
            await clock.advance(RECENT - 1)
            await clock.run(client.delete(Shop, "new"))
            await clock.settle()
            assert len(departed) == 2
            await clock.advance(2)
            await clock.run(client.create(shop("another")))
            await clock.run(client.delete(Shop, "another"))
            await clock.settle()

            assert len(departed) == 2  # all but the old one
            assert departed.find(kw.Request("default", "old")) == []


async def test_objects_without_a_class_are_gone_like_others() -> None:
    """The kind has no class, and is not needed for it."""
    told: list[str] = []
    kind = kw.Kind("v1", "ConfigMap")
    operator = kw.Operator("configs")

    @operator.reconciler(kind)
    async def reconcile(obj: kw.Unstructured, ctx: kw.Context) -> None: ...

    @operator.gone(kind)
    def gone(obj: kw.Unstructured, ctx: kw.SyncContext) -> None:
        told.append(obj["data"]["a"])

    async with operator_test(operator) as test:
        await test.client.create(kind(metadata={"name": "x"}, data={"a": "b"}))
        await test.settled()
        await test.client.delete(kind, "x")
        await test.settled()

    assert told == ["b"]


def test_it_belongs_to_a_reconciler_and_is_declared_once() -> None:
    """Both are slips of the pen that would be silent otherwise."""
    alone, twice = kw.Operator("alone"), make_operator([])

    @alone.gone(Shop)
    async def gone(obj: Shop, ctx: kw.Context) -> None: ...

    with pytest.raises(SchemeError, match=r"has a gone of Shop and no reconciler of it"):
        _ = alone.declarations
    with pytest.raises(SchemeError, match=r"Shop has a gone named 'shop' already"):
        twice.gone(Shop)(gone)
