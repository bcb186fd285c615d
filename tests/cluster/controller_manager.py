"""The real kube-controller-manager, with some of its controllers, on any API server."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kubewright.testing import probe
from kubewright.testing.assets import get_program
from kubewright.testing.process import Process

HOST = "127.0.0.1"


@contextmanager
def controller_manager(kubeconfig: Path, folder: Path, *controllers: str) -> Iterator[Process]:
    """Run the *controllers*, and no others, while the block runs.

    Args:
        kubeconfig: The server, and as whom.
        folder: Where it may leave files.
        controllers: Their names.
    """
    folder.mkdir(parents=True, exist_ok=True)
    port = _free_port()
    command = [
        str(get_program("kube-controller-manager")),
        f"--kubeconfig={kubeconfig}",
        f"--controllers={','.join(controllers)}",
        f"--bind-address={HOST}",
        f"--secure-port={port}",
        f"--cert-dir={folder}",
        "--port=0",
        "--leader-elect=false",
        "--kube-api-qps=500",
        "--kube-api-burst=500",
    ]
    process = Process("kube-controller-manager", command, log=folder / "log")
    process.start()
    try:
        process.wait_until(lambda: _answers(port), timeout=60)
        yield process
    finally:
        process.stop()


def _answers(port: int) -> bool:
    try:
        return probe.request(f"https://{HOST}:{port}", "GET", "/healthz", timeout=2).status == 200
    except OSError:
        return False


def _free_port() -> int:
    with socket.socket() as one:
        one.bind((HOST, 0))
        port: int = one.getsockname()[1]
        return port
