"""Metrics of informers: sizes, age of watches, lists, restarts, failures."""

from collections.abc import Callable, Iterable
from typing import Protocol
from weakref import WeakSet

from kubewright.cache.selection import Selection
from kubewright.metrics import Counter, CounterValue, Gauge

_LABELS = ("group", "kind", "selection")

OBJECTS: Gauge = Gauge("kubewright_cache_objects", "Objects in the cache.", _LABELS)
BYTES: Gauge = Gauge("kubewright_cache_bytes", "Bytes of objects as the cache keeps them.", _LABELS)
WATCH_AGE: Gauge = Gauge(
    "kubewright_watch_age_seconds", "Seconds since a watch last brought anything.", _LABELS
)
RESTARTS: Counter = Counter(
    "kubewright_watch_restarts_total", "Watches that were begun again.", _LABELS
)
LISTS: Counter = Counter("kubewright_lists_total", "Lists that were begun.", _LABELS)
SKIPPED: Counter = Counter(
    "kubewright_objects_skipped_total", "Objects that could not be read.", _LABELS
)
HANDLER_ERRORS: Counter = Counter(
    "kubewright_handler_errors_total", "Calls of handlers that raised.", _LABELS
)


class Measured(Protocol):
    """What the metrics page reads from an informer."""

    @property
    def object_count(self) -> int:
        """How many objects it holds."""
        ...

    @property
    def size_in_bytes(self) -> int:
        """How many bytes they take."""
        ...

    @property
    def watch_age(self) -> float:
        """Seconds since its quietest watch last received anything."""
        ...


class Counts:
    """The counters of one informer; shared by informers with equal selections in other clusters."""

    lists: CounterValue
    restarts: CounterValue
    skipped: CounterValue
    handler_errors: CounterValue

    def __init__(self, selection: Selection) -> None:
        self.labels: tuple[str, str, str] = _labels(selection)
        self._show()

    def begin(self, informer: Measured) -> None:
        """Show the sizes of *informer* from now on."""
        self._show()  # again: an informer with the same labels may have ended since
        alike = _running.get(self.labels)
        if alike is None:
            alike = _running[self.labels] = WeakSet()
            OBJECTS.labels(*self.labels).read_from(_reading(alike, sum, "object_count"))
            BYTES.labels(*self.labels).read_from(_reading(alike, sum, "size_in_bytes"))
            WATCH_AGE.labels(*self.labels).read_from(_reading(alike, max, "watch_age"))
        alike.add(informer)

    def end(self, informer: Measured) -> None:
        """Stop showing the sizes of *informer*."""
        alike = _running.get(self.labels, WeakSet())
        alike.discard(informer)
        if not alike:
            _running.pop(self.labels, None)
            for sizes in (OBJECTS, BYTES, WATCH_AGE):
                sizes.remove(*self.labels)
            # Informers may come and go, one per tenant, say: the page must not keep them all.
            for counters in (LISTS, RESTARTS, SKIPPED, HANDLER_ERRORS):
                counters.remove(*self.labels)

    def _show(self) -> None:
        self.lists = LISTS.labels(*self.labels)
        self.restarts = RESTARTS.labels(*self.labels)
        self.skipped = SKIPPED.labels(*self.labels)
        self.handler_errors = HANDLER_ERRORS.labels(*self.labels)


_running: dict[tuple[str, str, str], "WeakSet[Measured]"] = {}


def _reading(
    alike: "WeakSet[Measured]", fold: Callable[[Iterable[float]], float], name: str
) -> Callable[[], float]:
    return lambda: fold([getattr(informer, name) for informer in alike] or [0.0])


def _labels(selection: Selection) -> tuple[str, str, str]:
    mapping = selection.mapping
    _, _, selected = str(selection).partition(" ")
    return mapping.group, mapping.kind, selected
