"""The real kube-controller-manager, with some of its controllers, on any API server."""

import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from kubewright._pki.authority import Authority
from kubewright.testing import probe
from kubewright.testing.access import write_private
from kubewright.testing.assets import get_program
from kubewright.testing.process import Process

HOST = "127.0.0.1"


@contextmanager
def controller_manager(
    kubeconfig: Path, folder: Path, *controllers: str, options: Sequence[str] = ()
) -> Iterator[Process]:
    """Run the *controllers*, and no others, while the block runs.

    Args:
        kubeconfig: The server, and as whom.
        folder: Where it may leave files.
        controllers: Their names.
        options: More of its arguments.
    """
    folder.mkdir(parents=True, exist_ok=True)
    port = _free_port()
    authority = Authority("kubewright-test-ca")
    serving = authority.serving(HOST)
    write_private(folder / "serving.crt", serving.certificate)
    write_private(folder / "serving.key", serving.key)
    command = [
        str(get_program("kube-controller-manager")),
        f"--kubeconfig={kubeconfig}",
        f"--controllers={','.join(controllers)}",
        f"--bind-address={HOST}",
        f"--secure-port={port}",
        f"--tls-cert-file={folder / 'serving.crt'}",
        f"--tls-private-key-file={folder / 'serving.key'}",
        "--port=0",
        "--leader-elect=false",
        "--kube-api-qps=500",
        "--kube-api-burst=500",
        *options,
    ]
    process = Process("kube-controller-manager", command, log=folder / "log")
    process.start()
    try:
        process.wait_until(lambda: _answers(port, authority.certificate), timeout=60)
        yield process
    finally:
        process.stop()


def _answers(port: int, ca_data: bytes) -> bool:
    url = f"https://{HOST}:{port}"
    try:
        return probe.request(url, "GET", "/healthz", ca_data=ca_data, timeout=2).status == 200
    except OSError:
        return False


def _free_port() -> int:
    with socket.socket() as one:
        one.bind((HOST, 0))
        port: int = one.getsockname()[1]
        return port
