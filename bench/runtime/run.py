"""Runs the scenarios of the runtime: servers, and one fresh process for each measurement.

Ways to measure: ``alone`` needs no server, ``replay`` the replay server; for the others there is
the real one. ``latency`` has us write while the contender reconciles; ``operator`` has it work off
what it finds; ``idle`` looks at its memory first, and then that it really works.
"""

import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from bench.measure import Numbers, Work
from bench.run import MeasurementError, Results, measure, replay_server
from bench.runtime import latency
from bench.runtime.figures import GO, OURS, PLAIN, RECORDED, SLOW, SOCKET, Scenario
from bench.runtime.process import Contender
from bench.runtime.real import Server, real_server

HERE = Path(__file__).parent
SETTLING = 5  # seconds for an idle operator to be done with its start
REAL = {"latency", "operator", "idle"}
MODULES = {
    OURS: "runtime.ours",
    PLAIN: "runtime.ours_plain",
    RECORDED: "runtime.ours_recorded",
    SOCKET: "runtime.socket_watch",
}


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What to run.

    Attributes:
        scenarios: In this order.
        contenders: Of each scenario's contenders, only these.
        rounds: How often.
        work: How much work each measurement is.
        assets: The folder with etcd and kube-apiserver, if any scenario needs them.
        go_peer: The Go program, if it takes part.
    """

    scenarios: Sequence[Scenario]
    contenders: Sequence[str]
    rounds: int = 1
    work: Work = field(default_factory=Work)
    assets: Path | None = None
    go_peer: Path | None = None


def run(plan: Plan) -> Results:
    """Run the plan; contenders take turns, and every other round goes backwards."""
    with ExitStack() as stack:
        runner = Runner(plan)
        hows = {scenario.how for scenario in plan.scenarios}
        if "replay" in hows:
            flags = ["--go-peer", str(plan.go_peer)] if plan.go_peer else []
            runner.replay = stack.enter_context(replay_server(plan.work, *flags))
        if hows & REAL:
            runner.real = stack.enter_context(real_server(plan.assets))
        for number in range(plan.rounds):
            steps = list(_steps(plan))
            for scenario, contender in steps if number % 2 == 0 else reversed(steps):
                for _ in range(scenario.repeats):
                    runner.measure(scenario, contender)
        return runner.results


def _steps(plan: Plan) -> Iterator[tuple[Scenario, str]]:
    for scenario in plan.scenarios:
        for contender in scenario.contenders:
            if contender in plan.contenders:
                yield scenario, contender


class Runner:
    """Measures one contender at a time against the servers that run."""

    def __init__(self, plan: Plan) -> None:
        self.results = Results()
        self.replay: Path | None = None
        self.real: Server | None = None
        self._plan = plan

    def measure(self, scenario: Scenario, contender: str) -> None:
        """Measure once, and keep the numbers or what went wrong."""
        label = f"{scenario.name:10} {contender:18}"
        try:
            numbers = self._numbers(scenario, contender)
        except MeasurementError as error:
            self.results.errors.append(f"{scenario.name} {contender}: {error}")
            print(f"{label} FAILED: {error}", file=sys.stderr, flush=True)
            return
        self.results.add(scenario.name, contender, numbers)
        text = "  ".join(f"{name} {value:,.2f}" for name, value in numbers.items())
        print(f"{label} {text}", file=sys.stderr, flush=True)

    def _numbers(self, scenario: Scenario, contender: str) -> Numbers:
        work = _amount(self._plan.work, scenario, contender)
        match scenario.how:
            case "alone" | "replay":
                command = self._command(scenario, contender, work)
                return measure(command, self.replay or Path("/dev/null"))
            case "latency":
                return self._latency(scenario, contender, work)
            case "operator":
                return self._operator(scenario, contender, work)
            case "idle":
                return self._idle(scenario, contender, work)

    def _latency(self, scenario: Scenario, contender: str, work: Work) -> Numbers:
        assert self.real is not None
        work = replace(work, namespace=latency.prepare(self.real))
        command = self._command(scenario, contender, work)
        with Contender(command, self.real.kubeconfig) as process:
            return latency.measure(process, self.real, work)

    def _operator(self, scenario: Scenario, contender: str, work: Work) -> Numbers:
        assert self.real is not None
        work = replace(work, namespace=self.real.new_namespace())
        self.real.create_widgets(work.namespace, work.widgets)
        return measure(self._command(scenario, contender, work), self.real.kubeconfig)

    def _idle(self, scenario: Scenario, contender: str, work: Work) -> Numbers:
        assert self.real is not None
        work = replace(work, namespace=self.real.new_namespace())
        with Contender(self._command(scenario, contender, work), self.real.kubeconfig) as process:
            time.sleep(SETTLING)
            found = process.rss
            self.real.create_widgets(work.namespace, work.widgets)
            process.result()
            return {"rss": found}

    def _command(self, scenario: Scenario, contender: str, work: Work) -> list[str]:
        amount = json.dumps(asdict(work))
        if contender in GO:
            kind = contender.removeprefix("go_")
            return [str(self._plan.go_peer), kind, scenario.function, amount]
        if scenario.function == "operate":
            # A script, as users have one: what starts it must not cost what is measured.
            who, *more = (OURS, "recorded") if contender == RECORDED else (contender,)
            return [sys.executable, "-P", str(HERE / "operators" / f"{who}.py"), amount, *more]
        module = MODULES.get(contender, f"runtime.peers.{contender}")
        return [sys.executable, "-m", "bench.child", module, scenario.function, amount]


def _amount(work: Work, scenario: Scenario, contender: str) -> Work:
    found = replace(work, **scenario.work)  # type: ignore[arg-type]  # all of them are numbers
    if contender in SLOW:
        found = replace(found, events=work.events // 4)
    return found
