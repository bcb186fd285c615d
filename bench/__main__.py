"""``python -m bench``: measure Kubewright beside its peers and print ratios.

``python -m bench apiserver`` measures the embedded API server beside the real one,
``python -m bench runtime`` informers, queues, controllers and operators, ``python -m bench growth``
whether an object costs the same among many, ``python -m bench cluster`` the embedded cluster
beside Kubernetes' own control plane, ``python -m bench webhook`` webhook servers,
``python -m bench helm`` charts as operators beside the program helm, and
``python -m bench ansible`` many idle objects of a role.

Exit status: 0 for done, 1 for a goal missed or a measurement failed (with --check), 2 for wrong
input.
"""

import argparse
import compileall
import importlib
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import kubewright
from bench.figures import DECODED, GROUPS, OURS, PEERS, SCENARIOS
from bench.measure import Work
from bench.report import write_report
from bench.run import Plan, Results, run
from bench.table import Verdict, medians, render_medians, render_verdicts, verdicts

HERE = Path(__file__).parent
BASELINE = HERE / "baseline.json"
OTHERS = {
    "ansible": "bench.ansible.__main__",
    "apiserver": "bench.apiserver.__main__",
    "cluster": "bench.cluster.__main__",
    "growth": "bench.runtime.growth",
    "helm": "bench.helm.__main__",
    "runtime": "bench.runtime.__main__",
    "webhook": "bench.webhook.__main__",
}
QUICK = Work(pods=1_000, events=4_000, requests=500)


def main() -> int:
    """Run what the command line asks for."""
    _compile()
    if sys.argv[1:2] and sys.argv[1] in OTHERS:
        other = importlib.import_module(OTHERS[sys.argv[1]])
        status: int = other.main(sys.argv[2:])
        return status
    options = _parser().parse_args()
    work = QUICK if options.quick else Work()
    plan = Plan(
        scenarios=[scenario for scenario in SCENARIOS if scenario.group in options.only],
        contenders=[OURS, DECODED, *options.peers],
        rounds=options.rounds or (1 if options.quick else 3),
        work=work,
    )
    results = run(plan)
    values = medians(results.runs)
    found = verdicts(values, _read(options.baseline))
    print(render_medians(values), render_verdicts(found), sep="\n\n")
    for error in results.errors:
        print(f"failed: {error}")
    print(f"\nwritten to {_write(options.results, plan, results, found)}")
    if options.write_baseline:
        kept = _read(options.baseline) | _ratios(found)  # the servers have ratios there, too
        options.baseline.write_text(json.dumps(kept, indent=2) + "\n")
    return _exit_status(found, results, options) if options.check else 0


def _compile() -> None:
    """Compile our package as pip has compiled the peers': a tree that was only cloned is not.

    Else each measured process would compile it, where Python may not write bytecode by itself.
    """
    for folder in kubewright.__path__:
        if not compileall.compile_dir(folder, quiet=1):
            raise SystemExit(f"bench: {folder} cannot be compiled")


def _exit_status(found: list[Verdict], results: Results, options: argparse.Namespace) -> int:
    worse = [one.key for one in found if one.regressed(options.tolerance)]
    for key in worse:
        print(f"worse than the baseline: {key}")
    return 1 if worse or results.errors or any(one.missed for one in found) else 0


def _read(baseline: Path) -> dict[str, float]:
    if not baseline.exists():
        return {}
    ratios: dict[str, float] = json.loads(baseline.read_text())
    return ratios


def _write(folder: Path, plan: Plan, results: Results, found: list[Verdict]) -> Path:
    report = {
        "rounds": plan.rounds,
        "work": asdict(plan.work),
        "runs": results.runs,
        "errors": results.errors,
        "ratios": [asdict(one) | {"missed": one.missed} for one in found],
    }
    return write_report(folder, "", report)


def _ratios(found: list[Verdict]) -> dict[str, float]:
    return {one.key: round(one.ratio, 4) for one in found}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bench", description="Measure Kubewright and its peers.")
    parser.add_argument("--rounds", type=_positive, help="how often (3; 1 with --quick)")
    parser.add_argument(
        "--quick", action="store_true", help="a tenth of the work, for a first look"
    )
    parser.add_argument("--only", type=_choice(GROUPS), default=GROUPS, help=",".join(GROUPS))
    parser.add_argument("--peers", type=_choice(PEERS), default=PEERS, help=",".join(PEERS))
    parser.add_argument("--check", action="store_true", help="fail when a goal is missed")
    parser.add_argument("--baseline", type=Path, default=BASELINE, help="ratios to compare with")
    parser.add_argument("--write-baseline", action="store_true", help="keep this run's ratios")
    parser.add_argument("--tolerance", type=float, default=0.25, help="of --check, to the baseline")
    parser.add_argument("--results", type=Path, default=HERE / "results", help="where to write")
    return parser


def _positive(text: str) -> int:
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError("at least one round is needed")
    return number


def _choice(known: tuple[str, ...]) -> Any:
    def parse(text: str) -> tuple[str, ...]:
        chosen = tuple(part for part in text.split(",") if part)
        if unknown := [part for part in chosen if part not in known]:
            raise argparse.ArgumentTypeError(f"{unknown[0]!r} is not one of {', '.join(known)}")
        return chosen

    return parse


if __name__ == "__main__":
    sys.exit(main())
