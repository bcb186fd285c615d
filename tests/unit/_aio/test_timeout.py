import asyncio

import pytest

from kubewright._aio import VirtualClock


async def sleeper(clock: VirtualClock, *, bound: float | None, nap: float) -> str:
    async with clock.timeout(bound):
        await clock.sleep(nap)
    return "rested"


async def test_a_block_that_takes_too_long_ends_with_timeout_error() -> None:
    """Whoever sets a bound gets an error they can catch by its builtin name."""
    clock = VirtualClock()

    with pytest.raises(TimeoutError):
        await clock.run(sleeper(clock, bound=5, nap=10))

    assert clock.monotonic() == 5


async def test_a_block_that_is_done_in_time_is_left_alone() -> None:
    """The timer of a block that is over must not hit what comes after it."""
    clock = VirtualClock()

    result = await clock.run(sleeper(clock, bound=5, nap=4))

    assert result == "rested"
    assert clock.sleepers == 0


async def test_no_bound_waits_as_long_as_it_takes() -> None:
    """`None` stands for no time-out, as in every place of the package."""
    clock = VirtualClock()

    result = await clock.run(sleeper(clock, bound=None, nap=10**6))

    assert result == "rested"


async def test_a_cancellation_from_outside_stays_one() -> None:
    """A stopped operator must stop, not see a time-out and retry."""
    clock = VirtualClock()
    task = asyncio.create_task(sleeper(clock, bound=5, nap=10))
    await clock.settle()

    task.cancel()
    await clock.settle()

    assert task.cancelled()


async def test_a_cancellation_in_the_moment_of_the_timeout_wins() -> None:
    """When both arrive together the task was told to stop, so it stops."""
    clock = VirtualClock()
    timeout = clock.timeout(5)

    async def work() -> None:
        async with timeout:
            await clock.sleep(10)

    task = asyncio.create_task(work())
    await clock.settle()
    timeout.expire()
    task.cancel()
    await clock.settle()

    assert task.cancelled()


async def test_the_inner_of_two_timeouts_leaves_the_outer_running() -> None:
    """A retry loop bounds each try and the whole; one must not eat the other."""
    clock = VirtualClock()
    caught = []

    async def work() -> None:
        async with clock.timeout(8):
            try:
                await sleeper(clock, bound=5, nap=10)
            except TimeoutError:
                caught.append(clock.monotonic())
            await clock.sleep(10)

    with pytest.raises(TimeoutError):
        await clock.run(work())

    assert caught == [5]
    assert clock.monotonic() == 8


async def test_expire_ends_the_block_before_its_time() -> None:
    """Closing a pool ends the waits inside it."""
    clock = VirtualClock()
    timeout = clock.timeout(None)

    async def work() -> None:
        async with timeout:
            await clock.sleep(10)

    task = asyncio.create_task(work())
    await clock.settle()
    timeout.expire()
    await clock.settle()

    assert isinstance(task.exception(), TimeoutError)
    assert timeout.expired


async def test_expire_outside_of_the_block_does_nothing() -> None:
    """Whoever closes late must not cancel a task that has gone on to other things."""
    clock = VirtualClock()
    timeout = clock.timeout(5)

    async with timeout:
        pass
    timeout.expire()
    await clock.settle()

    assert not timeout.expired


async def test_another_error_passes_through() -> None:
    """A bound says nothing about errors of the work itself."""
    clock = VirtualClock()

    with pytest.raises(KeyError):
        async with clock.timeout(5):
            raise KeyError
