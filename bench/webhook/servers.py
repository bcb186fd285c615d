"""The servers as processes, and the API server that Kopf asks which kinds there are."""

import asyncio
import contextlib
import json
import socket
import ssl
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.apiserver import servers as apiserver
from bench.apiserver.wire import Target
from bench.certificate import write_certificate
from bench.run import ROOT, MeasurementError, environment
from bench.webhook import data, load
from bench.webhook.answers import AnswerError
from bench.webhook.figures import GO, KOPF, OURS

START_TIMEOUT = 30
_POLL = 0.05
_MODULES = {OURS: "bench.webhook.ours", KOPF: "bench.webhook.kopf"}


@dataclass(frozen=True, kw_only=True)
class Running:
    """A server that answers reviews.

    Attributes:
        target: How to reach it.
        pid: Its process.
    """

    target: Target
    pid: int


@contextlib.contextmanager
def api_server(folder: Path) -> Iterator[Path]:
    """Start an API server that knows Shops, and yield its kubeconfig; none of it is measured."""
    with apiserver.embedded(folder) as server:
        target = server.target
        context = ssl.create_default_context(cafile=target.ca)
        context.load_cert_chain(target.certificate)
        path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        request = urllib.request.Request(
            target.url + path,
            data=json.dumps(_CRD).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, context=context, timeout=10):
            yield folder / "kubeconfig"


@contextlib.contextmanager
def server(name: str, folder: Path, *, kubeconfig: Path, go_peer: Path | None) -> Iterator[Running]:
    """Start a webhook server, and wait until it answers a review well.

    Raises:
        MeasurementError: It ended, or does not answer.
    """
    certificate, authority, port = folder / "server.pem", folder / "ca.crt", _free_port()
    authority.write_bytes(write_certificate(certificate))
    program = [str(go_peer), "webhook"] if name == GO else [sys.executable, "-m", _MODULES[name]]
    log = folder / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*program, str(port), str(certificate)],
            env=environment(kubeconfig),
            cwd=ROOT,
            stdin=subprocess.PIPE,  # so that it ends with us, however we end
            stdout=output,
            stderr=output,
        )
    try:
        target = Target(url=f"https://127.0.0.1:{port}", ca=str(authority))
        _wait(process, target, log)
        yield Running(target=target, pid=process.pid)
    finally:
        process.kill()
        process.communicate()


def _wait(process: "subprocess.Popen[bytes]", target: Target, log: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT
    while error := _trouble(target):
        if process.poll() is not None or time.monotonic() > deadline:
            said = log.read_text().strip().splitlines() or ["nothing was said"]
            raise MeasurementError(f"it does not answer ({error}); its log: {said[-1]}")
        time.sleep(_POLL)


def _trouble(target: Target) -> Exception | None:
    """Return why a server does not answer, or nothing."""
    try:
        asyncio.run(load.check(target, "default"))
    except (OSError, AnswerError) as error:
        return error
    return None


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


_ANYTHING = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
_CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": f"{data.PLURAL}.{data.GROUP}"},
    "spec": {
        "group": data.GROUP,
        "scope": "Namespaced",
        "names": {"kind": data.KIND, "plural": data.PLURAL, "singular": data.KIND.lower()},
        "versions": [
            {
                "name": version,
                "served": True,
                "storage": version == "v1",
                "schema": {"openAPIV3Schema": _ANYTHING},
            }
            for version in ("v1", "v2")
        ],
    },
}
