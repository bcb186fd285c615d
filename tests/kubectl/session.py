"""A session of kubectl, written as data, and what must differ between two runs of it taken out."""

import os
import re
import shlex
import subprocess
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template

from kubewright.testing import Server

MANIFESTS = Path(__file__).parent / "manifests"
TIMEOUT = 60.0

# What two servers cannot agree on, and what stands for it. The order counts.
MASKS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), mask)
    for pattern, mask in (
        # At a deadline kubectl may still try to watch again, and log that it cannot.
        (r"(?m)^[WE]\d{4} .* reflector\.go:.*\n?", ""),
        (r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "<uid>"),
        (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", "<time>"),
        (r"\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}", "<time>"),
        (r"(Resource Version:\s+)\d+", r"\1<version>"),
        (r"\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4} UTC", "<time>"),
        (r'(resourceVersion"?: ?)"\d+"', r'\1"<version>"'),
        (r"(?<![\w.=-])(\d+[dhm])*\d+s(?![\w.-])", "<age>"),
        (r"https://127\.0\.0\.1:\d+", "<server>"),
        (r"\b10\.(0|9[6-9]|10\d|11[01])\.\d+\.\d+\b", "<cluster-ip>"),
        (r"(?m)^(---|\+\+\+) \S*/((LIVE|MERGED)-)\d+/(\S+).*$", r"\1 \2/\4"),
        (r"(?m)^diff .*$", "diff"),
        (r"(?<=\S) {2,}", "  "),  # the width of a column depends on what was masked
        (r"(?m)[ \t]+$", ""),
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Where the servers may differ, and why that is right.

    Attributes:
        why: The reason, for the reader.
        newer: Patterns of lines that only the embedded server's output has; each must be there.
        older: Patterns of lines that only the real server's output has; each must be there.
        expect: A pattern that the embedded server's output has, instead of being equal.
        code: What kubectl returns with the real server, if not what it returns with ours.
    """

    why: str
    newer: Sequence[str] = ()
    older: Sequence[str] = ()
    expect: str | None = None
    code: int | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One command, as it is typed after the word kubectl.

    Attributes:
        command: The command; files are those of the folder ``manifests``.
        stdin: What ``-f -`` reads.
        code: What kubectl must return, on both servers.
        user: Whose kubeconfig it is: admin, reader or nobody.
        editor: For ``edit``: the program that stands for a person.
        during: Commands that run once this one watches.
        lines: End the command once it printed so many lines; for ``--watch``.
        retry: Whether to try until it succeeds: servers publish some things a moment later.
        sort: Whether the order of lines is nobody's promise.
        save: A name for what was printed; later steps write it as ``$name``.
        differs: What need not be equal, and why.
    """

    command: str
    stdin: str | None = None
    code: int = 0
    user: str = "admin"
    editor: str = ""
    during: Sequence[str] = ()
    lines: int | None = None
    retry: bool = False
    sort: bool = False
    save: str = ""
    differs: Difference | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a step printed, masked, and what kubectl returned."""

    step: Step
    code: int
    text: str


class Terminal:
    """Where somebody types: one server, one namespace, a home folder of its own.

    Args:
        server: The server.
        home: An empty folder for kubectl's cache and the kubeconfig.
        namespace: The namespace of every command that names no other.
    """

    def __init__(self, server: Server, home: Path, *, namespace: str) -> None:
        self._home = home
        self._saved: dict[str, str] = {}
        self._namespace = namespace
        self._kubeconfigs = write_kubeconfigs(server, home)

    def run(self, step: Step) -> Outcome:
        """Run one step."""
        if step.during or step.lines is not None:
            code, text = self._follow(step)
        else:
            code, text = self._call(step)
            deadline = time.monotonic() + TIMEOUT
            while step.retry and code != step.code and time.monotonic() < deadline:
                code, text = self._call(step)
        if step.save:
            self._saved[step.save] = text
        lines = masked(text).strip().splitlines()
        return Outcome(step, code, "\n".join(sorted(lines) if step.sort else lines))

    def _call(self, step: Step) -> tuple[int, str]:
        done = subprocess.run(
            self._command(step.command),
            input=Template(step.stdin or "").safe_substitute(self._saved),
            env=self._environment(step),
            cwd=MANIFESTS,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    def _follow(self, step: Step) -> tuple[int, str]:
        """Run a step that waits, and meanwhile what it waits for."""
        with subprocess.Popen(
            [*self._command(step.command), "-v=6"],  # it says when it watches
            env=self._environment(step),
            cwd=MANIFESTS,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            alarm = threading.Timer(TIMEOUT, process.kill)
            alarm.start()
            try:
                self._meanwhile(process, step)
                return self._end(process, step)
            finally:
                alarm.cancel()
                process.kill()

    def _meanwhile(self, process: subprocess.Popen[str], step: Step) -> None:
        assert process.stderr is not None
        for line in process.stderr:
            if "watch=true" in line:
                break
        for command in step.during:
            code, text = self._call(Step(command))
            assert code == 0, text

    def _end(self, process: subprocess.Popen[str], step: Step) -> tuple[int, str]:
        assert process.stdout is not None
        if step.lines is not None:
            return 0, "".join(process.stdout.readline() for _ in range(step.lines))
        printed, log = process.communicate()
        said = (line for line in log.splitlines() if not re.match(r"[IWE]\d{4} ", line))
        return process.returncode, "\n".join((printed, *said))

    def _command(self, command: str) -> list[str]:
        program = os.environ.get("KUBECTL", "kubectl")
        return [program, f"--namespace={self._namespace}", *shlex.split(command)]

    def _environment(self, step: Step) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self._home),
            "KUBECONFIG": str(self._kubeconfigs[step.user]),
            "KUBECACHEDIR": str(self._home / "cache"),
            "KUBE_EDITOR": step.editor or "false",
            "LC_ALL": "C",
            "TZ": "UTC",
        }


def write_kubeconfigs(server: Server, home: Path) -> dict[str, Path]:
    """Write a kubeconfig for each user of *server*, and return the files by user."""
    home.mkdir(parents=True, exist_ok=True)
    files = {}
    for name in ("admin", "reader", "nobody"):
        files[name] = home / f"{name}.kubeconfig"
        server.write_kubeconfig(files[name], getattr(server, name))  # type: ignore[attr-defined]  # only servers that we started come here
    return files


def masked(text: str) -> str:
    """Return *text* without what must differ between two servers."""
    for pattern, mask in MASKS:
        text = pattern.sub(mask, text)
    return text


def problems(embedded: Outcome, real: Outcome) -> Iterator[str]:
    """Tell what is wrong with a step's outcomes, in words."""
    step = embedded.step
    older = step.code if step.differs is None or step.differs.code is None else step.differs.code
    for name, outcome, code in (("embedded", embedded, step.code), ("real", real, older)):
        if outcome.code != code:
            yield f"kubectl returned {outcome.code} and not {code} ({name}):\n{outcome.text}"
    ours, theirs = embedded.text, real.text
    if step.differs is not None:
        if ours == theirs:
            yield "the outputs are equal, though a difference is noted; remove the note"
        if step.differs.expect is not None:
            if not re.search(step.differs.expect, ours):
                yield f"no {step.differs.expect!r} in\n{ours}"
            return
        ours = yield from _without(step.differs.newer, ours)
        theirs = yield from _without(step.differs.older, theirs)
    if ours != theirs:
        yield from _difference(ours, theirs)


def _without(patterns: Sequence[str], text: str) -> Generator[str, None, str]:
    lines = text.splitlines()
    for pattern in patterns:
        kept = [line for line in lines if not re.fullmatch(pattern, line.strip())]
        if len(kept) == len(lines):
            yield f"no line is {pattern!r}, though the difference is noted"
        lines = kept
    return "\n".join(lines)


def _difference(ours: str, theirs: str) -> Iterator[str]:
    import difflib

    yield "\n".join(
        difflib.unified_diff(
            theirs.splitlines(), ours.splitlines(), "real", "embedded", lineterm="", n=2
        )
    )
