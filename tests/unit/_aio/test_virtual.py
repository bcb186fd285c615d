import asyncio
import gc
from datetime import UTC, datetime

import pytest

from kubewright._aio import VirtualClock


async def test_time_stands_still_until_it_is_moved() -> None:
    """A test that does not move the clock sees one moment only."""
    clock = VirtualClock(datetime(2030, 5, 1, tzinfo=UTC))
    napper = asyncio.create_task(clock.sleep(0.001))

    await clock.settle()

    assert not napper.done()
    assert clock.now() == datetime(2030, 5, 1, tzinfo=UTC)
    await clock.advance(1)
    await napper


async def test_sleepers_wake_in_order_and_at_their_own_time() -> None:
    """A jump over several alarms must look like the time in between had passed."""
    clock = VirtualClock()
    woke: list[tuple[str, float]] = []

    async def nap(name: str, seconds: float) -> None:
        await clock.sleep(seconds)
        woke.append((name, clock.monotonic()))

    tasks = [asyncio.create_task(nap(n, s)) for n, s in [("c", 3), ("a", 1), ("b", 1), ("d", 9)]]
    await clock.advance(5)

    assert woke == [("a", 1), ("b", 1), ("c", 3)]
    assert clock.monotonic() == 5
    await clock.advance(4)
    await asyncio.gather(*tasks)


async def test_a_sleep_begun_during_a_jump_counts_from_its_own_moment() -> None:
    """A loop of ten sleeps of one second takes ten seconds, not one jump."""
    clock = VirtualClock()
    ticks: list[float] = []

    async def tick() -> None:
        for _ in range(10):
            await clock.sleep(1)
            ticks.append(clock.monotonic())

    task = asyncio.create_task(tick())
    await clock.advance(10)

    assert ticks == [float(n) for n in range(1, 11)]
    await task


async def test_advance_to_next_says_whether_anybody_slept() -> None:
    """A driver must know when there is nothing left to wait for."""
    clock = VirtualClock()
    napper = asyncio.create_task(clock.sleep(7))

    answers = [await clock.advance_to_next(), await clock.advance_to_next()]

    assert answers == [True, False]
    assert clock.monotonic() == 7
    await napper


async def test_a_cancelled_sleeper_leaves_nothing_behind() -> None:
    """Alarms of stopped tasks would keep a simulation alive for ever."""
    clock = VirtualClock()
    napper = asyncio.create_task(clock.sleep(7))
    await clock.settle()

    napper.cancel()
    await clock.settle()

    assert clock.sleepers == 0
    assert clock.next_alarm() is None


async def test_run_moves_the_clock_by_itself() -> None:
    """A year of retries is tested in no time."""
    clock = VirtualClock()

    async def year() -> str:
        for _ in range(365):
            await clock.sleep(86400)
        return "done"

    result = await clock.run(year())

    assert result == "done"
    assert (clock.now() - datetime(2026, 1, 1, tzinfo=UTC)).days == 365


async def test_run_reports_a_deadlock_instead_of_hanging() -> None:
    """A lost wake-up must fail the test at once, and leave no task behind."""
    clock = VirtualClock()

    with pytest.raises(RuntimeError, match="waits for ever"):
        await clock.run(asyncio.Event().wait())

    assert len(asyncio.all_tasks()) == 1


async def test_run_passes_on_the_error_of_the_work() -> None:
    """The clock adds nothing to what went wrong."""
    clock = VirtualClock()

    async def fail() -> None:
        await clock.sleep(1)
        raise KeyError("x")

    with pytest.raises(KeyError):
        await clock.run(fail())


async def test_the_clock_cannot_go_back() -> None:
    """Monotonic is a promise."""
    with pytest.raises(ValueError, match="back"):
        await VirtualClock().advance(-1)


def test_timers_that_were_cancelled_do_not_pile_up() -> None:
    """Time-outs of an hour that are never reached would fill the memory of a long simulation."""
    clock, rung = VirtualClock(), list[int]()
    clock.call_later(1800, lambda: rung.append(1))
    before = len(gc.get_objects())
    for _ in range(10_000):
        clock.call_later(3600, rung.clear).cancel()

    assert len(gc.get_objects()) < before + 1000
    assert clock.sleepers == 1
    assert clock.next_alarm() == 1800
