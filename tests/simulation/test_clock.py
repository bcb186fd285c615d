"""Clocks jump, and processes are paused: at no time do two lead, and nothing is lost."""

from collections.abc import Callable

import pytest

from kubewright.api.requests import Request
from kubewright.kinds.coordination.v1 import Lease
from kubewright.testing.faults import Fault
from tests.simulation.deployment import Deployment
from tests.simulation.shops import NAME
from tests.simulation.story import STEP, STEPS, tell
from tests.simulation.world import Traced, World, world

HOUR = 3600.0
PAUSE = 300.0


async def transitions(w: World) -> int:
    """Return how often the lease went from one to another."""
    return (await w.user.get(Lease, NAME)).spec.lease_transitions or 0


@pytest.mark.parametrize("jump", [HOUR, -HOUR], ids=["ahead", "back"])
@pytest.mark.parametrize("who", ["leader", "standby", "server", "all"])
async def test_a_wall_clock_that_jumps_changes_nothing(who: str, jump: float) -> None:
    """No lease is lost or won by it, and no work is left undone."""
    async with world() as w:
        before = w.remains()
        deployment = Deployment(w, 2)
        deployment.start()
        await w.pass_time(STEP)
        leader, standby = deployment.processes
        assert deployment.leader is leader
        clocks = {
            "leader": [leader.clock],
            "standby": [standby.clock],
            "server": [w.server_clock],
            "all": [leader.clock, standby.clock, w.server_clock],
        }[who]

        async def set_clocks(number: int) -> None:
            for clock in clocks:
                clock.wrong_by = 0 if number % 2 else jump

        await tell(w, set_clocks)
        await w.pass_time(120)
        took = await w.converge(*deployment.processes)
        assert deployment.leader is leader
        assert await transitions(w) == 0
        await deployment.stop()

        assert (took, deployment.starts) == (0, 2)
        assert (w.wrongs, deployment.left) == ([], [])
        assert w.remains() == before


class PauseAt:
    """Pauses a process when it has sent the request of a given number, before it is answered."""

    def __init__(self, number: int, pause: Callable[[], None]) -> None:
        self._left = number
        self._pause = pause

    def choose(self, request: Request) -> Fault | None:
        """Let nothing go wrong, but pause if it is time."""
        self._left -= 1
        if self._left == -1:
            self._pause()
        return None


async def _count() -> int:
    """Return how many requests a leader sends in the story."""
    async with world() as w:
        traced = Traced(w.clock)
        deployment = Deployment(w, 2, faults=lambda number: None if number else traced)
        deployment.start()
        await w.pass_time(STEP)
        await tell(w)
        count = traced.count
        await deployment.stop()
    return count


@pytest.mark.timeout(120)
async def test_a_leader_that_was_paused_does_not_write_after_it_has_lost() -> None:
    """Wherever it was: what it does next is to find out that it leads no longer, and to end."""
    for number in range(await _count()):
        try:
            await _pause_leader_at(number)
        except AssertionError as error:
            error.add_note(f"paused at request {number}")
            raise


async def _pause_leader_at(number: int) -> None:
    async with world() as w:
        before = w.remains()
        paused_at: list[float] = []

        def pause() -> None:
            deployment.processes[0].pause()
            paused_at.append(w.clock.monotonic())

        first = PauseAt(number, pause)
        deployment = Deployment(w, 2, faults=lambda replica: None if replica else first)
        deployment.start()
        await w.pass_time(STEP)
        await tell(w)
        assert paused_at, "the request was not sent"
        await w.pass_time(paused_at[0] + PAUSE - w.clock.monotonic())
        await w.change("c", size=9, signs=2)
        deployment.processes[0].resume()
        await w.converge()
        await deployment.stop()

        assert (w.wrongs, deployment.left) == ([], [])
        assert deployment.starts <= 3
        assert w.remains() == before


@pytest.mark.parametrize("step", range(STEPS))
async def test_a_short_pause_costs_nothing(step: int) -> None:
    """Shorter than what is left of the lease: the leader goes on as if nothing had been."""
    async with world() as w:
        deployment = Deployment(w, 2)
        deployment.start()
        await w.pass_time(STEP)

        async def pause(number: int) -> None:
            if number == step:
                await w.clock.settle()
                deployment.processes[0].pause()
                await w.pass_time(8)
                deployment.processes[0].resume()

        await tell(w, pause)
        await w.converge(*deployment.processes)
        assert await transitions(w) == 0
        await deployment.stop()

        assert (w.wrongs, deployment.left, deployment.starts) == ([], [], 2)


@pytest.mark.parametrize("step", range(STEPS))
async def test_everybody_may_be_paused_at_once(step: int) -> None:
    """A laptop that sleeps: whoever leads afterwards, there is one, and the work goes on."""
    async with world() as w:
        before = w.remains()
        deployment = Deployment(w, 2)
        deployment.start()
        await w.pass_time(STEP)

        async def sleep(number: int) -> None:
            if number == step:
                await w.clock.settle()
                paused = deployment.processes
                for process in paused:
                    process.pause()
                await w.pass_time(PAUSE)
                for process in paused:
                    process.resume()

        await tell(w, sleep)
        await w.converge()
        await deployment.stop()

        assert (w.wrongs, deployment.left) == ([], [])
        assert w.remains() == before
