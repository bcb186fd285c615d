"""A day on a bad network, with work all the time: it ends as it began."""

import asyncio
import gc
import sys
from typing import NamedTuple

import pytest

from kubewright.testing import RandomFaults
from tests.simulation.customer import Customer
from tests.simulation.deployment import Deployment
from tests.simulation.seeds import SEEDS
from tests.simulation.world import Traced, World, world

HOUR = 3600.0
HOURS = 24
WARM = 3
"""After so many hours everything that is bounded is full."""


class Measure(NamedTuple):
    """How much there is of what could leak."""

    tasks: int
    timers: int
    streams: int
    watchers: int
    objects: int
    blocks: int


def measured(w: World, deployment: Deployment) -> Measure:
    """Return how much there is at the moment."""
    w.site.cool()
    gc.collect()
    return Measure(
        len(asyncio.all_tasks()),
        w.clock.sleepers,
        sum(process.wire.streams for process in deployment.processes),
        w.site.watchers,
        len(gc.get_objects()),
        sys.getallocatedblocks(),
    )


def least(measures: list[Measure]) -> Measure:
    """Return the least of each: what is there whatever happens at the moment."""
    return Measure(*map(min, zip(*measures, strict=True)))


def most(measures: list[Measure]) -> Measure:
    """Return the most of each: a new leader, say, has no task for events before its first one."""
    return Measure(*map(max, zip(*measures, strict=True)))


@pytest.mark.timeout(240)
@pytest.mark.parametrize("seed", SEEDS)
async def test_a_day_of_faults_leaves_everything_right_and_nothing_behind(seed: int) -> None:
    """No task, timer, stream or byte more in the evening than in the morning."""
    async with world(seed=seed) as w:
        before = w.remains()
        networks = [RandomFaults(seed * 100 + number, rate=0.1) for number in range(2)]
        wires = [Traced(w.clock, network) for network in networks]
        for wire in wires:
            wire.trace = None
        deployment = Deployment(w, 2, faults=lambda number: wires[number])
        customer = Customer(w, seed)
        deployment.start()

        hours: list[Measure] = []
        for _ in range(HOURS):
            await customer.be_busy(HOUR, every=(10, 120))
            await customer.tidy()
            hours.append(measured(w, deployment))
        for network in networks:
            network.heal()
        await w.converge(within=HOUR)
        await w.pass_time(60)
        await deployment.stop()

        assert (w.wrongs, deployment.left) == ([], [])
        assert w.remains() == before
        # It was a day of work, and a bad one.
        assert customer.acts > 1000
        assert sum(wire.count for wire in wires) > 50_000
        assert sum(wire.injected for wire in wires) > 5_000
        assert deployment.starts > 2
    morning, evening = least(hours[WARM : WARM + 3]), least(hours[-3:])
    busiest = most(hours[WARM : WARM + 3])
    assert evening.tasks <= busiest.tasks
    assert evening.streams <= busiest.streams
    assert evening.watchers <= busiest.watchers
    assert evening.timers <= busiest.timers
    assert evening.objects <= morning.objects + 1000
    # Texts that are remembered, up to some thousand of them, take blocks.
    assert evening.blocks <= morning.blocks * 1.03
