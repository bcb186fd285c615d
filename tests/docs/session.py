"""The terminals of a reader who types what the pages show."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.docs.blocks import Block

PATIENCE = 30.0
"""Seconds until what a page shows must be seen."""
STAYS = re.compile(r"kubewright (dev|run) ")
"""What runs in a terminal of its own until Ctrl-C."""
LOOKS = re.compile(r"(kubectl (get|describe|logs|events) |curl |cat |ls )")
"""What only looks: a reader who comes too early looks again."""
RELOADED = (
    "2026-01-01T12:00:00.000Z INFO  reloaded; running reconciles finish first"
    ' path=["{name}"] (kubewright.dev)'
)

PLAIN: Mapping[str, str] = {
    r"\d{4}-\d\d-\d\dT[\d:.]+Z": "TIME",
    r"\b\d\d:\d\d:\d\d\b": "TIME",
    r"\b(\d+(\.\d+)? ?(ms|s|m|h|d))+\b": "AGE",
    r"\b127\.\d+\.\d+\.\d+(:\d{4,5}\b)?": "ADDRESS",
    r"-[bcdf-hj-np-tv-xz2456789]{8,10}-[bcdf-hj-np-tv-xz2456789]{5}\b": "-GENERATED",
    r"\b(reconcile_id|duration)=\S+": r"\1=",
    r"\(x\d+ over\b": "(xN over",
    r"\bthe user \S+ on\b": "the user you on",
    r" deleted from default namespace$": " deleted",  # since kubectl 1.34
    r"\s+": " ",
}
"""What differs each time, and what stands for it in a comparison."""


class Command(NamedTuple):
    """A line that is typed, and what the page shows below it."""

    text: str
    shown: tuple[str, ...]


def commands(block: Block) -> list[Command]:
    """Return what is typed in *block*: behind ``$ `` and, if it goes on, behind ``> ``."""
    found: list[Command] = []
    for line in block.code.splitlines():
        if line.startswith("$ "):
            found.append(Command(line[2:], ()))
            continue
        assert found, f"a block of a terminal begins with a command, and not with {line!r}"
        text, shown = found.pop()
        if line.startswith("> ") and not shown:
            found.append(Command(f"{text}\n{line[2:]}", ()))
        else:
            found.append(Command(text, (*shown, line)))
    return found


def agrees(shown: Sequence[str], printed: Sequence[str], *, home: str) -> bool:
    """Say whether *printed* is what the page shows; ``...`` stands for any lines."""
    pattern = "".join(
        "(?:.*\n)*" if line.strip() == "..." else re.escape(plain(line, home)) + "\n"
        for line in shown
    )
    return re.fullmatch(pattern, "".join(f"{plain(line, home)}\n" for line in printed)) is not None


def plain(line: str, home: str) -> str:
    """Return *line* without what differs each time."""
    line = line.replace(home, "/home/you")
    for pattern, word in PLAIN.items():
        line = re.sub(pattern, word, line)
    return line.strip()


class Staying:
    """A command that stays in its terminal."""

    def __init__(self, text: str, *, folder: Path, environment: Mapping[str, str]) -> None:
        self.text = text
        self.lines: list[str] = []
        self._printed = threading.Condition()
        self._process = subprocess.Popen(
            ["bash", "-c", f"exec {text}"],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def wait_for(self, shown: Sequence[str], *, home: str) -> bool:
        """Wait until it has printed what the page shows; more may follow."""
        expected = [*shown, "..."]
        with self._printed:
            return self._printed.wait_for(lambda: agrees(expected, self.lines, home=home), PATIENCE)

    def interrupt(self) -> int:
        """Type Ctrl-C; return the exit status."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
        try:
            return self._process.wait(PATIENCE)
        finally:
            self._process.kill()
            self._reader.join()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                with self._printed:
                    self.lines.append(line.rstrip("\n"))
                    self._printed.notify_all()


class Session:
    """Two terminals in a home of their own: one for what stays, one for all else.

    Args:
        home: The home folder of the reader.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self.folder = home
        self.staying: Staying | None = None
        programs = str(Path(sys.executable).parent)
        self._environment = {
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "NO_COLOR": "1",
            "PATH": f"{programs}:{os.environ['PATH']}",
        }

    def save(self, file: Path) -> None:
        """Save *file* under its own name, as in an editor; what runs is to take notice of it."""
        path, text = self.folder / file.name, file.read_text()
        if path.exists() and path.read_text() == text:
            return
        before = len(self.staying.lines) if self.staying else 0
        path.write_text(text)
        if self.staying is not None and file.name in self.staying.text:
            shown = (*self.staying.lines[:before], "...", RELOADED.format(name=file.name))
            seen = self.staying.wait_for(shown, home=str(self.home))
            assert seen, "\n".join(["not reloaded:", *self.staying.lines])

    def type(self, command: Command) -> None:
        """Run a command; it must succeed, or show what the page shows."""
        if STAYS.match(command.text):
            self._stay(command)
            return
        deadline = time.monotonic() + (PATIENCE if LOOKS.match(command.text) else 0)
        while True:
            status, printed = self._run(command.text)
            if self._is_as_shown(command, status, printed):
                return
            assert time.monotonic() < deadline, self._report(command, printed)

    def end(self) -> None:
        """Type Ctrl-C into the terminal of what stays, if something does."""
        if self.staying is not None:
            status, self.staying = self.staying.interrupt(), None
            assert status == 0

    @property
    def clusters(self) -> list[str]:
        """The names of the clusters that run, or have left something behind."""
        folder = self.home / ".local" / "state" / "kubewright" / "clusters"
        return [path.name for path in folder.iterdir()] if folder.exists() else []

    def stop_clusters(self) -> None:
        """Stop what a page has started in the background, if it came to no good end."""
        for name in self.clusters:
            self._run(f"kubewright cluster stop --name {name}")

    def _stay(self, command: Command) -> None:
        self.end()
        self.staying = Staying(command.text, folder=self.folder, environment=self._environment)
        seen = self.staying.wait_for(command.shown, home=str(self.home))
        assert seen, self._report(command, self.staying.lines)

    def _is_as_shown(self, command: Command, status: int, printed: list[str]) -> bool:
        if command.shown:
            return agrees(command.shown, printed, home=str(self.home))
        return status == 0

    def _run(self, text: str) -> tuple[int, list[str]]:
        """Run *text* in the shell, whose folder and variables outlive it."""
        variables, folder = self.home / ".variables", self.home / ".folder"
        script = f"{text}\nstatus=$?; env -0 >{variables}; pwd >{folder}; exit $status"
        with subprocess.Popen(
            ["bash", "-c", script],
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        ) as shell:
            try:
                printed, _ = shell.communicate(timeout=2 * PATIENCE)
            except subprocess.TimeoutExpired:
                os.killpg(shell.pid, signal.SIGTERM)  # what it has started must not stay
                raise
        pairs = variables.read_text().rstrip("\0").split("\0")
        self._environment = dict(pair.split("=", 1) for pair in pairs)
        self.folder = Path(folder.read_text().rstrip("\n"))
        return shell.returncode, printed.splitlines()

    def _report(self, command: Command, printed: Sequence[str]) -> str:
        told = "\n".join(self.staying.lines) if self.staying else ""
        return "\n".join(
            [f"$ {command.text}", *printed, "--- but the page shows", *command.shown, "---", told]
        )


@contextmanager
def session(home: Path) -> Iterator[Session]:
    """Give terminals to a reader, and let nothing run on after the block."""
    opened = Session(home)
    try:
        yield opened
        opened.end()
    finally:
        if opened.staying is not None:
            opened.staying.interrupt()
        opened.stop_clusters()
