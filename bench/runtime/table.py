"""From measurements of the runtime to medians, ratios, verdicts, and text."""

import statistics
from collections.abc import Iterable, Mapping

from bench.runtime.figures import (
    FIGURES,
    GO_DYNAMIC,
    GO_JSON,
    GO_PROTO,
    KOPF,
    OURS,
    PEERS,
    PLAIN,
    PYTHON,
    RECORDED,
    SOCKET,
    Figure,
)
from bench.table import Runs, Verdict, number, render

PREFIX = "runtime, "
Values = Mapping[Figure, Mapping[str, float]]


def medians(runs: Runs) -> dict[Figure, dict[str, float]]:
    """Return the median of each figure for each contender that has one."""
    result = {}
    for figure in FIGURES:
        values = {
            contender: statistics.median(numbers[figure.metric] for numbers in rounds)
            for contender, rounds in runs.get(figure.scenario, {}).items()
            if rounds
        }
        if values:
            result[figure] = values
    return result


def verdicts(values: Values, baseline: Mapping[str, float]) -> list[Verdict]:
    """Return every ratio that can be made; below one is better everywhere."""
    found = [
        verdict
        for figure, by_contender in values.items()
        if figure.ours in by_contender and not figure.shown_only
        for verdict in _verdicts(figure, by_contender)
    ]
    return [
        Verdict(one.figure, one.against, one.ratio, one.goal, baseline.get(one.key))
        for one in found
    ]


def _verdicts(figure: Figure, values: Mapping[str, float]) -> Iterable[Verdict]:
    # Where client-go has no typed contender, as for a custom resource, the dynamic one is its JSON.
    go_json = GO_JSON if GO_JSON in values else GO_DYNAMIC
    against = {go_json: figure.json, GO_PROTO: figure.proto, KOPF: figure.kopf}
    for peer, goal in against.items():
        if values.get(peer, 0) > 0 and (goal is not None or peer != KOPF):
            yield _verdict(figure, peer, values, peer, goal)
    peers = [peer for peer in PYTHON if values.get(peer, 0) > 0]
    if peers:
        pick = max if figure.more_is_better else min
        best = pick(peers, key=values.__getitem__)
        yield _verdict(figure, f"best ({best})", values, best, figure.best)


def _verdict(
    figure: Figure, against: str, values: Mapping[str, float], peer: str, goal: float | None
) -> Verdict:
    ratio = values[figure.ours] / values[peer]
    if figure.more_is_better:
        ratio, goal = 1 / ratio, None if goal is None else 1 / goal
    return Verdict(f"{PREFIX}{figure.title}", against, ratio, goal)


def render_medians(values: Values) -> str:
    """Return the medians, one line for each figure."""
    contenders = (OURS, PLAIN, RECORDED, *PEERS, SOCKET)
    rows = [["median", *contenders]]
    for figure, by_contender in values.items():
        if figure.ours == OURS:
            found = [by_contender.get(contender) for contender in contenders]
            rows.append([figure.title, *("-" if one is None else number(one) for one in found)])
    return render(rows)
