"""An event loop in virtual time."""

import asyncio
import contextvars
import threading
import warnings

import pytest

from kubewright._aio import VirtualClock, outside_of, virtual_loop
from kubewright.errors import LifecycleError


async def test_sleep_and_timeouts_of_anybody_pass_on_the_clock() -> None:
    """The code of users and of libraries knows asyncio, and not our clock."""
    seen: list[float] = []

    async def work(clock: VirtualClock) -> None:
        await asyncio.sleep(3600)
        seen.append(clock.monotonic())
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(60):
                await asyncio.Event().wait()
        seen.append(clock.monotonic())
        await asyncio.wait([asyncio.ensure_future(asyncio.Event().wait())], timeout=5)
        seen.append(clock.monotonic())

    async with VirtualClock() as clock:
        await clock.run(work(clock))

    assert seen == pytest.approx([3600, 3660, 3665])


async def test_a_timer_that_was_cancelled_holds_nobody_up() -> None:
    """Time does not move for a timeout that was not needed."""
    async with VirtualClock() as clock:
        async with asyncio.timeout(60):
            await asyncio.sleep(0)

        assert clock.next_alarm() is None
        assert clock.sleepers == 0


async def test_timers_run_in_the_context_of_who_set_them() -> None:
    """Log fields and traces are kept in context variables."""
    name = contextvars.ContextVar("name", default="nobody")
    seen: list[str] = []
    async with VirtualClock() as clock:
        name.set("ann")
        asyncio.get_running_loop().call_later(1, lambda: seen.append(name.get()))
        name.set("bob")
        await clock.advance(1)

    assert seen == ["ann"]


async def test_after_the_block_time_is_real_again() -> None:
    """The next test may want it."""
    loop = asyncio.get_running_loop()
    before = loop.time()
    async with VirtualClock() as clock:
        await clock.advance(10_000)

    assert loop.time() - before < 5_000
    assert outside_of(loop) is None
    await asyncio.sleep(0.001)


async def test_one_loop_has_one_time() -> None:
    """With two clocks nobody could say what an hour is."""
    async with VirtualClock() as clock, clock:
        with pytest.raises(LifecycleError, match="another virtual clock"):
            async with VirtualClock():
                pass
        await clock.run(asyncio.sleep(10))

        assert clock.monotonic() == pytest.approx(10)


async def test_work_in_threads_is_waited_for() -> None:
    """It ends in the same moment, however long it takes."""
    gate = threading.Event()
    async with VirtualClock() as clock:
        task = asyncio.ensure_future(asyncio.to_thread(gate.wait))
        threading.Timer(0.01, gate.set).start()
        await clock.settle()

        assert task.done()
        assert clock.monotonic() == 0


async def in_thread(clock: VirtualClock, gate: threading.Event) -> None:
    task = asyncio.ensure_future(asyncio.to_thread(gate.wait))
    try:
        await clock.settle()
    finally:
        gate.set()
        await task


async def test_a_thread_that_takes_real_time_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that takes seconds where it should take none says why."""
    monkeypatch.setattr(virtual_loop, "SLOW", 0.01)

    async with VirtualClock() as clock:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(RuntimeWarning, match="in wait"):
                await in_thread(clock, threading.Event())


async def test_a_thread_that_is_expected_is_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server checks large documents in threads: a slow machine is no fault of the test."""
    monkeypatch.setattr(virtual_loop, "SLOW", 0.0)

    async with VirtualClock() as clock:
        gate = threading.Event()
        outside = outside_of(asyncio.get_running_loop())
        assert outside is not None
        threading.Timer(0.05, gate.set).start()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with outside.expected():
                await in_thread(clock, gate)

        assert gate.is_set()


async def test_a_thread_that_never_ends_fails_the_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says where the thread is, and what to do instead."""
    monkeypatch.setattr(virtual_loop, "STUCK", 0.01)

    async with VirtualClock() as clock:
        with pytest.raises(RuntimeError, match=r"time\.sleep\(\) and sockets(.|\n)*threading\.py"):
            await in_thread(clock, threading.Event())


async def test_another_kind_of_loop_has_the_same_time() -> None:
    """Some tests run on uvloop, as their programs do."""
    uvloop = pytest.importorskip("uvloop")
    loop = uvloop.new_event_loop()

    async def hour() -> float:
        async with VirtualClock() as clock:
            await clock.run(asyncio.sleep(3600))
            return clock.monotonic()

    passed = await asyncio.to_thread(loop.run_until_complete, hour())
    loop.close()

    assert passed == pytest.approx(3600)
