"""``python -m bench runtime``: the runtime beside client-go and the Python peers, as ratios.

Exit status: 0 for done, 1 for a goal missed or a measurement failed (with --check), 2 for wrong
input.
"""

import argparse
import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

from bench.measure import Work
from bench.report import write_report
from bench.run import ROOT, Results
from bench.runtime import table
from bench.runtime.figures import GO, GROUPS, OURS, PEERS, PLAIN, RECORDED, SCENARIOS, SOCKET
from bench.runtime.run import REAL, Plan, run
from bench.table import Verdict, render_verdicts
from kubewright.errors import ConfigError
from kubewright.testing.assets import get_program

BENCH = ROOT / "bench"
QUICK = Work(pods=1_000, events=4_000, patches=50, widgets=100, cycles=100_000)


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
    peers = options.peers
    scenarios = [scenario for scenario in SCENARIOS if scenario.name in options.only]
    if any(one.how in REAL for one in scenarios) and not _has_real_server(options.assets):
        scenarios = [one for one in scenarios if one.how not in REAL]
    go_peer = find_go_peer(options.go_peer) if any(peer in GO for peer in peers) else None
    if go_peer is None:
        peers = [peer for peer in peers if peer not in GO]
    return Plan(
        scenarios=scenarios,
        contenders=[OURS, PLAIN, RECORDED, SOCKET, *peers],
        rounds=options.rounds or (1 if options.quick else 3),
        work=QUICK if options.quick else Work(),
        assets=options.assets,
        go_peer=go_peer,
    )


def _has_real_server(assets: Path | None) -> bool:
    """Say whether the real servers are there; without them, the rest is still worth a run."""
    try:
        for name in ("etcd", "kube-apiserver"):
            get_program(name, assets)
    except ConfigError as error:
        print(f"bench: what needs a real server is NOT measured: {error}", file=sys.stderr)
        return False
    return True


def find_go_peer(given: Path | None) -> Path | None:
    """Return the Go program, built if need be; without it, the others are still worth a run."""
    if given is not None:
        return given
    done = subprocess.run([ROOT / "tools" / "go-peer"], stdout=subprocess.PIPE, check=False)
    if done.returncode:
        print("bench: no Go program, so client-go takes NO part; why is above", file=sys.stderr)
        return None
    return Path(done.stdout.decode().strip())


def _write(folder: Path, plan: Plan, results: Results, found: list[Verdict]) -> Path:
    report = {
        "rounds": plan.rounds,
        "work": asdict(plan.work),
        "runs": results.runs,
        "errors": results.errors,
        "ratios": [asdict(one) | {"missed": one.missed} for one in found],
    }
    return write_report(folder, "runtime-", report)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bench runtime", description=__doc__)
    parser.add_argument("--rounds", type=int, help="how often (3; 1 with --quick)")
    parser.add_argument("--quick", action="store_true", help="a tenth of the work")
    parser.add_argument("--only", type=choice(GROUPS), default=GROUPS, help=",".join(GROUPS))
    parser.add_argument("--peers", type=choice(PEERS), default=PEERS, help=",".join(PEERS))
    parser.add_argument("--assets", type=Path, help="the folder with etcd and kube-apiserver")
    parser.add_argument("--go-peer", type=Path, help="the Go program (tools/go-peer builds it)")
    parser.add_argument("--check", action="store_true", help="fail when a goal is missed")
    parser.add_argument("--baseline", type=Path, default=BENCH / "baseline.json")
    parser.add_argument("--write-baseline", action="store_true", help="keep this run's ratios")
    parser.add_argument("--results", type=Path, default=BENCH / "results", help="where to write")
    return parser


class choice:  # noqa: N801  # a function of argparse
    """Reads a list of names with commas between them."""

    def __init__(self, known: tuple[str, ...]) -> None:
        self._known = known

    def __call__(self, text: str) -> tuple[str, ...]:
        """Return the names in *text*, all of them known."""
        chosen = tuple(part for part in text.split(",") if part)
        if unknown := [part for part in chosen if part not in self._known]:
            known = ", ".join(self._known)
            raise argparse.ArgumentTypeError(f"{unknown[0]!r} is not one of {known}")
        return chosen


if __name__ == "__main__":
    sys.exit(main())
