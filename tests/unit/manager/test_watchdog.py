"""A loop that does not turn is noticed from outside."""

import sys
import threading
from types import FrameType
from typing import Any

import pytest

from kubewright._aio import Clock, VirtualClock
from kubewright.manager import Manager
from kubewright.manager.watchdog import BLOCKED, Watchdog, place_of
from tests.unit.manager.runnables import Worker


class Time:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def watchdog(time: Time) -> Watchdog:
    """Return one that is called by the test only, and sees the test itself at work."""
    return Watchdog(monotonic=time, frames=lambda: {0: sys._getframe()})


def blocked(dog: Watchdog, time: Time, seconds: float) -> None:
    """Let *seconds* pass in which the thread looks, and the loop gives no sign of life."""
    end = time.now + seconds
    while time.now < end:
        time.now += 0.5
        dog.look()


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]


def test_a_blocked_loop_is_said_once_with_its_place(caplog: pytest.LogCaptureFixture) -> None:
    """While it lasts: who waits for its end may wait for ever."""
    time = Time()
    dog = watchdog(time)

    blocked(dog, time, 60)

    (line,) = warnings(caplog)
    assert line.startswith("the event loop was blocked age=2.5 place='")
    assert f"{__file__}:" in line


def test_each_time_is_said_and_counted(caplog: pytest.LogCaptureFixture) -> None:
    """The number is what an alert is written for."""
    time, before = Time(), BLOCKED.labels().value
    dog = watchdog(time)

    for _ in range(2):
        blocked(dog, time, 6)
        dog.beat()

    assert len(warnings(caplog)) == 2
    assert BLOCKED.labels().value - before == 11.0


def test_a_loop_that_turns_is_not_spoken_of(caplog: pytest.LogCaptureFixture) -> None:
    """A late sign of life is common on a busy machine."""
    time, before = Time(), BLOCKED.labels().value
    dog = watchdog(time)

    for _ in range(20):
        blocked(dog, time, 2)
        dog.beat()

    assert not warnings(caplog)
    assert BLOCKED.labels().value == before


def test_a_process_that_was_stopped_is_not_accused(caplog: pytest.LogCaptureFixture) -> None:
    """After SIGCONT the thread may run before the loop; the loop says itself how long it was."""
    time = Time()
    dog = watchdog(time)

    time.now += 3600
    dog.look()
    early = warnings(caplog)
    dog.beat()

    assert early == []
    assert warnings(caplog) == ["the event loop was blocked duration=3599.5"]


async def test_the_thread_sees_where_the_loop_is(caplog: pytest.LogCaptureFixture) -> None:
    """Not in the standard library, where everybody sleeps, but in the line that called it."""
    time, seen = Time(), threading.Event()

    def wait(seconds: float) -> bool:
        in_time = asked.wait(10)
        time.now += seconds
        if time.now > 5:
            seen.set()
        return not in_time or time.now > 5

    def reconcile_badly() -> None:
        asked.set()
        assert seen.wait(10)

    asked = threading.Event()
    with Watchdog(monotonic=time, wait=wait):
        reconcile_badly()

    (line,) = warnings(caplog)
    assert f"{__file__}:" in line
    assert " in reconcile_badly" in line


async def test_it_leaves_no_thread_behind() -> None:
    """A test suite starts hundreds of managers."""
    async with Manager(clock=Clock()) as manager:
        manager.add(Worker([], "a"))
        during = [thread.name for thread in threading.enumerate()]

    assert "kubewright-watchdog" in during
    assert "kubewright-watchdog" not in [thread.name for thread in threading.enumerate()]


async def test_there_is_none_in_virtual_time() -> None:
    """There an hour may pass between two turns of the loop."""
    async with Manager(clock=VirtualClock()):
        names = [thread.name for thread in threading.enumerate()]

    assert "kubewright-watchdog" not in names


def test_the_place_is_the_innermost_of_all_if_none_is_theirs() -> None:
    """A list that is too large is our own work; nothing is known of a thread that has ended."""
    found: list[FrameType] = []
    names: dict[str, Any] = {"keep": lambda: found.append(sys._getframe(1))}
    exec(compile("def decode():\n    keep()", "<decoder>", "exec"), names)
    thread = threading.Thread(target=names["decode"])

    thread.start()
    thread.join()

    assert place_of(found[0]) == "<decoder>:2 in decode"
    assert place_of(None) == ""
