"""One round: every scenario, in the order in which they build on one another."""

import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.apiserver.processes import resident
from bench.apiserver.scenarios import Amount
from bench.apiserver.servers import ROOT, Running, environment

Numbers = dict[str, float]
Add = Callable[[str, Numbers], None]
TIMEOUT = 300
MEMORY = "memory"


def in_process(amount: Amount) -> Numbers:
    """Return the median start in process, each in a fresh one."""
    script = str(Path(__file__).with_name("start.py"))
    command = [sys.executable, "-P", script]
    runs: list[Numbers] = [json.loads(_output(command)) for _ in range(amount.starts + 1)]
    kept = runs[1:]  # the first one may have to compile
    return {name: statistics.median(run[name] for run in kept) for name in kept[0]}


@dataclass(frozen=True)
class Step:
    """One job for each server, before anything else is done; see `load.Job` for its words.

    Attributes:
        scenario: Where its numbers go; empty for a preparation.
        durable: Whether a data folder makes a difference, so that this is measured, too.
    """

    scenario: str
    verb: str
    clients: int = 1
    first: int = 0
    count: int = 1
    durable: bool = True


def steps(amount: Amount) -> Iterator[Step]:
    """Yield all steps, in the order in which they build on one another."""
    one, many, pods = amount.single, amount.parallel, amount.pods
    yield Step("", "namespace")
    yield Step("", "create", first=pods, count=50)  # what is loaded at the first use
    yield Step(MEMORY, "before")
    yield Step("create1", "create", count=one)
    yield Step("create32", "create", clients=32, first=one, count=pods - one)
    yield Step(MEMORY, "created")
    yield Step("status32", "status", clients=32, count=pods)
    yield Step(MEMORY, "reported")
    yield Step("get1", "get", count=one, durable=False)
    yield Step("get32", "get", clients=32, count=many, durable=False)
    for verb in ("patch", "update"):
        yield Step(f"{verb}1", verb, count=one)
        yield Step(f"{verb}32", verb, clients=32, count=many)
    for _ in range(amount.lists):
        yield Step("page", "list?limit=500", count=amount.pages, durable=False)
        yield Step("list", "list", durable=False)
        yield Step("cached", "list?resourceVersion=0", durable=False)
    yield Step("watch", "watch", clients=amount.watchers, count=amount.changes, durable=False)


class Measured:
    """One server, and what was found out about it.

    Args:
        server: The server, running.
        durable: Whether it is there only for what a data folder makes a difference to.
        add: Takes the numbers of a scenario.
    """

    def __init__(self, server: Running, *, durable: bool, add: Add) -> None:
        self._load = _Load(server)
        self._pids = server.pids
        self._durable = durable
        self._add = add
        self._memory: Numbers = {}

    def do(self, step: Step) -> None:
        """Do one step."""
        if self._durable and not step.durable:
            return
        if step.scenario == MEMORY:
            self._weigh(step.verb)
            return
        numbers = self._load(step.verb, clients=step.clients, first=step.first, count=step.count)
        if step.scenario:
            self._add(step.scenario, numbers)

    def _weigh(self, moment: str) -> None:
        found = self._memory[moment] = resident(self._pids)
        if moment == "reported":
            grown = {name: value - self._memory["before"] for name, value in self._memory.items()}
            self._add(MEMORY, {**grown, "total": found})


class _Load:
    """Runs the load generator against one server."""

    def __init__(self, server: Running) -> None:
        self._server = server

    def __call__(self, verb: str, *, clients: int = 1, first: int = 0, count: int = 1) -> Numbers:
        """Return what the job cost."""
        job = {
            "target": asdict(self._server.target),
            "pids": self._server.pids,
            "verb": verb,
            "clients": clients,
            "first": first,
            "count": count,
        }
        numbers: Numbers = json.loads(
            _output([sys.executable, "-m", "bench.apiserver.load"], json.dumps(job))
        )
        return numbers


def _output(command: list[str], text: str = "") -> str:
    done = subprocess.run(
        command,
        input=text,
        env=environment(),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    return done.stdout.splitlines()[-1]
