"""``python -m bench ansible``: an operator with many objects of a role that has nothing to do.

The other side is a loop that runs the role for each object once a period, as operators did that
know no other way. It is not run: its cost is that of one run, measured here, times the objects.

Exit status: 0 for done, 2 for wrong input.
"""

import argparse
import asyncio
import os
import sys
import tempfile
from pathlib import Path

from bench.ansible.measure import Load, Numbers, measure
from bench.report import write_report
from bench.run import ROOT

RESULTS = Path(__file__).parent.parent / "results"
PYTHON = "KUBEWRIGHT_ANSIBLE_PYTHON"
FULL = Load(objects=500, period=60.0, seconds=120.0)
QUICK = Load(objects=20, period=10.0, seconds=20.0)


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    options = _parser().parse_args(arguments)
    known = ROOT / ".venv-e2e" / "bin" / "python"
    if PYTHON not in os.environ and known.exists():
        os.environ[PYTHON] = str(known)
    load = QUICK if options.quick else FULL
    if options.objects:
        load = Load(options.objects, load.period, load.seconds)
    with tempfile.TemporaryDirectory(prefix="kubewright-bench-") as folder:
        numbers = asyncio.run(measure(load, Path(folder)))
    print(table(load, numbers))
    print(f"\nwritten to {write_report(options.results, 'ansible-', {'numbers': numbers})}")
    return 0


def table(load: Load, numbers: Numbers) -> str:
    """Return the numbers for people."""
    per_minute = numbers["run_cpu"] * load.objects * 60 / load.period
    rows = (
        ("one run, CPU seconds", numbers["run_cpu"]),
        ("one run, seconds", numbers["run_seconds"]),
        (f"{load.objects} idle objects, CPU seconds per minute", numbers["idle_cpu"]),
        ("the same in a loop, CPU seconds per minute (computed)", per_minute),
        ("runs of Ansible while idle", numbers["idle_runs"]),
        ("operator, MB", numbers["rss"]),
    )
    head = f"{load.objects} objects of a role, looked at every {load.period:g} s"
    return "\n".join([head, *(f"  {name:56} {value:12,.3f}" for name, value in rows)])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench ansible", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few objects: does it run?")
    parser.add_argument("--objects", type=int, help="how many objects; 500 by default")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where to write the numbers")
    return parser


if __name__ == "__main__":
    sys.exit(main())
