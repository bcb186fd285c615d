"""How a run ends: its table, a file with its numbers, and an exit status."""

import argparse
import json
import os
import platform
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.run import Results
from bench.table import Verdict, render_verdicts

BENCH = Path(__file__).parent


def write_report(folder: Path, prefix: str, content: dict[str, Any]) -> Path:
    """Write *content*, with when and where it was measured; return the path."""
    now = datetime.now(UTC)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{prefix}{now:%Y-%m-%dT%H%M%SZ}.json"
    about = {
        "time": now.isoformat(timespec="seconds"),
        "machine": {"cpus": os.cpu_count(), "arch": platform.machine()},
        "python": platform.python_version(),
    }
    path.write_text(json.dumps(about | content, indent=1) + "\n")
    return path


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that all runs have."""
    parser.add_argument("--rounds", type=int, help="how often (3; 1 with --quick)")
    parser.add_argument("--quick", action="store_true", help="a tenth of the work")
    parser.add_argument("--check", action="store_true", help="fail when a goal is missed")
    parser.add_argument("--baseline", type=Path, default=BENCH / "baseline.json")
    parser.add_argument("--write-baseline", action="store_true", help="keep this run's ratios")
    parser.add_argument("--results", type=Path, default=BENCH / "results", help="where to write")


def known_ratios(options: argparse.Namespace) -> dict[str, float]:
    """Return the ratios of the baseline."""
    path: Path = options.baseline
    found: dict[str, float] = json.loads(path.read_text()) if path.exists() else {}
    return found


def conclude(
    options: argparse.Namespace,
    results: Results,
    found: list[Verdict],
    *,
    prefix: str,
    table: str,
    **about: Any,
) -> int:
    """Print and keep what was measured; return the exit status.

    Args:
        options: What `add_options` has read.
        results: The numbers.
        found: The ratios.
        prefix: What the name of the file begins with.
        table: The medians, as text.
        about: What else the file says.
    """
    print(table, render_verdicts(found), sep="\n\n")
    for error in results.errors:
        print(f"failed: {error}")
    ratios = [asdict(one) | {"missed": one.missed} for one in found]
    content = about | {"runs": results.runs, "errors": results.errors, "ratios": ratios}
    print(f"\nwritten to {write_report(options.results, prefix, content)}")
    if options.write_baseline:
        kept = known_ratios(options) | {one.key: round(one.ratio, 4) for one in found}
        options.baseline.write_text(json.dumps(kept, indent=2) + "\n")
    failed = bool(results.errors) or any(one.missed for one in found)
    return 1 if options.check and failed else 0
