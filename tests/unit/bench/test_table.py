"""From measurements to ratios and verdicts."""

import pytest

from bench.figures import DECODED, FIGURES, MODULES, OURS, SCENARIOS
from bench.table import Verdict, medians, render_medians, render_verdicts, verdicts


def runs(**cpu: list[float]) -> dict[str, dict[str, list[dict[str, float]]]]:
    """Return measurements of the list, of which only the CPU time differs."""
    rest = {"wall": 1.0, "peak": 1.0, "net": 1.0}
    return {"list": {name: [{"cpu": one, **rest} for one in many] for name, many in cpu.items()}}


def cpu_verdicts(**cpu: list[float]) -> dict[str, Verdict]:
    """Return the verdicts on the CPU time of the list, by whom they are against."""
    found = verdicts(medians(runs(**cpu)))
    return {one.against: one for one in found if one.figure == "list, CPU s"}


def test_ours_is_compared_with_the_best_peer_and_with_kopf() -> None:
    """The best is whoever needs least in this run."""
    found = cpu_verdicts(kubewright=[1.0], lightkube=[4.0], kubernetes=[10.0], kopf=[20.0])

    assert found["best (lightkube)"].ratio == 0.25
    assert found["kopf"].ratio == 0.05
    assert not any(one.missed for one in found.values())


def test_one_slow_round_does_not_move_the_median() -> None:
    """Somebody else's work on the machine must not decide."""
    found = cpu_verdicts(kubewright=[1.0, 9.0, 1.0], lightkube=[4.0, 4.0, 0.1])

    assert found["best (lightkube)"].ratio == 0.25


def test_a_ratio_above_its_goal_is_missed() -> None:
    """The goal is the most that is allowed."""
    found = cpu_verdicts(kubewright=[1.01], lightkube=[4.0])

    assert found["best (lightkube)"].missed
    assert "MISSED" in render_verdicts(found.values())


def test_ours_before_decoding_is_shown_and_never_judged() -> None:
    """It does less than the peers, so it must not win for us, nor count as a peer."""
    values = medians(runs(**{OURS: [1.0], DECODED: [0.1], "lightkube": [4.0]}))

    assert "0.100" in render_medians(values)
    assert {one.ratio for one in verdicts(values) if one.figure == "list, CPU s"} == {0.25}


def test_without_ours_there_is_nothing_to_judge() -> None:
    """A failed measurement of ours leaves the peers' medians and no ratio."""
    values = medians(runs(kubewright=[], lightkube=[4.0]))

    assert values
    assert verdicts(values) == []


def test_a_limit_holds_whatever_the_peers_need() -> None:
    """An import has to be quick on its own account."""
    measured = {"import": {OURS: [{"ms": 151.0, "rss": 29.0}]}}

    found = {one.figure: one for one in verdicts(medians(measured))}

    assert found["import, ms"].missed
    assert not found["import, MB"].missed


@pytest.mark.parametrize(("before", "worse"), [(0.2, False), (0.15, True), (None, False)])
def test_worse_than_the_baseline_is_beyond_the_tolerance(before: float | None, worse: bool) -> None:
    """A ratio wavers from run to run; only what is clearly worse counts."""
    baseline = {} if before is None else {"list, CPU s : best": before}

    found = verdicts(medians(runs(kubewright=[1.0], lightkube=[5.0])), baseline)

    assert found[0].regressed(0.25) is worse


def test_every_figure_comes_from_a_scenario_and_every_contender_has_a_module() -> None:
    """A typing mistake here would silently leave a goal unmeasured."""
    names = {scenario.name for scenario in SCENARIOS}

    assert {figure.scenario for figure in FIGURES} == names
    assert {one for scenario in SCENARIOS for one in scenario.contenders} <= set(MODULES)
