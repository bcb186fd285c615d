import asyncio
from itertools import count

from kubewright.controller.turns import SLICE, Turns, turns_of


async def test_after_a_long_reconcile_all_others_run_before_the_next() -> None:
    """Ten workers that block for a moment each would add up to a probe that times out."""
    turns, order, clock = Turns(), list[str](), count(step=2 * SLICE)

    async def work(name: str) -> None:
        for _ in range(2):
            await turns.wait(lambda: next(clock))
            order.append(name)

    async def beat() -> None:
        for _ in range(8):
            order.append(".")
            await asyncio.sleep(0)

    await asyncio.gather(work("a"), work("b"), work("c"), beat())

    rounds = "".join(order).split(".")
    assert sorted("".join(rounds)) == list("aabbcc")
    assert max(map(len, rounds)) == 1


async def test_short_reconciles_share_a_round() -> None:
    """To go round the loop for each would cost more than they do."""
    turns = Turns()

    assert [turns.may_begin(now) for now in (1.0, 1.001, 1.0 + 2 * SLICE)] == [True, True, False]


async def test_all_workers_of_a_loop_share_their_turns() -> None:
    """It is the loop that must come round, whichever controller holds it up."""
    loop = asyncio.get_running_loop()

    assert turns_of(loop) is turns_of(loop)
