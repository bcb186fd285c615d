"""From measurements to medians, ratios, verdicts, and text for people."""

import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bench.figures import DECODED, FIGURES, KOPF, OURS, PEERS, Figure

Runs = Mapping[str, Mapping[str, list[dict[str, float]]]]
"""Scenario, contender, rounds: the numbers of each round."""


@dataclass(frozen=True)
class Verdict:
    """One ratio, what it should be, and what it was at the baseline.

    Attributes:
        figure: The figure's title.
        against: The peer, or "limit" when *ratio* is ours alone.
        ratio: Ours to the peer's, or ours.
        goal: The most that it may be; none when there is no goal.
        baseline: The same ratio in the baseline, if it is there.
    """

    figure: str
    against: str
    ratio: float
    goal: float | None = None
    baseline: float | None = None

    @property
    def missed(self) -> bool:
        """Whether there is a goal and it is not reached."""
        return self.goal is not None and self.ratio > self.goal

    @property
    def key(self) -> str:
        """The name of this ratio in a baseline; the best peer may change from run to run."""
        return f"{self.figure} : {self.against.split(' ')[0]}"

    def regressed(self, tolerance: float) -> bool:
        """Return whether it is worse than the baseline by more than *tolerance*."""
        return self.baseline is not None and self.ratio > self.baseline * (1 + tolerance)


def medians(runs: Runs) -> dict[Figure, dict[str, float]]:
    """Return the median of each figure for each contender that has one."""
    result = {}
    for figure in FIGURES:
        by_contender = runs.get(figure.scenario, {})
        values = {
            contender: statistics.median(numbers[figure.metric] for numbers in rounds)
            for contender, rounds in by_contender.items()
            if rounds
        }
        if values:
            result[figure] = values
    return result


def verdicts(
    values: Mapping[Figure, Mapping[str, float]], baseline: Mapping[str, float] | None = None
) -> list[Verdict]:
    """Return every ratio that can be made: to the best peer, to Kopf, and what has a limit."""
    found = [
        verdict
        for figure, by_contender in values.items()
        if OURS in by_contender
        for verdict in _verdicts(figure, by_contender)
    ]
    known = baseline or {}
    return [
        Verdict(one.figure, one.against, one.ratio, one.goal, known.get(one.key)) for one in found
    ]


def _verdicts(figure: Figure, values: Mapping[str, float]) -> Iterable[Verdict]:
    ours = values[OURS]
    peers = {peer: value for peer, value in values.items() if peer in PEERS}
    if figure.limit is not None:
        yield Verdict(figure.title, "limit", ours, figure.limit)
    if peers:
        pick = max if figure.more_is_better else min
        best = pick(peers, key=peers.__getitem__)
        yield Verdict(figure.title, f"best ({best})", ours / peers[best], figure.best)
    if KOPF in peers and figure.kopf is not None:
        yield Verdict(figure.title, KOPF, ours / peers[KOPF], figure.kopf)


def render_medians(values: Mapping[Figure, Mapping[str, float]]) -> str:
    """Return the medians, one line for each figure."""
    contenders = (OURS, DECODED, *PEERS)
    rows = [["median", *contenders]]
    for figure, by_contender in values.items():
        numbers = [by_contender.get(contender) for contender in contenders]
        rows.append([figure.title, *("-" if n is None else number(n) for n in numbers)])
    return render(rows)


def render_verdicts(found: Iterable[Verdict]) -> str:
    """Return the ratios beside their goals."""
    rows = [["ours : peer", "against", "ratio", "goal", "", "baseline"]]
    for one in found:
        goal = "-" if one.goal is None else f"{one.goal:g}"
        word = "" if one.goal is None else "MISSED" if one.missed else "ok"
        before = "-" if one.baseline is None else number(one.baseline)
        rows.append([one.figure, one.against, number(one.ratio), goal, word, before])
    return render(rows, left=2)


def number(value: float) -> str:
    """Return *value* with as many digits as a reader wants."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3f}" if abs(value) < 1 else f"{value:.2f}"


def render(rows: list[list[str]], *, left: int = 1) -> str:
    """Return *rows* as columns, the first of *left* flush left; the first row is the heading."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)
