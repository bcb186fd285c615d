"""New records, for a reader that may be slow."""

import asyncio
import gc
from collections.abc import AsyncIterable

from kubewright._aio import VirtualClock
from kubewright.runs import RunRecord, Runs
from tests.unit.runs.noted import notes


async def ids(records: AsyncIterable[RunRecord], seen: list[str]) -> None:
    """Read until the end."""
    seen.extend([record.id async for record in records])


async def test_it_tells_each_record_and_ends_when_it_is_closed() -> None:
    """A page that is closed must not leave anything behind."""
    clock, runs, seen = VirtualClock(), Runs(), list[str]()
    async with runs.follow() as records:
        reader = asyncio.create_task(ids(records, seen))
        for number in range(3):
            runs.add(notes(run_id=str(number)))
            await clock.settle()
        assert runs.active
    await reader

    assert seen == ["0", "1", "2"]
    assert not runs.active


async def test_a_slow_reader_loses_the_oldest_and_is_told_how_many() -> None:
    """A run never waits for whoever looks at it."""
    runs, seen = Runs(), list[str]()
    records = runs.follow(buffer=2)
    for number in range(5):
        runs.add(notes(run_id=str(number)))
    records.close()
    await ids(records, seen)

    assert seen == ["3", "4"]
    assert records.lost == 3


async def test_one_that_nobody_refers_to_is_closed() -> None:
    """Who breaks out of the loop forgets to close it, sooner or later."""
    runs = Runs()
    runs.add(notes())

    async def read_one() -> None:
        records = runs.follow()
        runs.add(notes())
        async for _ in records:
            break

    await read_one()
    gc.collect()

    assert not runs.active


async def test_it_tells_only_what_was_asked_for() -> None:
    """A page about one kind need not be woken by all others."""
    runs, seen = Runs(), list[str]()
    records = runs.follow(controller="shop", kind="Shop", namespace="default")
    runs.add(notes(run_id="1"))
    runs.add(notes(run_id="2", controller="other"))
    runs.add(notes(run_id="3", namespace="other"))
    records.close()
    await ids(records, seen)

    assert seen == ["1"]
