"""Numbers about a running program, in the format of Prometheus and with Kubernetes' names.

A family has a name and labels, and a child for each combination of their values. Counting is an
addition to a plain attribute: the event loop runs one thing at a time, so there are no locks.

    >>> registry = Registry()
    >>> orders = Counter("shop_orders_total", "Orders.", ("size",), registry=registry)
    >>> orders.labels("large").inc()
    >>> orders.labels("large").value
    1.0

Metrics that are made with ``prometheus_client`` itself are served on the same page.
"""

import logging
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from prometheus_client.core import Metric

__all__ = [
    "CONTENT_TYPE",
    "DEFAULT_BUCKETS",
    "NOTED_AT_MOST",
    "REGISTRY",
    "Counter",
    "CounterValue",
    "Family",
    "Gauge",
    "GaugeValue",
    "Histogram",
    "HistogramValue",
    "Registry",
    "exposition",
]

CONTENT_TYPE: str = "text/plain; version=0.0.4; charset=utf-8"
"""The media type of what `exposition` returns."""

DEFAULT_BUCKETS: tuple[float, ...] = (
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
)  # fmt: skip
"""The upper bounds that Prometheus' own libraries use, in seconds."""

NOTED_AT_MOST: int = 256
"""How many observations a histogram notes before it sorts them: some 10 us of work at a time."""

_log = logging.getLogger(__name__)

V = TypeVar("V")
Labels = tuple[str, ...]
Reading = Iterable[tuple[Labels, float]]


class CounterValue:
    """One number that only grows; hot code may write ``child.value += 1``."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value: float = 0.0

    def inc(self, amount: float = 1) -> None:
        """Count *amount* more."""
        self.value += amount


class GaugeValue:
    """One number that goes up and down, stored here or read when the page is served."""

    __slots__ = ("_read", "_value")

    def __init__(self) -> None:
        self._value: float = 0.0
        self._read: Callable[[], float] | None = None

    @property
    def value(self) -> float:
        """The number now."""
        return self._value if self._read is None else self._read()

    @value.setter
    def value(self, value: float) -> None:
        self._value = value

    def set(self, value: float) -> None:
        """Replace the number."""
        self._value = value

    def inc(self, amount: float = 1) -> None:
        """Make the number larger by *amount*."""
        self._value += amount

    def dec(self, amount: float = 1) -> None:
        """Make the number smaller by *amount*."""
        self._value -= amount

    def read_from(self, read: Callable[[], float]) -> None:
        """Call *read* for the number from now on, each time the page is served."""
        self._read = read


class HistogramValue:
    """How many observations fell below each bound, and their sum.

    Observations are stored first, and sorted into their buckets a few hundred at a time, or when
    the numbers are read. That takes less than half the time.

    Attributes:
        bounds: The upper bounds of the buckets, inclusive.
        noted: Observations that are not sorted yet. Hot code may append to it directly, if it calls
            `fold` before there are too many.
    """

    __slots__ = ("_counts", "_sum", "bounds", "noted")

    def __init__(self, bounds: tuple[float, ...] = DEFAULT_BUCKETS) -> None:
        self.bounds: tuple[float, ...] = bounds
        self.noted: list[float] = []
        self._counts = [0] * (len(bounds) + 1)
        self._sum = 0.0

    @property
    def count(self) -> int:
        """The number of observations."""
        return sum(self._counts) + len(self.noted)

    @property
    def sum(self) -> float:
        """All observations added up."""
        self.fold()
        return self._sum

    def observe(self, value: float) -> None:
        """Count *value* in its bucket."""
        self.noted.append(value)
        if len(self.noted) >= NOTED_AT_MOST:
            self.fold()

    def fold(self) -> None:
        """Sort the stored observations into the buckets."""
        noted, counts, below = self.noted, self._counts, 0
        self._sum += sum(noted)
        noted.sort()
        for index, bound in enumerate(self.bounds):
            upto = bisect_right(noted, bound, below)
            counts[index] += upto - below
            below = upto
        counts[-1] += len(noted) - below
        noted.clear()

    def cumulative(self) -> Iterator[tuple[float, int]]:
        """Return each bound with the number of observations up to it; infinity is the last."""
        self.fold()
        total = 0
        for bound, count in zip((*self.bounds, float("inf")), self._counts, strict=True):
            total += count
            yield bound, total


class Family(Generic[V]):
    """All values of one name; made through `Counter`, `Gauge` or `Histogram`."""

    def __init__(
        self,
        name: str,
        help: str,  # noqa: A002  # the term of the format
        labels: Sequence[str] = (),
        *,
        registry: "Registry | None" = None,
    ) -> None:
        if isinstance(labels, str):
            raise TypeError(f"the labels of {name} are a tuple of names, not {labels!r}")
        self.name: str = name
        self.help: str = help
        self.label_names: Labels = tuple(labels)
        self._children: dict[Labels, V] = {}
        (REGISTRY if registry is None else registry).register(self)

    def labels(self, *values: str) -> V:
        """Return the child with these values, in the order of the label names; made once."""
        child = self._children.get(values)
        return self._add(values) if child is None else child

    def remove(self, *values: str) -> None:
        """Remove the child with these values from the page, if there is one."""
        self._children.pop(values, None)

    def clear(self) -> None:
        """Remove every child."""
        self._children.clear()

    def children(self) -> Iterator[tuple[Labels, V]]:
        """Return each child with its values, sorted by them."""
        yield from sorted(self._children.items(), key=_first)

    def _add(self, values: Labels) -> V:
        if len(values) != len(self.label_names):
            raise ValueError(
                f"{self.name} has the labels {self.label_names}, but {values} were given"
            )
        if any(not isinstance(value, str) for value in values):
            raise TypeError(f"the label values of {self.name} must be text, not {values}")
        return self._children.setdefault(values, self._make())

    def _make(self) -> V:
        raise NotImplementedError


class Counter(Family[CounterValue]):
    """Numbers that only grow; by custom their name ends in ``_total``."""

    def _make(self) -> CounterValue:
        return CounterValue()


class Gauge(Family[GaugeValue]):
    """Numbers that go up and down."""

    def __init__(
        self,
        name: str,
        help: str,  # noqa: A002  # the term of the format
        labels: Sequence[str] = (),
        *,
        read: Callable[[], Reading] | None = None,
        registry: "Registry | None" = None,
    ) -> None:
        """Make a family of gauges.

        Args:
            name: What Prometheus calls it.
            help: One sentence for the reader of the page.
            labels: The names of the labels.
            read: Returns all values when the page is served, each with its label values; for
                numbers that exist elsewhere anyway. Values for the same labels are added up.
            registry: Where it is listed; `REGISTRY` by default.
        """
        super().__init__(name, help, labels, registry=registry)
        self._read = read

    def children(self) -> Iterator[tuple[Labels, GaugeValue]]:
        """Return each child with its current values."""
        if self._read is None:
            yield from super().children()
            return
        found = dict(super().children())
        now: dict[Labels, GaugeValue] = {}
        for values, value in self._read():
            now.setdefault(values, GaugeValue()).inc(value)
        yield from sorted((found | now).items(), key=_first)

    def _make(self) -> GaugeValue:
        return GaugeValue()


class Histogram(Family[HistogramValue]):
    """Distributions, mostly of seconds."""

    def __init__(
        self,
        name: str,
        help: str,  # noqa: A002  # the term of the format
        labels: Sequence[str] = (),
        *,
        buckets: Sequence[float] = DEFAULT_BUCKETS,
        registry: "Registry | None" = None,
    ) -> None:
        """Make a family of histograms with *buckets* as upper bounds, without the infinite one."""
        if list(buckets) != sorted(set(buckets)):
            raise ValueError(f"the buckets of {name} must rise, not {list(buckets)}")
        super().__init__(name, help, labels, registry=registry)
        self.buckets: tuple[float, ...] = tuple(float(bound) for bound in buckets)

    def _make(self) -> HistogramValue:
        return HistogramValue(self.buckets)


class Registry:
    """The families of one page."""

    def __init__(self) -> None:
        self._families: dict[str, Family[CounterValue | GaugeValue | HistogramValue]] = {}

    def register(self, family: "Family[V]") -> None:
        """Add *family*.

        Raises:
            ValueError: Another family has that name.
        """
        if family.name in self._families:
            raise ValueError(f"there is a metric {family.name} already; make it once, in a module")
        self._families[family.name] = family  # type: ignore[assignment]  # V is one of the three

    def unregister(self, name: str) -> None:
        """Remove the family called *name*, if there is one."""
        self._families.pop(name, None)

    def collect(self) -> "Iterator[Counter | Gauge | Histogram]":
        """Return every family, sorted by name."""
        for _, family in sorted(self._families.items()):
            assert isinstance(family, Counter | Gauge | Histogram)
            yield family

    def find(self, name: str) -> "Counter | Gauge | Histogram | None":
        """Return the family called *name*, or ``None``."""
        family = self._families.get(name)
        assert family is None or isinstance(family, Counter | Gauge | Histogram)
        return family


REGISTRY: Registry = Registry()
"""Where families are listed unless they are told otherwise."""


def exposition(registry: Registry | None = None) -> bytes:
    """Return the page of all metrics: ours, then those of ``prometheus_client.REGISTRY``.

    Args:
        registry: Show only the families listed there, and nobody else's.
    """
    import prometheus_client

    ours = prometheus_client.CollectorRegistry(auto_describe=False)
    ours.register(_Collector(registry or REGISTRY))
    page = prometheus_client.generate_latest(ours)
    if registry is not None:
        return page
    return page + prometheus_client.generate_latest(prometheus_client.REGISTRY)


class _Collector:
    """Shows a registry of ours to ``prometheus_client``."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def describe(self) -> "Iterable[Metric]":
        """Return nothing: names are checked by our own registry."""
        return ()

    def collect(self) -> "Iterable[Metric]":
        """Return every family as theirs, but for those that cannot be read."""
        for family in self._registry.collect():
            try:
                yield _translate(family)
            except Exception:  # noqa: BLE001  # reading may fail in any way; the others are shown
                _log.exception("metric %s cannot be read and is left out", family.name)


def _translate(family: Counter | Gauge | Histogram) -> "Metric":
    from prometheus_client import core

    names = family.label_names
    if isinstance(family, Counter):
        counter = core.CounterMetricFamily(family.name, family.help, labels=names)
        for values, child in family.children():
            counter.add_metric(values, child.value)
        return counter
    if isinstance(family, Gauge):
        gauge = core.GaugeMetricFamily(family.name, family.help, labels=names)
        for values, level in family.children():
            gauge.add_metric(values, level.value)
        return gauge
    histogram = core.HistogramMetricFamily(family.name, family.help, labels=names)
    for values, spread in family.children():
        buckets = [(_bound(bound), float(count)) for bound, count in spread.cumulative()]
        histogram.add_metric(values, buckets, spread.sum)
    return histogram


def _bound(bound: float) -> str:
    """Return *bound* as other exporters write it, for queries such as ``le="1.0"``."""
    return "+Inf" if bound == float("inf") else repr(bound)


def _first(item: tuple[Labels, object]) -> Labels:
    return item[0]
