"""Medians, ratios and a table in Markdown."""

import statistics
from collections.abc import Iterable, Mapping

from bench.apiserver.scenarios import DURABLE, FIGURES, OURS, REAL, Figure
from bench.table import Verdict

Runs = Mapping[str, Mapping[str, list[dict[str, float]]]]
"""Scenario, server, rounds: the numbers of each round."""

PREFIX = "apiserver, "


def medians(runs: Runs) -> dict[Figure, dict[str, float]]:
    """Return the median of each figure for each server that has one."""
    found: dict[Figure, dict[str, float]] = {}
    for figure in FIGURES:
        for server, rounds in runs.get(figure.scenario, {}).items():
            numbers = [one[figure.metric] for one in rounds if figure.metric in one]
            if numbers:
                found.setdefault(figure, {})[server] = statistics.median(numbers)
    return found


def verdicts(
    values: Mapping[Figure, Mapping[str, float]], baseline: Mapping[str, float]
) -> list[Verdict]:
    """Return each ratio to the real server, and what has a limit of its own."""
    found = []
    for figure, by_server in values.items():
        if OURS not in by_server:
            continue
        ours, title = by_server[OURS], f"{PREFIX}{figure.title}"
        if figure.limit is not None:
            found.append(Verdict(title, "limit", ours, figure.limit))
        if REAL in by_server:
            # A ratio below one is better everywhere, so that --check can compare.
            ratio = ours / by_server[REAL]
            if figure.more_is_better:
                ratio = 1 / ratio
            found.append(Verdict(title, "real", ratio, figure.goal))
    return [
        Verdict(one.figure, one.against, one.ratio, one.goal, baseline.get(one.key))
        for one in found
    ]


def markdown(values: Mapping[Figure, Mapping[str, float]]) -> str:
    """Return the table: both servers, the ratio, and ours with a data folder."""
    rows = [
        "| | kubewright | kube-apiserver + etcd | ratio | with --data-dir |",
        "|---|---:|---:|---:|---:|",
    ]
    for figure, by_server in values.items():
        ours, other, kept = (by_server.get(name) for name in (OURS, REAL, DURABLE))
        ratio = ours / other if ours and other else None
        cells = [figure.title, *map(_number, (ours, other)), _ratio(ratio), _number(kept)]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def missed(found: Iterable[Verdict]) -> list[Verdict]:
    """Return the goals that are not reached."""
    return [one for one in found if one.missed]


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 20 else f"{value:.1f}"


def _ratio(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"
