"""A run: all servers up, one measurement after the other, taking turns."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.run import ROOT, TIMEOUT, MeasurementError, Results, environment
from bench.webhook.figures import CLIENTS, SERVERS, UNABLE, Amount
from bench.webhook.servers import Running, api_server, server


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What to run.

    Attributes:
        scenarios: Which reviews.
        servers: Who takes part.
        rounds: How often.
        amount: How many reviews.
        go_peer: The Go program, if that takes part.
    """

    scenarios: tuple[str, ...]
    servers: tuple[str, ...]
    rounds: int
    amount: Amount
    go_peer: Path | None = None


def run(plan: Plan) -> Results:
    """Measure everything; servers take turns, every other round backwards."""
    results = Results()
    with tempfile.TemporaryDirectory(prefix="kubewright-bench-") as text, ExitStack() as stack:
        running = _start(plan, Path(text), stack, results)
        for number in range(plan.rounds):
            order = tuple(running) if number % 2 == 0 else tuple(reversed(running))
            for scenario, clients, name in _steps(plan, order):
                _measure(scenario, clients, name, running[name], plan.amount, results)
    return results


def _start(plan: Plan, folder: Path, stack: ExitStack, results: Results) -> dict[str, Running]:
    """Start the servers; one that fails is noted, and the others are still worth a run."""
    kubeconfig = stack.enter_context(api_server(_made(folder / "apiserver")))
    running = {}
    for name in SERVERS:
        if name not in plan.servers:
            continue
        made = server(name, _made(folder / name), kubeconfig=kubeconfig, go_peer=plan.go_peer)
        try:
            running[name] = stack.enter_context(made)
        except MeasurementError as error:
            _fail(results, name, error)
    return running


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _steps(plan: Plan, servers: tuple[str, ...]) -> Iterator[tuple[str, int, str]]:
    for scenario in plan.scenarios:
        for clients in CLIENTS:
            for name in servers:
                if (scenario, name) not in UNABLE:
                    yield scenario, clients, name


def _measure(
    scenario: str, clients: int, name: str, running: Running, amount: Amount, results: Results
) -> None:
    job = {
        "target": asdict(running.target),
        "pid": running.pid,
        "scenario": scenario,
        "clients": clients,
        "count": amount.of(scenario),
    }
    label = f"{scenario}{clients}"
    try:
        numbers = _load(job)
    except MeasurementError as error:
        _fail(results, f"{label} {name}", error)
        return
    results.add(label, name, numbers)
    said = "  ".join(f"{metric} {value:,.1f}" for metric, value in numbers.items())
    print(f"{label:12} {name:12} {said}", file=sys.stderr, flush=True)


def _fail(results: Results, label: str, error: MeasurementError) -> None:
    results.errors.append(f"{label}: {error}")
    print(f"{label} FAILED: {error}", file=sys.stderr, flush=True)


def _load(job: dict[str, object]) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-m", "bench.webhook.load"],
        input=json.dumps(job),
        env=environment(Path("/dev/null")),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    if done.returncode:
        complaint = done.stderr.strip().splitlines() or ["nothing was said"]
        raise MeasurementError(complaint[-1])
    numbers: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return numbers
