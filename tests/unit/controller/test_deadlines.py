import asyncio

from kubewright._aio import VirtualClock
from kubewright.controller.deadlines import Deadlines
from kubewright.controller.request import Request
from kubewright.controller.run import Run
from kubewright.log import get_logger


def a_run() -> Run:
    """Return what a reconciler would be told."""
    return Run("1", Request("n", "a"), (), 1, "test", get_logger(__name__))


async def sleeping(clock: VirtualClock) -> "asyncio.Task[None]":
    """Return a task that sleeps for an hour."""
    task = asyncio.create_task(clock.sleep(3600))
    await clock.settle()
    return task


async def test_a_call_is_cancelled_when_its_time_is_up() -> None:
    """This is what a deadline is."""
    clock = VirtualClock()
    deadlines = Deadlines[str](10.0, clock=clock)
    task = await sleeping(clock)
    call = deadlines.begin("a", a_run(), task)

    await clock.advance(9.9)
    before = call.expired, task.done()
    await clock.advance(0.1)

    assert before == (False, False)
    assert call.expired
    assert task.cancelled()


async def test_a_worker_that_has_left_the_call_is_not_cancelled() -> None:
    """What the call has left behind goes on, but the worker does something else by then."""
    clock = VirtualClock()
    deadlines = Deadlines[str](10.0, clock=clock)
    task = await sleeping(clock)
    call = deadlines.begin("a", a_run(), task)

    may_go_on = call.leave()
    await clock.advance(60)

    assert may_go_on
    assert not task.done()
    assert deadlines.overdue(30) == {"a": 60.0}
    task.cancel()


async def test_no_timer_is_left_when_nothing_runs() -> None:
    """At rest nothing wakes the process."""
    clock = VirtualClock()
    deadlines = Deadlines[str](10.0, clock=clock)
    task = await sleeping(clock)
    task.cancel()
    await clock.settle()
    deadlines.begin("a", a_run(), task)
    del deadlines.calls["a"]

    await clock.advance(10)

    assert clock.sleepers == 0


async def test_without_a_deadline_calls_last_as_long_as_they_like() -> None:
    """Some work takes hours, and its author says so."""
    clock = VirtualClock()
    deadlines = Deadlines[str](None, clock=clock)
    task = await sleeping(clock)
    call = deadlines.begin("a", a_run(), task)

    await clock.advance(3000)

    assert not call.expired
    task.cancel()
