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

    def __init__(self, kubeconfig: Path, log: Path, *flags: str, program: Path = SHOPS) -> None:
        self.log = log
        command = [sys.executable, "-c", PROGRAM, "run", str(program)]
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

    def pause(self) -> None:
        """Stop it in whatever it does, as a machine that sleeps or has no time for it."""
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on as if nothing had been."""
        self._process.send_signal(signal.SIGCONT)

    def wait(self) -> int:
        """Wait until it has ended by itself, and return its exit status."""
        return self._process.wait(timeout=60)

    def kill(self) -> None:
        """Kill it: it gets no chance to do anything more."""
        if self.running:
            self._process.send_signal(signal.SIGKILL)  # also heard by who is paused
            self._process.wait()

    def stop(self) -> int:
        """Ask it to end, wait for that, and return its exit status."""
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(timeout=60)
