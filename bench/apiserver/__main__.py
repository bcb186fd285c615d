"""``python -m bench apiserver``: the embedded API server beside the real one, as ratios.

Exit status: 0 for done, 1 for a goal missed (with --check), 2 for wrong input.
"""

import argparse
import json
import sys
import tempfile
from contextlib import AbstractContextManager, ExitStack
from dataclasses import asdict
from functools import partial
from pathlib import Path

from bench.apiserver import measure, report
from bench.apiserver.measure import Numbers
from bench.apiserver.scenarios import DURABLE, OURS, QUICK, REAL, Amount
from bench.apiserver.servers import ROOT, Running, embedded, real
from bench.report import write_report
from bench.table import Verdict, render_verdicts

Runs = dict[str, dict[str, list[Numbers]]]
BENCH = ROOT / "bench"


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    options = _parser().parse_args(arguments)
    amount = QUICK if options.quick else Amount()
    runs: Runs = {}
    for number in range(options.rounds):
        order = (OURS, REAL, DURABLE) if number % 2 == 0 else (DURABLE, REAL, OURS)
        chosen = [name for name in order if name in options.servers]
        _round(chosen, amount, runs, options.assets)
    values = report.medians(runs)
    known = json.loads(options.baseline.read_text()) if options.baseline.exists() else {}
    found = report.verdicts(values, known)
    print(report.markdown(values), render_verdicts(found), sep="\n\n")
    print(f"\nwritten to {_write(options.results, amount, runs, found)}")
    if options.write_baseline:
        ratios = {one.key: round(one.ratio, 4) for one in found}
        options.baseline.write_text(json.dumps(known | ratios, indent=2) + "\n")
    return 1 if options.check and report.missed(found) else 0


def _round(names: list[str], amount: Amount, runs: Runs, assets: Path | None) -> None:
    """Measure the servers, all running, one after the other at each step.

    What else the machine does at the time so weighs on all of them alike.
    """
    with tempfile.TemporaryDirectory(prefix="kubewright-bench-") as text, ExitStack() as stack:
        folder = Path(text)
        if OURS in names:
            _starts(folder, amount, runs)
        measured = []
        for name in names:
            server = stack.enter_context(_server(name, _made(folder / name), assets))
            add = partial(_add, runs, name)
            if name == REAL:
                add("command", _start(server))
            measured.append(measure.Measured(server, durable=name == DURABLE, add=add))
        for step in measure.steps(amount):
            for one in measured:
                one.do(step)


def _starts(folder: Path, amount: Amount, runs: Runs) -> None:
    _add(runs, OURS, "start", measure.in_process(amount))
    for number in range(amount.starts):
        with embedded(_made(folder / f"start-{number}")) as server:
            _add(runs, OURS, "command", _start(server))


def _start(server: Running) -> Numbers:
    return {"ms": server.seconds * 1e3, "cpu_ms": server.cpu * 1e3}


def _add(runs: Runs, server: str, scenario: str, numbers: Numbers) -> None:
    runs.setdefault(scenario, {}).setdefault(server, []).append(numbers)
    text = "  ".join(f"{name} {value:,.1f}" for name, value in numbers.items())
    print(f"{scenario:10} {server:20} {text}", file=sys.stderr, flush=True)


def _server(name: str, folder: Path, assets: Path | None) -> AbstractContextManager[Running]:
    if name == REAL:
        return real(assets)
    flags = ["--data-dir", str(folder / "data")] if name == DURABLE else []
    return embedded(folder, *flags)


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _write(folder: Path, amount: Amount, runs: Runs, found: list[Verdict]) -> Path:
    report = {
        "amount": asdict(amount),
        "runs": runs,
        "ratios": [asdict(one) | {"missed": one.missed} for one in found],
    }
    return write_report(folder, "apiserver-", report)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bench apiserver", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the work")
    parser.add_argument("--rounds", type=int, default=1, help="how often; medians are shown")
    parser.add_argument("--servers", type=_names, default=(OURS, REAL, DURABLE))
    parser.add_argument("--assets", type=Path, help="the folder with etcd and kube-apiserver")
    parser.add_argument("--check", action="store_true", help="fail when a goal is missed")
    parser.add_argument("--baseline", type=Path, default=BENCH / "baseline.json")
    parser.add_argument("--write-baseline", action="store_true", help="keep this run's ratios")
    parser.add_argument("--results", type=Path, default=BENCH / "results", help="where to write")
    return parser


def _names(text: str) -> tuple[str, ...]:
    names = tuple(part for part in text.split(",") if part)
    if unknown := [name for name in names if name not in (OURS, REAL, DURABLE)]:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is not one of {OURS}, {REAL}, {DURABLE}")
    return names


if __name__ == "__main__":
    sys.exit(main())
