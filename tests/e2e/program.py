"""A sample operator as its users run it: the command, in a process of its own."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Self

EXAMPLES = Path(__file__).parents[2] / "examples"
RUN = "from kubewright.cli import main; main()"


def command_of(sample: str) -> list[str]:
    """Return how a sample is started: with ``kubewright run``, or by itself if it has a main."""
    file = EXAMPLES / sample / f"{sample}.py"
    if 'if __name__ == "__main__"' in file.read_text():
        return [sys.executable, str(file)]
    return [sys.executable, "-c", RUN, "run", str(file), "--install-crds", "--log-format", "json"]


class Program:
    """One sample operator; killed at the end of its block.

    Args:
        sample: Its name: a folder of ``examples``.
        flags: More flags for it.
        kubeconfig: Which cluster.
        namespace: The namespace to look after.
        log: The file that its output is appended to.
        environment: More variables for it.
    """

    def __init__(
        self,
        sample: str,
        *flags: str,
        kubeconfig: Path,
        namespace: str,
        log: Path,
        environment: dict[str, str] | None = None,
    ) -> None:
        self.log = log
        command = [*command_of(sample), "--kubeconfig", str(kubeconfig), "--namespace", namespace]
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                [*command, *flags],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env={**os.environ, **(environment or {})},
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.kill()

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def kill(self) -> None:
        """Kill it: it gets no chance to do anything more."""
        if self.running:
            self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def stop(self) -> int:
        """Ask it to end, wait for that, and return its exit status."""
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(timeout=60)

    def output(self) -> str:
        """Return what it has printed so far."""
        return self.log.read_text()

    def show_log(self) -> None:
        """Print the log; pytest shows it if the test fails."""
        sys.stdout.write(f"--- {self.log.name}\n{self.output()}")
