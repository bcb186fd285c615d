"""Delays: the series without a clock; `Backoff` has the tests of its numbers."""

import pytest

from kubewright._aio.delays import Delays, patience


def test_time_is_told_and_never_asked_for() -> None:
    """What is pure can be played through in a test, or in a simulation, in any order."""
    delays = Delays(base=1, jitter=0, reset_after=120, now=1000.0)

    given = [delays.next(now) for now in (1000.0, 1001.0, 1120.9, 1241.0)]

    assert given == [1, 2, 4, 1]


@pytest.mark.parametrize(("asked", "waited"), [(7.0, 7.0), (31_536_000.0, 60.0)])
def test_patience_has_an_end(asked: float, waited: float) -> None:
    """A broken proxy must not stop an operator for good."""
    assert patience(asked) == waited
