"""The operator as users run it: the command, in processes of their own."""

import signal
import subprocess
import sys
from pathlib import Path
from typing import Self

PROGRAM = "from kubewright.cli import main; main()"
SHOPS = Path(__file__).with_name("shops.py")


class Replica:
    """``kubewright run shops.py --leader-elect``; killed at the end of its block."""

    def __init__(self, kubeconfig: Path, log: Path, *flags: str) -> None:
        self.log = log
        command = [sys.executable, "-c", PROGRAM, "run", str(SHOPS)]
        command += ["--kubeconfig", str(kubeconfig), "--log-format", "json", *flags]
        with log.open("ab") as output:
            self._process = subprocess.Popen(command, stdout=output, stderr=output)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.kill()

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

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
