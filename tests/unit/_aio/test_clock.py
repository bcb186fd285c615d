import asyncio
from datetime import UTC

from kubewright._aio import Clock


async def test_now_knows_its_time_zone() -> None:
    """A time without a zone cannot be compared with one from the server."""
    now = Clock().now()

    assert now.tzinfo is UTC


async def test_monotonic_never_goes_back() -> None:
    """Intervals are measured with it, and none is negative."""
    clock = Clock()

    first, second = clock.monotonic(), clock.monotonic()

    assert second >= first


async def test_a_sleep_of_zero_lets_others_run() -> None:
    """A loop that sleeps for nothing must not starve the others."""
    ran: list[str] = []

    async def other() -> None:
        ran.append("other")

    task = asyncio.create_task(other())
    await Clock().sleep(0)
    ran.append("we")
    await task

    assert ran == ["other", "we"]


async def test_a_cancelled_timer_does_not_ring() -> None:
    """A request that was answered in time must not be failed afterwards."""
    rung: list[int] = []

    timer = Clock().call_later(0, lambda: rung.append(1))
    timer.cancel()
    Clock().call_later(0, lambda: rung.append(2))
    while not rung:  # noqa: ASYNC110  # both were due at the same moment
        await asyncio.sleep(0)

    assert rung == [2]
