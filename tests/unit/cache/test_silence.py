"""Silence: a block that ends when nothing came for too long."""

import asyncio

import pytest

from kubewright._aio import VirtualClock
from kubewright.cache.silence import Silence


class Listening:
    """A block that waits for ever, and when it heard something last."""

    def __init__(self, patience: float) -> None:
        self.clock = VirtualClock()
        self.heard = 0.0
        self.patience = patience
        self.silence = Silence(self.clock, lambda: self.heard + self.patience)
        self.task = asyncio.create_task(self._listen())

    async def _listen(self) -> float:
        try:
            async with self.silence:
                await asyncio.get_running_loop().create_future()
        except TimeoutError:
            return self.clock.monotonic()
        raise AssertionError


@pytest.mark.parametrize("patience", [5.0, 30.0, 95.0])
async def test_it_ends_when_the_time_is_up(patience: float) -> None:
    """To the second, however often it looks in between."""
    listening = Listening(patience)

    assert await listening.clock.run(listening.task) == patience


async def test_each_sound_moves_the_end() -> None:
    """A stream that brings something is alive."""
    listening = Listening(40.0)
    await listening.clock.advance(35)
    listening.heard = 35.0

    assert await listening.clock.run(listening.task) == 75.0


async def test_patience_that_shrinks_is_noticed() -> None:
    """What is learned of a server counts for the streams that are open already."""
    listening = Listening(600.0)
    await listening.clock.advance(35)
    listening.patience = 50.0

    assert await listening.clock.run(listening.task) == 50.0 + 10.0


async def test_it_does_not_count_while_we_do_not_listen() -> None:
    """A slow handler of ours is not the silence of the server."""
    listening = Listening(40.0)
    with listening.silence.suspended():
        await listening.clock.advance(500)
        assert not listening.task.done()
        listening.heard = 500.0

    assert await listening.clock.run(listening.task) == 540.0


async def test_a_cancellation_from_elsewhere_passes_through() -> None:
    """It is no time-out, and must not be taken for one."""
    listening = Listening(40.0)
    await listening.clock.settle()

    listening.task.cancel()
    await asyncio.wait([listening.task])

    assert listening.task.cancelled()
    assert listening.clock.next_alarm() is None
