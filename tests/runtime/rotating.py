"""The operator of `stalls`, with an authority and certificates that live for seconds only."""

import asyncio
import sys
from datetime import timedelta
from pathlib import Path

import kubewright as kw
from kubewright import log
from kubewright.webhook.certificates import Lifetimes, ManagedCertificate
from kubewright.webhook.registration import Registration, RegistrationOnStart
from kubewright.webhook.server import WebhookServer
from kubewright.webhook.serving import WebhookServing
from tests.runtime.stalls import operator

LIFETIMES = Lifetimes(
    authority=timedelta(seconds=12), leaf=timedelta(seconds=4), overlap=timedelta(seconds=1.5)
)


async def main(kubeconfig: Path, namespace: str, port: int, health: str) -> None:
    """Serve the webhooks at *port* until killed."""
    log.configure("info", "json")
    config = kw.Config.load(kubeconfig).replace(namespace=namespace)
    async with kw.Client(config, field_owner=operator.name) as client:
        cluster = kw.Cluster(client)
        manager = kw.Manager(cluster, health_probe_bind_address=health)
        url = f"https://127.0.0.1:{port}"
        place = WebhookServing(host="127.0.0.1", port=port, url=url).named(operator.name, namespace)
        certificate = ManagedCertificate(
            client,
            secret=place.secret,
            namespace=namespace,
            hosts=place.hosts,
            targets=operator.webhooks.targets(),
            lifetimes=LIFETIMES,
        )
        server = WebhookServer(
            operator.webhooks.routes(cluster), certificate=certificate, host=place.host, port=port
        )
        manager.add(server)
        registration = Registration(client, operator.webhooks, place, owner=operator.name)
        manager.add(RegistrationOnStart(registration, server, certificate))
        await manager.run()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4]))
