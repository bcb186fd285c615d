"""One round against one server: every scenario, in the order in which they build on one another."""

import json
import statistics
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from bench.apiserver.processes import resident
from bench.apiserver.scenarios import Amount
from bench.apiserver.servers import ROOT, Running, environment

Numbers = dict[str, float]
Add = Callable[[str, Numbers], None]
TIMEOUT = 300


def in_process(amount: Amount) -> Numbers:
    """Return the median start in process, each in a fresh one."""
    script = str(Path(__file__).with_name("start.py"))
    command = [sys.executable, "-P", script]
    runs: list[Numbers] = [json.loads(_output(command)) for _ in range(amount.starts + 1)]
    kept = runs[1:]  # the first one may have to compile
    return {name: statistics.median(run[name] for run in kept) for name in kept[0]}


def everything(server: Running, amount: Amount, add: Add) -> None:
    """Measure requests, watches and memory."""
    load = _Load(server)
    load("namespace")
    before = resident(server.pids)
    writes(load, amount, add)
    created = resident(server.pids)
    add("status32", load("status", clients=32, count=amount.pods))
    reported = resident(server.pids)
    add("memory", {"created": created - before, "reported": reported - before, "total": reported})
    for verb in ("get", "patch", "update"):
        add(f"{verb}1", load(verb, count=amount.single))
        add(f"{verb}32", load(verb, clients=32, count=amount.parallel))
    add("page", load("list?limit=500", count=amount.pages))
    add("list", load("list", count=amount.lists))
    add("cached", load("list?resourceVersion=0", count=amount.lists))
    add("watch", load("watch", clients=amount.watchers, count=amount.changes))


def only_writes(server: Running, amount: Amount, add: Add) -> None:
    """Measure what a data folder changes."""
    load = _Load(server)
    load("namespace")
    writes(load, amount, add)
    for verb in ("patch", "update"):
        add(f"{verb}1", load(verb, count=amount.single))
        add(f"{verb}32", load(verb, clients=32, count=amount.parallel))


def writes(load: "_Load", amount: Amount, add: Add) -> None:
    """Create all pods: some by one client, most by 32."""
    load("create", count=50, first=amount.pods)  # what is loaded at the first use
    add("create1", load("create", count=amount.single))
    rest = amount.pods - amount.single
    add("create32", load("create", clients=32, first=amount.single, count=rest))


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
        text = "  ".join(f"{name} {value:,.1f}" for name, value in numbers.items())
        print(f"  {verb:24} x{clients:<3} {text}", file=sys.stderr, flush=True)
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
