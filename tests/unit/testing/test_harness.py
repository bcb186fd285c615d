"""An operator in a test, in one line."""

import asyncio
import time

import pytest

import kubewright as kw
from kubewright.kinds.core.v1 import ConfigMap, Pod
from kubewright.testing import EmbeddedServer, VirtualClock, operator_test
from tests.unit.operator.world import Shop, shop


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
