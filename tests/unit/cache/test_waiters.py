"""Waiters: who waits for something is woken when it may have become so."""

import asyncio

from kubewright.cache.waiters import Waiters


async def test_what_is_so_already_is_not_waited_for() -> None:
    """Nobody would wake who waits for it."""
    await Waiters().until(lambda: True)


async def test_who_is_woken_too_early_waits_on() -> None:
    """A wake is only a hint to look again."""
    waiters, so = Waiters(), [False]
    waiting = [asyncio.create_task(waiters.until(lambda: so[0])) for _ in range(2)]
    await asyncio.sleep(0)

    waiters.wake()
    waiters.wake()
    await asyncio.sleep(0)
    assert not any(task.done() for task in waiting)
    so[0] = True
    waiters.wake()

    await asyncio.gather(*waiting)


async def test_who_gives_up_is_forgotten() -> None:
    """Thousands of waits with a time-out must not pile up."""
    waiters = Waiters()
    waiting = asyncio.create_task(waiters.until(lambda: False))
    await asyncio.sleep(0)

    waiting.cancel()
    await asyncio.wait([waiting])

    assert not waiters._waiting
