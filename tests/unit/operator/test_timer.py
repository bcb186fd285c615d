"""Functions that are called for each object again and again."""

from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest

import kubewright as kw
from kubewright.controller.mapping import is_async
from kubewright.operator.timer import timed
from kubewright.testing import operator_test
from tests.unit.operator.world import Shop, World, running, shop


async def test_it_is_called_after_each_interval_whatever_changes() -> None:
    """With its status written, as that of any reconciler."""
    times: list[float] = []
    operator = kw.Operator("shops")
    w: World

    @operator.timer(Shop, interval=60)
    async def check(obj: Shop, ctx: kw.Context) -> None:
        times.append(w.clock.monotonic())
        obj.status.phase = str(len(times))

    async with running(operator) as w:
        await w.other.create(shop())
        await w.pass_time(90)
        await w.other.patch(Shop, "corner", {"spec": {"size": 2}})
        await w.pass_time(80)

        assert [b - a for a, b in pairwise(times)] == [60, 60]
        assert (await w.shop()).status.phase == "3"


async def test_each_object_can_have_an_interval_of_its_own() -> None:
    """With jitter, so that those that began together do not stay together."""
    times: dict[str, list[float]] = {"1": [], "9": []}
    operator = kw.Operator("shops")
    w: World

    @operator.timer(Shop, interval=lambda obj: timedelta(minutes=obj.spec.size), jitter=0.5)
    async def check(obj: Shop, ctx: kw.Context) -> None:
        times[obj.metadata.name].append(w.clock.monotonic())

    async with running(operator) as w:
        for size in (1, 9):
            await w.other.create(shop(str(size), size=size))
        for _ in range(40):
            await w.pass_time(60)

        short, long = ([b - a for a, b in pairwise(times[name])] for name in ("1", "9"))
        assert all(60 <= one <= 150 for one in short)
        assert all(540 <= one <= 870 for one in long)
        assert len(short) > len(long) >= 2


async def test_a_failure_is_tried_again_soon() -> None:
    """Not after the whole interval, which may be a day."""
    calls: list[int] = []
    operator = kw.Operator("shops")

    @operator.timer(Shop, interval=86400)
    async def check(obj: Shop, ctx: kw.Context) -> None:
        calls.append(1)
        if len(calls) < 3:
            raise RuntimeError("no answer")

    async with running(operator) as w:
        await w.other.create(shop())
        await w.pass_time(60)

        assert len(calls) == 3


async def test_one_that_has_given_up_hears_of_a_change() -> None:
    """A `TerminalError` waits for a change; a timer that hears of none would stand still."""
    calls: list[tuple[int, float]] = []
    operator = kw.Operator("shops")
    w: World

    @operator.timer(Shop, interval=60)
    async def check(obj: Shop, ctx: kw.Context) -> None:
        calls.append((obj.spec.size, w.clock.monotonic()))
        if obj.spec.size == 1:
            raise kw.TerminalError("too small")

    async with running(operator) as w:
        await w.other.create(shop())
        await w.pass_time(600)
        await w.other.patch(Shop, "corner", {"spec": {"size": 2}})
        await w.pass_time(70)

    assert [size for size, _ in calls] == [1, 2, 2]
    assert calls[2][1] - calls[1][1] == 60


async def test_an_object_that_was_made_anew_is_called_at_once() -> None:
    """Even if its deletion was missed: it is another one."""
    calls: list[int] = []
    operator = kw.Operator("shops")

    @operator.timer(Shop, interval=3600)
    async def check(obj: Shop, ctx: kw.Context) -> None:
        calls.append(obj.spec.size)

    async with running(operator) as w:
        await w.other.create(shop())
        await w.pass_time()
        await w.other.delete(Shop, "corner")
        await w.other.create(shop(size=3))
        await w.pass_time()

        assert calls == [1, 3]


async def test_it_ends_with_the_object() -> None:
    """And a Result of its own counts more than the interval."""
    calls: list[str] = []
    operator = kw.Operator("shops")

    @operator.timer(Shop, interval=10)
    async def check(obj: Shop, ctx: kw.Context) -> kw.Result:
        calls.append(obj.metadata.name)
        return kw.Result(requeue_after=30)

    async with running(operator) as w:
        await w.other.create(shop())
        await w.pass_time(35)
        await w.other.delete(Shop, "corner")
        await w.pass_time(300)

        assert calls == ["corner", "corner"]


def test_a_plain_function_stays_one() -> None:
    """It runs in a thread, as a plain reconciler does."""

    def check(obj: Shop, ctx: kw.SyncContext) -> None: ...

    call = timed(check, 60, 0.0)

    assert not is_async(call)
    assert call(shop(), None) == kw.Result(requeue_after=60.0)


WRONG = [{"interval": 0}, {"interval": "1m"}, {"interval": 1, "jitter": -1}]


@pytest.mark.parametrize("wrong", WRONG)
def test_what_cannot_be_waited_for_is_refused(wrong: Any) -> None:
    """Where it is written, and not when the first object comes."""
    with pytest.raises((TypeError, ValueError), match="'shop-timer'"):
        kw.Operator("shops").timer(Shop, **wrong)


async def test_its_runs_name_the_timer_as_their_reason() -> None:
    """Who asks why something runs each minute finds the answer in the record."""
    operator = kw.Operator("shops")

    @operator.timer(Shop, interval=60)
    async def check(obj: Shop, ctx: kw.Context) -> None: ...

    async with operator_test(operator) as test:
        made = await test.client.create(shop())
        await test.advance(61)
        first, second = test.runs.for_(made)

    assert (first.outcome, first.delay) == ("requeue_after", 60.0)
    assert first.next_reasons == second.reasons == (kw.Reason("timer"),)
    assert second.controller == "shop-timer"
