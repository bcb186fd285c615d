"""The program helm, and what a run of it costs."""

import os
import resource
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from bench.run import MeasurementError
from kubewright.helm.binary import get_helm


@dataclass(frozen=True)
class Cost:
    """What some runs of a program took, in seconds."""

    cpu: float
    wall: float


class Helm:
    """The program helm with a chart, in one namespace.

    Args:
        folder: Where the chart ``shop`` is, and where helm keeps what it has discovered.
        kubeconfig: The cluster.
        namespace: Where its releases are.
    """

    def __init__(self, folder: Path, kubeconfig: Path, namespace: str) -> None:
        self._folder = folder
        self._program = get_helm()
        self._flags = ["--namespace", namespace]
        self._environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "KUBECONFIG": str(kubeconfig),
        }

    def run(self, *arguments: str) -> Cost:
        """Run helm once, and return its cost."""
        before, began = _children(), time.perf_counter()
        done = subprocess.run(
            [self._program, *arguments, *self._flags],
            cwd=self._folder,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if done.returncode:
            raise MeasurementError(f"helm {arguments[0]}: {done.stderr.strip()}")
        return Cost(_children() - before, time.perf_counter() - began)


def _children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
