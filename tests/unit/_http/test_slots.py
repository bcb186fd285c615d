import asyncio

import pytest

from kubewright._http.slots import Slots


async def take(slots: Slots, name: str, served: list[str]) -> None:
    await slots.wait()
    served.append(name)


async def turns(count: int = 5) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def test_slots_go_to_those_who_wait_longest() -> None:
    """Under load the first to come must not be the last to be served."""
    slots, served = Slots(1), list[str]()
    slots.free -= 1
    tasks = [asyncio.create_task(take(slots, name, served)) for name in "abc"]
    await turns()

    for _ in tasks:
        slots.give_back()
    await asyncio.gather(*tasks)

    assert served == ["a", "b", "c"]
    assert slots.free == 0


@pytest.mark.parametrize("before", [True, False])
async def test_a_cancelled_waiter_loses_no_slot(before: bool) -> None:
    """Whether it had its slot already or not: a lost one would be missing for ever."""
    slots, served = Slots(1), list[str]()
    slots.free -= 1
    gone = asyncio.create_task(take(slots, "gone", served))
    stays = asyncio.create_task(take(slots, "stays", served))
    await turns()

    if before:
        gone.cancel()
        slots.give_back()
    else:
        slots.give_back()
        gone.cancel()
    await asyncio.wait({gone, stays})
    slots.give_back()

    assert served == ["stays"]
    assert slots.free == 1


async def test_a_waiter_that_gave_up_long_ago_is_forgotten() -> None:
    """While the server hangs, thousands may come and give up."""
    slots = Slots(1)
    slots.free -= 1
    task = asyncio.create_task(slots.wait())
    await turns()

    task.cancel()
    await asyncio.wait({task})

    assert not slots._waiters


def test_without_a_number_there_are_always_more() -> None:
    """Some servers are ours alone."""
    slots = Slots(None)

    slots.free -= 10**9

    assert slots.free > 0
