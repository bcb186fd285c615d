"""A program under a guard: started, waited for until it answers, and ended with us."""

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from kubewright.errors import LifecycleError
from kubewright.testing import guard

__all__ = ["Process", "StartError"]

POLL_EVERY: float = 0.1
TAIL_LINES: int = 20


class StartError(LifecycleError):
    """A program did not start; the message ends with the last lines of its log."""


class Process:
    """One program, which ends with this process at the latest.

    Real programs run in real time, so this waits without a `Clock`.

    Args:
        name: What to call it in messages.
        command: The program and its arguments.
        log: The file that takes its standard output and error.
        grace: Seconds that it gets to end by itself.
        remove: A folder to remove once it has ended on our request, or together with us.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        log: Path,
        grace: float = 10,
        remove: Path | None = None,
    ) -> None:
        self.name: str = name
        self.command: tuple[str, ...] = tuple(command)
        self.log: Path = log
        self._grace = grace
        self._remove = remove
        self._guard: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the program; `wait_until` waits until it is ready."""
        if self._guard is not None:
            raise LifecycleError(f"cannot start {self.name}: it was started before")
        guarded = [sys.executable, "-I", "-S", guard.__file__]
        guarded += [str(self._grace), str(self._remove or ""), *self.command]
        with self.log.open("ab") as output:
            self._guard = subprocess.Popen(  # noqa: S603  # the caller chose the program
                guarded,
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    @property
    def exit_status(self) -> int | None:
        """The status with which the program ended, or None if it was not started or still runs."""
        return self._guard.poll() if self._guard else None

    def wait_until(self, answers: Callable[[], bool], *, timeout: float) -> None:
        """Wait until *answers* is true.

        Raises:
            StartError: The program ended, or time is up.
        """
        deadline = time.monotonic() + timeout
        while not answers():
            if (status := self.exit_status) is not None:
                raise StartError(f"{self.name} ended with status {status}.\n{self.tail()}")
            if time.monotonic() > deadline:
                raise StartError(f"{self.name} gave no answer in {timeout:g} s.\n{self.tail()}")
            time.sleep(POLL_EVERY)

    def tail(self, lines: int = TAIL_LINES) -> str:
        """Return the command and the last *lines* of the log, for an error message."""
        written = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        shown = "\n".join(f"  {line[:500]}" for line in written[-lines:]) or "  (nothing)"
        return f"Command: {' '.join(self.command)}\nLast lines of its log:\n{shown}"

    def stop(self) -> None:
        """End the program: SIGTERM, then SIGKILL after the grace period. May be called twice."""
        if self._guard is None or self._guard.stdin is None:
            return
        self._guard.stdin.close()
        self._guard.wait(self._grace + 10)
