"""Certificates of webhooks."""

from datetime import UTC, datetime

from kubewright._aio import Clock
from kubewright.bundle.document import Document
from kubewright.bundle.serving import secret_name
from kubewright.cli.olm.certificates import certificates_for
from kubewright.client import Client, Config
from kubewright.testing import EmbeddedServer, probe
from tests.unit.cli.olm.place import SERVING

CSV = Document("f", {"spec": {"webhookdefinitions": SERVING}})
SECRETS = "/api/v1/namespaces/default/secrets"


class Later(Clock):
    """A clock that is far ahead."""

    def now(self) -> datetime:
        """Return a day when every certificate of today has expired."""
        return datetime(2100, 1, 1, tzinfo=UTC)


async def test_one_that_is_valid_is_kept(server: EmbeddedServer) -> None:
    """One that is not, or is broken, is made anew."""
    async with Client(Config.load(server.kubeconfig_file)) as client:
        [made] = (await certificates_for(client, CSV, "default")).values()
        secret = {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": secret_name("shop-manager")},
            "stringData": {
                "olmCAKey": made.authority.decode(),
                "tls.crt": made.certificate.decode(),
                "tls.key": made.key.decode(),
            },
        }
        probe.ask(server, "POST", SECRETS, body=secret)

        [kept] = (await certificates_for(client, CSV, "default")).values()
        [later] = (await certificates_for(client, CSV, "default", clock=Later())).values()

    assert kept == made
    assert later != made
