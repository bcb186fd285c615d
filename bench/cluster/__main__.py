"""``python -m bench cluster``: the embedded cluster beside Kubernetes' own control plane.

Exit status: 0 for done, 2 for wrong input.
"""

import argparse
import statistics
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from bench.cluster.measure import Load, Numbers, measure
from bench.cluster.servers import Running, embedded, real
from bench.report import write_report
from kubewright.errors import ConfigError
from kubewright.testing.assets import get_program

RESULTS = Path(__file__).parent.parent / "results"
OURS, REAL = "kubewright", "kubernetes"
LOADS = (Load("one", 1, 500), Load("many", 100, 3))
QUICK = (Load("one", 1, 50), Load("many", 10, 3))
ROWS = {"ready": "all ready, s", "gone": "all gone, s", "cpu_ms": "CPU ms per pod", "rss": "MB"}

Runs = dict[str, dict[str, list[Numbers]]]


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    options = _parser().parse_args(arguments)
    loads = QUICK if options.quick else LOADS
    servers = (OURS, REAL) if _has_real(options.assets) else (OURS,)
    runs: Runs = {}
    for _ in range(options.rounds):
        for name in servers:
            for load in loads:
                numbers = _measured(name, load, options.assets)
                runs.setdefault(load.name, {}).setdefault(name, []).append(numbers)
                text = "  ".join(f"{key} {value:,.2f}" for key, value in numbers.items())
                print(f"{load.name:6} {name:12} {text}", file=sys.stderr, flush=True)
    print(_table(runs, loads))
    print(f"\nwritten to {write_report(options.results, 'cluster-', {'runs': runs})}")
    return 0


def _measured(name: str, load: Load, assets: Path | None) -> Numbers:
    with tempfile.TemporaryDirectory(prefix="kubewright-bench-") as folder, ExitStack() as stack:
        start = embedded(Path(folder)) if name == OURS else real(assets)
        running: Running = stack.enter_context(start)
        return {"start": running.seconds, **measure(running, load)}


def _table(runs: Runs, loads: tuple[Load, ...]) -> str:
    lines = [f"| | {OURS} | {REAL} | ratio |", "|---|---:|---:|---:|"]
    for load in loads:
        for metric, title in {"start": "start, s", **ROWS}.items():
            found = {
                name: statistics.median(one[metric] for one in rounds)
                for name, rounds in runs[load.name].items()
            }
            what = f"{load.deployments} x {load.replicas} pods, {title}"
            cells = [f"{found[name]:,.2f}" if name in found else "" for name in (OURS, REAL)]
            ratio = f"{found[OURS] / found[REAL]:.2f}" if REAL in found else ""
            lines.append(f"| {what} | {' | '.join(cells)} | {ratio} |")
    return "\n".join(lines)


def _has_real(assets: Path | None) -> bool:
    try:
        for name in ("etcd", "kube-apiserver", "kube-controller-manager"):
            get_program(name, assets)
    except ConfigError as error:
        print(f"bench: Kubernetes itself takes NO part: {error}", file=sys.stderr)
        return False
    return True


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bench cluster", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the work")
    parser.add_argument("--rounds", type=int, default=1, help="how often; medians are shown")
    parser.add_argument("--assets", type=Path, help="the folder with etcd and kube-apiserver")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where to write")
    return parser


if __name__ == "__main__":
    sys.exit(main())
