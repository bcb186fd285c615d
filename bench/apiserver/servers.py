"""The two servers, as processes: ours as a command, the real one as its project starts it."""

import base64
import contextlib
import json
import os
import ssl
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from bench.apiserver.processes import cpu_seconds, descendants
from bench.apiserver.wire import Target
from kubewright.testing import RealServer

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = "from kubewright.cli import main; main()"
START_TIMEOUT = 30
_POLL = 0.002


@dataclass(frozen=True, kw_only=True)
class Running:
    """A server that answers.

    Attributes:
        target: How to reach it.
        pids: Its processes.
        seconds: How long it took from its start to its first answer.
        cpu: The CPU seconds that it had used by then.
    """

    target: Target
    pids: list[int]
    seconds: float
    cpu: float


def environment() -> dict[str, str]:
    """Return the environment for processes of ours: bytecode kept, as after an installation."""
    path = (str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", ""))
    found = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, path))}
    found.pop("PYTHONDONTWRITEBYTECODE", None)
    return found


@contextlib.contextmanager
def embedded(folder: Path, *flags: str) -> Iterator[Running]:
    """Start ``kubewright apiserver``; RBAC is on, since the real server checks rights too."""
    kubeconfig = folder / "kubeconfig"
    command = [sys.executable, "-c", PROGRAM, "apiserver", "--rbac"]
    command += ["--kubeconfig", str(kubeconfig), *flags]
    log = folder / "log"
    before = time.perf_counter()
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=environment(), stdout=output, stderr=output)
    try:
        target = _first_answer(process, kubeconfig, log)
        seconds = time.perf_counter() - before
        cpu = cpu_seconds([process.pid])
        yield Running(target=target, pids=[process.pid], seconds=seconds, cpu=cpu)
    finally:
        process.kill()
        process.wait()


def _first_answer(process: "subprocess.Popen[bytes]", kubeconfig: Path, log: Path) -> Target:
    deadline = time.monotonic() + START_TIMEOUT
    while not kubeconfig.exists():
        if process.poll() is not None or time.monotonic() > deadline:
            raise SystemExit(f"the embedded server did not start:\n{log.read_text()}")
        time.sleep(_POLL)
    target = _target(kubeconfig)
    context = ssl.create_default_context(cafile=target.ca)
    context.load_cert_chain(target.certificate)
    url = f"{target.url}/api/v1/namespaces/default"
    with urllib.request.urlopen(url, context=context, timeout=10) as answer:
        json.load(answer)
    return target


def _target(kubeconfig: Path) -> Target:
    text = kubeconfig.read_text()
    known = yaml.safe_load(text)
    cluster, user = known["clusters"][0]["cluster"], known["users"][0]["user"]
    ca, certificate = kubeconfig.with_name("ca.crt"), kubeconfig.with_name("client.pem")
    ca.write_bytes(base64.b64decode(cluster["certificate-authority-data"]))
    pair = (user["client-certificate-data"], user["client-key-data"])
    certificate.write_bytes(b"".join(map(base64.b64decode, pair)))
    return Target(url=cluster["server"], ca=str(ca), certificate=str(certificate))


@contextlib.contextmanager
def real(assets: Path | None) -> Iterator[Running]:
    """Start etcd and kube-apiserver."""
    before = time.perf_counter()
    with RealServer(assets=assets) as server:
        seconds = time.perf_counter() - before
        target = Target(url=server.url, ca=str(server.ca_file), token=server.token)
        pids = list(descendants(os.getpid(), "etcd", "kube-apiserver"))
        assert len(pids) == 2, pids
        yield Running(target=target, pids=pids, seconds=seconds, cpu=cpu_seconds(pids))
