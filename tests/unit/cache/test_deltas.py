"""Delta queues: order, merging, and making the producer wait."""

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubewright.api.unstructured import Unstructured
from kubewright.cache.codec import Codec
from kubewright.cache.deltas import DeltaQueue, merged
from kubewright.cache.entry import Entry, Event
from tests.unit.cache.informing import told

CODEC: Codec[Unstructured] = Codec(Unstructured.read)
Change = tuple[int | None, int | None]


def entry(name: str, version: int | None) -> Entry[Unstructured] | None:
    raw = f'{{"metadata":{{"name":"{name}","resourceVersion":"{version}"}}}}'
    return None if version is None else CODEC.entry(raw.encode())


def change(old: int | None, new: int | None, name: str = "x", **flags: Any) -> Event[Unstructured]:
    return Event(entry(name, old), entry(name, new), **flags)


@pytest.mark.parametrize(
    ("first", "second", "both"),
    [
        ((None, 1), (1, 2), ("ADDED", "x", "", "2")),
        ((1, 2), (2, 3), ("MODIFIED", "x", "1", "3")),
        ((None, 1), (1, None), ("DELETED", "x", "1", "")),
        ((1, 2), (2, None), ("DELETED", "x", "1", "")),
        ((1, None), (None, 2), ("MODIFIED", "x", "1", "2")),
    ],
)
def test_two_changes_of_an_object_become_one(first: Change, second: Change, both: Any) -> None:
    """It leads from before the first to after the second."""
    assert told(merged(change(*first), change(*second))) == both


def test_what_was_there_first_stays_so_after_a_change() -> None:
    """A list of thousands must not become urgent because they change while they wait."""
    assert merged(change(None, 1, initial=True), change(1, 2)).initial


def test_a_deletion_that_nobody_saw_stays_so() -> None:
    """The last state may lag behind."""
    assert merged(change(1, 2), change(2, None, unseen=True)).unseen


async def test_objects_come_in_the_order_in_which_they_first_changed() -> None:
    """A busy object must not be put off for ever by its own changes."""
    queue: DeltaQueue[Unstructured] = DeltaQueue()
    for event in (change(1, 2, "x"), change(1, 2, "y"), change(2, 3, "x")):
        queue.push(event)

    taken = [await queue.take(), await queue.take()]

    assert [told(event) for event in taken if event] == [
        ("MODIFIED", "x", "1", "3"),
        ("MODIFIED", "y", "1", "2"),
    ]
    assert len(queue) == 0


async def test_who_waits_is_woken_by_a_change() -> None:
    """A lost wake-up would stop a handler for ever."""
    queue: DeltaQueue[Unstructured] = DeltaQueue()
    taking = asyncio.create_task(queue.take())
    await asyncio.sleep(0)

    queue.push(change(None, 1))

    assert await taking is not None


async def test_a_full_queue_makes_its_producer_wait() -> None:
    """So that the connection fills up, and the server waits, instead of our memory."""
    queue: DeltaQueue[Unstructured] = DeltaQueue(limit=2)
    queue.push(change(None, 1, "x"))
    queue.push(change(1, 2, "x"))
    await queue.wait_for_room()
    queue.push(change(None, 1, "y"))
    waiting = asyncio.create_task(queue.wait_for_room())
    await asyncio.sleep(0)
    assert not waiting.done()

    await queue.take()

    await waiting


async def test_a_producer_that_is_cancelled_leaves_nothing_behind() -> None:
    """The next one to wait is woken all the same."""
    queue: DeltaQueue[Unstructured] = DeltaQueue(limit=1)
    queue.push(change(None, 1))
    waits = [asyncio.create_task(queue.wait_for_room()) for _ in range(2)]
    await asyncio.sleep(0)

    waits[0].cancel()
    await queue.take()

    await waits[1]
    assert waits[0].cancelled()


async def test_a_consumer_that_is_cancelled_loses_nothing() -> None:
    """A change that arrives in that moment is for the next one."""
    queue: DeltaQueue[Unstructured] = DeltaQueue()
    taking = asyncio.create_task(queue.take())
    await asyncio.sleep(0)

    queue.push(change(None, 1))
    taking.cancel()
    await asyncio.wait([taking])

    assert await queue.take() is not None


async def test_a_closed_queue_holds_nobody() -> None:
    """Neither who waits for a change nor who waits for room."""
    queue: DeltaQueue[Unstructured] = DeltaQueue(limit=1)
    taking = asyncio.create_task(queue.take())
    await asyncio.sleep(0)
    queue.close()
    queue.push(change(None, 1))

    assert await taking is None
    assert await queue.take() is None
    assert len(queue) == 0
    await queue.wait_for_room()


@settings(max_examples=50)
@given(st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from(["push", "drop", "take"]))))
def test_whatever_is_merged_leads_to_the_same_state(steps: list[tuple[str, str]]) -> None:
    """A slow handler ends up with the same picture as a quick one."""

    async def play() -> None:
        queue: DeltaQueue[Unstructured] = DeltaQueue()
        truth: dict[str, int] = {}
        heard: dict[str, str] = {}
        for number, (name, step) in enumerate(steps, 1):
            if step == "push":
                queue.push(change(truth.get(name), number, name))
                truth[name] = number
            elif step == "drop" and name in truth:
                queue.push(change(truth.pop(name), None, name))
            elif step == "take" and len(queue):
                hear(await queue.take(), heard)
        while len(queue):
            hear(await queue.take(), heard)

        assert heard == {name: str(version) for name, version in truth.items()}

    asyncio.run(play())


def hear(event: Event[Unstructured] | None, heard: dict[str, str]) -> None:
    assert event is not None
    if event.new is None:
        heard.pop(event.key.name, None)
    else:
        heard[event.key.name] = event.new.resource_version
