"""Two replicas, one of which leads; and what happens when that one goes, well or badly."""

from collections.abc import Callable

import pytest

from tests.runtime.processes import Replica
from tests.runtime.town import Town

pytestmark = pytest.mark.timeout(240)  # leases are held in real time

Start = Callable[[], Replica]

NAMES = [f"shop-{number}" for number in range(60)]
LEASE_SECONDS = 15.0
RETRIES = 2 * 4.4 + 5.0  # a look to see the last renewal, one to see its end, a busy machine


async def test_the_standby_goes_on_within_the_lease_time_when_the_leader_is_killed(
    town: Town, start: Start
) -> None:
    """``kill -9`` under load: nobody else may lead before, somebody does after, nothing is lost."""
    await town.build(NAMES)
    first = start()
    leader = await town.leader()
    start()

    async with town.busy():
        await town.settled_once("shop-0")
        first.kill()
        seen = await town.lease()
        successor = await town.leader(after=leader.spec.holder_identity or "")
    await town.settled()

    assert seen.spec.renew_time is not None
    assert successor.spec.acquire_time is not None
    waited = (successor.spec.acquire_time - seen.spec.renew_time).total_seconds()
    assert LEASE_SECONDS <= waited <= LEASE_SECONDS + RETRIES
    assert successor.spec.lease_transitions == (seen.spec.lease_transitions or 0) + 1


async def test_a_leader_that_is_asked_to_stop_hands_over_at_once(town: Town, start: Start) -> None:
    """A rolling update under load: each replica leaves politely, and no lease time is lost."""
    await town.build(NAMES)
    current = start()
    leader = await town.leader()

    async with town.busy():
        for _ in range(3):
            following = start()
            await town.settled_once("shop-0")
            assert current.stop() == 0
            left = await town.lease()
            successor = await town.leader(after=leader.spec.holder_identity or "")
            assert left.spec.holder_identity != leader.spec.holder_identity
            current, leader = following, successor
    await town.settled()

    assert leader.spec.lease_transitions == 3


async def test_all_of_five_thousand_objects_are_reconciled(town: Town, start: Start) -> None:
    """Also those that were there before the operator, and those that change while it starts."""
    names = [f"shop-{number}" for number in range(5000)]
    await town.build(names[:4000])

    start()
    await town.build(names[4000:])
    await town.resize("shop-0", 7)
    await town.settled()

    assert len(town.sizes) == 5000
