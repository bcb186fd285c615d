import asyncio

import pytest

from kubewright._aio import VirtualClock
from kubewright.manager.answers import Answers


class Server:
    """Answers when it is told to, and counts."""

    def __init__(self) -> None:
        self.asked = 0
        self.answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def __call__(self) -> str:
        self.asked += 1
        return await asyncio.shield(self.answer)


def answers(clock: VirtualClock, *, most: int = 10) -> Answers[str]:
    """Return what keeps a "yes" for a minute, and everything else for ten seconds."""
    return Answers(clock, keep_for=lambda one: 60.0 if one == "yes" else 10.0, most=most)


async def said(text: str) -> str:
    """Answer at once."""
    return text


async def test_whoever_asks_meanwhile_gets_the_same_answer() -> None:
    """A dozen scrapers that start at once are one request."""
    clock, server = VirtualClock(), Server()
    kept = answers(clock)
    asking = [asyncio.create_task(kept.get(b"a", server)) for _ in range(12)]
    await clock.settle()

    server.answer.set_result("yes")

    assert await asyncio.gather(*asking) == ["yes"] * 12
    assert server.asked == 1


async def test_another_takes_over_from_one_who_goes_away() -> None:
    """A client that hangs up must not cost the others their answer."""
    clock, server = VirtualClock(), Server()
    kept = answers(clock)
    first, second = (asyncio.create_task(kept.get(b"a", server)) for _ in range(2))
    await clock.settle()

    first.cancel()
    await clock.settle()
    server.answer.set_result("yes")

    assert await second == "yes"
    assert first.cancelled()
    assert server.asked == 2


async def test_a_failure_is_for_all_who_wait_and_then_forgotten() -> None:
    """A server that is down is not asked by each of them; one that is back is asked again."""
    clock, server = VirtualClock(), Server()
    kept = answers(clock)
    asking = [asyncio.create_task(kept.get(b"a", server)) for _ in range(3)]
    await clock.settle()

    server.answer.set_exception(OSError("down"))

    failed = await asyncio.gather(*asking, return_exceptions=True)
    assert [str(one) for one in failed] == ["down"] * 3
    assert server.asked == 1
    assert await kept.get(b"a", lambda: said("yes")) == "yes"


@pytest.mark.parametrize(("answer", "seconds"), [("yes", 60.0), ("no", 10.0)])
async def test_an_answer_is_kept_for_its_time(answer: str, seconds: float) -> None:
    """Somebody who lost a right loses the page soon after."""
    clock = VirtualClock()
    kept = answers(clock)
    await kept.get(b"a", lambda: said(answer))

    await clock.advance(seconds - 1)
    before = await kept.get(b"a", lambda: said("new"))
    await clock.advance(1)
    after = await kept.get(b"a", lambda: said("new"))

    assert (before, after) == (answer, "new")


async def test_a_flood_of_wrong_ones_does_not_drive_out_the_right_ones() -> None:
    """There are only so many kept, and those that end first go first."""
    clock = VirtualClock()
    kept = answers(clock, most=10)
    await kept.get(b"good", lambda: said("yes"))

    for number in range(100):
        await kept.get(b"wrong %d" % number, lambda: said("no"))

    assert len(kept) == 10
    assert await kept.get(b"good", lambda: said("asked again")) == "yes"
