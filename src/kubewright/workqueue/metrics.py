"""Metrics of queues, with the names of client-go and controller-runtime."""

from collections.abc import Callable, Iterator
from typing import Protocol
from weakref import WeakSet

from kubewright.metrics import Counter, CounterValue, Gauge, Histogram, HistogramValue
from kubewright.workqueue.levels import KEPT_LEVELS

_LABELS = ("name", "controller")
SECONDS: tuple[float, ...] = tuple(10.0**power for power in range(-8, 4))
"""The buckets of client-go: 10 ns to 1000 s."""

_OTHERS = "exceeded_cardinality_limit"


class Measured(Protocol):
    """What the metrics page reads from a queue."""

    @property
    def name(self) -> str:
        """What the queue is called."""
        ...

    @property
    def unfinished(self) -> float:
        """The seconds that all keys in processing have taken so far, added up."""
        ...

    @property
    def longest_running(self) -> float:
        """The seconds that the longest running key has taken so far."""
        ...

    @property
    def oldest_age(self) -> float:
        """The seconds that the oldest key has been queued."""
        ...

    def depths(self) -> dict[int, int]:
        """Return how many keys are queued at each priority."""
        ...


_QUEUES: WeakSet[Measured] = WeakSet()


class Numbers:
    """The numbers that a queue counts; they are not exported if the queue has no name."""

    __slots__ = ("adds", "retries", "waited", "worked")

    def __init__(self, name: str = "") -> None:
        self.adds: CounterValue
        self.retries: CounterValue
        self.waited: HistogramValue
        self.worked: HistogramValue
        if name:
            self.adds, self.retries = ADDS.labels(name, name), RETRIES.labels(name, name)
            self.waited = QUEUE_DURATION.labels(name, name)
            self.worked = WORK_DURATION.labels(name, name)
        else:
            self.adds, self.retries = CounterValue(), CounterValue()
            self.waited, self.worked = HistogramValue(SECONDS), HistogramValue(SECONDS)


def show(queue: Measured) -> None:
    """Show *queue* on the metrics page for as long as it exists."""
    _QUEUES.add(queue)


def hide(queue: Measured) -> None:
    """Remove *queue* and its numbers from the page, unless another queue has the same name."""
    _QUEUES.discard(queue)
    if not any(other.name == queue.name for other in _QUEUES):
        for family in (ADDS, RETRIES, QUEUE_DURATION, WORK_DURATION):
            family.remove(queue.name, queue.name)


def _depths() -> Iterator[tuple[tuple[str, ...], float]]:
    for queue in _QUEUES:
        for index, (priority, depth) in enumerate(queue.depths().items()):
            label = str(priority) if index < KEPT_LEVELS else _OTHERS
            yield (queue.name, queue.name, label), depth


def _each(
    read: Callable[[Measured], float],
) -> Callable[[], Iterator[tuple[tuple[str, ...], float]]]:
    return lambda: (((queue.name, queue.name), read(queue)) for queue in _QUEUES)


DEPTH = Gauge(
    "workqueue_depth",
    "Current depth of workqueue by workqueue and priority",
    (*_LABELS, "priority"),
    read=_depths,
)
ADDS = Counter("workqueue_adds_total", "Total number of adds handled by workqueue", _LABELS)
RETRIES = Counter(
    "workqueue_retries_total", "Total number of retries handled by workqueue", _LABELS
)
QUEUE_DURATION = Histogram(
    "workqueue_queue_duration_seconds",
    "How long in seconds an item stays in workqueue before being requested",
    _LABELS,
    buckets=SECONDS,
)
WORK_DURATION = Histogram(
    "workqueue_work_duration_seconds",
    "How long in seconds processing an item from workqueue takes.",
    _LABELS,
    buckets=SECONDS,
)
UNFINISHED = Gauge(
    "workqueue_unfinished_work_seconds",
    "How many seconds of work are in progress and not yet observed by work_duration. Large values"
    " indicate stuck workers; the rate at which this grows tells their number.",
    _LABELS,
    read=_each(lambda queue: queue.unfinished),
)
LONGEST = Gauge(
    "workqueue_longest_running_processor_seconds",
    "How many seconds has the longest running processor for workqueue been running.",
    _LABELS,
    read=_each(lambda queue: queue.longest_running),
)
OLDEST = Gauge(
    "kubewright_workqueue_oldest_seconds",
    "How many seconds the oldest item of the workqueue has been ready without being taken.",
    _LABELS,
    read=_each(lambda queue: queue.oldest_age),
)
