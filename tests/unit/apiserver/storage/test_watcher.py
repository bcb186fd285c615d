"""A watcher reads at its own pace, and is cut off when that is too slow."""

import asyncio

from kubewright.apiserver.storage import Event, Stored, Watcher


def event(revision: int) -> Event:
    return Event("ADDED", Stored(f"default/{revision}", b"{}", revision), None, 0.0)


async def test_waiting_ends_with_the_next_event() -> None:
    """A lost wake-up would leave a client without news for ever."""
    watcher = Watcher()
    waiting = asyncio.ensure_future(watcher.wait())
    await asyncio.sleep(0)

    watcher.push(event(1))
    await waiting

    assert [one.revision for one in watcher.take()] == [1]


async def test_events_keep_their_order_and_come_once() -> None:
    """Clients apply them blindly."""
    watcher = Watcher()
    for revision in (1, 2, 3):
        watcher.push(event(revision))

    await watcher.wait()

    assert [one.revision for one in watcher.take()] == [1, 2, 3]
    assert watcher.take() == []


async def test_a_watcher_that_does_not_read_is_ended_not_buffered() -> None:
    """One client that hangs must not fill the memory of the server."""
    watcher = Watcher(limit=2)

    for revision in range(5):
        watcher.push(event(revision))

    assert watcher.ended
    assert watcher.take() == []


async def test_a_cancelled_wait_leaves_the_watcher_usable() -> None:
    """A bookmark interrupts the wait again and again."""
    watcher = Watcher()
    waiting = asyncio.ensure_future(watcher.wait())
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)

    watcher.push(event(1))
    await watcher.wait()

    assert len(watcher.take()) == 1
