"""The queue: every promise of client-go's queue and of controller-runtime's priority queue."""

import asyncio
import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from kubewright._aio import TaskSet, VirtualClock
from kubewright.workqueue import LOW, ExponentialBackoff, QueueShutDown, WorkQueue


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def queue(clock: VirtualClock) -> WorkQueue[str]:
    return WorkQueue(clock=clock)


def take_all(queue: WorkQueue[str]) -> list[str]:
    """Take and finish all that is ready, and return it in order."""
    taken = []
    while (key := queue.get_nowait()) is not None:
        queue.done(key)
        taken.append(key)
    return taken


# Order and duplicates


async def test_keys_come_out_in_the_order_they_went_in(queue: WorkQueue[str]) -> None:
    """Nobody overtakes, so nobody starves."""
    for key in "cab":
        queue.add(key)

    assert [await queue.get() for _ in "cab"] == ["c", "a", "b"]


def test_a_key_is_queued_once_however_often_it_is_added(queue: WorkQueue[str]) -> None:
    """A burst of events leads to one look at the object, at the place of the first."""
    for key in "abaa":
        queue.add(key)

    assert len(queue) == 2
    assert take_all(queue) == ["a", "b"]


def test_a_key_added_again_after_done_goes_to_the_end(queue: WorkQueue[str]) -> None:
    """A busy key gets its turn like the others."""
    for key in "ab":
        queue.add(key)
    queue.done(queue.get_nowait() or "")

    queue.add("a")

    assert take_all(queue) == ["b", "a"]


def test_an_empty_queue_gives_nothing_at_once(queue: WorkQueue[str]) -> None:
    """A hot worker looks before it waits."""
    assert queue.get_nowait() is None


def test_a_key_can_be_any_hashable_value() -> None:
    """Keys need not be comparable, not even when they wait for the same time."""
    queue = WorkQueue[object]()
    keys = [object(), ("a", 1), 7]

    for key in keys:
        queue.add(key)

    assert [queue.get_nowait() for _ in keys] == keys


# While a key is being processed


def test_a_key_added_while_processing_is_held_back_until_done(queue: WorkQueue[str]) -> None:
    """Two workers on one object would write over one another."""
    queue.add("a")
    queue.get_nowait()

    queue.add("a")

    assert queue.get_nowait() is None
    assert len(queue) == 0
    queue.done("a")
    assert queue.get_nowait() == "a"


def test_a_thousand_adds_while_processing_lead_to_one_more_pass(queue: WorkQueue[str]) -> None:
    """All of them are seen by the next look, so one is enough."""
    queue.add("a")
    queue.get_nowait()
    for _ in range(1000):
        queue.add("a")

    queue.done("a")

    assert take_all(queue) == ["a"]


def test_a_key_marked_while_processing_queues_up_when_it_is_done(queue: WorkQueue[str]) -> None:
    """Those who waited meanwhile come first."""
    queue.add("a")
    queue.get_nowait()
    queue.add("a")
    queue.add("b")

    queue.done("a")

    assert take_all(queue) == ["b", "a"]


def test_done_with_a_key_nobody_has_changes_nothing(queue: WorkQueue[str]) -> None:
    """A second ``done``, in a finally, does not queue a key twice."""
    queue.add("a")

    queue.done("a")
    queue.done("b")

    assert take_all(queue) == ["a"]
    assert queue.processing == 0


# Waiting for keys


async def test_a_getter_that_waits_is_woken_by_an_add(
    queue: WorkQueue[str], clock: VirtualClock
) -> None:
    """A worker at rest costs nothing and starts at once."""
    getter = asyncio.create_task(queue.get())
    await clock.settle()

    queue.add("a")

    assert await clock.run(getter) == "a"


async def test_a_getter_that_waits_is_woken_by_done(
    queue: WorkQueue[str], clock: VirtualClock
) -> None:
    """A marked key needs a worker, even if the one who had it goes away."""
    queue.add("a")
    await queue.get()
    queue.add("a")
    getter = asyncio.create_task(queue.get())
    await clock.settle()

    queue.done("a")

    assert await clock.run(getter) == "a"


async def test_each_key_wakes_another_getter(queue: WorkQueue[str], clock: VirtualClock) -> None:
    """Three keys at once keep three workers busy."""
    getters = [asyncio.create_task(queue.get()) for _ in range(3)]
    await clock.settle()

    for key in "abc":
        queue.add(key)

    assert await clock.run(asyncio.gather(*getters)) == ["a", "b", "c"]


async def test_a_cancelled_getter_takes_nothing(queue: WorkQueue[str], clock: VirtualClock) -> None:
    """A worker that is stopped while it waits leaves no key behind as processing."""
    getter = asyncio.create_task(queue.get())
    await clock.settle()
    getter.cancel()
    await clock.settle()

    queue.add("a")

    assert queue.processing == 0
    assert await clock.run(queue.get()) == "a"


async def test_a_getter_woken_and_cancelled_at_once_passes_the_key_on(
    queue: WorkQueue[str], clock: VirtualClock
) -> None:
    """The wake-up must not die with the one who got it, or the key waits for the next event."""
    first, second = (asyncio.create_task(queue.get()) for _ in range(2))
    await clock.settle()

    queue.add("a")
    first.cancel()

    assert await clock.run(second) == "a"


async def test_a_getter_that_is_cancelled_just_before_a_wake_up_is_passed_over(
    queue: WorkQueue[str], clock: VirtualClock
) -> None:
    """It has not noticed its end yet, and must not fail when it does."""
    first, second = (asyncio.create_task(queue.get()) for _ in range(2))
    await clock.settle()

    first.cancel()
    queue.add("a")

    assert await clock.run(second) == "a"
    assert first.cancelled()


async def test_a_getter_whose_key_was_taken_by_another_goes_on_waiting(
    queue: WorkQueue[str], clock: VirtualClock
) -> None:
    """A worker that does not wait may be quicker than one that was just woken."""
    getter = asyncio.create_task(queue.get())
    await clock.settle()

    queue.add("a")
    quicker = queue.get_nowait()
    await clock.settle()

    assert quicker == "a"
    assert not getter.done()
    queue.add("b")
    assert await clock.run(getter) == "b"


async def test_getters_that_give_up_leave_nothing_behind(
    queue: WorkQueue[str], clock: VirtualClock
) -> None:
    """A worker that looks every second with a timeout must not fill the memory."""
    for _ in range(10):
        with pytest.raises(TimeoutError):
            await clock.run(_get_within(queue, clock, 1.0))

    assert not queue._getters


async def _get_within(queue: WorkQueue[str], clock: VirtualClock, seconds: float) -> str:
    async with clock.timeout(seconds):
        return await queue.get()


async def test_many_producers_and_consumers_lose_nothing_and_never_meet() -> None:
    """No key is with two workers at once, and each add is followed by a pass that begins later."""
    clock = VirtualClock()
    queue = WorkQueue[int](clock=clock)
    busy: set[int] = set()
    added, seen = dict.fromkeys(range(20), 0), dict.fromkeys(range(20), 0)

    async def produce(offset: int) -> None:
        for step in range(100):
            key = (offset * 7 + step * 3) % 20
            added[key] += 1
            queue.add(key)
            await clock.sleep(0.001 * (step % 3))

    async def consume() -> None:
        while (key := await _next_of(queue)) is not None:
            assert key not in busy
            busy.add(key)
            seen[key] = added[key]
            await clock.sleep(0.002)
            busy.remove(key)
            queue.done(key)

    async with TaskSet() as workers:
        for _ in range(5):
            workers.start(consume())
        await clock.run(asyncio.gather(*(produce(offset) for offset in range(8))))
        await clock.run(queue.drain())

    assert seen == added


async def _next_of(queue: WorkQueue[int]) -> int | None:
    try:
        return await queue.get()
    except QueueShutDown:
        return None


# Delays


async def test_a_delayed_key_comes_when_its_time_has_come(
    queue: WorkQueue[str], clock: VirtualClock
) -> None:
    """Not before, since somebody asked for that."""
    queue.add_after("a", 10.0)

    await clock.advance(9.99)
    assert (len(queue), queue.waiting) == (0, 1)
    await clock.advance(0.01)

    assert (len(queue), queue.waiting) == (1, 0)


@pytest.mark.parametrize("seconds", [0.0, -1.0])
def test_a_key_without_delay_is_ready_at_once(queue: WorkQueue[str], seconds: float) -> None:
    """A time that has passed needs no timer."""
    queue.add_after("a", seconds)

    assert queue.get_nowait() == "a"


@pytest.mark.parametrize("delays", [(10.0, 1.0), (1.0, 10.0)])
async def test_the_earlier_of_two_delays_wins(
    queue: WorkQueue[str], clock: VirtualClock, delays: tuple[float, float]
) -> None:
    """Whoever asked for the earlier time relies on it; the later one is served by the same look."""
    for seconds in delays:
        queue.add_after("a", seconds)

    await clock.advance(1.0)
    assert take_all(queue) == ["a"]
    await clock.advance(100.0)

    assert take_all(queue) == []


async def test_an_add_takes_the_place_of_a_delay(
    queue: WorkQueue[str], clock: VirtualClock
) -> None:
    """One entry per key: the look that comes now is not repeated when the time would have come."""
    queue.add_after("a", 10.0)

    queue.add("a")

    assert take_all(queue) == ["a"]
    await clock.advance(100.0)
    assert take_all(queue) == []


async def test_a_delay_of_a_queued_key_is_not_needed(
    queue: WorkQueue[str], clock: VirtualClock
) -> None:
    """It is looked at before that anyway."""
    queue.add("a")

    queue.add_after("a", 10.0)

    assert queue.waiting == 0


async def test_a_delayed_key_that_is_processing_when_due_waits_for_done(
    queue: WorkQueue[str], clock: VirtualClock
) -> None:
    """A timer is no reason for two workers to meet."""
    queue.add("a")
    queue.get_nowait()
    queue.add_after("a", 5.0)

    await clock.advance(5.0)

    assert queue.get_nowait() is None
    queue.done("a")
    assert take_all(queue) == ["a"]


async def test_delayed_keys_come_in_the_order_of_their_times(
    queue: WorkQueue[str], clock: VirtualClock
) -> None:
    """Also when one timer finds several due."""
    for key, seconds in (("c", 3.0), ("a", 1.0), ("b", 2.0), ("d", 3.0)):
        queue.add_after(key, seconds)

    await clock.advance(3.0)

    assert take_all(queue) == ["a", "b", "c", "d"]


async def test_one_timer_serves_all_delayed_keys(
    queue: WorkQueue[str], clock: VirtualClock
) -> None:
    """Ten thousand objects that are looked at each hour must not be ten thousand timers."""
    for number in range(100):
        queue.add_after(str(number), 100.0 + number)

    assert clock.sleepers == 1


# Rate limits


async def test_a_rate_limited_key_waits_longer_with_each_failure(clock: VirtualClock) -> None:
    """And says for how long, for the log."""
    queue = WorkQueue[str](limiter=ExponentialBackoff(base=1.0, cap=3.0), clock=clock)
    delays = []
    for _ in range(4):
        delays.append(queue.add_rate_limited("a"))
        await clock.advance(delays[-1])
        queue.done(queue.get_nowait() or "")

    assert delays == [1.0, 2.0, 3.0, 3.0]
    assert queue.failures("a") == 4
    assert queue.failures("b") == 0


async def test_a_forgotten_key_starts_over(clock: VirtualClock) -> None:
    """After a success the next failure is the first again; the key itself stays where it is."""
    queue = WorkQueue[str](limiter=ExponentialBackoff(base=1.0), clock=clock)
    queue.add_rate_limited("a")
    queue.add_rate_limited("a")

    queue.forget("a")

    assert queue.failures("a") == 0
    assert queue.waiting == 1
    assert queue.add_rate_limited("a") == 1.0


async def test_the_default_limits_are_those_of_client_go(queue: WorkQueue[str]) -> None:
    """5 ms, doubled up to 1000 s."""
    delays = [queue.add_rate_limited("a") for _ in range(30)]

    assert delays[:3] == [0.005, 0.01, 0.02]
    assert delays[-1] == 1000.0


# Priorities


def test_a_higher_priority_goes_first(queue: WorkQueue[str]) -> None:
    """A change that was just made is seen before the ten thousand objects of the first list."""
    queue.add("old", priority=LOW)
    queue.add("live")
    queue.add("urgent", priority=10)

    assert take_all(queue) == ["urgent", "live", "old"]


def test_within_a_priority_the_order_is_kept(queue: WorkQueue[str]) -> None:
    """Fair among equals."""
    for key in "cab":
        queue.add(key, priority=LOW)

    assert take_all(queue) == ["c", "a", "b"]


@pytest.mark.parametrize(("first", "second"), [(LOW, 0), (0, 5), (LOW, 5), (-2, -1)])
def test_adding_with_a_higher_priority_moves_to_the_end_of_that_line(
    queue: WorkQueue[str], first: int, second: int
) -> None:
    """It overtakes its old line, but not those who stood in the new one."""
    queue.add("moved", priority=first)
    queue.add("stays", priority=first)
    queue.add("before", priority=second)

    queue.add("moved", priority=second)

    assert len(queue) == 3
    assert take_all(queue) == ["before", "moved", "stays"]


def test_adding_with_a_lower_priority_changes_nothing(queue: WorkQueue[str]) -> None:
    """The one who wanted it soon still does."""
    queue.add("a", priority=5)
    queue.add("b", priority=5)

    queue.add("a", priority=LOW)

    assert take_all(queue) == ["a", "b"]
    assert queue.depths() == {0: 0, 5: 0}


def test_a_key_that_moved_up_and_came_back_stands_at_the_end(queue: WorkQueue[str]) -> None:
    """Its old place in the low line is gone; otherwise it would overtake those who waited."""
    queue.add("a", priority=LOW)
    queue.add("b", priority=LOW)
    queue.add("a")
    queue.done(queue.get_nowait() or "")

    queue.add("a", priority=LOW)

    assert take_all(queue) == ["b", "a"]


async def test_a_waiting_key_takes_the_highest_priority_it_was_added_with(
    queue: WorkQueue[str], clock: VirtualClock
) -> None:
    """Also when the time of the other add is the one that counts."""
    queue.add_after("a", 1.0, priority=LOW)
    queue.add_after("a", 9.0, priority=3)
    queue.add_after("b", 1.0)

    await clock.advance(1.0)

    assert queue.priority_of("a") == 3
    assert take_all(queue) == ["a", "b"]


def test_a_key_added_while_it_waits_keeps_the_higher_priority(queue: WorkQueue[str]) -> None:
    """The delay is dropped, the importance is not."""
    queue.add("first")

    async def delayed() -> None:
        queue.add_after("a", 1.0, priority=3)
        queue.add("a")

    asyncio.run(delayed())

    assert take_all(queue) == ["a", "first"]


def test_a_marked_key_takes_the_highest_priority_it_was_added_with(queue: WorkQueue[str]) -> None:
    """It is in no line yet, but it has its priority when it gets there."""
    queue.add("a")
    queue.get_nowait()
    queue.add("a", priority=LOW)
    queue.add("a", priority=7)
    queue.add("b")

    queue.done("a")

    assert take_all(queue) == ["a", "b"]


def test_a_delay_raises_the_priority_of_a_queued_key(queue: WorkQueue[str]) -> None:
    """One entry: the earlier time and the higher priority."""
    queue.add("a")
    queue.add("b")

    queue.add_after("b", 5.0, priority=1)

    assert take_all(queue) == ["b", "a"]


def test_the_priority_of_a_taken_key_is_known_until_done(queue: WorkQueue[str]) -> None:
    """A retry keeps the priority of what failed."""
    queue.add("a", priority=LOW)
    assert queue.priority_of("a") == LOW

    queue.get_nowait()
    assert queue.priority_of("a") == LOW
    queue.done("a")
    queue.add("a")
    queue.get_nowait()

    assert queue.priority_of("a") == 0


# The end


async def test_after_shut_down_what_is_queued_is_still_given(queue: WorkQueue[str]) -> None:
    """Work that was accepted is done; then workers are sent home, each of them."""
    queue.add("a")

    queue.shut_down()
    queue.add("b")

    assert await queue.get() == "a"
    for _ in range(2):
        with pytest.raises(QueueShutDown):
            await queue.get()


async def test_shut_down_sends_waiting_getters_home(
    queue: WorkQueue[str], clock: VirtualClock
) -> None:
    """A worker that waits for the next key would wait for ever."""
    getters = [asyncio.create_task(queue.get()) for _ in range(3)]
    await clock.settle()

    queue.shut_down()
    results = await clock.run(asyncio.gather(*getters, return_exceptions=True))

    assert [type(result) for result in results] == [QueueShutDown] * 3


@pytest.mark.parametrize(
    "add",
    [
        lambda queue: queue.add("a"),
        lambda queue: queue.add_after("a", 1.0),
        lambda queue: queue.add_rate_limited("a"),
    ],
)
async def test_after_shut_down_nothing_is_taken_in(
    queue: WorkQueue[str], clock: VirtualClock, add: Callable[[WorkQueue[str]], object]
) -> None:
    """Nor is it an error: event handlers run on for a moment."""
    queue.shut_down()

    add(queue)

    assert len(queue) == queue.waiting == clock.sleepers == 0


async def test_shut_down_drops_delayed_keys_and_the_timer(
    queue: WorkQueue[str], clock: VirtualClock
) -> None:
    """Nobody waits an hour for a requeue that the next start makes anyway."""
    queue.add_after("a", 3600.0)

    queue.shut_down()

    assert queue.is_shut_down
    assert queue.waiting == clock.sleepers == 0


async def test_a_key_marked_before_shut_down_is_given_once_more(queue: WorkQueue[str]) -> None:
    """The change it was marked for has not been seen by anybody."""
    queue.add("a")
    await queue.get()
    queue.add("a")

    queue.shut_down()
    queue.done("a")

    assert await queue.get() == "a"


async def test_drain_waits_for_what_is_queued_and_for_what_is_processing(
    queue: WorkQueue[str], clock: VirtualClock
) -> None:
    """Only then can the process end without leaving something half done."""
    for key in "ab":
        queue.add(key)
    await queue.get()

    drain = asyncio.create_task(queue.drain())
    await clock.settle()
    queue.done("a")
    await queue.get()
    await clock.settle()
    assert not drain.done()
    queue.done("b")

    await clock.run(drain)
    assert len(queue) == queue.processing == 0


async def test_drain_waits_for_every_worker(queue: WorkQueue[str], clock: VirtualClock) -> None:
    """The first to finish does not end it for the others."""
    for key in "ab":
        queue.add(key)
        await queue.get()
    drain = asyncio.create_task(queue.drain())
    await clock.settle()

    queue.done("a")
    await clock.settle()
    assert not drain.done()
    queue.done("b")

    await clock.run(drain)


async def test_drain_waits_for_a_marked_key(queue: WorkQueue[str], clock: VirtualClock) -> None:
    """Done is not done while the key is to be looked at again."""
    queue.add("a")
    await queue.get()
    queue.add("a")
    drain = asyncio.create_task(queue.drain())
    await clock.settle()

    queue.done("a")
    await clock.settle()
    assert not drain.done()
    queue.done(await queue.get())

    await clock.run(drain)


async def test_drain_of_an_idle_queue_returns_at_once(queue: WorkQueue[str]) -> None:
    """Delayed keys do not count."""
    queue.add_after("a", 3600.0)

    await queue.drain()

    assert queue.is_shut_down


async def test_two_can_drain_and_one_can_give_up(
    queue: WorkQueue[str], clock: VirtualClock
) -> None:
    """The grace period of one does not decide for the other."""
    queue.add("a")
    await queue.get()
    patient, hasty = (asyncio.create_task(queue.drain()) for _ in range(2))
    await clock.settle()

    hasty.cancel()
    await clock.settle()
    queue.done("a")

    await clock.run(patient)
    assert hasty.cancelled()


def test_a_queue_that_nobody_uses_is_gone_at_once() -> None:
    """No cycle: the garbage collector may be frozen, and the page of metrics would show it."""
    gone = weakref.ref(WorkQueue[str]("short-lived"))
    gc.disable()
    try:
        assert gone() is None
    finally:
        gc.enable()


# What it tells


async def test_ages_are_those_of_the_oldest(clock: VirtualClock) -> None:
    """Health looks at them to tell a stuck worker from an idle one."""
    queue = WorkQueue[str]("ages", clock=clock)
    for key in "abc":
        queue.add(key)
        await clock.advance(1.0)
    for _ in "ab":
        queue.get_nowait()
        await clock.advance(10.0)

    assert queue.oldest_age == 21.0
    assert queue.longest_running == 20.0
    assert queue.unfinished == 30.0


def test_an_idle_queue_has_no_ages() -> None:
    """Zero is what a dashboard expects."""
    queue = WorkQueue[str]("idle")

    assert queue.oldest_age == queue.longest_running == queue.unfinished == 0.0


async def test_a_queue_without_a_name_takes_no_times(clock: VirtualClock) -> None:
    """Nobody would read them."""
    queue = WorkQueue[str](clock=clock)
    queue.add("a")
    queue.add("b")
    queue.get_nowait()
    await clock.advance(10.0)

    assert queue.oldest_age == queue.longest_running == queue.unfinished == 0.0


async def test_it_knows_what_is_in_it(queue: WorkQueue[str]) -> None:
    """Whether ready, marked or waiting; a key that is only processing is not."""
    for key in ("taken", "marked", "ready"):
        queue.add(key)
    for _ in range(2):
        queue.get_nowait()
    queue.add("marked")
    queue.add_after("waiting", 5.0)

    assert [key for key in ("taken", "marked", "ready", "waiting") if key in queue] == [
        "marked",
        "ready",
        "waiting",
    ]
    assert repr(queue) == "<WorkQueue '': 1 ready, 1 waiting, 2 processing>"
    queue.shut_down()
    assert repr(queue) == "<WorkQueue '': 1 ready, 0 waiting, 2 processing, shut down>"


def test_depths_count_marked_keys_too() -> None:
    """They are work to be done, and client-go counts them."""
    queue = WorkQueue[str]()
    for key, priority in (("a", 0), ("b", 0), ("c", LOW)):
        queue.add(key, priority=priority)
    queue.get_nowait()

    queue.add("a", priority=3)

    assert queue.depths() == {0: 1, LOW: 1, 3: 1}


async def test_a_priority_that_is_no_number_is_refused_and_harms_nobody() -> None:
    """Neither is the key lost, nor do the others stop whose time comes."""
    clock = VirtualClock()
    queue = WorkQueue[str]("", clock=clock)
    queue.add_after("later", 1.0)
    wrong: Any = "high"

    with pytest.raises(TypeError):
        queue.add("a", priority=wrong)
    with pytest.raises(TypeError):
        queue.add_after("a", 0.5, priority=wrong)
    queue.add("a", priority=-7)
    await clock.advance(1.0)

    assert [queue.get_nowait(), queue.get_nowait(), queue.get_nowait()] == ["later", "a", None]


# What is known of keys and workers


async def test_it_tells_how_long_the_last_key_had_been_queued(clock: VirtualClock) -> None:
    """The record of a run says how long it had to wait for a worker."""
    queue = WorkQueue[str]("test-last-wait", clock=clock)
    queue.add("a")
    queue.add_after("b", 1)
    await clock.advance(3)

    queue.get_nowait()
    first = queue.last_wait
    queue.get_nowait()

    assert (first, queue.last_wait) == (3.0, 2.0)
    queue.release()


async def test_it_tells_when_a_key_can_be_taken(queue: WorkQueue[str], clock: VirtualClock) -> None:
    """Also for one that a worker has, and that was added again meanwhile."""
    queue.add("now")
    queue.add_after("later", 10)
    await clock.advance(4)
    queue.get_nowait()
    taken = queue.due_in("now")
    queue.add("now")

    assert (taken, queue.due_in("now"), queue.due_in("later")) == (None, 0.0, 6.0)


async def test_it_is_idle_when_nothing_is_due_and_no_worker_has_a_key(
    queue: WorkQueue[str], clock: VirtualClock
) -> None:
    """Keys whose time has not come are nobody's work yet; and the queue goes on afterwards."""
    queue.add_after("later", 10)
    idle = queue.is_idle
    queue.add("a")
    waiting = asyncio.create_task(queue.wait_idle())
    await clock.settle()
    key = await queue.get()
    queue.add("a")
    queue.done(key)
    await clock.settle()
    between = waiting.done()
    queue.done(await queue.get())
    await clock.settle()
    queue.add("b")

    assert (idle, between, waiting.done()) == (True, False, True)
    assert await queue.get() == "b"
