"""Measures an operator in a process of its own: while it runs a role, and while it need not."""

import asyncio
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import kubewright as kw
from kubewright.testing import EmbeddedServer

Numbers = dict[str, float]
Stall = kw.Kind("bench.example.com/v1", "Stall")

COMMAND = "from kubewright.cli import main; main()"
RUNS = "role runs"
WATCHES = """\
- group: bench.example.com
  version: v1
  kind: Stall
  role: stall
  reconcilePeriod: {period:g}s
"""
TASKS = """\
- name: remember
  ansible.builtin.set_fact:
    doors: "{{ doors | default(1) }}"
"""
PATIENCE = 3600.0
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Load:
    """How much work.

    Attributes:
        objects: How many objects there are.
        period: Seconds after which each is looked at again.
        seconds: For how long the idle operator is watched.
    """

    objects: int
    period: float
    seconds: float


async def measure(load: Load, folder: Path) -> Numbers:
    """Measure an operator with its files in *folder*."""
    _write_project(folder, load)
    async with EmbeddedServer() as server, server.client() as client:
        log = folder / "log"
        process = _start(folder, server.kubeconfig_file, log)
        try:
            await _wait_for(log, "workers started")
            cpu, began = cpu_of(process.pid), monotonic()
            for number in range(load.objects):
                await client.create(
                    Stall(metadata={"name": f"stall-{number}", "namespace": "default"}, spec={})
                )
            await _wait_until_done(client, load.objects)
            first = cpu_of(process.pid) - cpu
            took = monotonic() - began
            runs = _count(log)
            cpu, began = cpu_of(process.pid), monotonic()
            await asyncio.sleep(load.seconds)
            idle = (cpu_of(process.pid) - cpu) * 60 / (monotonic() - began)
            return {
                "run_cpu": first / load.objects,
                "run_seconds": took * (os.cpu_count() or 1) / load.objects,
                "idle_cpu": idle,
                "idle_runs": float(_count(log) - runs),
                "rss": _memory_of(process.pid),
            }
        finally:
            process.terminate()
            process.wait(60)


def _write_project(folder: Path, load: Load) -> None:
    (folder / "roles" / "stall" / "tasks").mkdir(parents=True)
    (folder / "roles" / "stall" / "tasks" / "main.yml").write_text(TASKS)
    (folder / "watches.yaml").write_text(WATCHES.format(period=load.period))


def _start(folder: Path, kubeconfig: Path, log: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", COMMAND, "run", "--install-crds", "--kubeconfig"]
    with log.open("wb") as file:
        return subprocess.Popen(
            [*command, str(kubeconfig), "--ansible-log-events", "nothing"],
            cwd=folder,
            env={**os.environ, "TMPDIR": str(folder), "ANSIBLE_GATHERING": "explicit"},
            stdout=file,
            stderr=subprocess.STDOUT,
        )


def cpu_of(pid: int) -> float:
    """Return the CPU seconds of a process, and of all that it has waited for."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(int(one) for one in fields[11:15]) / _TICKS


def _memory_of(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(one.split()[1]) for one in lines if one.startswith("VmRSS")) / 1024


def _count(log: Path) -> int:
    return log.read_text().count(RUNS)


async def _wait_for(log: Path, text: str) -> None:
    async with asyncio.timeout(60):
        while not _has(log, text):  # noqa: ASYNC110  # another process writes it
            await asyncio.sleep(0.1)


def _has(log: Path, text: str) -> bool:
    return text in log.read_text()


async def _wait_until_done(client: kw.Client, objects: int) -> None:
    async with asyncio.timeout(PATIENCE):
        while True:
            found = await client.list(Stall, namespace="default")
            if sum(_is_done(one) for one in found) == objects:
                return
            await asyncio.sleep(1)


def _is_done(obj: kw.Unstructured) -> bool:
    conditions = obj.status.get("conditions", [])
    return any(one["type"] == "Successful" and one["status"] == "True" for one in conditions)
