"""Every request of a run goes wrong once, in every way that it can; each time all comes right."""

import pytest

from kubewright.testing import Cut, Hanging, Lost, Refused, Silent, Slow, Unreachable
from kubewright.testing.faults import Fault
from tests.simulation.story import NthFault, told

ANYWHERE: tuple[Fault, ...] = (
    Unreachable(),
    Hanging(60),
    Hanging(4),
    Slow(4),
    Slow(40),
    Refused(429, retry_after=1),
    Refused(500),
    Refused(503, retry_after=1),
    Refused(503),
)
ON_STREAMS: tuple[Fault, ...] = (Cut(0), Cut(150), Cut(2500), Silent(0), Silent(1500), Refused(410))
ON_WRITES: tuple[Fault, ...] = (Lost(), Refused(409))
ON_READS: tuple[Fault, ...] = (Lost(),)


def fits(fault: Fault, request: str) -> bool:
    """Say whether *fault* can happen to a request, which is given by its method and target."""
    if fault in ANYWHERE:
        return True
    if "watch=true" in request:
        return fault in ON_STREAMS
    return fault in (ON_READS if request.startswith("GET") else ON_WRITES)


async def test_without_faults_each_thing_is_done_once() -> None:
    """The measure of all that follows: no wrong, no waste, nothing left behind."""
    found = await told()

    assert (found.wrongs, found.left) == ([], [])
    assert found.took == 0
    assert found.asked == [1, 1]
    assert found.events == [1, 1, 1, 1]


async def test_the_same_story_is_the_same_run() -> None:
    """A run that fails can be looked at again: all chance comes from one seed."""
    first, second = await told(), await told()

    assert first.requests == second.requests
    assert first.times == second.times


@pytest.mark.timeout(120)
@pytest.mark.parametrize("fault", [*ANYWHERE, *ON_STREAMS, *ON_WRITES], ids=repr)
async def test_any_one_request_may_go_wrong(fault: Fault) -> None:
    """All comes right, nothing is lost, nothing is done twice, and nothing is left behind."""
    clean = await told()
    numbers = [n for n, request in enumerate(clean.requests) if fits(fault, request)]
    assert numbers

    for number in numbers:
        where = f"{fault} on request {number}, {clean.requests[number]}"
        try:
            found = await told(NthFault(number, fault))
        except (Exception, ExceptionGroup) as error:
            error.add_note(where)
            raise
        assert found.requests[: number + 1] == clean.requests[: number + 1], where
        assert (found.wrongs, found.left) == ([], []), where
        assert max(found.asked, default=0) <= 2, where
        assert max(found.events) <= 1, where
        # An event that the server has refused is not sent again, as in client-go. One that could
        # not be sent before the process gave up the lease is not sent by it any more.
        if "/events" not in clean.requests[number]:
            assert set(found.events) == {1}, where
