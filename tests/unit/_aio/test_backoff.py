import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright._aio import Backoff, VirtualClock
from kubewright.errors import LifecycleError


class Dice:
    def __init__(self, value: float) -> None:
        self.value = value

    def random(self) -> float:
        return self.value


def test_delays_double_up_to_the_cap() -> None:
    """The numbers are client-go's: 0.8 s, doubled, at most 30 s."""
    backoff = Backoff(jitter=0, clock=VirtualClock())

    delays = [backoff.next_delay() for _ in range(8)]

    assert delays == [0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30.0, 30.0]


def test_jitter_adds_a_share_of_the_delay() -> None:
    """Operators that lost the server together must not come back together."""
    backoff = Backoff(base=10, jitter=0.5, source=Dice(0.5), clock=VirtualClock())

    assert backoff.next_delay() == 12.5


def test_jitter_does_not_feed_the_next_delay() -> None:
    """Otherwise the series would grow faster than its factor."""
    backoff = Backoff(base=1, factor=2, jitter=1, source=Dice(1.0), clock=VirtualClock())

    assert [backoff.next_delay() for _ in range(3)] == [2.0, 4.0, 8.0]


def test_reset_starts_over() -> None:
    """A success is the end of the trouble."""
    backoff = Backoff(base=1, jitter=0, clock=VirtualClock())
    backoff.next_delay()
    backoff.next_delay()

    backoff.reset()

    assert backoff.next_delay() == 1


async def test_a_quiet_time_starts_over() -> None:
    """A failure today has nothing to do with those of yesterday."""
    clock = VirtualClock()
    backoff = Backoff(base=1, jitter=0, reset_after=120, clock=clock)
    backoff.next_delay()
    backoff.next_delay()

    await clock.advance(119)
    soon = backoff.next_delay()
    await clock.advance(120)
    later = backoff.next_delay()

    assert (soon, later) == (4, 1)


def test_steps_are_counted_and_then_refused() -> None:
    """A caller who forgets to give up must not spin without a delay."""
    backoff = Backoff(steps=2, clock=VirtualClock())

    backoff.next_delay()
    assert not backoff.exhausted
    backoff.next_delay()

    assert backoff.exhausted
    with pytest.raises(LifecycleError, match="all 2 steps"):
        backoff.next_delay()


async def test_wait_sleeps_on_the_clock() -> None:
    """Retries take no real time in tests."""
    clock = VirtualClock()
    backoff = Backoff(base=600, cap=600, jitter=0, clock=clock)

    await clock.run(backoff.wait())

    assert clock.monotonic() == 600


@given(
    base=st.floats(0, 100),
    factor=st.floats(1, 10),
    cap=st.floats(0, 1000),
    jitter=st.floats(0, 2),
    seed=st.integers(),
)
def test_no_delay_is_ever_longer_than_the_cap_and_its_jitter(
    base: float, factor: float, cap: float, jitter: float, seed: int
) -> None:
    """However long a server is away, it is asked again within a known time."""
    backoff = Backoff(
        base=base,
        factor=factor,
        cap=cap,
        jitter=jitter,
        source=random.Random(seed),
        clock=VirtualClock(),
    )

    delays = [backoff.next_delay() for _ in range(400)]

    assert all(0 <= delay <= cap * (1 + jitter) for delay in delays)


@pytest.mark.parametrize("wrong", [{"base": -1}, {"factor": 0.5}, {"jitter": -1}, {"cap": -1}])
def test_numbers_that_make_no_series_are_refused(wrong: dict[str, float]) -> None:
    """A shrinking backoff would turn into a busy loop."""
    with pytest.raises(ValueError, match="a backoff needs"):
        Backoff(**wrong)  # type: ignore[arg-type]  # mypy takes the value for any keyword
