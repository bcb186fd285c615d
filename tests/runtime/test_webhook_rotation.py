"""Certificates change under a steady stream of writes, and no write notices."""

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

import kubewright as kw
from kubewright._pki.authority import Authority
from kubewright.testing import RealServer
from kubewright.testing.ports import free_ports
from kubewright.webhook.certificates import CABundles
from kubewright.webhook.serving import WebhookServing
from tests.runtime import rotating, stalls
from tests.runtime.market import (
    HOST,
    RATE,
    Stream,
    Witness,
    is_ready,
    new_market,
)
from tests.runtime.processes import Replica

SECONDS = int(os.environ.get("KUBEWRIGHT_ROTATION_SECONDS", "25"))
"""For how long writes come at the least."""

pytestmark = pytest.mark.timeout(SECONDS + 150)

ROOT = Path(__file__).parents[2]
OFTEN = RATE // 4


@pytest.fixture(scope="module")
def rotation_server() -> Iterator[RealServer]:
    """Return a real server for these tests only: their webhooks are about all namespaces."""
    with RealServer() as running:
        yield running


@pytest.fixture
async def client(rotation_server: RealServer, tmp_path: Path) -> AsyncIterator[kw.Client]:
    """Return a client whose namespace belongs to the test."""
    async with new_market(rotation_server, tmp_path) as made:
        yield made


def start_rotating(
    stack: ExitStack, folder: Path, namespace: str, ports: list[int]
) -> "subprocess.Popen[bytes]":
    """Start the operator whose certificates live for seconds."""
    hooks, health = ports
    command = [sys.executable, "-m", rotating.__name__, str(folder / "kubeconfig"), namespace]
    command += [str(hooks), f"{HOST}:{health}"]
    with (folder / "operator.log").open("wb") as output:
        process = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=output)
    stack.callback(process.wait)
    stack.callback(process.kill)
    return process


async def test_authorities_and_certificates_of_our_own_change_and_nothing_is_refused(
    client: kw.Client, tmp_path: Path, stack: ExitStack
) -> None:
    """Defaulting, validation and conversion, all with ``failurePolicy: Fail``."""
    ports = free_ports(2)
    place = WebhookServing(port=ports[0], url=f"https://{HOST}:{ports[0]}")
    await stalls.operator.install_crds(client, serve_webhooks=place)
    process = start_rotating(stack, tmp_path, client.namespace, ports)
    await is_ready(ports[1], lambda: process.poll() is None)
    stream, witness = Stream(client, client.namespace), Witness(client, ports[0])

    async with stream.flowing():
        while stream.answered < SECONDS * RATE or len(witness.authorities) < 3:
            await stream.passed(OFTEN)
            await witness.look()

    print(f"\nour own: {stream.summary()}; {witness.summary()}")  # noqa: T201  # with -s
    assert stream.refused == []
    assert witness.refused == []
    assert len(witness.leaves) > len(witness.authorities)


class CertManager:
    """Writes certificates into a folder, and bundles into the configurations, as people do it."""

    def __init__(self, client: kw.Client, folder: Path) -> None:
        self._bundles = CABundles(client, stalls.operator.webhooks.targets(), (HOST,))
        self._folder = folder
        self._trusted = b""
        self.authority = Authority("first")

    async def trust(self, authority: Authority) -> None:
        """Add an authority to all bundles."""
        self._trusted += authority.certificate
        await self._bundles.publish(self._trusted)

    def issue(self) -> None:
        """Put a new certificate into the files, one after the other."""
        pair = self.authority.serving(HOST)
        (self._folder / "tls.crt").write_bytes(pair.certificate)
        (self._folder / "tls.key").write_bytes(pair.key)


async def test_mounted_files_change_and_nothing_is_refused(
    client: kw.Client, tmp_path: Path, stack: ExitStack
) -> None:
    """First another certificate of the same authority, then one of another authority."""
    hooks, health = free_ports(2)
    issuer = CertManager(client, tmp_path)
    issuer.issue()
    flags = ["--webhook-host", HOST, "--webhook-port", str(hooks), "--install-crds"]
    flags += ["--webhook-cert-path", str(tmp_path), "--install-webhooks"]
    flags += ["--webhook-url", f"https://{HOST}:{hooks}"]
    flags += ["--health-probe-bind-address", f"{HOST}:{health}"]
    program = Path(stalls.__file__)
    replica = stack.enter_context(
        Replica(tmp_path / "kubeconfig", tmp_path / "operator.log", *flags, program=program)
    )
    await is_ready(health, lambda: replica.running)
    await issuer.trust(issuer.authority)
    stream, witness = Stream(client, client.namespace), Witness(client, hooks)

    async with stream.flowing():
        await seen(stream, witness, leaves=1)
        issuer.issue()
        await seen(stream, witness, leaves=2)
        issuer.authority = Authority("second")
        await issuer.trust(issuer.authority)
        await stream.passed(RATE)
        issuer.issue()
        await seen(stream, witness, leaves=3)
        await stream.passed(RATE)

    print(f"\nmounted: {stream.summary()}; {len(witness.leaves)} certificates seen")  # noqa: T201  # with -s
    assert stream.refused == []
    assert witness.refused == []


async def seen(stream: Stream, witness: Witness, *, leaves: int) -> None:
    """Wait until so many certificates were seen."""
    while len(witness.leaves) < leaves:
        await stream.passed(OFTEN)
        await witness.look()
