"""The queue against a model of it that is simple enough to be right at a glance."""

import asyncio

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from kubewright._aio import VirtualClock
from kubewright.workqueue import WorkQueue

KEYS = st.sampled_from("abcde")
PRIORITIES = st.sampled_from([-100, 0, 0, 0, 7])
SECONDS = st.integers(1, 5)


class Model:
    """What a queue is: one entry per key, with the highest priority and the earliest time."""

    def __init__(self) -> None:
        self.now = 0
        self.turn = 0
        self.closed = False
        self.ready: dict[str, tuple[int, int]] = {}  # the priority, and whose turn it is in it
        self.marked: dict[str, int] = {}
        self.waiting: dict[str, tuple[int, int, int]] = {}  # due when, added when, the priority
        self.processing: set[str] = set()

    def line_up(self, key: str, priority: int) -> None:
        self.turn += 1
        self.ready[key] = (priority, self.turn)

    def add(self, key: str, priority: int) -> None:
        if key in self.ready:
            if priority > self.ready[key][0]:
                self.line_up(key, priority)
            return
        if key in self.marked:
            self.marked[key] = max(priority, self.marked[key])
            return
        if self.closed:
            return
        if key in self.waiting:
            priority = max(priority, self.waiting.pop(key)[2])
        if key in self.processing:
            self.marked[key] = priority
        else:
            self.line_up(key, priority)

    def add_after(self, key: str, seconds: int, priority: int) -> None:
        if self.closed:
            return
        if key in self.ready or key in self.marked:
            self.add(key, priority)
            return
        self.turn += 1
        new = (self.now + seconds, self.turn, priority)
        old = self.waiting.get(key, new)
        self.waiting[key] = (*min(old[:2], new[:2]), max(old[2], priority))

    def get(self) -> str | None:
        first = min(
            self.ready, key=lambda key: (-self.ready[key][0], self.ready[key][1]), default=None
        )
        if first is not None:
            del self.ready[first]
            self.processing.add(first)
        return first

    def done(self, key: str) -> None:
        self.processing.remove(key)
        if key in self.marked:
            self.line_up(key, self.marked.pop(key))

    def advance(self, seconds: int) -> None:
        self.now += seconds
        for key in sorted(self.waiting, key=lambda key: self.waiting[key]):
            if self.waiting[key][0] <= self.now:
                self.add(key, self.waiting[key][2])

    def shut_down(self) -> None:
        self.closed = True
        self.waiting.clear()


class Comparison(RuleBasedStateMachine):
    """Does the same to a queue and to its model."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = VirtualClock()
        self.queue = WorkQueue[str](clock=self.clock)
        self.model = Model()
        self.runner = asyncio.Runner()

    @rule(key=KEYS, priority=PRIORITIES)
    def add(self, key: str, priority: int) -> None:
        self.queue.add(key, priority=priority)
        self.model.add(key, priority)

    @rule(key=KEYS, seconds=SECONDS, priority=PRIORITIES)
    def add_after(self, key: str, seconds: int, priority: int) -> None:
        self.queue.add_after(key, seconds, priority=priority)
        self.model.add_after(key, seconds, priority)

    @rule()
    def get(self) -> None:
        assert self.queue.get_nowait() == self.model.get()

    @precondition(lambda self: self.model.processing)
    @rule(data=st.data())
    def done(self, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(sorted(self.model.processing)))
        self.queue.done(key)
        self.model.done(key)

    @rule(seconds=SECONDS)
    def advance(self, seconds: int) -> None:
        self.runner.run(self.clock.advance(seconds))
        self.model.advance(seconds)

    @precondition(lambda self: self.model.turn > 20)
    @rule()
    def shut_down(self) -> None:
        self.queue.shut_down()
        self.model.shut_down()

    @invariant()
    def counts_are_equal(self) -> None:
        assert len(self.queue) == len(self.model.ready)
        assert self.queue.waiting == len(self.model.waiting)
        assert self.queue.processing == len(self.model.processing)
        assert sum(self.queue.depths().values()) == len(self.model.ready) + len(self.model.marked)

    def teardown(self) -> None:
        """Empty both, which must give the same keys in the same order."""
        while (key := self.model.get()) is not None:
            assert self.queue.get_nowait() == key
        assert self.queue.get_nowait() is None
        self.runner.close()


def test_the_queue_does_what_its_model_does() -> None:
    """In whatever order things happen, the next key is the one that the rules say."""
    run_state_machine_as_test(
        Comparison, settings=settings(max_examples=60, stateful_step_count=40, deadline=None)
    )
