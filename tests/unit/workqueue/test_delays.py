"""The keys that wait, and their timer."""

from collections.abc import Callable

from kubewright._aio import Timer, VirtualClock
from kubewright.workqueue.delays import Delays


class EarlyClock(VirtualClock):
    """A clock whose timers ring a nanosecond early, which is the resolution of asyncio's."""

    def call_later(self, seconds: float, callback: Callable[[], object]) -> Timer:
        return super().call_later(seconds - 1e-9, callback)


class Waiting:
    """Keys that wait on a clock, and those that came."""

    def __init__(self, clock: VirtualClock | None = None) -> None:
        self.clock = clock or VirtualClock()
        self.delays: Delays[str] = Delays(self.clock)
        self.came: list[tuple[str, int]] = []
        self.rung = 0

    def add(self, key: str, seconds: float, priority: int = 0) -> None:
        self.delays.add(key, seconds, priority=priority, ring=self.ring)

    def ring(self) -> None:
        self.rung += 1
        self.delays.disarm()
        self.came.extend(self.delays.pop_due())
        self.delays.arm(self.ring)


async def test_keys_are_due_at_their_times() -> None:
    """Each with its priority."""
    waiting = Waiting()
    waiting.add("b", 2.0, priority=-100)
    waiting.add("a", 1.0)

    await waiting.clock.advance(1.5)
    assert waiting.came == [("a", 0)]
    await waiting.clock.advance(0.5)

    assert waiting.came == [("a", 0), ("b", -100)]
    assert not waiting.delays.keys


async def test_a_timer_that_rings_a_hair_early_is_in_time() -> None:
    """As those of asyncio do; it would find nothing, and be set again for no time at all."""
    waiting = Waiting(EarlyClock())
    for number in range(20):
        waiting.add(str(number), 0.7 + number / 3)

    await waiting.clock.advance(1000.0)

    assert len(waiting.came) == 20
    assert waiting.rung == 20


async def test_a_key_taken_out_is_not_due() -> None:
    """Somebody added it without a delay."""
    waiting = Waiting()
    waiting.add("a", 1.0)
    waiting.add("b", 2.0)

    del waiting.delays.keys["a"]
    await waiting.clock.advance(2.0)

    assert waiting.came == [("b", 0)]


async def test_a_key_taken_out_and_put_back_is_due_once() -> None:
    """At the new time: what lies in the heap for the old one is dead."""
    waiting = Waiting()
    waiting.add("a", 1.0)
    del waiting.delays.keys["a"]
    waiting.add("a", 3.0)

    await waiting.clock.advance(2.0)
    assert waiting.came == []
    await waiting.clock.advance(10.0)

    assert waiting.came == [("a", 0)]


async def test_dead_times_do_not_pile_up() -> None:
    """A busy key with a requeue each hour would leave one behind with every event."""
    waiting = Waiting()
    waiting.add("first", 1.0)
    for _ in range(10_000):
        waiting.add("busy", 3600.0)
        del waiting.delays.keys["busy"]

    assert len(waiting.delays._heap) < 200
    await waiting.clock.advance(1.0)
    assert waiting.came == [("first", 0)]


async def test_an_earlier_key_takes_over_the_timer() -> None:
    """There is one timer, and it is that of the first key."""
    waiting = Waiting()
    for key, seconds in (("c", 30.0), ("b", 20.0), ("a", 10.0)):
        waiting.add(key, seconds)

    assert waiting.clock.sleepers == 1
    await waiting.clock.advance(30.0)

    assert [key for key, _ in waiting.came] == ["a", "b", "c"]
    assert waiting.rung == 3


async def test_cleared_keys_leave_no_timer() -> None:
    """A stopped queue keeps the loop from nothing."""
    waiting = Waiting()
    waiting.add("a", 1.0)

    waiting.delays.clear()

    assert waiting.clock.sleepers == 0
    await waiting.clock.advance(5.0)
    assert waiting.came == []
