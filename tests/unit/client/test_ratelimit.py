"""`TokenBucket`: client-go's flow control."""

import asyncio

import pytest

from kubewright._aio import VirtualClock
from kubewright.client.ratelimit import TokenBucket


async def test_the_bucket_starts_full() -> None:
    """A program that starts up should not be slowed down for nothing."""
    bucket = TokenBucket(5, 10, clock=VirtualClock())

    waited = [await bucket.wait() for _ in range(10)]

    assert waited == [0.0] * 10


async def test_beyond_the_burst_tokens_come_at_the_given_rate() -> None:
    """Each waiter has its own turn, in the order they came."""
    clock = VirtualClock()
    bucket = TokenBucket(4, 1, clock=clock)
    served: list[tuple[int, float]] = []

    async def one(number: int) -> None:
        await bucket.wait()
        served.append((number, clock.monotonic() - start))

    start = clock.monotonic()
    tasks = [asyncio.create_task(one(number)) for number in range(4)]
    await clock.advance(1.0)
    await asyncio.gather(*tasks)

    assert served == [(0, 0.0), (1, 0.25), (2, 0.5), (3, 0.75)]


async def test_a_cancelled_waiter_gives_its_token_back() -> None:
    """Otherwise requests that were given up would still use up the rate."""
    clock = VirtualClock()
    bucket = TokenBucket(1, 1, clock=clock)
    await bucket.wait()
    waiter = asyncio.create_task(bucket.wait())
    await asyncio.sleep(0)

    waiter.cancel()
    await asyncio.wait([waiter])
    await clock.advance(1.0)

    assert await bucket.wait() == 0.0


@pytest.mark.parametrize(("qps", "burst"), [(0, 1), (-1, 1), (1, 0)])
def test_a_rate_that_lets_nothing_through_is_refused(qps: float, burst: int) -> None:
    """It would hang every request without a word."""
    with pytest.raises(ValueError, match="qps > 0"):
        TokenBucket(qps, burst)


async def test_nobody_overtakes_after_others_gave_up() -> None:
    """Who waits longest is next, whoever left the queue before or came after."""
    clock = VirtualClock()
    bucket = TokenBucket(1, 1, clock=clock)
    await bucket.wait()
    served: list[str] = []

    async def one(name: str) -> None:
        await bucket.wait()
        served.append(name)

    leaving = [asyncio.create_task(one("gone")) for _ in range(3)]
    early = asyncio.create_task(one("early"))
    await asyncio.sleep(0)
    for task in leaving:
        task.cancel()
    await asyncio.wait(leaving)
    late = asyncio.create_task(one("late"))
    await clock.advance(1.0)
    first = list(served)
    await clock.advance(1.0)
    await asyncio.gather(early, late)

    assert first == ["early"]
    assert served == ["early", "late"]
