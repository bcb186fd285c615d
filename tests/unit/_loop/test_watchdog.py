"""A loop that does not turn is noticed from outside, with the line."""

import asyncio
import gc
import threading
from collections.abc import Mapping
from typing import Any
from weakref import ref

import pytest

from kubewright._aio import Clock, VirtualClock
from kubewright._loop.watchdog import BEAT, BLOCKED, REST, Watchdog, watchdog_of
from kubewright.manager import Manager
from tests.unit.controller.world import Recorder, add, make, running
from tests.unit.manager.runnables import Worker


class Time:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Reconciles:
    """Work that is under way while a test says so, in its own task."""

    def __init__(self, *, is_busy: bool = True) -> None:
        self.is_busy = is_busy
        self._task = asyncio.current_task()

    def fields_of(self, task: "asyncio.Task[Any]") -> Mapping[str, str]:
        return {"controller": "shop", "key": "default/a"} if task is self._task else {}


def watchdog(time: Time) -> Watchdog:
    """Return one that is called by the test only, and sees the test itself at work."""
    return Watchdog(asyncio.get_running_loop(), monotonic=time, wait=lambda woken, _: woken.wait())


def blocked(dog: Watchdog, time: Time, seconds: float, *, step: float = BEAT) -> None:
    """Let *seconds* pass in which the thread looks, and the loop gives no sign of life."""
    for _ in range(round(seconds / step)):
        time.now += step
        dog.look()


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]


def names() -> list[str]:
    return [thread.name for thread in threading.enumerate()]


# --- While something is reconciled ---


async def test_who_blocks_is_named_once_with_the_line(caplog: pytest.LogCaptureFixture) -> None:
    """Each block is too short to be noticed by itself; together they starve all others."""
    time, work = Time(), Reconciles()
    dog = watchdog(time)
    dog.observe(work)
    dog.beat()

    for _ in range(100):
        blocked(dog, time, 0.2)
        dog.beat()

    (line,) = warnings(caplog)
    assert line.startswith("the event loop is blocked age=0.1")
    assert f"{__file__}:" in line
    assert "controller='shop' key='default/a'" in line


async def test_a_long_block_in_a_reconcile_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    """It is too long for a reconcile and too long for anything: still one thing that happened."""
    time, work = Time(), Reconciles()
    dog = watchdog(time)
    dog.observe(work)

    dog.beat()
    blocked(dog, time, 10)
    dog.beat()

    assert len(warnings(caplog)) == 1


async def test_the_next_long_block_in_the_same_line_is_said_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A short one is a habit and is told once; a long one is an incident each time."""
    time, work = Time(), Reconciles()
    dog = watchdog(time)
    dog.observe(work)

    for _ in range(3):
        dog.beat()
        blocked(dog, time, 10)

    ages = [line.partition(" age=")[2].partition(" ")[0] for line in warnings(caplog)]
    assert [round(float(age)) for age in ages] == [0, 2, 2]


async def test_a_late_sign_of_life_is_not_spoken_of(caplog: pytest.LogCaptureFixture) -> None:
    """That is common on a busy machine, and so is a thread that does not run."""
    time, work = Time(), Reconciles()
    dog = watchdog(time)
    dog.observe(work)
    dog.beat()

    for _ in range(100):
        blocked(dog, time, 0.1)
        dog.beat()
    time.now += 1
    dog.look()

    assert warnings(caplog) == []


async def test_it_looks_closely_only_while_something_is_reconciled() -> None:
    """An operator at rest costs nothing."""
    dog, work = watchdog(Time()), Reconciles()
    dog.observe(work)

    dog.arm()
    begun = dog.armed
    work.is_busy = False
    dog.beat()
    dog._woken.set()

    assert (begun, dog.armed) == (True, False)


async def test_in_virtual_time_nobody_looks() -> None:
    """A test that takes its time would be accused, and no reconcile of it lasts too long."""
    clock, seen = VirtualClock(), Recorder()
    controller = make(seen, clock=clock)
    async with running(controller, clock=clock):
        add(controller, "a")
        await clock.settle()

    assert seen.names == ["a"]
    assert not watchdog_of(asyncio.get_running_loop()).armed


# --- In the block of a manager ---


async def test_a_blocked_loop_is_said_once_with_its_place(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """While it lasts: who waits for its end may wait for ever."""
    time = Time()

    with watchdog(time) as dog:
        blocked(dog, time, 60, step=REST)

    (line,) = warnings(caplog)
    assert line.startswith("the event loop is blocked age=2.5 place='")
    assert f"{__file__}:" in line


async def test_each_time_is_said_and_counted(caplog: pytest.LogCaptureFixture) -> None:
    """The number is what an alert is written for."""
    time, before = Time(), BLOCKED.labels().value

    with watchdog(time) as dog:
        for _ in range(2):
            blocked(dog, time, 6, step=REST)
            dog.beat()

    assert len(warnings(caplog)) == 2
    assert BLOCKED.labels().value - before == pytest.approx(11.0)


async def test_a_loop_that_turns_is_not_spoken_of(caplog: pytest.LogCaptureFixture) -> None:
    """Two seconds are long, and happen."""
    time, before = Time(), BLOCKED.labels().value

    with watchdog(time) as dog:
        for _ in range(20):
            blocked(dog, time, 2, step=REST)
            dog.beat()

    assert not warnings(caplog)
    assert BLOCKED.labels().value == before


async def test_a_process_that_was_stopped_is_not_accused(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """After SIGCONT the thread may run before the loop; the loop says itself how long it was."""
    time = Time()

    with watchdog(time) as dog:
        time.now += 3600
        dog.look()
        early = warnings(caplog)
        dog.beat()

    assert early == []
    assert warnings(caplog) == ["the event loop was blocked duration=3599.5"]


async def test_the_thread_sees_where_the_loop_is(caplog: pytest.LogCaptureFixture) -> None:
    """Not in the standard library, where everybody sleeps, but in the line that called it."""
    time, asked, seen = Time(), threading.Event(), threading.Event()

    def wait(_: threading.Event, seconds: float) -> bool:
        in_time = asked.wait(10)
        time.now += seconds
        if time.now > 5:
            seen.set()
        return not in_time

    def reconcile_badly() -> None:
        asked.set()
        assert seen.wait(10)

    with Watchdog(asyncio.get_running_loop(), monotonic=time, wait=wait):
        reconcile_badly()

    (line,) = warnings(caplog)
    assert f"{__file__}:" in line
    assert " in reconcile_badly" in line


async def test_it_leaves_no_thread_behind() -> None:
    """A test suite starts hundreds of managers."""
    async with Manager(clock=Clock()) as manager:
        manager.add(Worker([], "a"))
        during = names()

    assert "kubewright-watchdog" in during
    assert "kubewright-watchdog" not in names()


async def test_there_is_none_in_virtual_time() -> None:
    """There an hour may pass between two turns of the loop."""
    async with Manager(clock=VirtualClock()):
        during = names()

    assert "kubewright-watchdog" not in during


async def test_there_is_one_thread_for_many_managers_of_a_loop() -> None:
    """Each of two would say the same."""
    async with Manager(clock=Clock()), Manager(clock=Clock()):
        during = names()

    assert during.count("kubewright-watchdog") == 1


def test_it_does_not_keep_a_loop_that_is_closed() -> None:
    """What a loop refers to may be large, and programs such as pytest make thousands of them."""

    async def look() -> "ref[asyncio.AbstractEventLoop]":
        loop = asyncio.get_running_loop()
        with watchdog_of(loop):
            return ref(loop)

    loop = asyncio.run(look())
    gc.collect()

    assert loop() is None
