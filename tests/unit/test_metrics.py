"""Metrics: plain numbers, shown in the format of Prometheus."""

import subprocess
import sys

import prometheus_client
import pytest
from prometheus_client.parser import text_string_to_metric_families

from kubewright.metrics import (
    NOTED_AT_MOST,
    REGISTRY,
    Counter,
    Gauge,
    GaugeValue,
    Histogram,
    HistogramValue,
    Registry,
    exposition,
)


@pytest.fixture
def registry() -> Registry:
    return Registry()


def page(registry: Registry) -> list[str]:
    """Return the lines of the page of *registry*."""
    return exposition(registry).decode().splitlines()


def test_a_counter_counts(registry: Registry) -> None:
    """Hot code may add to the value itself."""
    orders = Counter("orders_total", "Orders.", ("size",), registry=registry)

    orders.labels("large").inc()
    orders.labels("large").inc(2)
    orders.labels("small").value += 1

    assert page(registry) == [
        "# HELP orders_total Orders.",
        "# TYPE orders_total counter",
        'orders_total{size="large"} 3.0',
        'orders_total{size="small"} 1.0',
    ]


def test_a_gauge_goes_up_and_down(registry: Registry) -> None:
    """A family without labels has one child."""
    open_ = Gauge("connections", "Open connections.", registry=registry).labels()

    open_.set(5)
    open_.inc()
    open_.dec(2)
    open_.value += 1

    assert page(registry) == [
        "# HELP connections Open connections.",
        "# TYPE connections gauge",
        "connections 5.0",
    ]


def test_a_gauge_can_be_read_when_the_page_is_served(registry: Registry) -> None:
    """What is known elsewhere need not be counted along."""
    objects = ["a"]
    gauge = Gauge("objects", "Objects.", ("kind",), registry=registry)
    gauge.labels("Pod").read_from(lambda: len(objects))

    objects.append("b")

    assert gauge.labels("Pod").value == 2
    assert page(registry)[-1] == 'objects{kind="Pod"} 2.0'


def test_a_whole_family_can_be_read_when_the_page_is_served(registry: Registry) -> None:
    """Also those labels that come and go; equal ones are added up, and others stay as set."""
    gauge = Gauge(
        "depth",
        "Depth.",
        ("queue",),
        read=lambda: [(("b",), 1.0), (("a",), 2.0), (("b",), 3.0)],
        registry=registry,
    )
    gauge.labels("c").set(7)

    assert page(registry)[2:] == [
        'depth{queue="a"} 2.0',
        'depth{queue="b"} 4.0',
        'depth{queue="c"} 7.0',
    ]


def test_a_gauge_that_cannot_be_read_is_left_out(
    registry: Registry, caplog: pytest.LogCaptureFixture
) -> None:
    """One fault must not blind who looks after the program; the log tells of it."""
    Gauge("broken", "Broken.", registry=registry).labels().read_from(lambda: 1 / 0)
    Gauge("well", "Well.", registry=registry).labels().set(1)

    assert page(registry)[2:] == ["well 1.0"]
    assert caplog.messages == ["metric broken cannot be read and is left out"]


def test_a_histogram_counts_what_lies_below_each_bound(registry: Registry) -> None:
    """A value on the bound counts for it, as Prometheus has it."""
    seconds = Histogram("seconds", "Time.", buckets=(0.1, 1, 10), registry=registry).labels()

    for value in (0.05, 0.1, 0.5, 100.0):
        seconds.observe(value)

    assert seconds.count == 4
    assert page(registry) == [
        "# HELP seconds Time.",
        "# TYPE seconds histogram",
        'seconds_bucket{le="0.1"} 2.0',
        'seconds_bucket{le="1.0"} 3.0',
        'seconds_bucket{le="10.0"} 3.0',
        'seconds_bucket{le="+Inf"} 4.0',
        "seconds_count 4.0",
        "seconds_sum 100.65",
    ]


def test_a_histogram_notes_a_bounded_number_of_observations() -> None:
    """They are sorted in now and then, and none is lost or counted twice."""
    value = HistogramValue((1.0, 2.0))
    for number in range(1000):
        value.observe(number % 4)

    assert len(value.noted) < NOTED_AT_MOST
    assert value.count == 1000
    assert value.sum == 1500.0
    assert list(value.cumulative()) == [(1.0, 500), (2.0, 750), (float("inf"), 1000)]
    assert value.count == 1000


def test_a_histogram_needs_rising_bounds(registry: Registry) -> None:
    """Otherwise values would be counted in the wrong place."""
    with pytest.raises(ValueError, match="the buckets of seconds must rise"):
        Histogram("seconds", "Time.", buckets=(1.0, 0.1), registry=registry)

    assert page(registry) == []


def test_a_histogram_value_can_stand_alone() -> None:
    """For numbers that are not on any page."""
    value = HistogramValue((1.0,))
    value.observe(0.5)

    assert list(value.cumulative()) == [(1.0, 1), (float("inf"), 1)]


def test_a_child_is_made_once(registry: Registry) -> None:
    """Hot code keeps it instead of looking it up."""
    orders = Counter("orders_total", "Orders.", ("size",), registry=registry)

    assert orders.labels("large") is orders.labels("large")


def test_a_child_can_leave_the_page(registry: Registry) -> None:
    """What it told about is gone."""
    gauge = Gauge("objects", "Objects.", ("kind",), registry=registry)
    for kind in ("Pod", "Secret", "Node"):
        gauge.labels(kind)

    gauge.remove("Pod")
    gauge.remove("never there")
    assert [labels for labels, _ in gauge.children()] == [("Node",), ("Secret",)]
    gauge.clear()

    assert list(gauge.children()) == []


@pytest.mark.parametrize("values", [(), ("a",), ("a", "b", "c")])
def test_labels_must_be_as_many_as_their_names(registry: Registry, values: tuple[str, ...]) -> None:
    """The message says which there are."""
    counter = Counter("calls_total", "Calls.", ("verb", "code"), registry=registry)

    with pytest.raises(ValueError, match=r"calls_total has the labels \('verb', 'code'\)"):
        counter.labels(*values)


def test_label_values_are_text(registry: Registry) -> None:
    """200 and "200" would be two series with one name."""
    counter = Counter("calls_total", "Calls.", ("code",), registry=registry)

    with pytest.raises(TypeError, match="the label values of calls_total must be text"):
        counter.labels(200)  # type: ignore[arg-type]  # wrong on purpose


def test_label_names_are_not_one_text(registry: Registry) -> None:
    """``("code")`` is no tuple, and would be four labels."""
    with pytest.raises(TypeError, match="the labels of calls_total are a tuple of names"):
        Counter("calls_total", "Calls.", "code", registry=registry)


def test_a_name_is_given_once(registry: Registry) -> None:
    """Two families of one name would be a page that Prometheus refuses."""
    Counter("calls_total", "Calls.", registry=registry)

    with pytest.raises(ValueError, match="there is a metric calls_total already"):
        Gauge("calls_total", "Calls.", registry=registry)


def test_a_family_can_be_found_and_taken_off_the_page(registry: Registry) -> None:
    """By its name."""
    counter = Counter("calls_total", "Calls.", registry=registry)
    assert registry.find("calls_total") is counter

    registry.unregister("calls_total")

    assert registry.find("calls_total") is None
    assert list(registry.collect()) == []


def test_families_are_sorted_by_name(registry: Registry) -> None:
    """A person looks for one on the page."""
    for name in ("c", "a", "b"):
        Gauge(name, "A letter.", registry=registry)

    assert [family.name for family in registry.collect()] == ["a", "b", "c"]


def test_the_page_holds_ours_and_those_of_prometheus_client() -> None:
    """Users make their own with the library that they know; all of it can be parsed."""
    theirs = prometheus_client.Counter("users_own_total", "Of the user.")
    ours = Counter("framework_own_total", "Ours.")
    ours.labels().inc()
    theirs.inc()
    try:
        families = {
            family.name: family for family in text_string_to_metric_families(exposition().decode())
        }
    finally:
        prometheus_client.REGISTRY.unregister(theirs)
        REGISTRY.unregister("framework_own_total")

    assert families["users_own"].samples[0].value == 1.0
    assert families["framework_own"].samples[0].value == 1.0


def test_label_values_are_escaped(registry: Registry) -> None:
    """The page is read by a machine."""
    gauge = Gauge("objects", "Objects.", ("kind",), registry=registry)
    gauge.labels('a"b\\c\nd').set(1)

    (family,) = text_string_to_metric_families(exposition(registry).decode())

    assert family.samples[0].labels == {"kind": 'a"b\\c\nd'}


def test_a_gauge_value_can_stand_alone() -> None:
    """For who wants the arithmetic only."""
    gauge = GaugeValue()
    gauge.set(3)
    gauge.dec()

    assert gauge.value == 2


def test_prometheus_client_is_not_loaded_before_the_page_is_served() -> None:
    """Most of the time nobody looks."""
    code = "import kubewright.workqueue, sys; print('prometheus_client' in sys.modules)"

    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert result.stdout.strip() == "False"
