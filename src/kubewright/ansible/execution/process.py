"""`Runner`: runs jobs as processes, a few at a time, and hears what they say."""

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

from kubewright.errors import ConfigError

__all__ = ["Event", "Job", "Outcome", "Runner", "ansible_python"]

HINT: str = 'install it with `pip install "kubewright[ansible]"`'
PYTHON: str = "KUBEWRIGHT_ANSIBLE_PYTHON"
_GUARD = Path(__file__).with_name("guard.py")
_WORKER = Path(__file__).with_name("worker.py")
_LONGEST_LINE = 16 * 1024 * 1024
_KEPT = 4000  # characters of what was printed beside the events
_GRACE = 20.0  # seconds for a guard to end what it guards


class Event(msgspec.Struct, frozen=True):
    """What has happened in a run; see ``worker.py``.

    Attributes:
        event: The type of the event, as ansible-runner calls it.
        created: When it was.
        task: The name of the task.
        action: The module, with its collection if that is known.
        role: The role that the task is in.
        play: The play that it is in.
        ignored: Whether a failure of the task is ignored.
        result: What matters of the result.
        stats: How often what happened, at the end of a playbook.
    """

    event: str = ""
    created: str = ""
    task: str = ""
    action: str = ""
    role: str = ""
    play: str = ""
    ignored: bool = False
    result: dict[str, Any] = {}
    stats: dict[str, int] | None = None


class _End(msgspec.Struct, frozen=True):
    end: str = ""
    code: int | None = None
    output: str = ""
    missing: str = ""


class Outcome(msgspec.Struct, frozen=True):
    """How a run has ended.

    Attributes:
        status: ``successful``, ``failed`` or another word of ansible-runner; empty if the run was
            killed before it could say.
        output: The end of what was printed.
    """

    status: str
    output: str


class Job(msgspec.Struct, frozen=True):
    """One run.

    Attributes:
        file: Where the arguments for ansible-runner are, as JSON.
        folder: The working directory.
        environ: The variables of the environment.
    """

    file: Path
    folder: Path
    environ: Mapping[str, str]


def ansible_python(environ: Mapping[str, str] = os.environ) -> str:
    """Return the Python that has Ansible: ours, unless the environment names another one.

    Raises:
        ConfigError: There is no such file, or ours has no Ansible.
    """
    found = environ.get(PYTHON, "")
    if not found:
        if find_spec("ansible_runner") is None:
            raise ConfigError(f"roles are run by Ansible, which is not here: {HINT}")
        return sys.executable
    if not os.access(found, os.X_OK):
        raise ConfigError(
            f"{PYTHON} is {found!r}, which cannot be run: name the Python with Ansible"
        )
    return found


class Runner:
    """Runs jobs as processes of their own, a few at a time.

    Args:
        python: The Python that has ansible-runner.
        most: How many jobs may run at a time.
    """

    def __init__(self, python: str, most: int) -> None:
        self.python: str = python
        """The Python that has ansible-runner."""
        self._places = asyncio.Semaphore(most)
        self.most: int = most
        """How many jobs may run at a time."""

    async def run(
        self,
        prepare: Callable[[], Job],
        tell: Callable[[Event], None],
        *,
        deadline: float | None,
        hold: Callable[["asyncio.Future[Any]"], None],
    ) -> Outcome:
        """Run a job once there is a place for it, and return how it has ended.

        When it is cancelled, or *deadline* passes, every process of the run is killed.

        Args:
            prepare: Makes the job; called when there is a place.
            tell: Called with each event.
            deadline: Seconds that it may take, without the wait for a place.
            hold: Called with what has to end before the same object may have another run.

        Raises:
            TimeoutError: The deadline has passed.
            ConfigError: Ansible is not installed.
        """
        async with self._places:
            job = prepare()
            process = await self._start(job)
            try:
                # Processes live in real time, so there is no other clock here.
                async with asyncio.timeout(deadline):
                    return await _follow(process, tell)
            finally:
                ending = asyncio.ensure_future(_end(process))
                hold(ending)
                await asyncio.shield(ending)

    async def _start(self, job: Job) -> Process:
        return await asyncio.create_subprocess_exec(
            sys.executable, "-I", "-S", str(_GUARD), self.python, str(_WORKER), str(job.file),
            stdin=PIPE, stdout=PIPE, stderr=PIPE, limit=_LONGEST_LINE,
            cwd=job.folder, env=dict(job.environ), start_new_session=True,
        )  # fmt: skip


async def _follow(process: Process, tell: Callable[[Event], None]) -> Outcome:
    assert process.stdout is not None
    printed = asyncio.ensure_future(_tail(process))
    end = _End()
    try:
        async for line in process.stdout:
            found = json.loads(line)
            if "event" in found:
                tell(msgspec.convert(found, Event))
            else:
                end = msgspec.convert(found, _End)
        text = await printed
    finally:
        printed.cancel()
    if end.missing:
        raise ConfigError(f"cannot run Ansible: {end.missing}. It is not there: {HINT}")
    return Outcome(end.end, end.output.strip() or text.strip())


async def _tail(process: Process) -> str:
    """Return the end of what *process* prints beside the events."""
    assert process.stderr is not None
    text = ""
    while chunk := await process.stderr.read(_KEPT):
        text = (text + chunk.decode("utf-8", "replace"))[-_KEPT:]
    return text


async def _end(process: Process) -> None:
    """Let the guard end all processes of a run, and wait until it has."""
    assert process.stdin is not None
    process.stdin.close()
    try:
        async with asyncio.timeout(_GRACE):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
