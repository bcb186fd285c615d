"""Latencies: from times of writes and reconciles to percentiles."""

import pytest

from bench.run import MeasurementError
from bench.runtime.latency import percentile, summary

MS = 1_000_000


def test_a_latency_is_from_the_write_to_its_reconcile() -> None:
    """The first tenth of the writes warms up and does not count."""
    written = {str(n): (n * 100 * MS, (n * 100 + 3) * MS) for n in range(1, 11)}
    seen = {str(n): float((n * 100 + 5) * MS) for n in range(1, 11)} | {"1": 9e99}

    found = summary(written, seen)

    assert found == {"p50": 5.0, "p99": 5.0, "after_p50": 2.0, "after_p99": 2.0}


def test_a_change_that_was_overtaken_counts_until_the_next_one_is_seen() -> None:
    """A queue may make one reconcile of two; leaving the slow one out would be a lie."""
    written = {"1": (0, 1 * MS), "2": (10 * MS, 11 * MS)}

    found = summary(written, {"2": 15.0 * MS})

    assert found["p99"] == 15.0
    assert found["p50"] == 5.0


def test_a_change_that_was_never_reconciled_is_an_error() -> None:
    """It is no latency at all."""
    with pytest.raises(MeasurementError, match="change 2 was never reconciled"):
        summary({"1": (0, 1), "2": (2, 3)}, {"1": 1.0})


@pytest.mark.parametrize(("percent", "value"), [(50, 50.0), (99, 99.0), (100, 100.0)])
def test_percentiles_are_values_that_were_measured(percent: float, value: float) -> None:
    """Nothing is interpolated."""
    assert percentile([float(n) for n in range(100, 0, -1)], percent) == value
