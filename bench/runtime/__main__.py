"""``python -m bench runtime``: the runtime beside client-go and the Python peers, as ratios.

Exit status: 0 for done, 1 for a goal missed or a measurement failed (with --check), 2 for wrong
input.
"""

import argparse
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

from bench.measure import Work
from bench.report import add_options, conclude, known_ratios
from bench.run import ROOT
from bench.runtime import table
from bench.runtime.figures import GO, GROUPS, OURS, PEERS, PLAIN, RECORDED, SCENARIOS, SOCKET
from bench.runtime.run import REAL, Plan, run
from kubewright.errors import ConfigError
from kubewright.testing.assets import get_program

QUICK = Work(pods=1_000, events=4_000, patches=50, widgets=100, cycles=100_000)


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
        prefix="runtime-",
        table=table.render_medians(values),
        rounds=plan.rounds,
        work=asdict(plan.work),
    )


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


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bench runtime", description=__doc__)
    add_options(parser)
    parser.add_argument("--only", type=choice(GROUPS), default=GROUPS, help=",".join(GROUPS))
    parser.add_argument("--peers", type=choice(PEERS), default=PEERS, help=",".join(PEERS))
    parser.add_argument("--assets", type=Path, help="the folder with etcd and kube-apiserver")
    parser.add_argument("--go-peer", type=Path, help="the Go program (tools/go-peer builds it)")
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
