from kubewright._aio import VirtualClock
from kubewright._serve.deadline import Deadline


class Calls:
    """Notes when it was called."""

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock
        self.at: list[float] = []

    def late(self) -> None:
        self.at.append(self._clock.monotonic())

    def later(self) -> None:
        self.at.append(-self._clock.monotonic())


async def test_only_what_was_set_last_happens_and_once() -> None:
    """Whether it comes earlier or later than the one before."""
    clock = VirtualClock()
    calls, deadline = Calls(clock), Deadline(clock)

    deadline.set(10, calls.late)
    deadline.set(5, calls.late)
    deadline.set(20, calls.later)
    await clock.advance(100)

    assert calls.at == [-20]


async def test_what_is_lifted_does_not_happen() -> None:
    """The answer was in time."""
    clock = VirtualClock()
    calls, deadline = Calls(clock), Deadline(clock)

    deadline.set(10, calls.late)
    deadline.lift()
    await clock.advance(100)
    deadline.set(10, calls.late)
    await clock.advance(100)

    assert calls.at == [110]


async def test_what_is_set_once_keeps_its_time() -> None:
    """Unless it is something else."""
    clock = VirtualClock()
    calls, deadline = Calls(clock), Deadline(clock)

    for _ in range(4):
        deadline.set_once(10, calls.late)
        await clock.advance(3)
    deadline.set_once(10, calls.later)
    await clock.advance(20)

    assert calls.at == [10, -22]


async def test_nothing_is_left_after_the_end() -> None:
    """A timer would keep a dead connection in memory."""
    clock = VirtualClock()
    deadline = Deadline(clock)

    deadline.set(10, deadline.lift)
    deadline.close()

    assert clock.sleepers == 0
