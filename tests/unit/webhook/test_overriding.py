"""The place of webhooks, over another place; tests/conformance has the same on real servers."""

from collections.abc import AsyncIterator

import pytest

import kubewright as kw
from kubewright.crd.webhooks import Document
from kubewright.kinds.admissionregistration.v1 import ValidatingWebhookConfiguration
from kubewright.kinds.core.v1 import Pod
from kubewright.testing import EmbeddedServer
from kubewright.webhook.overriding import apply_over
from kubewright.webhook.serving import WebhookServing

NAME = "shops-validating-webhook-configuration"
SERVICE = WebhookServing(namespace="shops")
URL = WebhookServing(url="https://127.0.0.1:9443")


@pytest.fixture
async def client() -> AsyncIterator[kw.Client]:
    async with EmbeddedServer(controllers=False) as server, server.client() as client:
        yield client


def configuration(place: WebhookServing) -> Document:
    """Return the configuration of an operator with a validator."""
    operator = kw.Operator("shops")
    operator.validator(Pod)(lambda pod: None)
    (found,) = operator.webhooks.configurations(place)
    return found


@pytest.mark.parametrize(("before", "after"), [(SERVICE, URL), (URL, SERVICE)])
async def test_another_place_takes_the_place_of_the_first(
    client: kw.Client, before: WebhookServing, after: WebhookServing
) -> None:
    """Both ways: from a release to development, and back."""
    await apply_over(client, configuration(before), field_owner="a-release")

    await apply_over(client, configuration(after), field_owner="shops")

    (hook,) = (await client.get(ValidatingWebhookConfiguration, NAME)).webhooks
    assert (hook.client_config.url is None) is (after is SERVICE)
    assert (hook.client_config.service is None) is (after is URL)


async def test_what_is_wrong_otherwise_is_refused_as_it_is(client: kw.Client) -> None:
    """Nothing that is there is changed for it."""
    await apply_over(client, configuration(URL), field_owner="shops")
    wrong = configuration(URL)
    wrong["webhooks"][0]["timeoutSeconds"] = 99

    with pytest.raises(kw.InvalidError, match="timeoutSeconds"):
        await apply_over(client, wrong, field_owner="shops")

    (hook,) = (await client.get(ValidatingWebhookConfiguration, NAME)).webhooks
    assert hook.timeout_seconds == 10


async def test_what_is_not_there_yet_is_refused_as_it_is(client: kw.Client) -> None:
    """There is no other place that could be in the way."""
    wrong = configuration(URL)
    wrong["webhooks"][0]["timeoutSeconds"] = 99

    with pytest.raises(kw.InvalidError, match="timeoutSeconds"):
        await apply_over(client, wrong, field_owner="shops")

    assert await client.find(ValidatingWebhookConfiguration, NAME) is None
