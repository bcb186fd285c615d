"""Ratios of the two servers, and the table."""

from bench.apiserver.report import markdown, medians, missed, verdicts
from bench.apiserver.scenarios import DURABLE, OURS, REAL


def runs(ours: float, real: float) -> dict[str, dict[str, list[dict[str, float]]]]:
    get = {"cpu_us": ours, "per_second": 1 / ours}
    return {
        "get1": {OURS: [get], REAL: [{"cpu_us": real, "per_second": 1 / real}]},
        "memory": {OURS: [{"created": 10.0, "reported": 40.0, "total": 70.0}]},
        "create1": {DURABLE: [{"cpu_us": 3.0, "per_second": 1.0}]},
    }


def test_a_ratio_below_one_is_better_for_rates_too() -> None:
    """One rule for all, or a baseline could not be compared with."""
    found = {one.figure: one.ratio for one in verdicts(medians(runs(1, 4)), {})}

    assert found["apiserver, get x1, CPU us"] == 0.25
    assert found["apiserver, get x1, per second"] == 0.25


def test_a_server_that_needs_more_than_the_real_one_misses_its_goal() -> None:
    """Per core, ours is to serve at least as many."""
    found = [one.figure for one in missed(verdicts(medians(runs(5, 4)), {}))]

    assert found == ["apiserver, get x1, CPU us"]


def test_limits_hold_without_a_real_server() -> None:
    """A machine without one still sees whether the pods fit."""
    found = [one for one in verdicts(medians(runs(1, 4)), {}) if one.against == "limit"]

    assert [(one.figure, one.ratio, one.missed) for one in found] == [
        ("apiserver, memory for the pods with status, MB", 40.0, False)
    ]


def test_the_table_has_a_column_for_each_server() -> None:
    """What was not measured is left empty."""
    lines = markdown(medians(runs(1, 4))).splitlines()

    assert "| get x1, CPU us | 1.0 | 4.0 | 0.25 |  |" in lines
    assert "| create x1, CPU us |  |  |  | 3.0 |" in lines
