"""The server restarts, forgets, or is away; or its watches die without a word."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from kubewright.api.requests import Request
from kubewright.testing import Unreachable
from kubewright.testing.faults import Fault
from tests.simulation.deployment import Deployment
from tests.simulation.site import Site
from tests.simulation.story import STEP, STEPS, left_behind, tell, told
from tests.simulation.world import world

AWAY = 600.0
Act = Callable[[Site], Awaitable[None]]


class Outage:
    """Nobody answers while the server is away."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def choose(self, request: Request) -> Fault | None:
        """Let the request fail if nobody is there to answer."""
        return Unreachable() if self._site.away else None


@pytest.mark.timeout(120)
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("act", [Site.restart, Site.forget], ids=["restart", "forget"])
async def test_the_server_may_restart_or_forget_at_any_request(
    act: Act, when: str, tmp_path: Path
) -> None:
    """All watches are cut, and what they have missed may be gone; the versions go on."""
    count = len((await told()).requests)

    for number in range(count):
        folder = tmp_path / str(number) if act is Site.restart else None
        async with world(folder=folder) as w:
            before = w.remains()
            at = w.site.before_request if when == "before" else w.site.after_request
            at[w.site.served + number] = lambda site=w.site: act(site)  # type: ignore[misc]  # bound now
            process = w.process("one")
            await w.pass_time(STEP)
            await tell(w)
            await w.converge(process)
            await w.stop(process)

            assert w.wrongs == [], f"at request {number}"
            assert left_behind(w, process, before) == [], f"at request {number}"


@pytest.mark.parametrize("step", range(STEPS))
async def test_the_server_may_be_away_for_minutes(step: int, tmp_path: Path) -> None:
    """The leader gives up its place in time, and all goes on when the server is back."""
    async with world(folder=tmp_path) as w:
        before = w.remains()
        deployment = Deployment(w, 2, faults=lambda number: Outage(w.site))
        deployment.start()
        await w.pass_time(STEP)

        async def leave(number: int) -> None:
            if number == step:
                await w.site.stop()
                await w.pass_time(AWAY)
                await w.site.start()

        await tell(w, leave)
        await w.converge(within=120)
        await deployment.stop()

        assert deployment.starts == 3  # only who led had to be started again
        assert (w.wrongs, deployment.left) == ([], [])
        assert w.remains() == before


@pytest.mark.parametrize("step", range(STEPS))
async def test_all_watches_may_die_silently_at_once(step: int) -> None:
    """No error tells of it, and still everything is found out, if late."""
    async with world() as w:
        before = w.remains()
        process = w.process("one")
        await w.pass_time(STEP)
        silenced = []

        async def silence(number: int) -> None:
            if number == step:
                silenced.append(process.wire.silence())

        await tell(w, silence)
        await w.converge(process)
        await w.stop(process)

        assert silenced == [3]
        assert (w.wrongs, left_behind(w, process, before)) == ([], [])


async def test_watches_that_always_die_silently_are_noticed_each_time() -> None:
    """A firewall that forgets idle connections: late, but never too late."""
    async with world() as w:
        before = w.remains()
        process = w.process("one")
        await w.pass_time(STEP)

        for number in range(10):
            await w.set_price(str(number))
            await w.build(f"shop-{number}")
            process.wire.silence()
            await w.pass_time(90)
        await w.converge(process)
        await w.stop(process)

        assert (w.wrongs, left_behind(w, process, before)) == ([], [])
