"""Parts: what a long list is told in, slice by slice, and whom."""

import asyncio

import pytest

from kubewright.api.unstructured import Unstructured
from kubewright.cache.entry import Event
from tests.unit.cache.informing import (
    Feed,
    Informing,
    added,
    bookmark,
    deleted,
    error_line,
    modified,
    told,
)

MANY = 2500


def many(version: int = 0) -> bytes:
    return b"".join(added(f"p{number:04}", number + 1 + version) for number in range(MANY))


def stream(*lines: bytes, version: int) -> Feed:
    return Feed().send(*lines, bookmark(version, end=True))


async def slices(it: Informing, count: int) -> None:
    """Let others run until that many slices of a list were told."""
    for _ in range(10_000):
        if len(it.events) >= count * 1000:
            return
        await asyncio.sleep(0)
    raise AssertionError(len(it.events))


async def test_a_long_list_is_told_in_slices_from_a_full_store() -> None:
    """The loop must not stand still, and a handler must be able to look up any other object."""
    it = Informing(stream(many(), version=9999))
    sizes: set[int] = set()
    it.informer.add_handler(lambda _: sizes.add(len(it.informer.store)))
    task = asyncio.create_task(it.informer.run())

    await slices(it, 1)
    assert (len(it.events), it.informer.synced) == (1000, True)
    await slices(it, 2)
    assert len(it.events) == 2000
    await it.clock.settle()

    assert len(it.events) == MANY
    assert sizes == {MANY}
    task.cancel()
    await asyncio.wait([task])


@pytest.mark.parametrize("asynchronous", [True, False])
async def test_a_handler_that_is_added_between_two_slices_hears_each_object_once(
    *, asynchronous: bool
) -> None:
    """What the others still have to hear is in the store already."""
    it = Informing(stream(many(), version=9999))
    heard: list[str] = []

    async def slow(event: Event[Unstructured]) -> None:
        heard.append(event.key.name)

    task = asyncio.create_task(it.informer.run())
    await slices(it, 1)
    registration = it.informer.add_handler(
        slow if asynchronous else (lambda event: heard.append(event.key.name))
    )
    assert not registration.synced
    await it.clock.settle()

    assert registration.synced
    assert sorted(heard) == [f"p{number:04}" for number in range(MANY)]
    task.cancel()
    await asyncio.wait([task])


async def test_a_handler_that_is_removed_between_two_slices_hears_no_more() -> None:
    """A removed handler's state may be gone already."""
    it = Informing(stream(many(), version=9999))
    heard: list[str] = []
    registration = it.informer.add_handler(lambda event: heard.append(event.key.name))
    task = asyncio.create_task(it.informer.run())
    await slices(it, 1)

    registration.remove()
    await it.clock.settle()

    assert len(heard) == 1000
    task.cancel()
    await asyncio.wait([task])


async def test_a_namespace_that_leaves_between_two_slices_is_told_to_its_end() -> None:
    """A deletion that was found by the list and not told would never be told at all."""
    first = stream(many(), version=9999)
    async with Informing(first, stream(version=20_000), namespaces=frozenset("a")) as it:
        it.events.clear()
        first.send(error_line(410, "Gone"))
        while not it.events:
            await it.clock.advance_to_next() if it.clock.next_alarm() else await asyncio.sleep(0)

        it.informer.set_namespaces(["other"])

        assert len(it.events) == MANY
        assert {told(event)[0] for event in it.events} == {"DELETED?"}


async def test_changes_of_all_objects_are_told_in_the_order_of_the_stream() -> None:
    """Who hears of a deletion after a creation may conclude from it what came first."""
    feed = stream(added("x", 1), added("y", 2), version=4)
    async with Informing(feed) as it:
        it.events.clear()

        await it.send(feed, modified("y", 5), added("z", 6), modified("x", 7))
        await it.send(feed, deleted("y", 8), modified("z", 9), added("y", 10))

        assert [(event.type, event.key.name) for event in it.events] == [
            ("MODIFIED", "y"),
            ("ADDED", "z"),
            ("MODIFIED", "x"),
            ("DELETED", "y"),
            ("MODIFIED", "z"),
            ("ADDED", "y"),
        ]


async def test_a_handler_may_change_the_namespaces_in_the_middle_of_a_chunk() -> None:
    """What comes after it in the chunk is of a namespace that nobody asks for any more."""
    feed = stream(version=4)
    async with Informing(feed, namespaces=frozenset("a")) as it:
        it.informer.add_handler(lambda _: it.informer.set_namespaces(["b"]))

        await it.send(feed, added("x", 5), added("y", 6))

        assert [(told(event)[0], event.key.name) for event in it.events] == [
            ("ADDED", "x"),
            ("DELETED?", "x"),
        ]
        assert it.names == []


async def test_a_slow_handler_makes_the_stream_wait() -> None:
    """The server is held back, not our memory filled; and our slowness is not its silence."""
    gate = asyncio.Event()

    async def slow(event: Event[Unstructured]) -> None:
        await gate.wait()

    feed = stream(version=4)
    async with Informing(feed) as it:
        registration = it.informer.add_handler(slow)
        await it.send(feed, many(10), bookmark(9999))
        await it.send(feed, added("later", 10_000))
        await it.clock.advance(250)
        assert not feed.is_read
        assert "later" not in it.names
        assert it.server.asked == ["stream"]

        gate.set()
        await it.clock.settle()

        assert "later" in it.names
        assert registration.failures == 0


async def test_a_slow_handler_does_not_keep_others_from_the_list() -> None:
    """The list is in memory already; only what comes after it can be held back."""

    async def stuck(event: Event[Unstructured]) -> None:
        await asyncio.get_running_loop().create_future()

    it = Informing(stream(many(), version=9999))
    it.informer.add_handler(stuck)
    quick = it.informer.add_handler(lambda _: None)
    async with it:
        assert quick.synced


async def test_a_slow_handler_that_is_removed_holds_nobody() -> None:
    """The stream goes on for the others."""

    async def stuck(event: Event[Unstructured]) -> None:
        await asyncio.get_running_loop().create_future()

    feed = stream(version=4)
    async with Informing(feed) as it:
        registration = it.informer.add_handler(stuck)
        await it.send(feed, many(10))
        await it.send(feed, added("later", 10_000))
        assert "later" not in it.names

        registration.remove()
        await it.clock.settle()

        assert "later" in it.names


async def test_objects_are_packed_once_there_are_many() -> None:
    """Those that came first, too."""
    wide = b"".join(
        added(f"p{number}", number + 1, annotations={"text": f"{number} " * 400})
        for number in range(1200)
    )
    async with Informing(stream(wide, version=9999)) as it:
        store = it.informer.store

        assert all(entry.packing for entry in store.streamed())
        assert store.size_in_bytes < len(wide) / 4
