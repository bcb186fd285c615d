"""A watcher reads at its own pace, and is cut off when that is too slow."""

import asyncio

from kubewright.apiserver.storage import Event, Stored, Watcher
from kubewright.apiserver.storage.watcher import AT_ONCE, BYTES


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


async def test_what_waits_for_a_watcher_is_bounded_in_bytes_too() -> None:
    """A few hundred large objects take as much memory as thousands of small ones."""
    watcher = Watcher()
    large = Event("ADDED", Stored("default/a", bytes(BYTES // 4), 1), None, 0.0)

    for _ in range(4):
        watcher.push(large)
    ended = watcher.ended
    watcher.push(large)

    assert (ended, watcher.ended) == (False, True)


async def test_what_was_taken_counts_no_more() -> None:
    """A watcher that reads may see any amount in its life."""
    watcher = Watcher()
    large = Event("ADDED", Stored("default/a", bytes(BYTES // 2), 1), None, 0.0)

    for _ in range(5):
        watcher.push(large)
        watcher.take()

    assert not watcher.ended


async def test_very_many_events_are_given_in_parts() -> None:
    """What is not given yet still counts, so that a slow client is noticed while it is sent to."""
    watcher = Watcher()
    half = Event("ADDED", Stored("default/a", bytes(AT_ONCE // 2), 1), None, 0.0)
    for _ in range(5):
        watcher.push(half)

    taken = [len(watcher.take()) for _ in range(4)]

    assert taken == [2, 2, 1, 0]
