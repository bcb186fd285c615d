"""``python -m bench growth``: whether an object costs the same among a thousand and many.

Ours alone: an informer and a controller over 1,000, 10,000 and 100,000 small pods. What counts is
the cost per object, and the cost of each further one, which hides nothing in a fixed part.

Exit status: 0 for done, 1 for a goal missed or a measurement failed (with --check), 2 for wrong
input.
"""

import argparse
import itertools
import statistics
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from bench.measure import Numbers, Work
from bench.report import write_report
from bench.run import ROOT, replay_server
from bench.runtime.figures import OURS, PLAIN, Scenario
from bench.runtime.run import Plan, Runner
from bench.table import Verdict, number, render, render_verdicts

GOAL = 1.1
SIZES, QUICK_SIZES = (1_000, 10_000, 100_000), (500, 1_000, 2_000)
# The start of a process weighs most on the smallest, so that one is measured more often.
REPEATS = 3
BURST = 200
SCENARIOS = (
    Scenario("list", "replay", "list_pods", (OURS, PLAIN)),
    Scenario("events", "replay", "watch_pods", (OURS, PLAIN)),
)
Costs = Mapping[int, float]
"""A cost of all objects, or of one event, by the number of objects."""


@dataclass(frozen=True)
class Growth:
    """One cost that may grow with the number of objects, and no faster.

    Attributes:
        scenario: Where it is measured.
        metric: Its name there.
        title: What the table calls it.
        factor: What makes the unit of the title of it.
        total: Whether it is measured for all objects; otherwise for one already.
        adds_up: Whether each further object adds to it. To a peak it need not: the highest point of
            a small cache is the training of its compression.
    """

    scenario: str
    metric: str
    title: str
    factor: float = 1.0
    total: bool = True
    adds_up: bool = True


GROWTHS = (
    Growth("list", "cpu", "list, CPU us per object", 1e6),
    Growth("list", "net", "list, net kB per object", 1024**2 / 1e3),
    Growth("list", "peak", "list, peak kB per object", 1024**2 / 1e3, adds_up=False),
    Growth("events", "cpu_us", "event, CPU us", total=False, adds_up=False),
)


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    options = _parser().parse_args(arguments)
    sizes = QUICK_SIZES if options.quick else SIZES
    events = 2_000 if options.quick else 20_000
    runs, errors = measure(sizes, rounds=1 if options.quick else options.rounds, events=events)
    values = costs(runs)
    found = list(verdicts(values))
    print(render_costs(values), render_verdicts(found), sep="\n\n")
    for error in errors:
        print(f"failed: {error}")
    print(f"\nwritten to {_write(options.results, runs, errors)}")
    failed = bool(errors) or any(one.missed for one in found)
    return 1 if options.check and failed else 0


Runs = dict[int, dict[str, dict[str, list[Numbers]]]]
"""Size, scenario, contender: the numbers of each round."""


def measure(sizes: tuple[int, ...], *, rounds: int, events: int) -> tuple[Runs, list[str]]:
    """Measure every size *rounds* times, the smallest more often."""
    runs: Runs = {}
    errors = []
    for size in sizes:
        work = replace(Work(), pods=size, events=events)
        runner = Runner(Plan(scenarios=SCENARIOS, contenders=(OURS, PLAIN), work=work))
        # All first reconciles must be over before the changes come. These come in bursts: among
        # few objects, the queue would else merge changes, and they would look cheaper.
        flags = ["--small", "--delay", str(1.5 + size / 20_000), "--burst", str(BURST)]
        print(f"{size:,} pods", file=sys.stderr, flush=True)
        with replay_server(work, *flags) as runner.replay:
            for _ in range(rounds * REPEATS if size == sizes[0] else rounds):
                for scenario in SCENARIOS:
                    for contender in scenario.contenders:
                        runner.measure(scenario, contender)
        runs[size] = runner.results.runs
        errors += runner.results.errors
    return runs, errors


def costs(runs: Runs) -> dict[tuple[Growth, str], dict[int, float]]:
    """Return the medians of each cost of each contender, by size."""
    found: dict[tuple[Growth, str], dict[int, float]] = {}
    for growth in GROWTHS:
        for size, scenarios in runs.items():
            for contender, rounds in scenarios.get(growth.scenario, {}).items():
                median = statistics.median(one[growth.metric] for one in rounds)
                found.setdefault((growth, contender), {})[size] = median * growth.factor
    return found


def per_object(growth: Growth, by_size: Costs) -> dict[int, float]:
    """Return the cost of one object, or of one event, at each size."""
    return {size: cost / size if growth.total else cost for size, cost in by_size.items()}


def marginal(by_size: Costs) -> list[float]:
    """Return what each further object costs, between each two sizes."""
    sizes = sorted(by_size)
    return [
        (by_size[high] - by_size[low]) / (high - low) for low, high in itertools.pairwise(sizes)
    ]


def verdicts(values: Mapping[tuple[Growth, str], Costs]) -> Iterator[Verdict]:
    """Yield the growth from the smallest size to the largest, per object and per further object."""
    for (growth, contender), by_size in values.items():
        title = f"growth, {contender}, {growth.title}"
        each = per_object(growth, by_size)
        if len(each) < 2:
            continue
        low, high = min(each), max(each)
        yield Verdict(title, f"{high:,} to {low:,}", each[high] / each[low], GOAL)
        further = marginal(by_size) if growth.adds_up else []
        if len(further) > 1 and further[0] > 0:
            yield Verdict(title, "further ones", further[-1] / further[0], GOAL)


def render_costs(values: Mapping[tuple[Growth, str], Costs]) -> str:
    """Return the costs, one line for each."""
    sizes = sorted({size for by_size in values.values() for size in by_size})
    rows = [["median", "contender", *(f"{size:,}" for size in sizes)]]
    for (growth, contender), by_size in values.items():
        each = per_object(growth, by_size)
        cells = [number(each[size]) if size in each else "-" for size in sizes]
        rows.append([growth.title, contender, *cells])
    return render(rows, left=2)


def _write(folder: Path, runs: Runs, errors: list[str]) -> Path:
    return write_report(folder, "growth-", {"runs": runs, "errors": errors})


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bench growth", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="how often; medians are shown")
    parser.add_argument("--quick", action="store_true", help="500 to 2,000 pods, once")
    parser.add_argument("--check", action="store_true", help="fail when a goal is missed")
    parser.add_argument("--results", type=Path, default=ROOT / "bench" / "results")
    return parser
