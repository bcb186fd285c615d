import asyncio
from collections.abc import Iterable
from typing import Any

import pytest

from kubewright._aio import Clock, VirtualClock
from kubewright.controller import Channel, Interval, Reason, Request
from kubewright.controller.sources import Source
from kubewright.errors import LifecycleError
from kubewright.workqueue import LOW


class Heap:
    """A sink that keeps what it is given."""

    def __init__(self, clock: Clock, known: Iterable[str] = ()) -> None:
        self.clock = clock
        self.added: list[tuple[str, str, int]] = []
        self._known = known

    def add(
        self,
        request: Request,
        reason: Reason,
        *,
        priority: int = 0,
        after: float = 0.0,
        mark: str = "",
    ) -> None:
        self.added.append((str(request), str(reason), priority))

    def known(self) -> Iterable[Request]:
        return [Request("default", name) for name in self._known]


async def run_for(source: Source, heap: Heap, clock: VirtualClock, seconds: float = 0.0) -> None:
    """Run *source* for some seconds, then cancel it."""
    task = asyncio.create_task(source.run(heap))
    await clock.advance(seconds)
    task.cancel()
    await asyncio.wait([task])


async def test_what_is_sent_before_the_controller_runs_is_not_lost() -> None:
    """A web hook may be served by a process that does not lead yet."""
    clock = VirtualClock()
    channel, heap = Channel("payments"), Heap(clock)
    await channel.send("shop/a", priority=3)
    channel.send_nowait(Request("shop", "b"))

    await run_for(channel, heap, clock)

    assert heap.added == [("shop/a", "payments", 3), ("shop/b", "payments", 0)]
    assert len(channel) == 0


async def test_a_full_channel_makes_the_sender_wait() -> None:
    """It would fill the memory otherwise while nobody reads."""
    clock = VirtualClock()
    channel, heap = Channel(size=1), Heap(clock)
    first, second = channel.send_nowait("n/a"), channel.send_nowait("n/b")
    sender = asyncio.create_task(channel.send("n/c"))
    await clock.settle()
    waits = not sender.done()

    await run_for(channel, heap, clock)

    assert (first, second, waits) == (True, False, True)
    assert [name for name, _, _ in heap.added] == ["n/a", "n/c"]


async def test_a_channel_has_one_reader_at_a_time() -> None:
    """Two would each get half of it."""
    clock = VirtualClock()
    channel, heap = Channel("payments"), Heap(clock)
    reader = asyncio.create_task(channel.run(heap))
    await clock.settle()

    with pytest.raises(LifecycleError, match="'payments' is read by a controller already"):
        await channel.run(heap)

    reader.cancel()
    await asyncio.wait([reader])
    await run_for(channel, heap, clock)


@pytest.mark.parametrize("wrong", [5, "a/b/c"])
async def test_what_names_no_object_is_refused_by_the_sender(wrong: Any) -> None:
    """The one who can mend it is the one who sends it."""
    with pytest.raises((TypeError, ValueError)):
        await Channel().send(wrong)


async def test_an_interval_asks_for_every_known_object_again_and_again() -> None:
    """What nobody watches, such as a cloud, is looked at from time to time."""
    clock = VirtualClock()
    heap = Heap(clock, known=["a", "b"])

    await run_for(Interval(60.0, name="drift"), heap, clock, 125)

    assert heap.added == [("default/a", "drift", LOW), ("default/b", "drift", LOW)] * 2


async def test_an_interval_may_ask_at_the_start_and_for_what_it_is_told() -> None:
    """A fixed list needs no function."""
    clock = VirtualClock()
    heap = Heap(clock)

    await run_for(Interval(60.0, ["n/a"], at_start=True, priority=1), heap, clock, 60)

    assert heap.added == [("n/a", "interval", 1)] * 2


async def test_a_function_that_fails_is_asked_again_the_next_time() -> None:
    """One bad answer does not end the interval."""
    clock = VirtualClock()
    heap = Heap(clock)
    answers: list[Any] = [OSError(), ["n/a"], 7, ["n/b"]]

    async def wanted() -> list[str]:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer  # type: ignore[no-any-return]  # or something wrong

    await run_for(Interval(1.0, wanted), heap, clock, 4)

    assert [name for name, _, _ in heap.added] == ["n/a", "n/b"]


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_an_interval_of_no_time_is_refused(seconds: float) -> None:
    """It would never let anything else run."""
    with pytest.raises(ValueError, match="longer than 0"):
        Interval(seconds)


def test_a_channel_without_room_is_refused() -> None:
    """Asyncio takes 0 for endless."""
    with pytest.raises(ValueError, match="at least 1"):
        Channel(size=0)


def test_an_interval_is_a_number_of_seconds() -> None:
    """Text would fail only where it is compared, with words that name neither."""
    with pytest.raises(TypeError, match=r"number of seconds, not '5m': write Interval\(300\)"):
        Interval("5m")  # type: ignore[arg-type]  # wrong on purpose


def test_a_channel_serves_one_event_loop_after_the_other() -> None:
    """It is made at the top of a module, and each test has an event loop of its own."""
    channel = Channel("asked")

    async def take() -> list[str]:
        async with VirtualClock() as clock:
            heap = Heap(clock)
            reading = asyncio.create_task(run_for(channel, heap, clock, 1))
            await channel.send("default/live")
            await reading
        return [target for target, _, _ in heap.added]

    first = asyncio.run(take())
    assert channel.send_nowait("default/between")

    assert first == ["default/live"]
    assert asyncio.run(take()) == ["default/between", "default/live"]
