"""Functions that run for each object, as long as it is there."""

import asyncio
import logging
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

import kubewright as kw
from kubewright.controller.loops import LIMIT
from kubewright.kinds.core.v1 import Event
from tests.unit.operator.world import Shop, World, running, shop


def daemon_of(function: Callable[..., Any]) -> kw.Operator:
    made = kw.Operator("shops")
    made.daemon(Shop)(function)
    return made


def living(seen: list[str]) -> Callable[..., Any]:
    """Return a daemon that notes its beginnings and ends."""

    async def live(obj: Shop, ctx: kw.Context) -> None:
        seen.append(f"{obj.metadata.name} {obj.spec.size} begins")
        try:
            await asyncio.Event().wait()
        finally:
            seen.append(f"{obj.metadata.name} {obj.spec.size} ends")

    return live


async def test_it_runs_from_the_creation_of_an_object_to_its_deletion() -> None:
    """One for each object, and none that outlives it."""
    seen: list[str] = []

    async with running(daemon_of(living(seen))) as w:
        for name in ("a", "b"):
            await w.other.create(shop(name))
        await w.pass_time()
        begun = sorted(seen)
        await w.other.delete(Shop, "a")
        await w.pass_time()

        assert begun == ["a 1 begins", "b 1 begins"]
        assert seen[2:] == ["a 1 ends"]
        assert w.take_writes() == []
    assert seen[3:] == ["b 1 ends"]


async def test_a_new_spec_starts_it_anew_and_a_new_status_does_not() -> None:
    """It would go on with what nobody wants any more."""
    seen: list[str] = []

    async with running(daemon_of(living(seen))) as w:
        await w.other.create(shop())
        await w.pass_time()
        await w.other.status.patch(Shop, "corner", {"status": {"phase": "Open"}})
        await w.other.patch(Shop, "corner", {"metadata": {"labels": {"a": "b"}}})
        await w.pass_time()
        before = list(seen)
        await w.other.patch(Shop, "corner", {"spec": {"size": 2}})
        await w.pass_time()

        assert before == ["corner 1 begins"]
        assert seen[1:] == ["corner 1 ends", "corner 2 begins"]


async def test_one_that_fails_is_started_again_later_each_time() -> None:
    """And the object says why; one that cancels itself has failed, too."""
    times: list[float] = []
    w: World

    async def fail(obj: Shop, ctx: kw.Context) -> None:
        times.append(w.clock.monotonic())
        if len(times) == 1:
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
            await asyncio.sleep(0)
        if len(times) < 4:
            raise RuntimeError("no line")
        await asyncio.Event().wait()

    async with running(daemon_of(fail)) as w:
        await w.other.create(shop())
        await w.pass_time(60)
        messages = [str(one.message) for one in await w.other.list(Event)]

    waits = [b - a for a, b in pairwise(times)]
    assert len(waits) == 3
    assert 1 <= waits[0] <= 2 <= waits[1] <= 4 <= waits[2] <= 8
    assert any("no line" in one for one in messages)


async def test_one_that_returns_is_done_unless_it_asks_to_be_started_again() -> None:
    """A change of the spec is a new reason."""
    calls: list[int] = []

    async def once(obj: Shop, ctx: kw.Context) -> kw.Result:
        calls.append(obj.spec.size)
        return kw.Result(requeue_after=10 if len(calls) == 1 else 0)

    async with running(daemon_of(once)) as w:
        await w.other.create(shop())
        await w.pass_time(5)
        early = list(calls)
        await w.pass_time(600)
        late = list(calls)
        await w.other.patch(Shop, "corner", {"spec": {"size": 2}})
        await w.pass_time()

        assert (early, late, calls) == ([1], [1, 1], [1, 1, 2])


async def test_one_that_says_when_to_go_on_has_not_failed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """As in a reconciler: the thing that it connects to may only be starting."""
    times: list[float] = []
    w: World

    async def wait(obj: Shop, ctx: kw.Context) -> None:
        times.append(w.clock.monotonic())
        raise kw.RetryAfter(30, "the line is being laid")

    async with running(daemon_of(wait)) as w:
        await w.other.create(shop())
        await w.pass_time(70)
        events = list(await w.other.list(Event))

    assert [b - a for a, b in pairwise(times)] == [30, 30]
    assert events == []
    assert not [one for one in caplog.records if one.levelno >= logging.WARNING]


async def test_one_that_cannot_work_waits_for_another_spec() -> None:
    """A `TerminalError` means the same everywhere: to try again would change nothing."""
    sizes: list[int] = []

    async def refuse(obj: Shop, ctx: kw.Context) -> None:
        sizes.append(obj.spec.size)
        raise kw.TerminalError("no such exchange")

    async with running(daemon_of(refuse)) as w:
        await w.other.create(shop())
        await w.pass_time(600)
        before = list(sizes)
        await w.other.patch(Shop, "corner", {"spec": {"size": 2}})
        await w.pass_time()
        messages = [str(one.message) for one in await w.other.list(Event)]

    assert (before, sizes) == ([1], [1, 2])
    assert any("no such exchange" in one for one in messages)


async def test_one_that_asks_to_be_started_at_once_is_started_later_each_time() -> None:
    """A daemon that ends at once and wants to go on is a loop."""
    calls: list[int] = []

    async def hurry(obj: Shop, ctx: kw.Context) -> kw.Result:
        calls.append(1)
        return kw.Result(requeue_after=0.001)

    async with running(daemon_of(hurry)) as w:
        await w.other.create(shop())
        await w.pass_time(60)

        assert 1 < len(calls) < 10


async def test_one_that_changes_its_own_spec_is_slowed_and_told_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Each change starts it anew, and then it changes the spec."""
    sizes: list[int] = []

    async def grow(obj: Shop, ctx: kw.Context) -> None:
        sizes.append(obj.spec.size)
        await ctx.client.patch(Shop, "corner", {"spec": {"size": obj.spec.size + 1}})
        await asyncio.Event().wait()

    async with running(daemon_of(grow)) as w:
        await w.other.create(shop())
        await w.pass_time(120)

    assert LIMIT < len(sizes) < LIMIT + 15
    (line,) = [one for one in caplog.messages if "daemon is started over and over" in one]
    assert "default" in line
    assert "corner" in line


async def test_a_cleanup_of_its_name_is_called_after_its_end() -> None:
    """It removes what the daemon works with."""
    seen: list[str] = []
    operator = daemon_of(living(seen))

    @operator.cleanup(Shop, name="shop-daemon")
    async def remove(obj: Shop, ctx: kw.Context) -> None:
        seen.append("removed")

    async with running(operator) as w:
        await w.other.create(shop())
        await w.pass_time()
        await w.other.delete(Shop, "corner")
        await w.pass_time()

        assert seen == ["corner 1 begins", "corner 1 ends", "removed"]
        assert await w.other.find(Shop, "corner") is None


async def test_a_deletion_that_was_missed_ends_it(caplog: pytest.LogCaptureFixture) -> None:
    """An object that was deleted and made again is another one."""
    seen: list[str] = []

    async with running(daemon_of(living(seen))) as w:
        await w.other.create(shop())
        await w.pass_time()
        await w.other.delete(Shop, "corner")
        await w.other.create(shop(size=3))
        await w.pass_time()

        assert seen == ["corner 1 begins", "corner 1 ends", "corner 3 begins"]
    assert not [one for one in caplog.records if one.levelno >= logging.WARNING]


async def test_it_does_not_hold_up_the_generation() -> None:
    """It is never done with it; the reconciler of the kind is."""
    operator = daemon_of(living([]))

    @operator.reconciler(Shop)
    async def reconcile(obj: Shop, ctx: kw.Context) -> None: ...

    async with running(operator) as w:
        await w.other.create(shop())
        await w.pass_time()

        assert (await w.shop()).status.observed_generation == 1


def test_a_plain_function_is_refused() -> None:
    """A thread for each object is too many."""
    operator = kw.Operator("shops")

    with pytest.raises(TypeError, match="write `async def`"):

        @operator.daemon(Shop)
        def watch(obj: Shop, ctx: kw.SyncContext) -> None: ...
