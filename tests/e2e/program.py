"""A sample operator as its users run it: the command, in a process of its own."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Self

EXAMPLES = Path(__file__).parents[2] / "examples"
RUN = "from kubewright.cli import main; main()"
PATIENCE = 60.0


def is_project(sample: str) -> bool:
    """Tell whether the scaffold has made a sample, so that it is run in its own folder."""
    return (EXAMPLES / sample / "PROJECT").exists()


def command_of(sample: str, *, install: bool = True) -> list[str]:
    """Return the command that starts a sample: ``kubewright run``, or the file if it has a main.

    Args:
        sample: Its name: a folder of ``examples``.
        install: Whether to install the CRDs first; what has a main of its own does not do that.
    """
    target = []
    if not is_project(sample):
        file = EXAMPLES / sample / f"{sample}.py"
        if 'if __name__ == "__main__"' in file.read_text():
            return [sys.executable, str(file)]
        target = [str(file)]
    command = [sys.executable, "-c", RUN, "run", *target, "--log-format", "json"]
    return [*command, "--install-crds"] if install else command


def crds_of(sample: str) -> Path:
    """Return the file or the folder with the CRDs of a sample, for ``kubectl apply -f``."""
    folder = EXAMPLES / sample
    return folder / ("config/crd/bases" if is_project(sample) else "crd.yaml")


class Program:
    """One sample operator; killed at the end of its block.

    Args:
        command: What to run; see `command_of`.
        kubeconfig: The cluster to use.
        namespace: The namespace to look after.
        environment: More variables for it.
        folder: Where to run it.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        kubeconfig: Path,
        namespace: str,
        environment: dict[str, str] | None = None,
        folder: Path | None = None,
    ) -> None:
        self._lines: list[str] = []
        self._printed = threading.Condition()
        self._ended = False
        self._process = subprocess.Popen(
            [*command, "--kubeconfig", str(kubeconfig), "--namespace", namespace],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, **(environment or {})},
            cwd=folder,
        )
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.kill()
        sys.stdout.write(f"---\n{self.output}")  # pytest shows it if the test fails

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    @property
    def output(self) -> str:
        """What it has printed so far."""
        return "".join(self._lines)

    def wait_for_line(self, text: str, *, after: int = 0) -> str:
        """Wait until it has printed a line with *text*, and return that line.

        Args:
            text: What to look for.
            after: How many such lines to pass over.
        """

        def found() -> list[str]:
            return [line for line in self._lines if text in line][after:]

        with self._printed:
            self._printed.wait_for(lambda: found() or self._ended, PATIENCE)
            assert found(), f"nothing was printed with {text!r}"
            return found()[0]

    def kill(self) -> None:
        """Kill it with SIGKILL, so that it cannot do anything more."""
        if self.running:
            self._process.send_signal(signal.SIGKILL)
        self._end()

    def pause(self) -> None:
        """Let it stand still, as a machine under load does, until `resume` or its end."""
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        self._process.send_signal(signal.SIGCONT)

    def stop(self) -> int:
        """Ask it to end, wait for it, and return its exit status."""
        self._process.send_signal(signal.SIGTERM)
        return self._end()

    def _end(self) -> int:
        status = self._process.wait(PATIENCE)
        self._reader.join()
        return status

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                with self._printed:
                    self._lines.append(line)
                    self._printed.notify_all()
        with self._printed:
            self._ended = True
            self._printed.notify_all()
