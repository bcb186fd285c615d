"""``python -m bench webhook``: webhook servers side by side, as ratios.

Exit status: 0 for done, 1 for a goal missed or a measurement failed (with --check), 2 for wrong
input.
"""

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from bench.report import write_report
from bench.run import ROOT, Results
from bench.runtime.__main__ import choice, find_go_peer
from bench.table import Verdict, render_verdicts
from bench.webhook import table
from bench.webhook.figures import GO, OURS, PEERS, QUICK, SCENARIOS, Amount
from bench.webhook.run import Plan, run

BENCH = ROOT / "bench"


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    options = _parser().parse_args(arguments)
    plan = _plan(options)
    results = run(plan)
    values = table.medians(results.runs)
    known = json.loads(options.baseline.read_text()) if options.baseline.exists() else {}
    found = table.verdicts(values, known)
    print(table.render_medians(values), render_verdicts(found), sep="\n\n")
    for error in results.errors:
        print(f"failed: {error}")
    print(f"\nwritten to {_write(options.results, plan, results, found)}")
    if options.write_baseline:
        ratios = {one.key: round(one.ratio, 4) for one in found}
        options.baseline.write_text(json.dumps(known | ratios, indent=2) + "\n")
    failed = bool(results.errors) or any(one.missed for one in found)
    return 1 if options.check and failed else 0


def _plan(options: argparse.Namespace) -> Plan:
    go_peer = find_go_peer(options.go_peer) if GO in options.peers else None
    return Plan(
        scenarios=options.only,
        servers=(OURS, *(peer for peer in options.peers if peer != GO or go_peer)),
        rounds=options.rounds or (1 if options.quick else 3),
        amount=QUICK if options.quick else Amount(),
        go_peer=go_peer,
    )


def _write(folder: Path, plan: Plan, results: Results, found: list[Verdict]) -> Path:
    report = {
        "rounds": plan.rounds,
        "amount": asdict(plan.amount),
        "runs": results.runs,
        "errors": results.errors,
        "ratios": [asdict(one) | {"missed": one.missed} for one in found],
    }
    return write_report(folder, "webhook-", report)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bench webhook", description=__doc__)
    parser.add_argument("--rounds", type=int, help="how often (3; 1 with --quick)")
    parser.add_argument("--quick", action="store_true", help="a tenth of the work")
    parser.add_argument("--only", type=choice(SCENARIOS), default=SCENARIOS)
    parser.add_argument("--peers", type=choice(PEERS), default=PEERS)
    parser.add_argument("--go-peer", type=Path, help="the Go program (tools/go-peer builds it)")
    parser.add_argument("--check", action="store_true", help="fail when a goal is missed")
    parser.add_argument("--baseline", type=Path, default=BENCH / "baseline.json")
    parser.add_argument("--write-baseline", action="store_true", help="keep this run's ratios")
    parser.add_argument("--results", type=Path, default=BENCH / "results", help="where to write")
    return parser


if __name__ == "__main__":
    sys.exit(main())
