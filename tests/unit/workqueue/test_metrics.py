"""What queues tell about themselves."""

import pytest

from kubewright import metrics
from kubewright._aio import VirtualClock
from kubewright.workqueue import LOW, WorkQueue


def value(name: str, *labels: str) -> float | None:
    """Return the number of the counter or gauge *name* as the page would show it."""
    family = metrics.REGISTRY.find(name)
    assert isinstance(family, metrics.Counter | metrics.Gauge)
    return next((child.value for found, child in family.children() if found == labels), None)


def spread(name: str, queue: WorkQueue[str]) -> metrics.HistogramValue:
    """Return the distribution *name* of *queue*."""
    family = metrics.REGISTRY.find(name)
    assert isinstance(family, metrics.Histogram)
    return family.labels(queue.name, queue.name)


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def queue(clock: VirtualClock, request: pytest.FixtureRequest) -> WorkQueue[str]:
    return WorkQueue(request.node.name, clock=clock)


def test_depth_is_told_by_priority(queue: WorkQueue[str]) -> None:
    """As controller-runtime does; without anybody counting along."""
    queue.add("a")
    queue.add("b", priority=LOW)
    queue.add("c", priority=LOW)

    assert value("workqueue_depth", queue.name, queue.name, "0") == 1
    assert value("workqueue_depth", queue.name, queue.name, "-100") == 2


def test_depth_falls_when_keys_are_taken(queue: WorkQueue[str]) -> None:
    """The series stays, at zero."""
    queue.add("b", priority=LOW)

    queue.get_nowait()

    assert value("workqueue_depth", queue.name, queue.name, "-100") == 0


def test_too_many_priorities_are_told_as_one(queue: WorkQueue[str]) -> None:
    """A series for each would fill the memory of whoever collects them."""
    for priority in range(40):
        queue.add(str(priority), priority=priority)

    assert value("workqueue_depth", queue.name, queue.name, "24") == 1
    assert value("workqueue_depth", queue.name, queue.name, "30") is None
    assert value("workqueue_depth", queue.name, queue.name, "exceeded_cardinality_limit") == 15


async def test_adds_count_what_got_in(queue: WorkQueue[str], clock: VirtualClock) -> None:
    """Not the duplicates; delayed keys when their time has come."""
    queue.add("a")
    queue.add("a")
    queue.add_after("b", 1.0)
    assert value("workqueue_adds_total", queue.name, queue.name) == 1

    await clock.advance(1.0)

    assert value("workqueue_adds_total", queue.name, queue.name) == 2


async def test_retries_count_delayed_adds(queue: WorkQueue[str]) -> None:
    """Limited or not; a delay of nothing is no retry."""
    queue.add_rate_limited("a")
    queue.add_after("b", 1.0)
    queue.add_after("c", 0.0)

    assert value("workqueue_retries_total", queue.name, queue.name) == 2


async def test_durations_are_observed(queue: WorkQueue[str], clock: VirtualClock) -> None:
    """How long a key was queued, and how long it was worked on."""
    queue.add("a")
    await clock.advance(0.5)
    queue.get_nowait()
    await clock.advance(3.0)
    queue.done("a")

    waited = spread("workqueue_queue_duration_seconds", queue)
    worked = spread("workqueue_work_duration_seconds", queue)

    assert (waited.count, waited.sum) == (1, 0.5)
    assert (worked.count, worked.sum) == (1, 3.0)
    assert dict(worked.cumulative())[1.0] == 0
    assert dict(worked.cumulative())[10.0] == 1


def test_observations_do_not_pile_up_while_nobody_looks(queue: WorkQueue[str]) -> None:
    """A program whose page is never served would grow with every key."""
    for _ in range(10 * metrics.NOTED_AT_MOST):
        queue.add("a")
        queue.get_nowait()
        queue.done("a")

    for name in ("workqueue_queue_duration_seconds", "workqueue_work_duration_seconds"):
        found = spread(name, queue)
        assert len(found.noted) < metrics.NOTED_AT_MOST
        assert found.count == 10 * metrics.NOTED_AT_MOST


async def test_the_wait_of_a_key_with_another_priority_is_observed(
    queue: WorkQueue[str], clock: VirtualClock
) -> None:
    """From the first time it was added, however it moved since then."""
    queue.add("a", priority=LOW)
    await clock.advance(2.0)
    queue.add("a", priority=1)
    await clock.advance(1.0)

    queue.get_nowait()

    assert spread("workqueue_queue_duration_seconds", queue).sum == 3.0


async def test_work_in_progress_is_told_as_it_is_now(
    queue: WorkQueue[str], clock: VirtualClock
) -> None:
    """client-go's is up to half a second old; a stuck worker shows in both."""
    for key in "ab":
        queue.add(key)
        queue.get_nowait()
        await clock.advance(5.0)

    assert value("workqueue_unfinished_work_seconds", queue.name, queue.name) == 15.0
    assert value("workqueue_longest_running_processor_seconds", queue.name, queue.name) == 10.0


async def test_the_age_of_the_oldest_key_is_told(
    queue: WorkQueue[str], clock: VirtualClock
) -> None:
    """Depth alone does not tell a busy queue from one that nobody serves."""
    queue.add("a")
    await clock.advance(7.0)

    assert value("kubewright_workqueue_oldest_seconds", queue.name, queue.name) == 7.0


def test_two_queues_of_one_name_are_added_up(queue: WorkQueue[str]) -> None:
    """Two managers in one process may use the same controller."""
    other = WorkQueue[str](queue.name)

    queue.add("a")
    other.add("a")

    assert value("workqueue_depth", queue.name, queue.name, "0") == 2
    assert value("workqueue_adds_total", queue.name, queue.name) == 2


def test_a_queue_that_is_gone_leaves_the_page() -> None:
    """Its depth does; what it counted stays, as counters do."""
    queue = WorkQueue[str]("gone soon")
    queue.add("a")

    del queue

    assert value("workqueue_depth", "gone soon", "gone soon", "0") is None
    assert value("workqueue_adds_total", "gone soon", "gone soon") == 1


def test_a_queue_without_a_name_is_not_shown() -> None:
    """It is somebody's private affair."""
    queue = WorkQueue[str]()
    queue.add("a")

    assert value("workqueue_depth", "", "", "0") is None
    assert value("workqueue_adds_total", "", "") is None


def test_a_named_queue_is_shown_before_its_first_key(queue: WorkQueue[str]) -> None:
    """A rate needs a zero to start from."""
    page = metrics.exposition(metrics.REGISTRY).decode()

    label = f'controller="{queue.name}",name="{queue.name}"'
    for line in (
        f'workqueue_depth{{{label},priority="0"}} 0.0',
        f"workqueue_adds_total{{{label}}} 0.0",
        f"workqueue_retries_total{{{label}}} 0.0",
        f"workqueue_unfinished_work_seconds{{{label}}} 0.0",
        f"workqueue_longest_running_processor_seconds{{{label}}} 0.0",
        f'workqueue_queue_duration_seconds_bucket{{{label},le="1e-08"}} 0.0',
        f'workqueue_work_duration_seconds_bucket{{{label},le="+Inf"}} 0.0',
    ):
        assert set(_split(line)) in [set(_split(found)) for found in page.splitlines()]


def _split(line: str) -> list[str]:
    """Return the parts of a line of the page, whose labels may come in any order."""
    return line.replace("{", ",").replace("}", ",").split(",")
