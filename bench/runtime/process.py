"""A contender as a process that we talk to while it runs."""

import json
import subprocess
import tempfile
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

from bench.apiserver.processes import resident
from bench.measure import Numbers
from bench.run import TIMEOUT, MeasurementError, environment


class Contender:
    """A process that says READY or not, and its numbers last.

    Args:
        command: What to start.
        kubeconfig: The server that it works against.
    """

    def __init__(self, command: list[str], kubeconfig: Path) -> None:
        self._stderr = tempfile.TemporaryFile("w+")  # noqa: SIM115  # closed on exit
        self._process = subprocess.Popen(
            command,
            env=environment(kubeconfig),
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            text=True,
        )
        self._late = threading.Timer(TIMEOUT, self._process.kill)
        self._late.daemon = True

    def __enter__(self) -> Self:
        self._late.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._late.cancel()
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._stderr.close()

    @property
    def rss(self) -> float:
        """Its resident memory, in MB."""
        if self._process.poll() is not None:
            raise self._failed()
        return resident([self._process.pid])

    def wait_until_ready(self) -> None:
        """Wait for the line READY."""
        while (line := self._line()).strip() != "READY":
            if not line:
                raise self._failed()

    def result(self) -> Numbers:
        """Wait for its numbers: the last line before it ends."""
        last = ""
        while line := self._line():
            last = line.strip() or last
        if self._process.wait() or not last.startswith("{"):
            raise self._failed()
        numbers: Numbers = json.loads(last)
        return numbers

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def _failed(self) -> MeasurementError:
        status = self._process.wait()
        self._stderr.seek(0)
        complaint = self._stderr.read().strip().splitlines() or ["nothing was said"]
        return MeasurementError(f"exit status {status}: {complaint[-1]}")
