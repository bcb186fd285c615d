"""The command ``kubewright`` as a process, and what it prints."""

import os
import re
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

PROGRAM = [sys.executable, "-m", "kubewright"]
PATIENCE = 15.0


class Done(NamedTuple):
    """A command that has ended."""

    status: int
    out: str
    err: str


class Commands:
    """Runs commands whose clusters are in one folder.

    Args:
        state: That folder.
    """

    def __init__(self, state: Path) -> None:
        self.state = state
        self.environment = {**os.environ, "KUBEWRIGHT_STATE": str(state), "NO_COLOR": "1"}

    def run(self, *words: str | Path, **variables: str) -> Done:
        """Run a command to its end."""
        done = subprocess.run(
            [*PROGRAM, *map(str, words)],
            env={**self.environment, **variables},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    @contextmanager
    def running(self, *words: str | Path) -> "Iterator[Running]":
        """Run a command until the block is left."""
        with subprocess.Popen(
            [*PROGRAM, *map(str, words)],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        ) as process:
            try:
                yield Running(process)
            finally:
                if process.poll() is None:
                    process.send_signal(signal.SIGTERM)
                    try:
                        process.wait(PATIENCE)
                    except subprocess.TimeoutExpired:
                        process.kill()


class Running:
    """A running command; its output is read by waiting for a pattern."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process
        self.said = ""

    def wait_for(self, pattern: str) -> re.Match[str]:
        """Read its output until *pattern* appears, after the last match."""
        assert self.process.stdout is not None
        while not (found := re.search(pattern, self.said)):
            ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
            assert ready, f"it does not say {pattern!r}, but: {self.said}"
            data = os.read(self.process.stdout.fileno(), 65536)
            assert data, f"it ended after: {self.said}"
            self.said += data.decode()
        self.said = self.said[found.end() :]
        return found

    def end(self, number: int = signal.SIGINT) -> int:
        """Send a signal; return the exit status."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)


def processes(mark: str) -> list[int]:
    """Return the ids of the processes whose command line or environment has *mark* in it."""
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) == os.getpid():
            continue
        try:
            text = (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes()
        except OSError:
            continue  # it has ended, or is another's
        if mark.encode() in text:
            found.append(int(folder.name))
    return found
