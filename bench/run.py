"""Runs the scenarios: a replay server, and one fresh process for each measurement."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from bench.certificate import write_certificate, write_kubeconfig
from bench.figures import MODULES, SLOW, Scenario
from bench.measure import Work

ROOT = Path(__file__).resolve().parent.parent
TIMEOUT = 300  # seconds for one measurement


@dataclass
class Results:
    """The numbers of every round, and what went wrong."""

    runs: dict[str, dict[str, list[dict[str, float]]]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    def add(self, scenario: str, contender: str, numbers: dict[str, float]) -> None:
        """Add the numbers of one round."""
        self.runs.setdefault(scenario, {}).setdefault(contender, []).append(numbers)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What to run.

    Attributes:
        scenarios: In this order.
        contenders: Of each scenario's contenders, only these.
        rounds: How often.
        work: How much work each measurement is.
    """

    scenarios: Sequence[Scenario]
    contenders: Sequence[str]
    rounds: int
    work: Work


class MeasurementError(Exception):
    """A process ended without numbers."""


def run(plan: Plan) -> Results:
    """Run the plan; contenders take turns, and every other round goes backwards.

    A machine that gets slower or warmer over a run so weighs on all of them alike.
    """
    results = Results()
    with replay_server(plan.work) as kubeconfig:
        for number in range(plan.rounds):
            steps = list(_steps(plan))
            for scenario, contender in steps if number % 2 == 0 else reversed(steps):
                _run_one(scenario, contender, plan, kubeconfig, results)
    return results


def _steps(plan: Plan) -> Iterator[tuple[Scenario, str]]:
    for scenario in plan.scenarios:
        for contender in scenario.contenders:
            if contender in plan.contenders:
                yield scenario, contender


def _run_one(
    scenario: Scenario, contender: str, plan: Plan, kubeconfig: Path, results: Results
) -> None:
    label = f"{scenario.name:12} {contender:16}"
    try:
        numbers = measure(_command(scenario, contender, plan.work), kubeconfig)
    except MeasurementError as error:
        results.errors.append(f"{scenario.name} {contender}: {error}")
        print(f"{label} FAILED: {error}", file=sys.stderr, flush=True)
        return
    results.add(scenario.name, contender, numbers)
    text = "  ".join(f"{name} {value:,.2f}" for name, value in numbers.items())
    print(f"{label} {text}", file=sys.stderr, flush=True)


def _command(scenario: Scenario, contender: str, work: Work) -> list[str]:
    if scenario.statements:
        script = str(Path(__file__).with_name("imports.py"))
        return [sys.executable, "-P", script, scenario.statements[contender]]
    amount = asdict(work) | scenario.work
    if contender in SLOW:
        amount["events"] = work.events // 4
    return [
        sys.executable,
        "-m",
        "bench.child",
        MODULES[contender],
        scenario.function,
        json.dumps(amount),
    ]


def environment(kubeconfig: Path) -> dict[str, str]:
    """Return the environment of a contender that starts now."""
    found = os.environ | {
        "KUBECONFIG": str(kubeconfig),
        "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT))),
        "NO_PROXY": "127.0.0.1",
        "no_proxy": "127.0.0.1",
        "BENCH_STARTED": str(time.monotonic_ns()),
    }
    found.pop("PYTHONDONTWRITEBYTECODE", None)  # an import is measured with its bytecode
    return found


def measure(command: list[str], kubeconfig: Path) -> dict[str, float]:
    """Return the numbers that a contender prints.

    Raises:
        MeasurementError: It ended without, or did not end.
    """
    try:
        done = subprocess.run(
            command,
            env=environment(kubeconfig),
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise MeasurementError(f"no result after {TIMEOUT} seconds") from None
    lines = done.stdout.splitlines()
    if done.returncode or not lines:
        complaint = done.stderr.strip().splitlines() or ["nothing was said"]
        raise MeasurementError(f"exit status {done.returncode}: {complaint[-1]}")
    numbers: dict[str, float] = json.loads(lines[-1])
    return numbers


@contextmanager
def replay_server(work: Work, *flags: str) -> Iterator[Path]:
    """Start a replay server and yield a kubeconfig for it; it ends with this process."""
    with tempfile.TemporaryDirectory(prefix="kubewright-bench-") as folder:
        certificate, kubeconfig = Path(folder, "server.pem"), Path(folder, "kubeconfig")
        pem = write_certificate(certificate)
        rounds = -(-work.events // work.pods)
        command = [sys.executable, "-m", "bench.replay", "--certificate", str(certificate)]
        command += ["--pods", str(work.pods), "--rounds", str(rounds), *flags]
        with subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as server:
            assert server.stdin is not None
            assert server.stdout is not None
            try:
                port = server.stdout.readline().strip()
                if not port:
                    raise SystemExit("the replay server did not start; its complaint is above")
                write_kubeconfig(kubeconfig, port=int(port), certificate=pem)
                yield kubeconfig
            finally:
                server.stdin.close()
