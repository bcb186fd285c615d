"""Runs as processes: a few at a time, and none that outlives its call."""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from kubewright._aio import Clock
from kubewright.ansible.execution.process import PYTHON, Event, Job, Runner, ansible_python
from kubewright.errors import ConfigError
from tests.unit.ansible.stalls import SCRIPTED

RUNNER = """\
import json, os, sys, time
from io import StringIO
from types import SimpleNamespace
def run(event_handler, quiet, says=(), sleeps=0, dies=False):
    for word in says:
        event_handler({"event": word, "event_data": {"task": str(os.getpid())}})
    if dies:
        sys.stderr.write("out of memory")
        sys.stderr.flush()
        os._exit(9)
    time.sleep(sleeps)
    return SimpleNamespace(status="successful", rc=0, stdout=StringIO("the end"))
"""


def job(folder: Path, **arguments: Any) -> Job:
    """Return a job for a runner that does as it is told."""
    (folder / "ansible_runner.py").write_text(RUNNER)
    file = folder / f"{len(list(folder.iterdir()))}.json"
    file.write_text(json.dumps(arguments))
    return Job(file, folder, {**os.environ, "PYTHONPATH": str(folder)})


async def run(
    runner: Runner, wanted: Job, events: list[Event], deadline: float | None = 30.0
) -> Any:
    """Run a job, and return its outcome."""
    held: list[asyncio.Future[Any]] = []
    return await runner.run(lambda: wanted, events.append, deadline=deadline, hold=held.append)


def lives(pid: str) -> bool:
    """Say whether a process has not ended."""
    return Path("/proc", pid).exists()


async def test_events_arrive_and_the_end_is_told(tmp_path: Path) -> None:
    """In their order."""
    events: list[Event] = []

    outcome = await run(Runner(sys.executable, 1), job(tmp_path, says=["a", "b"]), events)

    assert [one.event for one in events] == ["a", "b"]
    assert (outcome.status, outcome.output) == ("successful", "the end")


async def test_run_that_is_killed_leaves_what_it_has_printed(tmp_path: Path) -> None:
    """It is the only hint why."""
    outcome = await run(Runner(sys.executable, 1), job(tmp_path, dies=True), [])

    assert (outcome.status, outcome.output) == ("", "out of memory")


async def test_deadline_ends_all_processes(tmp_path: Path) -> None:
    """When the call returns, they are gone."""
    events: list[Event] = []

    with pytest.raises(TimeoutError):
        await run(Runner(sys.executable, 1), job(tmp_path, says=["a"], sleeps=1000), events, 3.0)

    assert not lives(events[0].task)


async def test_cancelled_call_ends_all_processes(tmp_path: Path) -> None:
    """As when the operator stops."""
    events: list[Event] = []
    wanted = job(tmp_path, says=["a"], sleeps=1000)
    task = asyncio.create_task(run(Runner(sys.executable, 1), wanted, events))
    async with Clock().timeout(30):
        while not events:
            await Clock().sleep(0.01)

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert not lives(events[0].task)


async def test_places_are_few(tmp_path: Path) -> None:
    """A job is made when there is a place for it, so that no token waits in a queue."""
    runner = Runner(sys.executable, 1)
    wanted = job(tmp_path, sleeps=0.3)
    made: list[float] = []

    def prepare() -> Job:
        made.append(Clock().monotonic())
        return wanted

    def ignore(_: Any) -> None: ...

    await asyncio.gather(
        *(runner.run(prepare, ignore, deadline=30.0, hold=ignore) for _ in range(2))
    )

    assert made[1] - made[0] > 0.3


async def test_missing_ansible_is_told_how_to_install(tmp_path: Path) -> None:
    """Nobody needs it who has no roles."""
    wanted = job(tmp_path)
    (tmp_path / "ansible_runner.py").write_text("raise ImportError('no ansible_runner')")

    with pytest.raises(ConfigError, match=r'pip install "kubewright\[ansible\]"'):
        await run(Runner(sys.executable, 1), wanted, [])


def test_python_of_ansible_can_be_another_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is not there is refused at the start, and so is ours without Ansible."""
    with monkeypatch.context() as there:
        there.syspath_prepend(SCRIPTED)
        assert ansible_python({}) == sys.executable
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    with pytest.raises(ConfigError, match=r"kubewright\[ansible\]"):
        ansible_python({})
    assert ansible_python({PYTHON: sys.executable}) == sys.executable
    with pytest.raises(ConfigError, match="which cannot be run"):
        ansible_python({PYTHON: "/nowhere"})
