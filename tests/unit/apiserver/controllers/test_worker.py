"""A worker: every key once, whatever happens to one of them."""

import asyncio
import itertools

from kubewright._aio.virtual import VirtualClock
from kubewright.apiserver.controllers.worker import NotYetError, Worker
from tests.unit.apiserver.asking import settled


class Recorder:
    """Notes the keys that it is given; fails for one of them, and waits for another."""

    def __init__(self) -> None:
        self.seen: list[object] = []
        self.go = asyncio.Event()

    def start(self, worker: Worker) -> None:
        worker.add("first")

    async def work(self, key: object) -> None:
        self.seen.append(key)
        if key == "bad":
            raise RuntimeError("broken")
        if key == "slow":
            await self.go.wait()


async def test_a_key_named_often_is_worked_on_once_and_a_failure_stops_nothing() -> None:
    """Keys named during their own work come again afterwards."""
    recorder = Recorder()
    worker = Worker(recorder)
    worker.start()

    for key in ("bad", "slow", "a", "a", "bad"):
        worker.add(key)
    await settled()
    worker.add("slow")
    recorder.go.set()
    await settled()
    await worker.stop()

    assert recorder.seen == ["first", "bad", "slow", "a", "slow"]


async def test_a_worker_stops_in_the_middle_of_things() -> None:
    """A server that stops does not wait for a slow webhook; one never started stops, too."""
    recorder = Recorder()
    worker = Worker(recorder)
    worker.start()
    worker.add("slow")
    await settled()

    await worker.stop()
    await Worker(recorder).stop()

    assert recorder.seen == ["first", "slow"]


class Stubborn:
    """Refuses the first times."""

    def __init__(self, refusals: int) -> None:
        self.times: list[float] = []
        self.clock = VirtualClock()
        self._refusals = refusals

    def start(self, worker: Worker) -> None:
        worker.add("key")

    async def work(self, key: object) -> None:
        self.times.append(self.clock.monotonic())
        if len(self.times) <= self._refusals:
            raise NotYetError


async def test_what_cannot_be_done_yet_is_tried_again_less_and_less_often() -> None:
    """Until it works; nothing is left ticking afterwards."""
    stubborn = Stubborn(3)
    worker = Worker(stubborn, clock=stubborn.clock)
    worker.start()

    await settled()
    for _ in range(5):
        await stubborn.clock.advance(10)
        await settled()
    await worker.stop()

    gaps = [later - sooner for sooner, later in itertools.pairwise(stubborn.times)]
    assert gaps == [0.5, 1.0, 2.0]
    assert stubborn.clock.next_alarm() is None


async def test_a_stopped_worker_tries_no_more() -> None:
    """A timer that rings later finds nobody."""
    stubborn = Stubborn(9)
    worker = Worker(stubborn, clock=stubborn.clock)
    worker.start()
    await settled()

    await worker.stop()
    await stubborn.clock.advance(100)

    assert len(stubborn.times) == 1
