import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

import kubewright as kw
from kubewright._pki.authority import Authority
from kubewright.errors import ConfigError, SchemeError
from kubewright.kinds.admissionregistration.v1 import ValidatingWebhookConfiguration
from kubewright.kinds.core.v1 import Pod, Secret
from kubewright.runnable import Runnable
from kubewright.testing import EmbeddedServer, VirtualClock
from kubewright.webhook.admission import declare
from kubewright.webhook.conversion import Conversion
from kubewright.webhook.registration import RegistrationOnStart
from kubewright.webhook.running import runnables
from kubewright.webhook.server import WebhookServer
from kubewright.webhook.serving import WebhookServing
from kubewright.webhook.token_reviews import token
from kubewright.webhook.webhooks import Webhooks
from tests.unit._serve.clients import GET
from tests.unit.webhook.callers import HOST, connected, post, trusting
from tests.unit.webhook.conversion.shops import ShopV1, ShopV2

CONFIGURATION = "shops-validating-webhook-configuration"
HERE = WebhookServing(host=HOST, port=0, drain=0.0)
NOBODYS_PATH = b"404"  # which says that there is a server, and that we may talk to it
AT_URL = WebhookServing(host=HOST, port=0, url=f"https://{HOST}:9443", install=True)


def allow(asked: Any) -> None:
    """Have nothing against it."""


def filled() -> Webhooks:
    """Return a validator and an authenticator."""
    found = Webhooks("shops")
    found.add(declare(Pod, allow, mutating=False, on=("create",), options={}))
    found.add(token("/authenticate", allow))
    return found


@pytest.fixture
async def cluster() -> AsyncIterator[kw.Cluster]:
    async with EmbeddedServer(controllers=False) as server, server.client() as client:
        yield kw.Cluster(client)


@asynccontextmanager
async def running(*members: Runnable) -> AsyncIterator[str]:
    """Run *members* as a manager does, and tell the address of the server."""
    tasks = [asyncio.create_task(one.run()) for one in members]
    try:
        for one in members:
            assert isinstance(one, (WebhookServer, RegistrationOnStart))
            await one.wait_ready()
        yield next(one.url for one in members if isinstance(one, WebhookServer))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


async def answered(url: str, context: ssl.SSLContext) -> bytes:
    """Ask for a path at which there is no webhook; return the code of the answer."""
    async with connected(url, context) as peer:
        await peer.send(GET)
        return (await peer.answer())[0].split()[1]


def sorts(made: list[Runnable]) -> list[type]:
    """Return the classes of *made*."""
    return [type(one) for one in made]


# --- What there is to run ---


async def test_without_webhooks_nothing_runs(cluster: kw.Cluster) -> None:
    """Most operators have none, and their port stays free."""
    assert runnables(Webhooks("shops"), cluster, HERE, name="shops") == []


async def test_without_webhooks_those_of_an_earlier_version_are_removed(
    cluster: kw.Cluster,
) -> None:
    """They would refuse all writes, now that nobody serves them."""
    before = runnables(filled(), cluster, AT_URL, name="shops")
    async with running(*before):
        pass

    (made,) = runnables(Webhooks("shops"), cluster, AT_URL, name="shops")
    await made.run()

    assert sorts([made]) == [RegistrationOnStart]
    assert await cluster.live.find(ValidatingWebhookConfiguration, CONFIGURATION) is None


async def test_a_release_registers_nothing(cluster: kw.Cluster) -> None:
    """Its manifests do; the operator needs no right to that."""
    made = runnables(filled(), cluster, HERE, name="shops")
    async with running(*made):
        found = await cluster.live.find(ValidatingWebhookConfiguration, CONFIGURATION)

    assert sorts(made) == [WebhookServer]
    assert found is None


async def test_where_it_is_wanted_they_are_registered(cluster: kw.Cluster) -> None:
    """With the bundle that makes the API server trust what listens here."""
    made = runnables(filled(), cluster, AT_URL, name="shops")
    async with running(*made) as url:
        found = await cluster.live.get(ValidatingWebhookConfiguration, CONFIGURATION)
        bundle = found.webhooks[0].client_config.ca_bundle or b""
        code = await answered(url, trusting(bundle))

    assert sorts(made) == [WebhookServer, RegistrationOnStart]
    assert found.webhooks[0].client_config.url == f"https://{HOST}:9443/validate--v1-pod"
    assert code == NOBODYS_PATH


async def test_a_body_may_be_as_long_as_its_webhook_says(cluster: kw.Cluster) -> None:
    """A token is short: more than that is somebody who wants to fill our memory."""
    async with running(*runnables(filled(), cluster, AT_URL, name="shops")) as url:
        secret = await cluster.live.get(Secret, "shops-webhook-server-cert")
        context = trusting(secret.data["ca.crt"])
        heads = []
        for path in ("/authenticate", "/validate--v1-pod"):
            async with connected(url, context) as peer:
                await peer.send(post(path, size=2 << 20, ask=True))
                heads.append((await peer.head())[:12])

    assert heads == [b"HTTP/1.1 413", b"HTTP/1.1 100"]


async def test_a_conversion_that_lacks_a_function_ends_the_start(cluster: kw.Cluster) -> None:
    """Before anything listens."""
    webhooks = Webhooks("shops")
    conversion = Conversion(ShopV1)
    webhooks.conversions.append(conversion)
    conversion.to_hub(ShopV2)(lambda new: ShopV1())

    with pytest.raises(SchemeError, match="from_hub"):
        runnables(webhooks, cluster, HERE, name="shops")


# --- Its certificate ---


async def test_the_operator_keeps_a_certificate_of_its_own(cluster: kw.Cluster) -> None:
    """All replicas find it in one Secret, and it is for the names of the Service."""
    made = runnables(filled(), cluster, HERE, name="shops")
    async with running(*made) as url:
        secret = await cluster.live.get(Secret, "shops-webhook-server-cert")
        context = trusting(secret.data["ca.crt"])
        context.check_hostname = False
        async with connected(url, context) as peer:
            shown = peer.writer.get_extra_info("ssl_object").getpeercert()

    assert secret.metadata.namespace == "default"
    assert ("DNS", "shops-webhook-service.default.svc") in shown["subjectAltName"]


async def test_where_it_is_kept_can_be_said(cluster: kw.Cluster) -> None:
    """A chart has names of its own."""
    serving = WebhookServing(host=HOST, port=0, secret="pair", service="hooks", drain=0.0)
    async with running(*runnables(filled(), cluster, serving, name="shops")):
        secret = await cluster.live.get(Secret, "pair")

    assert secret.metadata.namespace == "default"
    assert await cluster.live.find(Secret, "shops-webhook-server-cert") is None


async def test_a_certificate_that_somebody_mounts_is_shown(
    cluster: kw.Cluster, tmp_path: Path
) -> None:
    """Whoever has cert-manager needs no second keeper, and gives no right to Secrets."""
    authority = Authority("cert-manager")
    pair = authority.serving(HOST)
    (tmp_path / "a.crt").write_bytes(pair.certificate)
    (tmp_path / "a.key").write_bytes(pair.key)
    serving = WebhookServing(
        host=HOST, port=0, cert_path=tmp_path, cert_name="a.crt", cert_key="a.key", drain=0.0
    )

    async with running(*runnables(filled(), cluster, serving, name="shops")) as url:
        code = await answered(url, trusting(authority.certificate))

    assert code == NOBODYS_PATH
    assert await cluster.live.find(Secret, "shops-webhook-server-cert") is None


# --- The authorities of clients ---


async def test_clients_need_a_certificate_if_that_is_wanted(
    cluster: kw.Cluster, tmp_path: Path
) -> None:
    """Nobody but the API server may ask what a webhook would say."""
    authority = Authority("api-servers")
    ca, shown = tmp_path / "ca.crt", tmp_path / "client.pem"
    ca.write_bytes(authority.certificate)
    pair = authority.client("system:apiserver")
    shown.write_bytes(pair.certificate + pair.key)
    serving = WebhookServing(host=HOST, port=0, url=f"https://{HOST}:9443", client_ca=ca)

    async with running(*runnables(filled(), cluster, serving, name="shops")) as url:
        secret = await cluster.live.get(Secret, "shops-webhook-server-cert")
        code = await answered(url, trusting(secret.data["ca.crt"], shown))
        with pytest.raises((OSError, EOFError)):
            await answered(url, trusting(secret.data["ca.crt"]))

    assert code == NOBODYS_PATH


async def test_authorities_that_cannot_be_read_end_the_start(
    cluster: kw.Cluster, tmp_path: Path
) -> None:
    """Without them everybody would be answered; the message names the option and the file."""
    file = tmp_path / "ca.crt"

    with pytest.raises(
        ConfigError, match=r"^webhook_client_ca: cannot read .*ca\.crt: No such file.*PEM"
    ):
        runnables(filled(), cluster, WebhookServing(client_ca=file), name="shops")

    file.write_bytes(b"nonsense")
    with pytest.raises(ConfigError, match=r"^webhook_client_ca: .*ca\.crt.*PEM"):
        runnables(filled(), cluster, WebhookServing(client_ca=file), name="shops")


async def test_in_virtual_time_a_manager_ends_without_waiting_for_callers() -> None:
    """They learn in real time that nobody answers; a test would hang at the end of its block."""
    clock = VirtualClock()
    operator = kw.Operator("shops")
    operator.validator(Pod)(lambda pod: None)
    serving = WebhookServing(host=HOST, port=0)
    async with EmbeddedServer(controllers=False, clock=clock) as server, server.client() as client:
        manager = kw.Manager(kw.Cluster(client))
        operator.add_to(manager, serve_webhooks=serving)
        began = clock.monotonic()

        async with manager:
            pass

        assert clock.monotonic() == began
