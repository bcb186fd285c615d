"""``python -m bench helm``: charts as operators beside the program helm, as ratios.

Exit status: 0 for done, 1 for a goal missed or a measurement failed (with --check), 2 for wrong
input.
"""

import argparse
import sys
from dataclasses import asdict
from pathlib import Path

from bench.helm import table
from bench.helm.figures import QUICK, SCENARIOS, Amount
from bench.helm.run import Plan, run
from bench.report import add_options, conclude, known_ratios
from bench.runtime.__main__ import choice
from kubewright.errors import ConfigError


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    options = _parser().parse_args(arguments)
    plan = Plan(
        scenarios=options.only,
        rounds=options.rounds or 1,
        amount=QUICK if options.quick else Amount(),
        assets=options.assets,
    )
    try:
        results = run(plan)
    except ConfigError as error:  # no helm, or no real server
        print(f"bench: {error}", file=sys.stderr)
        return 2
    values = table.medians(results.runs)
    return conclude(
        options,
        results,
        table.verdicts(values, known_ratios(options)),
        prefix="helm-",
        table=table.render_medians(values),
        rounds=plan.rounds,
        amount=asdict(plan.amount),
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bench helm", description=__doc__)
    add_options(parser)
    parser.add_argument("--only", type=choice(SCENARIOS), default=SCENARIOS)
    parser.add_argument("--assets", type=Path, help="the folder with etcd and kube-apiserver")
    return parser


if __name__ == "__main__":
    sys.exit(main())
