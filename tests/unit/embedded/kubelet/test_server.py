import asyncio

import pytest

from kubewright._pki.authority import Authority
from kubewright.api.requests import Request
from kubewright.client import Config
from kubewright.client.config import TLSConfig
from kubewright.client.http_transport import transport_for
from kubewright.embedded.kubelet import KubeletServer
from kubewright.errors import Attempt, ConfigError, LifecycleError
from kubewright.runnable import Readying, Runnable, Stage, stage_of
from tests.unit.embedded.kubelet.containers import Containers

HEALTH = Request("GET", "/healthz", Attempt("get", "/healthz"))


async def status(server: KubeletServer, tls: TLSConfig) -> tuple[int, bytes]:
    async with transport_for(Config(server=server.url, tls=tls)) as transport:
        answer = await transport.send(HEALTH)
    return answer.status, answer.body


async def test_it_serves_while_it_runs() -> None:
    """A manager starts it before all others, and knows when it listens."""
    server = KubeletServer(Containers())
    assert isinstance(server, Runnable)
    assert isinstance(server, Readying)
    assert stage_of(server) is Stage.SERVERS

    running = asyncio.create_task(server.run())
    await server.wait_ready()
    answer = await status(server, TLSConfig(insecure=True))
    running.cancel()
    await asyncio.wait({running})

    assert answer == (200, b"ok")
    with pytest.raises(LifecycleError):
        _ = server.port


async def test_with_an_authority_only_its_clients_get_in() -> None:
    """Whoever can connect can run any command."""
    authority = Authority()
    pair = authority.client("kube-apiserver")
    server = KubeletServer(
        Containers(), pair=authority.serving("127.0.0.1"), client_ca=authority.certificate
    )
    await server.start()
    try:
        stranger = await status(server, TLSConfig(ca_data=authority.certificate))
        known = await status(
            server,
            TLSConfig(ca_data=authority.certificate, cert_data=pair.certificate, key_data=pair.key),
        )
    finally:
        await server.stop()

    assert stranger == (401, b"Unauthorized")
    assert known == (200, b"ok")


def test_without_an_authority_it_listens_on_loopback_only() -> None:
    """The message says what to do."""
    with pytest.raises(ConfigError, match="Give the client_ca"):
        KubeletServer(Containers(), host="0.0.0.0")

    KubeletServer(Containers(), host="localhost")
    KubeletServer(Containers(), host="0.0.0.0", client_ca=b"pem")


async def test_it_cannot_be_started_twice() -> None:
    """It would have two ports."""
    server = KubeletServer(Containers())
    await server.start()

    with pytest.raises(LifecycleError, match="listens already"):
        await server.start()
    await server.stop()
    await server.stop()
