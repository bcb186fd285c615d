"""The two clusters, as processes."""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.apiserver.processes import descendants
from bench.apiserver.servers import environment
from kubewright.testing import RealServer

CONTROL_PLANE = ("etcd", "kube-apiserver", "kube-controller-manager")


@dataclass(frozen=True, kw_only=True)
class Running:
    """A cluster that answers.

    Attributes:
        kubeconfig: How to reach it.
        pids: The processes of its control plane. For ours, node and scheduler are in there, too.
        seconds: How long it took to start.
    """

    kubeconfig: Path
    pids: list[int]
    seconds: float


@contextlib.contextmanager
def embedded(folder: Path) -> Iterator[Running]:
    """Start the embedded cluster."""
    kubeconfig, before = folder / "kubeconfig", time.perf_counter()
    with _part("cluster", kubeconfig) as process:
        seconds = time.perf_counter() - before
        yield Running(kubeconfig=kubeconfig, pids=[process.pid], seconds=seconds)


@contextlib.contextmanager
def real(assets: Path | None) -> Iterator[Running]:
    """Start etcd, kube-apiserver and kube-controller-manager, and our node beside them."""
    before = time.perf_counter()
    with RealServer(assets=assets, controllers=True) as server:
        pids = list(descendants(os.getpid(), *(name[:15] for name in CONTROL_PLANE)))
        assert len(pids) == len(CONTROL_PLANE), pids
        with _part("machine", server.kubeconfig_file):
            seconds = time.perf_counter() - before
            yield Running(kubeconfig=server.kubeconfig_file, pids=pids, seconds=seconds)


@contextlib.contextmanager
def _part(name: str, kubeconfig: Path) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", "bench.cluster.parts", name, str(kubeconfig)]
    process = subprocess.Popen(
        command, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        if not process.stdout.readline():
            raise SystemExit(f"the {name} did not start; see its complaint above")
        yield process
    finally:
        process.stdin.close()
        process.wait(timeout=30)
