"""An operator in a test, in one line."""

import asyncio
import time
from datetime import UTC, datetime

import pytest

import kubewright as kw
from kubewright.kinds.core.v1 import ConfigMap, Pod
from kubewright.testing import EmbeddedServer, VirtualClock, operator_test
from tests.unit.operator.world import Shop, ShopSpec, shop


def make_operator() -> kw.Operator:
    """Return an operator that makes a ConfigMap for each shop, after a minute of its own sleep."""
    operator = kw.Operator("shops")

    @operator.reconciler(Shop, owns=[ConfigMap], deadline=None)
    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        await asyncio.sleep(60)
        await ctx.apply(ConfigMap(metadata=kw.ObjectMeta(name=obj.metadata.name)))

    return operator


async def test_an_operator_works_in_the_block() -> None:
    """CRDs, manager and server are there; the test is about the operator alone."""
    async with operator_test(make_operator()) as test:
        await test.client.create(shop("corner"))
        await test.advance(60)

        assert await test.client.find(ConfigMap, "corner") is not None


async def test_sleep_of_the_operators_own_code_takes_no_real_time() -> None:
    """It does not know our clock, and a test of an hour still takes a moment."""
    async with operator_test(make_operator()) as test:
        await test.client.create(shop("corner"))
        await test.advance(59)
        before = await test.client.find(ConfigMap, "corner")
        await test.advance(1)

        assert before is None
        assert await test.client.find(ConfigMap, "corner") is not None


async def test_objects_may_be_there_before_the_operator() -> None:
    """As after a restart of it."""
    async with operator_test(make_operator(), objects=[shop("old")]) as test:
        await test.advance(60)

        assert await test.client.find(ConfigMap, "old") is not None


async def test_a_whole_cluster_may_be_around_it() -> None:
    """Its children run then."""
    operator = kw.Operator("nothing")
    async with operator_test(operator, cluster=True) as test:
        template = {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "web", "image": "nginx"}]},
        }
        spec = {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template}
        obj = kw.Unstructured(
            {
                "apiVersion": "apps/v1",
                "kind": "Deployment",
                "metadata": {"name": "web"},
                "spec": spec,
            }
        )
        await test.client.create(obj)
        await test.advance(30)

        assert [one.status.phase for one in await test.client.list(Pod)] == ["Running", "Running"]


async def test_plain_functions_are_waited_for() -> None:
    """A `def` reconciler runs in a thread, and virtual time does not run away from it."""
    operator = kw.Operator("plain")

    @operator.reconciler(Shop, owns=[ConfigMap])
    def reconcile(obj: Shop, ctx: kw.SyncContext) -> None:
        time.sleep(0.01)
        ctx.apply(ConfigMap(metadata=kw.ObjectMeta(name=obj.metadata.name)))
        time.sleep(0.01)
        obj.status.phase = "open"

    async with operator_test(operator) as test:
        await test.client.create(shop("corner"))
        await test.settle()

        assert (await test.client.get(Shop, "corner")).status.phase == "open"


@pytest.mark.parametrize("clock", [None, VirtualClock()])
async def test_a_server_in_another_time_is_refused(clock: VirtualClock | None) -> None:
    """Half of the test would wait for the other half for ever."""
    server = EmbeddedServer(clock=clock)

    with pytest.raises(ValueError, match=r"clock=VirtualClock\(\)"):
        async with operator_test(make_operator(), server=server, clock=VirtualClock()):
            pass


async def test_what_an_operator_did_is_recorded_from_event_to_retry() -> None:
    """A test can ask why something ran, what it changed, and when it comes again."""
    operator = kw.Operator("shops")
    left = [ValueError("no water")]

    @operator.reconciler(Shop, owns=[ConfigMap])
    async def reconcile(obj: Shop, ctx: kw.Context) -> kw.Result:
        ctx.log.info("open the shop", size=obj.spec.size)
        name, size = obj.metadata.name, str(obj.spec.size)
        await ctx.apply(ConfigMap(metadata=kw.ObjectMeta(name=name), data={"size": size}))
        if left:
            raise left.pop()
        obj.status.phase = "Open"
        return kw.Result(requeue_after=600)

    async with operator_test(operator) as test:
        made = await test.client.create(shop("corner", size=1))
        await test.settled()
        await test.advance(1)
        await test.client.patch(Shop, "corner", {"spec": {"size": 2}})
        await test.settled()
        failed, retried, changed, echo = test.runs.for_(made)

    key = kw.ObjectKey("default", "corner")
    assert failed.reasons == (kw.Reason("Shop", "ADDED", key),)
    assert (failed.outcome, failed.delay, failed.attempt) == ("error", 0.005, 1)
    assert kw.Reason("retry") in failed.next_reasons
    assert failed.failure is not None
    assert (failed.failure.type, failed.failure.text) == ("ValueError", "ValueError: no water")
    assert "in reconcile" in failed.failure.place
    assert [str(line) for line in failed.logs] == ["open the shop size=1"]
    (created,) = failed.writes
    assert str(created) == "apply configmaps default/corner 201"
    assert "data.size None -> '1'" in map(str, created.changes)

    assert {kw.Reason("retry"), kw.Reason("ConfigMap", "ADDED", key)} == set(retried.reasons)
    assert (retried.outcome, retried.delay, retried.attempt) == ("requeue_after", 600.0, 2)
    (status,) = retried.writes
    assert status.subresource == "status"
    assert "status.phase None -> 'Open'" in map(str, status.changes)

    assert kw.Reason("Shop", "MODIFIED", key) in changed.reasons
    assert [str(call) for call in changed.writes] == [
        "apply configmaps default/corner 200",
        "patch shops.example.com/status default/corner 200",
    ]
    assert list(map(str, changed.writes[0].changes)) == ["data.size '1' -> '2'"]
    assert kw.Reason("ConfigMap", "MODIFIED", key) in echo.reasons
    assert echo.writes == ()


class NewShopSpec(kw.Model):
    area: int = 1


@kw.resource(group="example.com", version="v2", kind="Shop", storage=False)
class NewShop(kw.Resource):
    """A shop in other words."""

    spec: NewShopSpec = kw.field(default_factory=NewShopSpec)


def make_webhooks() -> kw.Operator:
    """Return an operator with every webhook that there is for a kind, and nothing else."""
    operator = kw.Operator("webhooks")

    @operator.defaulter(Shop)
    async def grow(obj: Shop, ctx: kw.AdmissionContext[Shop]) -> None:
        await asyncio.sleep(5)  # of virtual time: the server waits for ten seconds
        obj.spec.size += 1
        obj.metadata.annotations["seen"] = f"{ctx.now():%H:%M:%S}"

    @operator.validator(Shop, on=["create", "update", "delete"])
    async def check(obj: Shop, ctx: kw.AdmissionContext[Shop]) -> None:
        if ctx.operation != "delete" and await ctx.client.find(ConfigMap, obj.metadata.name):
            ctx.refuse("metadata.name", "it is taken")
        if ctx.operation == "delete":
            raise kw.AdmissionDeniedError("it is open")

    conversion = operator.conversion(Shop)

    @conversion.to_hub(NewShop)
    def to_v1(new: NewShop) -> Shop:
        return Shop(spec=ShopSpec(size=new.spec.area))

    @conversion.from_hub(NewShop)
    def from_v1(hub: Shop) -> NewShop:
        return NewShop(spec=NewShopSpec(area=hub.spec.size))

    return operator


async def test_webhooks_are_called_in_process_and_in_virtual_time() -> None:
    """A defaulter that waits takes no real time, needs no port, and sees the time of the test."""
    clock = VirtualClock(datetime(2026, 1, 1, 12, tzinfo=UTC))
    async with operator_test(make_webhooks(), clock=clock) as test:
        stored = await clock.run(test.client.create(shop("corner", size=2)))

        assert stored.spec.size == 3
        assert stored.metadata.annotations == {"seen": "12:00:05"}
        assert (await test.client.get(NewShop, "corner")).spec.area == 3


async def test_a_webhook_that_takes_too_long_is_given_up_in_virtual_time() -> None:
    """A test of the time-out takes a moment, and not an hour."""
    operator = kw.Operator("slow")

    @operator.validator(Shop, timeout_seconds=10)
    async def check(obj: Shop) -> None:
        await asyncio.sleep(3600)

    async with operator_test(operator) as test:
        before = test.clock.monotonic()

        with pytest.raises(kw.ServerError, match=r"validate\.v1\.shops\.example\.com"):
            await test.clock.run(test.client.create(shop("corner")))

        assert 0 < test.clock.monotonic() - before <= 10


async def test_refusals_of_webhooks_reach_the_client_of_the_test() -> None:
    """With the field, as those of a schema; a validator reads the cluster of the test."""
    config = ConfigMap(metadata=kw.ObjectMeta(name="corner"))
    async with operator_test(make_webhooks(), objects=[config]) as test:
        with pytest.raises(kw.InvalidError) as refused:
            await test.clock.run(test.client.create(shop("corner")))
        await test.clock.run(test.client.create(shop("other")))
        with pytest.raises(kw.ForbiddenError, match="it is open"):
            await test.clock.run(test.client.delete(Shop, "other"))

        assert [one.field for one in refused.value.causes] == ["metadata.name"]
        assert [one.metadata.name for one in await test.client.list(Shop)] == ["other"]


async def test_objects_from_before_the_operator_were_not_seen_by_its_admission_webhooks() -> None:
    """They are as old clusters have them; conversions are there, or nobody could read them."""
    old = shop("old", size=7)
    new = NewShop(metadata=kw.ObjectMeta(name="new"), spec=NewShopSpec(area=8))
    async with operator_test(make_webhooks(), objects=[old, new]) as test:
        found = await test.client.list(Shop)

        assert {one.metadata.name: one.spec.size for one in found} == {"old": 7, "new": 8}
        assert all(not one.metadata.annotations for one in found)


async def test_settled_lets_the_time_pass_that_reconciles_need() -> None:
    """And none for what is due later."""
    async with operator_test(make_operator()) as test:
        await test.client.create(shop("corner"))
        before = test.clock.monotonic()
        await test.settle()
        still = await test.client.find(ConfigMap, "corner")
        await test.settled()

        assert still is None
        assert await test.client.find(ConfigMap, "corner") is not None
        assert 60 <= test.clock.monotonic() - before <= 180
