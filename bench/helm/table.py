"""Medians, ratios, and text for people."""

import statistics
from collections.abc import Mapping

from bench.helm.figures import CONTENDERS, FIGURES, HELM, OURS, Figure
from bench.table import Runs, Verdict, number, render

PREFIX = "helm, "
Values = Mapping[Figure, Mapping[str, float]]


def medians(runs: Runs) -> dict[Figure, dict[str, float]]:
    """Return the median of each figure for each contender that has one."""
    return {
        figure: {
            contender: statistics.median(one[figure.metric] for one in rounds)
            for contender, rounds in runs[figure.scenario].items()
            if figure.metric in rounds[0]
        }
        for figure in FIGURES
        if runs.get(figure.scenario)
    }


def verdicts(values: Values, baseline: Mapping[str, float]) -> list[Verdict]:
    """Return the ratios to helm, beside their goals."""
    found = [
        Verdict(
            f"{PREFIX}{figure.title}", HELM, by_contender[OURS] / by_contender[HELM], figure.goal
        )
        for figure, by_contender in values.items()
        if OURS in by_contender and HELM in by_contender
    ]
    return [
        Verdict(one.figure, one.against, one.ratio, one.goal, baseline.get(one.key))
        for one in found
    ]


def render_medians(values: Values) -> str:
    """Return the medians, one line for each figure."""
    rows = [["median", *CONTENDERS]]
    for figure, by_contender in values.items():
        numbers = [by_contender.get(contender) for contender in CONTENDERS]
        rows.append([figure.title, *("-" if one is None else number(one) for one in numbers)])
    return render(rows)
