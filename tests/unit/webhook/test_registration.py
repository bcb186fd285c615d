import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

import kubewright as kw
from kubewright._aio import VirtualClock
from kubewright._pki.authority import Authority
from kubewright.application.install import install_crds
from kubewright.client import Client
from kubewright.errors import ConfigError
from kubewright.kinds.admissionregistration.v1 import (
    MutatingWebhookConfiguration,
    ValidatingWebhookConfiguration,
)
from kubewright.kinds.apiextensions.v1 import CustomResourceDefinition
from kubewright.kinds.core.v1 import Pod
from kubewright.runnable import Readying, Runnable, Stage, stage_of
from kubewright.testing import EmbeddedServer, NextFaults, Refused, Unreachable
from kubewright.testing.faults import Fault
from kubewright.webhook.admission import declare
from kubewright.webhook.registration import Registration, RegistrationOnStart
from kubewright.webhook.server import WebhookServer
from kubewright.webhook.serving import WebhookServing
from kubewright.webhook.webhooks import Webhooks
from tests.unit._serve.clients import Scripted, echo
from tests.unit.webhook.callers import Certificate
from tests.unit.webhook.conversion.shops import ShopV1, ShopV2, ShopV3, shop_conversion

SERVING = WebhookServing(url="https://10.0.0.5:9443").named("shops", "default")
MUTATING = "shops-mutating-webhook-configuration"
VALIDATING = "shops-validating-webhook-configuration"
Configuration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration


class World:
    """An API server in virtual time, and who looks at it."""

    def __init__(self, server: EmbeddedServer, clock: VirtualClock, client: Client) -> None:
        self.server, self.clock, self.client = server, clock, client

    async def install(self, webhooks: Webhooks, ca_bundle: bytes = b"", **changed: Any) -> None:
        """Register *webhooks* as an operator does when it starts."""
        serving = changed.get("serving", SERVING)
        await Registration(self.client, webhooks, serving, owner="shops").install(ca_bundle)

    async def registered(self) -> dict[str, list[str]]:
        """Return the names of the webhooks, by configuration."""
        found: list[Configuration] = []
        found += await self.client.list(MutatingWebhookConfiguration)
        found += await self.client.list(ValidatingWebhookConfiguration)
        return {one.metadata.name: [hook.name for hook in one.webhooks] for one in found}

    @asynccontextmanager
    async def failing(self, *faults: Fault) -> AsyncIterator[Client]:
        """Return a client whose next requests fail."""
        async with self.server.client(faults=NextFaults(faults)) as client:
            yield client


@pytest.fixture
async def world() -> AsyncIterator[World]:
    clock = VirtualClock()
    async with (
        EmbeddedServer(clock=clock, controllers=False) as server,
        server.client() as client,
    ):
        yield World(server, clock, client)


def allow(obj: Any) -> None:
    """Have nothing against it."""


def webhooks_for(*flavours: str, kind: Any = Pod, **options: Any) -> Webhooks:
    """Return webhooks with a ``defaulter``, a ``validator``, or both."""
    found = Webhooks("shops")
    for flavour in flavours:
        mutating = flavour == "defaulter"
        found.add(
            declare(kind, allow, mutating=mutating, on=("create",), options=options)  # type: ignore[arg-type]  # any
        )
    return found


# --- What is written ---


async def test_both_configurations_are_written_with_the_bundle(world: World) -> None:
    """From then on the API server calls the operator, and trusts it."""
    authority = Authority("shops").certificate

    await world.install(webhooks_for("defaulter", "validator"), authority)

    made = await world.client.get(MutatingWebhookConfiguration, MUTATING)
    (hook,) = made.webhooks
    assert hook.client_config.url == "https://10.0.0.5:9443/mutate--v1-pod"
    assert hook.client_config.ca_bundle == authority
    assert await world.registered() == {
        MUTATING: ["mutate.v1.pods.core"],
        VALIDATING: ["validate.v1.pods.core"],
    }


async def test_without_a_bundle_that_of_somebody_else_stays(world: World) -> None:
    """Such as cert-manager writes it, for a certificate that it mounts."""
    webhooks = webhooks_for("validator")
    await world.install(webhooks)
    made = await world.client.get(ValidatingWebhookConfiguration, VALIDATING)
    made.webhooks[0].client_config.ca_bundle = theirs = Authority("theirs").certificate
    await world.client.update(made)

    await world.install(webhooks)

    found = await world.client.get(ValidatingWebhookConfiguration, VALIDATING)
    assert found.webhooks[0].client_config.ca_bundle == theirs


async def test_what_has_changed_is_written_again(world: World) -> None:
    """A developer starts the operator again and again, each time at another address."""
    await world.install(webhooks_for("validator", failure_policy="Ignore"))
    elsewhere = WebhookServing(url="https://10.0.0.6:1234")

    await world.install(webhooks_for("validator", timeout_seconds=3), serving=elsewhere)

    found = await world.client.get(ValidatingWebhookConfiguration, VALIDATING)
    (hook,) = found.webhooks
    assert hook.client_config.url == "https://10.0.0.6:1234/validate--v1-pod"
    assert (hook.failure_policy, hook.timeout_seconds) == ("Fail", 3)


async def test_from_a_url_to_the_service_and_back(world: World) -> None:
    """A configuration with both is refused by the API server."""
    webhooks = webhooks_for("validator")
    service = WebhookServing().named("shops", "default")

    await world.install(webhooks)
    await world.install(webhooks, serving=service)

    found = await world.client.get(ValidatingWebhookConfiguration, VALIDATING)
    client = found.webhooks[0].client_config
    assert client.url is None
    assert client.service is not None
    assert client.service.name == "shops-webhook-service"

    await world.install(webhooks)
    found = await world.client.get(ValidatingWebhookConfiguration, VALIDATING)
    assert found.webhooks[0].client_config.service is None


async def test_what_others_wrote_over_ours_is_put_right(world: World) -> None:
    """What the operator's code says is what counts while it is developed."""
    webhooks = webhooks_for("validator")
    await world.install(webhooks)
    made = await world.client.get(ValidatingWebhookConfiguration, VALIDATING)
    made.webhooks[0].failure_policy = "Ignore"
    await world.client.update(made)

    await world.install(webhooks)

    found = await world.client.get(ValidatingWebhookConfiguration, VALIDATING)
    assert found.webhooks[0].failure_policy == "Fail"


async def test_a_webhook_that_is_gone_is_not_called_any_more(world: World) -> None:
    """It would answer 404, and every write would be refused."""
    both = webhooks_for("validator")
    both.add(declare(ShopV1, allow, mutating=False, on=("create",), options={}))
    await world.install(both)

    await world.install(webhooks_for("validator"))

    assert await world.registered() == {VALIDATING: ["validate.v1.pods.core"]}


@pytest.mark.parametrize(
    ("left", "names"), [(("defaulter",), [MUTATING]), (("validator",), [VALIDATING]), ((), [])]
)
async def test_a_configuration_that_became_empty_is_removed(
    world: World, left: tuple[str, ...], names: list[str]
) -> None:
    """Its webhooks would refuse everything, and nobody would know where they come from."""
    await world.install(webhooks_for("defaulter", "validator"))

    await world.install(webhooks_for(*left))

    assert list(await world.registered()) == names


async def test_configurations_of_others_stay(world: World) -> None:
    """Two developers share a cluster."""
    others = Registration(world.client, Webhooks("bank"), SERVING, owner="bank")
    await world.install(webhooks_for("validator"))

    await others.install()

    assert list(await world.registered()) == [VALIDATING]


async def test_a_crd_gets_the_bundle_for_its_conversion(world: World) -> None:
    """Whoever installs CRDs does not know the certificate yet."""
    webhooks = Webhooks("shops")
    webhooks.conversions.append(shop_conversion())
    conversions = webhooks.crd_conversions(SERVING)
    await install_crds(world.client, (ShopV1, ShopV2, ShopV3), conversions=conversions)
    authority = Authority("shops").certificate

    await world.install(webhooks, authority)

    found = await world.client.get(CustomResourceDefinition, "shops.example.com")
    assert found.spec.conversion is not None
    assert found.spec.conversion.webhook is not None
    config = found.spec.conversion.webhook.client_config
    assert config is not None
    assert config.ca_bundle == authority


async def test_the_bundle_is_base64_once(world: World) -> None:
    """Encoded twice it is no certificate, and the API server refuses the configuration."""
    authority = Authority("shops").certificate

    await world.install(webhooks_for("validator"), authority)

    kind = kw.Kind("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration")
    found = await world.client.get(kind, VALIDATING)
    sent = found["webhooks"][0]["clientConfig"]["caBundle"]
    assert base64.b64decode(sent) == authority


# --- What goes wrong ---


async def test_whoever_may_not_do_that_hears_what_to_do(world: World) -> None:
    """The first attempt on a cluster of somebody else ends here."""
    async with world.server.client(world.server.nobody) as client:
        registration = Registration(client, webhooks_for("validator"), SERVING, owner="shops")

        with pytest.raises(ConfigError) as refused:
            await registration.install()

    said = str(refused.value)
    assert "cannot register the webhooks: " in said
    assert "validatingwebhookconfigurations" in said
    assert said.endswith(
        "Or let an administrator apply the webhook configurations, and run without"
        " --install-webhooks."
    )


async def test_what_the_server_refuses_is_not_tried_again(world: World) -> None:
    """It will not think better of it."""
    webhooks = webhooks_for("validator", match_conditions=[{"name": "a", "expression": "not CEL"}])

    with pytest.raises(ConfigError, match="not CEL"):
        await world.install(webhooks)


async def test_a_bundle_for_hosts_that_cannot_be_is_not_tried_again(world: World) -> None:
    """Waiting does not help against a typo, and the manager would wait for ever."""
    serving = WebhookServing(url="https://läden.example.com:9443")
    installing = asyncio.create_task(
        world.install(webhooks_for("validator"), b"bundle", serving=serving)
    )

    await world.clock.advance(60)
    done = installing.done()
    installing.cancel()
    await asyncio.wait([installing])

    assert done
    assert isinstance(installing.exception(), ConfigError)


async def test_while_the_api_server_is_away_it_is_tried_again(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """Operator and API server may start at the same time."""
    faults: list[Fault] = [Unreachable(), Refused(500), Refused(503), Unreachable()]
    async with world.failing(*faults) as client:
        registration = Registration(client, webhooks_for("validator"), SERVING, owner="shops")

        await world.clock.run(registration.install())

    assert await world.registered() == {VALIDATING: ["validate.v1.pods.core"]}
    assert caplog.text.count("cannot register the webhooks, will retry") > 0
    assert world.clock.monotonic() > 1


# --- When the operator starts ---


async def test_a_manager_can_run_it() -> None:
    """Before the caches, since what they list may need a conversion."""
    async with EmbeddedServer() as server, server.client() as client:
        made = RegistrationOnStart(Registration(client, Webhooks("shops"), SERVING, owner="shops"))

    assert isinstance(made, Runnable)
    assert isinstance(made, Readying)
    assert stage_of(made) is Stage.SERVERS


def started(
    world: World, certificate: Certificate, *, port: int = 0
) -> tuple[WebhookServer, RegistrationOnStart]:
    """Return a server on *port*, and what registers its webhooks."""
    server = WebhookServer(
        Scripted(echo), certificate=certificate, host="127.0.0.1", port=port, clock=world.clock
    )
    registration = Registration(world.client, webhooks_for("validator"), SERVING, owner="shops")
    return server, RegistrationOnStart(registration, server, certificate)


async def test_webhooks_are_registered_once_they_are_served(world: World) -> None:
    """Registered earlier, they would refuse all writes until the server listens."""
    certificate = Certificate()
    server, registering = started(world, certificate)
    serving = asyncio.create_task(server.run())
    task = asyncio.create_task(registering.run())
    waiting = asyncio.create_task(registering.wait_ready())

    await world.clock.advance(60)
    before, was_ready = await world.registered(), waiting.done()
    certificate.there.set()
    await waiting
    await task
    serving.cancel()
    await asyncio.wait([serving])

    assert before == {}
    assert not was_ready
    found = await world.client.get(ValidatingWebhookConfiguration, VALIDATING)
    assert found.webhooks[0].client_config.ca_bundle == certificate.ca_bundle


async def test_nothing_is_registered_for_a_server_that_cannot_listen(world: World) -> None:
    """The server says why; webhooks that nobody serves would refuse every write."""
    certificate = Certificate()
    certificate.there.set()
    first, _ = started(world, certificate)
    running = asyncio.create_task(first.run())
    await first.wait_ready()
    second, registering = started(world, certificate, port=int(first.url.rpartition(":")[2]))
    failing = asyncio.create_task(second.run())

    await registering.run()
    await registering.wait_ready()
    running.cancel()
    await asyncio.wait([running, failing])

    assert await world.registered() == {}
    assert isinstance(failing.exception(), ConfigError)


async def test_without_a_server_what_was_registered_before_is_removed(world: World) -> None:
    """The last webhook was taken out of the code."""
    await world.install(webhooks_for("defaulter", "validator"))

    await RegistrationOnStart(
        Registration(world.client, Webhooks("shops"), SERVING, owner="shops")
    ).run()

    assert await world.registered() == {}


async def test_whoever_waits_for_it_does_not_wait_for_ever(world: World) -> None:
    """A manager ends with the error, and not by waiting for what cannot come."""
    async with world.server.client(world.server.nobody) as client:
        registration = Registration(client, webhooks_for("validator"), SERVING, owner="shops")
        registering = RegistrationOnStart(registration)

        with pytest.raises(ConfigError, match="--install-webhooks"):
            await registering.run()

        await registering.wait_ready()
