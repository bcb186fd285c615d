"""Medians, ratios, and text for people."""

import statistics
from collections.abc import Mapping

from bench.table import Runs, Verdict, number, render
from bench.webhook.figures import FIGURES, OURS, SERVERS, Figure

PREFIX = "webhook, "
Values = Mapping[Figure, Mapping[str, float]]


def medians(runs: Runs) -> dict[Figure, dict[str, float]]:
    """Return the median CPU time of each figure for each server that has one."""
    return {
        figure: {
            server: statistics.median(one["cpu_us"] for one in rounds)
            for server, rounds in runs[figure.name].items()
        }
        for figure in FIGURES
        if runs.get(figure.name)
    }


def verdicts(values: Values, baseline: Mapping[str, float]) -> list[Verdict]:
    """Return the ratios to the peers, beside their goals."""
    found = [
        Verdict(f"{PREFIX}{figure.title}", peer, by_server[OURS] / by_server[peer], goal)
        for figure, by_server in values.items()
        for peer, goal in figure.goals
        if OURS in by_server and peer in by_server
    ]
    return [
        Verdict(one.figure, one.against, one.ratio, one.goal, baseline.get(one.key))
        for one in found
    ]


def render_medians(values: Values) -> str:
    """Return the medians, one line for each figure."""
    rows = [["median", *SERVERS]]
    for figure, by_server in values.items():
        numbers = [by_server.get(server) for server in SERVERS]
        rows.append([figure.title, *("-" if one is None else number(one) for one in numbers)])
    return render(rows)
