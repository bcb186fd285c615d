"""Limiters: how long a key waits before it is tried again."""

import pytest

from kubewright._aio import VirtualClock
from kubewright.workqueue import (
    Bucket,
    ExponentialBackoff,
    FastSlow,
    MaxOf,
    MaxWait,
    RateLimiter,
)


def waits(limiter: RateLimiter, key: str, count: int) -> list[float]:
    """Return the next *count* waits of *key*."""
    return [limiter.when(key) for _ in range(count)]


def test_exponential_backoff_doubles_up_to_its_cap() -> None:
    """Each key for itself."""
    limiter = ExponentialBackoff(base=1.0, cap=5.0)

    assert waits(limiter, "a", 5) == [1.0, 2.0, 4.0, 5.0, 5.0]
    assert waits(limiter, "b", 1) == [1.0]


def test_exponential_backoff_survives_thousands_of_failures() -> None:
    """A key that fails for weeks stays at the cap; a float has no room for its power of two."""
    limiter = ExponentialBackoff()

    assert waits(limiter, "a", 3000)[-1] == 1000.0
    assert limiter.failures("a") == 3000


def test_exponential_backoff_can_grow_by_another_factor() -> None:
    """Ten times longer each time, for something that recovers slowly."""
    assert waits(ExponentialBackoff(base=1.0, factor=10.0), "a", 3) == [1.0, 10.0, 100.0]


@pytest.mark.parametrize("wrong", [{"base": -1.0}, {"cap": -1.0}, {"factor": 0.5}])
def test_exponential_backoff_refuses_numbers_that_make_no_sense(wrong: dict[str, float]) -> None:
    """A wait below zero would be a busy loop."""
    with pytest.raises(ValueError, match="a backoff needs base and cap of at least 0"):
        ExponentialBackoff(**wrong)


def test_fast_slow_is_fast_a_few_times() -> None:
    """Then it is slow for as long as it takes."""
    limiter = FastSlow(0.1, 60.0, tries=2)

    assert waits(limiter, "a", 4) == [0.1, 0.1, 60.0, 60.0]


@pytest.mark.parametrize("limiter", [ExponentialBackoff(), FastSlow(0.005, 60.0, tries=1)])
def test_a_forgotten_key_starts_over(limiter: RateLimiter) -> None:
    """Forgetting one that never failed is fine, too."""
    waits(limiter, "a", 3)
    assert limiter.failures("a") == 3

    limiter.forget("a")
    limiter.forget("never failed")

    assert limiter.failures("a") == 0
    assert limiter.when("a") == 0.005


async def test_a_bucket_lets_a_burst_pass_and_then_its_rate() -> None:
    """Whatever the keys are."""
    clock = VirtualClock()
    bucket = Bucket(10.0, 2, clock=clock)

    assert waits(bucket, "a", 2) == [0.0, 0.0]
    assert waits(bucket, "b", 2) == pytest.approx([0.1, 0.2])
    await clock.advance(0.3)
    assert bucket.when("c") == 0.0
    bucket.forget("a")
    assert bucket.failures("a") == 0


async def test_a_bucket_does_not_save_more_than_a_burst() -> None:
    """An hour of rest is not followed by an hour's worth at once."""
    clock = VirtualClock()
    bucket = Bucket(10.0, 2, clock=clock)

    await clock.advance(3600.0)

    assert waits(bucket, "a", 3) == pytest.approx([0.0, 0.0, 0.1])


@pytest.mark.parametrize(("qps", "burst"), [(0.0, 1), (1.0, 0)])
def test_a_bucket_refuses_numbers_that_make_no_sense(qps: float, burst: int) -> None:
    """Nothing would ever pass."""
    with pytest.raises(ValueError, match="qps above 0 and burst of at least 1"):
        Bucket(qps, burst)


def test_max_of_waits_for_the_longest() -> None:
    """Each limiter counts, whether its wait is the one or not."""
    fast, slow = ExponentialBackoff(base=1.0), ExponentialBackoff(base=3.0, cap=3.0)
    limiter = MaxOf(fast, slow)

    assert waits(limiter, "a", 3) == [3.0, 3.0, 4.0]
    assert limiter.failures("a") == 3
    limiter.forget("a")
    assert fast.failures("a") == slow.failures("a") == 0


def test_max_of_nothing_is_refused() -> None:
    """There is no longest of none."""
    with pytest.raises(ValueError, match="at least one limiter"):
        MaxOf()


def test_max_wait_cuts_the_wait() -> None:
    """The failures go on to be counted."""
    limiter = MaxWait(ExponentialBackoff(base=1.0), 3.0)

    assert waits(limiter, "a", 4) == [1.0, 2.0, 3.0, 3.0]
    assert limiter.failures("a") == 4
    limiter.forget("a")
    assert limiter.failures("a") == 0
