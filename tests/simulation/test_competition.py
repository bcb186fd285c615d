"""Replicas compete for hours on a bad network: never do two of them lead."""

import pytest

from kubewright.testing import RandomFaults
from tests.simulation.customer import Customer
from tests.simulation.deployment import Deployment
from tests.simulation.seeds import SEEDS
from tests.simulation.story import STEP
from tests.simulation.world import Traced, world

HOUR = 3600.0


@pytest.mark.timeout(120)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("rate", [0.1, 0.4])
async def test_at_no_moment_do_two_lead(seed: int, rate: float) -> None:
    """Who leads is judged by the server and by the system outside, at everything that is done."""
    async with world(seed=seed) as w:
        before = w.remains()
        networks = [RandomFaults(seed * 10 + number, rate=rate) for number in range(2)]
        deployment = Deployment(w, 2, faults=lambda number: networks[number])
        customer = Customer(w, seed)
        deployment.start()
        await w.pass_time(STEP)

        await customer.be_busy(2 * HOUR, every=(5, 60))
        for network in networks:
            network.heal()
        await w.converge(within=HOUR)
        await deployment.stop()

        assert (w.wrongs, deployment.left) == ([], [])
        assert w.remains() == before
        assert all(network.count > 100 for network in networks)


async def run(seed: int) -> list[object]:
    """Return all that happened in some minutes of a bad network."""
    async with world(seed=seed) as w:
        wires = [Traced(w.clock, RandomFaults(seed + number, rate=0.3)) for number in range(2)]
        deployment = Deployment(w, 2, faults=lambda number: wires[number])
        deployment.start()
        await Customer(w, seed).be_busy(1200, every=(5, 60))
        await deployment.stop()
        return [wire.trace for wire in wires]


async def test_the_same_seed_is_the_same_run() -> None:
    """Each request, each fault and each moment; so what fails once can be looked at again."""
    assert await run(7) == await run(7)
    assert await run(7) != await run(8)
