"""A reconciler that keeps itself busy is slowed down and told of; one that converges is not."""

from typing import Any

import pytest

import kubewright as kw
from kubewright._aio import VirtualClock
from kubewright.controller import Request, Result, Run
from kubewright.controller.loops import LIMIT, MANY, Chain, Loops, Writes
from kubewright.kinds.core.v1 import ConfigMap, Secret
from kubewright.log import get_logger
from kubewright.metrics import CounterValue
from tests.unit.controller.world import Recorder, add, make, metric
from tests.unit.controller.world import running as running_controller
from tests.unit.operator.world import Shop, config, running, shop

MOST = LIMIT + 15  # runs of a loop within a minute or two


def loops(caplog: pytest.LogCaptureFixture) -> list[str]:
    lines = [record.getMessage() for record in caplog.records]
    return [line for line in lines if "over and over because of its own doing" in line]


async def test_a_reconciler_that_changes_its_own_spec_is_slowed_and_told_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """As fast as the server answers, it would fill the log and the network for nothing."""
    operator, runs = kw.Operator("shops"), 0

    @operator.reconciler(Shop, name="growing")
    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        nonlocal runs
        runs += 1
        await ctx.client.patch(Shop, "corner", {"spec": {"size": obj.spec.size + 1}})

    async with running(operator) as w:
        before = metric("kubewright_reconcile_loops_total", "growing")
        await w.other.create(shop())
        await w.pass_time(120)
        after = metric("kubewright_reconcile_loops_total", "growing")

    assert LIMIT < runs < MOST
    (line,) = loops(caplog)
    assert f"{LIMIT + 1} runs in a row wrote Shop default/corner: spec.size: {LIMIT + 2}" in line
    assert after - before == 1


async def test_a_secret_that_is_written_over_and_over_is_not_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A password that is made anew each time is the usual reason, and the log is for everybody."""
    operator, runs = kw.Operator("shops"), 0

    @operator.reconciler(Shop, owns=[Secret])
    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        nonlocal runs
        runs += 1
        await ctx.apply(Secret(metadata=config().metadata, string_data={"admin": f"canary-{runs}"}))

    async with running(operator) as w:
        await w.other.create(shop())
        await w.pass_time(120)

    (line,) = loops(caplog)
    assert "wrote Secret default/corner: data.admin: '[hidden: " in line
    assert "canary" not in line
    assert "Y2FuYXJ5" not in line


async def test_an_apply_that_never_settles_is_slowed(caplog: pytest.LogCaptureFixture) -> None:
    """A time in a child is the usual reason."""
    operator, runs = kw.Operator("shops"), 0

    @operator.reconciler(Shop, owns=[ConfigMap])
    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        nonlocal runs
        runs += 1
        await ctx.apply(config(run=str(runs)))

    async with running(operator) as w:
        await w.other.create(shop())
        await w.pass_time(120)

    assert LIMIT < runs < MOST
    (line,) = loops(caplog)
    assert "wrote ConfigMap default/corner: data.run: " in line


async def test_a_child_that_is_made_anew_each_time_is_slowed() -> None:
    """What was deleted has no version; it is recognized by its uid."""
    operator, runs = kw.Operator("shops"), 0

    @operator.reconciler(Shop, owns=[ConfigMap])
    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        nonlocal runs
        runs += 1
        if ctx.children(ConfigMap):
            await ctx.client.delete(ConfigMap, "corner", namespace="default")
        await ctx.apply(config())

    async with running(operator) as w:
        await w.other.create(shop())
        await w.pass_time(120)

    assert LIMIT < runs < MOST


async def test_a_child_with_another_name_each_time_is_slowed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """No object is written twice, but each is deleted by the run after the one that made it."""
    operator, runs = kw.Operator("shops"), 0

    @operator.reconciler(Shop, owns=[ConfigMap])
    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        nonlocal runs
        runs += 1
        assert runs < 500, "not slowed"
        await ctx.apply(config(f"child-{runs}"))
        await ctx.prune()

    async with running(operator) as w:
        await w.other.create(shop())
        await w.pass_time(120)

    assert LIMIT < runs < MOST
    (line,) = loops(caplog)
    assert f"{LIMIT + 1} runs in a row deleted what the one before had made, last ConfigMap" in line


def test_a_chain_without_an_end_is_slowed() -> None:
    """One more child each time, and none is ever enough."""
    made, request = Loops(get_logger("test"), CounterValue()), Request("default", "a")

    delays = []
    for number in range(MANY + 5):
        if (chain := made.chains.get(request)) is not None:
            chain.begin()
        writes = Writes()
        writes.marks.add(str(number))
        writes.objects[f"ConfigMap default/{number}"] = b"{}"
        made.end(request, writes)
        delays.append(made.chains[request].hear(str(number), priority=0))

    assert set(delays[:MANY]) == {0.0}
    assert delays[MANY:] == [0.1, 0.2, 0.4, 0.8, 1.6]


async def test_failures_that_are_tried_again_at_once_are_slowed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A policy without a delay is a loop, too."""
    clock = VirtualClock()

    async def reconcile(request: Request, run: Run) -> Result:
        assert run.attempt < 500, "not slowed"
        raise OSError("no answer")

    seen = Recorder(reconcile)
    controller = make(seen, clock=clock, retry=kw.Retry(after=0))
    async with running_controller(controller, clock=clock):
        add(controller, "a")
        await clock.advance(120)

    assert LIMIT < len(seen.runs) < MOST
    assert len(loops(caplog)) == 1


async def test_asking_for_another_call_at_once_is_slowed(caplog: pytest.LogCaptureFixture) -> None:
    """A thousandth of a second is no polling, but a loop."""
    clock = VirtualClock()

    async def reconcile(request: Request, run: Run) -> Result:
        return Result(requeue_after=0.001)

    seen = Recorder(reconcile)
    controller = make(seen, clock=clock)
    async with running_controller(controller, clock=clock):
        add(controller, "a")
        await clock.advance(120)

    assert LIMIT < len(seen.runs) < MOST
    (line,) = loops(caplog)
    assert f"it asked {LIMIT + 1} times in a row to be called again within 0.1 s" in line


@pytest.mark.parametrize("seconds", [0.1, 1.0])
async def test_polling_is_not_slowed(seconds: float) -> None:
    """Who names a time gets it."""
    clock = VirtualClock()

    async def reconcile(request: Request, run: Run) -> Result:
        return Result(requeue_after=seconds)

    seen = Recorder(reconcile)
    controller = make(seen, clock=clock)
    async with running_controller(controller, clock=clock):
        add(controller, "a")
        await clock.advance(100 * seconds)

    assert len(seen.runs) >= 100


async def test_a_status_that_is_written_each_second_is_not_slowed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It is time that asks for the next run, and not the write."""
    operator, runs = kw.Operator("shops"), 0

    @operator.reconciler(Shop)
    async def reconcile(obj: Shop, ctx: kw.Context) -> kw.Result:
        nonlocal runs
        runs += 1
        obj.status.phase = str(runs)
        return kw.Result(requeue_after=1)

    async with running(operator) as w:
        await w.other.create(shop())
        await w.pass_time(100)

    assert runs >= 100
    assert loops(caplog) == []


async def test_convergence_in_many_steps_is_not_slowed(caplog: pytest.LogCaptureFixture) -> None:
    """One child after the other, each asked for by the one before: slow, but it gets there."""
    operator = kw.Operator("shops")

    @operator.reconciler(Shop, owns=[ConfigMap])
    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        there = len(ctx.children(ConfigMap))
        if there < 100:
            await ctx.apply(config(f"child-{there}"))

    async with running(operator) as w:
        await w.other.create(shop())
        await w.pass_time(1)
        made = await w.other.list(ConfigMap)

    assert len([one for one in made if one.metadata.name.startswith("child-")]) == 100
    assert loops(caplog) == []


async def test_a_change_of_others_is_reconciled_at_once() -> None:
    """Only what the reconciler itself asks for waits."""
    operator, sizes = kw.Operator("shops"), list[int]()

    @operator.reconciler(Shop, owns=[ConfigMap])
    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        sizes.append(obj.spec.size)
        await ctx.apply(config(run=str(len(sizes))))

    async with running(operator) as w:
        await w.other.create(shop(size=1))
        await w.pass_time(120)
        slow = len(sizes)
        await w.other.patch(Shop, "corner", {"spec": {"size": 2}})
        await w.pass_time(0.01)

    assert 2 not in sizes[:slow]
    assert 2 in sizes[slow:]


def slowed() -> tuple[Loops, Request]:
    """Return the loops of a controller in which one object is slowed down, and runs."""
    made, request = Loops(get_logger("test"), CounterValue()), Request("default", "a")
    made.chains[request] = chain = Chain()
    for version in range(LIMIT + 3):
        chain.begin()
        made.end(request, wrote(version))
        chain.hear(str(version), priority=0)
    chain.begin()
    return made, request


def wrote(version: int) -> Writes:
    made = Writes()
    made.marks.add(str(version))
    made.objects["Shop default/a"] = b"{}"
    return made


@pytest.mark.parametrize(
    ("heard", "expected"),
    [
        (["99"], "waits"),  # the change came before the answer to the write
        (["7"], "at once"),  # others
        (["99", "7"], "at once"),
        ([], None),
    ],
)
def test_what_is_seen_during_a_run_is_judged_at_its_end(heard: list[str], expected: Any) -> None:
    """Only then it is known what the run wrote; nothing that was seen is lost."""
    found, request = slowed()
    chain = found.chains[request]
    chain.marks.pop("7")

    answers = [chain.hear(mark, priority=3) for mark in heard]
    due = found.end(request, wrote(99))

    assert answers == [None] * len(heard)
    assert due == {"waits": (3, chain.delay), "at once": (3, 0.0), None: None}[expected]


def test_a_change_that_was_held_back_survives_a_run_that_writes_nothing() -> None:
    """The object has settled, and what others changed meanwhile must still be seen."""
    found, request = slowed()
    found.chains[request].hear("others", priority=0)

    assert found.end(request, Writes()) == (0, 0.0)
    assert found.chains == {}


def test_chains_do_not_fill_the_memory() -> None:
    """Each object that was ever written has one for a while."""
    made = Loops(get_logger("test"), CounterValue())

    for number in range(5000):
        made.end(Request("default", str(number)), wrote(number))

    assert len(made.chains) == 1024
