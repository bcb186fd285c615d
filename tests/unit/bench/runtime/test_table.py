"""From measurements of the runtime to verdicts."""

import pytest

from bench.runtime.figures import FIGURES, OURS, PLAIN
from bench.runtime.table import medians, render_medians, verdicts
from bench.table import Verdict


def found_for(title: str, scenario: str, metric: str, **values: float) -> dict[str, Verdict]:
    """Return the verdicts on one figure, by whom they are against."""
    metrics = {figure.metric for figure in FIGURES if figure.scenario == scenario}
    runs = {
        scenario: {
            contender: [dict.fromkeys(metrics, 1.0) | {metric: value}]
            for contender, value in values.items()
        }
    }
    return {
        one.against: one for one in verdicts(medians(runs), {}) if one.figure == f"runtime, {title}"
    }


def test_each_goal_is_judged_against_its_own_peer() -> None:
    """client-go with JSON, with protobuf, the best of the Python peers, and Kopf."""
    found = found_for(
        "informer, CPU s", "informer", "cpu",
        kubewright=1.0, go_json=4.0, go_proto=1.0, lightkube=5.0, informer=9.0, kopf=20.0,
    )  # fmt: skip

    assert {against: one.ratio for against, one in found.items()} == {
        "go_json": 0.25,
        "go_proto": 1.0,
        "kopf": 0.05,
        "best (lightkube)": 0.2,
    }
    assert not any(one.missed for one in found.values())


def test_a_ratio_above_its_goal_is_missed() -> None:
    """The goal is the most that is allowed."""
    found = found_for("informer, CPU s", "informer", "cpu", kubewright=1.0, go_json=2.0)

    assert found["go_json"].missed


def test_a_rate_and_its_goal_are_turned_over() -> None:
    """Below one is better everywhere; five times as many reconciles are a fifth."""
    found = found_for(
        "reconciles/s", "reconcile", "per_second",
        kubewright=600.0, go_dynamic=500.0, lightkube=100.0, kopf=200.0,
    )  # fmt: skip

    assert found["go_dynamic"].ratio == pytest.approx(500 / 600)
    assert not found["go_dynamic"].missed
    assert found["kopf"].missed
    assert found["best (kopf)"].goal == pytest.approx(0.2)


def test_where_no_typed_client_takes_part_the_dynamic_one_is_client_gos_json() -> None:
    """Custom resources travel as JSON either way."""
    found = found_for("idle operator, MB", "idle", "rss", kubewright=12.0, go_dynamic=10.0)

    assert found["go_dynamic"].goal == 1.2


def test_the_memory_without_compression_is_judged_by_itself() -> None:
    """Each of ours has goals of its own."""
    title = "informer without compression, net MB"
    found = found_for(title, "informer", "net", kubewright=1.0, kubewright_plain=8.0, go_json=10.0)

    assert found["go_json"].ratio == 0.8
    assert found["go_json"].missed


def test_a_peer_at_zero_or_less_is_not_divided_by() -> None:
    """An event can overtake the answer to the write that caused it."""
    title = "after the answer to the write, p99 ms"

    assert found_for(title, "latency", "after_p99", kubewright=0.5, lightkube=-0.1) == {}


def test_the_table_has_a_line_for_each_figure_and_says_who_did_not_take_part() -> None:
    """Nothing measured is hidden."""
    text = render_medians(medians({"queue": {OURS: [{"cpu_us": 0.5}]}}))

    assert "queue cycle, CPU us" in text
    assert PLAIN in text
    assert " - " in text
