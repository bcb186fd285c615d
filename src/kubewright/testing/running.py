"""`operator_on`: a running operator on any server, in real time, with its webhooks."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from kubewright.application import Application
from kubewright.client import Client, Config
from kubewright.cluster import Cluster
from kubewright.errors import TransportError
from kubewright.manager import Manager
from kubewright.testing.embedded import EmbeddedServer
from kubewright.testing.ports import free_ports
from kubewright.testing.server import Server
from kubewright.webhook.registration import Registration
from kubewright.webhook.serving import WebhookServing

__all__ = ["operator_on"]

_LAG = 1.0
"""Seconds in which kube-apiserver, which watches its configurations, may ask nevertheless."""


@asynccontextmanager
async def operator_on(
    server: Server,
    operator: Application,
    *,
    workers: int = 1,
    serve_webhooks: WebhookServing | None = None,
) -> AsyncIterator[Client]:
    """Run *operator* on *server* during a block, and yield an administrator's client.

    Its CRDs are installed; its webhooks listen on a free port of this machine, with a certificate
    of their own, and are registered until the end of the block. The server may be a real one: it
    calls them over TLS. An error of the operator comes out of the block.

    Args:
        server: An `EmbeddedServer`, a `RealServer`, or any other that reaches this machine.
        operator: The operator, or another application.
        workers: How many objects a reconciler works on at a time.
        serve_webhooks: How webhooks are served; by default at 127.0.0.1.

    Example:
        with RealServer() as server:
            async with operator_on(server, operator) as client:
                await client.create(Shop(metadata=kw.ObjectMeta(name="corner")))
    """
    serving = serve_webhooks if serve_webhooks is not None else on_loopback()
    async with _client(server, operator.name) as client:
        await operator.install_crds(client, serve_webhooks=serving)
        manager = Manager(Cluster(client, field_owner=operator.name))
        operator.add_to(manager, workers=workers, serve_webhooks=serving)
        async with manager:
            try:
                yield client
            finally:
                if await _unregister(operator, client, serving):
                    await client.clock.sleep(0.0 if isinstance(server, EmbeddedServer) else _LAG)


async def _unregister(operator: Application, client: Client, serving: WebhookServing) -> bool:
    """Let the server ask no longer; return whether it has asked before."""
    if not (operator.webhooks.admissions and serving.install):
        return False
    registration = Registration(client, operator.webhooks, serving, owner=operator.name)
    with suppress(TransportError):  # a server that is gone asks nobody
        await registration.remove()
        return True
    return False


def on_loopback() -> WebhookServing:
    """Return how webhooks are served on a free port of this machine, and registered."""
    (port,) = free_ports(1)
    return WebhookServing(
        host="127.0.0.1", port=port, url=f"https://127.0.0.1:{port}", install=True
    )


def _client(server: Server, owner: str) -> Client:
    if isinstance(server, EmbeddedServer):
        return server.client()
    return Client(Config.load(server.kubeconfig_file), field_owner=owner)
