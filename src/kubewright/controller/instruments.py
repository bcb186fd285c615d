"""The metrics of controllers, under the names that controller-runtime gave them."""

from collections.abc import Iterator, Sized
from weakref import WeakSet

from kubewright.metrics import Counter, CounterValue, Gauge, GaugeValue, Histogram, HistogramValue

__all__ = ["Instruments"]

_LABELS: tuple[str, ...] = ("controller",)
_BUCKETS: tuple[float, ...] = (
    0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9,
    1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 15.0, 20.0,
    25.0, 30.0, 40.0, 50.0, 60.0,
)  # fmt: skip

TOTAL: Counter = Counter(
    "controller_runtime_reconcile_total",
    "Reconciles, by how they ended.",
    ("controller", "result"),
)
ERRORS: Counter = Counter(
    "controller_runtime_reconcile_errors_total", "Reconciles that failed.", _LABELS
)
TERMINAL: Counter = Counter(
    "controller_runtime_terminal_reconcile_errors_total",
    "Reconciles that failed and are not tried again.",
    _LABELS,
)
PANICS: Counter = Counter(
    "controller_runtime_reconcile_panics_total",
    "Reconciles that failed because of a fault in the program.",
    _LABELS,
)
TIMEOUTS: Counter = Counter(
    "controller_runtime_reconcile_timeouts_total",
    "Reconciles that did not end within their deadline.",
    _LABELS,
)
TIME: Histogram = Histogram(
    "controller_runtime_reconcile_time_seconds",
    "How long reconciles take.",
    _LABELS,
    buckets=_BUCKETS,
)
MOST: Gauge = Gauge(
    "controller_runtime_max_concurrent_reconciles", "How many may run at a time.", _LABELS
)
_all: "WeakSet[Instruments]" = WeakSet()


def _active() -> Iterator[tuple[tuple[str, ...], float]]:
    """Return how many reconciles run now, for each controller."""
    for one in list(_all):
        yield (one.name,), float(len(one.running))


ACTIVE: Gauge = Gauge(
    "controller_runtime_active_workers", "How many run now.", _LABELS, read=_active
)
LOOPS: Counter = Counter(
    "kubewright_reconcile_loops_total",
    "Objects that were reconciled over and over because of their reconciler's own doing.",
    _LABELS,
)
MAP_ERRORS: Counter = Counter(
    "kubewright_map_errors_total",
    "Map functions that failed; each is asked again.",
    _LABELS,
)


class Instruments:
    """The metrics of the controller called *name*; all of them are on the page from the start.

    What runs now is not counted but looked up in *running* when the page is served.
    """

    __slots__ = (
        "__weakref__", "error", "errors", "loops", "map_errors", "most", "name", "panics",
        "requeue", "requeue_after", "running", "success", "terminal", "time", "timeouts",
    )  # fmt: skip

    def __init__(self, name: str, running: Sized) -> None:
        self.name: str = name
        self.running: Sized = running
        self.success: CounterValue = TOTAL.labels(name, "success")
        self.error: CounterValue = TOTAL.labels(name, "error")
        self.requeue: CounterValue = TOTAL.labels(name, "requeue")
        self.requeue_after: CounterValue = TOTAL.labels(name, "requeue_after")
        self.errors: CounterValue = ERRORS.labels(name)
        self.terminal: CounterValue = TERMINAL.labels(name)
        self.panics: CounterValue = PANICS.labels(name)
        self.timeouts: CounterValue = TIMEOUTS.labels(name)
        self.time: HistogramValue = TIME.labels(name)
        self.most: GaugeValue = MOST.labels(name)
        self.loops: CounterValue = LOOPS.labels(name)
        self.map_errors: CounterValue = MAP_ERRORS.labels(name)
        _all.add(self)

    def remove(self) -> None:
        """Leave the page, unless another controller has the same name."""
        _all.discard(self)
        if any(one.name == self.name for one in _all):
            return
        for result in ("success", "error", "requeue", "requeue_after"):
            TOTAL.remove(self.name, result)
        for family in (ERRORS, TERMINAL, PANICS, TIMEOUTS, TIME, MOST, LOOPS, MAP_ERRORS):
            family.remove(self.name)
