"""``python -m bench webhook``: webhook servers side by side, as ratios.

Exit status: 0 for done, 1 for a goal missed or a measurement failed (with --check), 2 for wrong
input.
"""

import argparse
import sys
from dataclasses import asdict
from pathlib import Path

from bench.report import add_options, conclude, known_ratios
from bench.runtime.__main__ import choice, find_go_peer
from bench.webhook import table
from bench.webhook.figures import GO, OURS, PEERS, QUICK, SCENARIOS, Amount
from bench.webhook.run import Plan, run


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    options = _parser().parse_args(arguments)
    plan = _plan(options)
    results = run(plan)
    values = table.medians(results.runs)
    found = table.verdicts(values, known_ratios(options))
    return conclude(
        options,
        results,
        found,
        prefix="webhook-",
        table=table.render_medians(values),
        rounds=plan.rounds,
        amount=asdict(plan.amount),
    )


def _plan(options: argparse.Namespace) -> Plan:
    go_peer = find_go_peer(options.go_peer) if GO in options.peers else None
    return Plan(
        scenarios=options.only,
        servers=(OURS, *(peer for peer in options.peers if peer != GO or go_peer)),
        rounds=options.rounds or (1 if options.quick else 3),
        amount=QUICK if options.quick else Amount(),
        go_peer=go_peer,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bench webhook", description=__doc__)
    add_options(parser)
    parser.add_argument("--only", type=choice(SCENARIOS), default=SCENARIOS)
    parser.add_argument("--peers", type=choice(PEERS), default=PEERS)
    parser.add_argument("--go-peer", type=Path, help="the Go program (tools/go-peer builds it)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
