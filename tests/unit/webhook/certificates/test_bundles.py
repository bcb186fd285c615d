import asyncio

import pytest

from kubewright._pki.authority import Authority
from kubewright.api.meta import ObjectMeta
from kubewright.api.requests import Request
from kubewright.api.unstructured import Unstructured
from kubewright.client import Client
from kubewright.client.transport import Response
from kubewright.embedded import InProcessTransport
from kubewright.errors import ForbiddenError
from kubewright.kinds.admissionregistration.v1 import (
    MutatingWebhookConfiguration,
    ValidatingWebhook,
    ValidatingWebhookConfiguration,
    WebhookClientConfig,
)
from kubewright.kinds.apiextensions.v1 import CustomResourceDefinition
from kubewright.testing.faults import Refused
from kubewright.webhook.certificates import CABundles, Targets, service_hosts
from tests.unit.webhook.certificates.villages import HOOKS, TARGETS, Village, Wire, village

HOSTS = service_hosts("shop", "default")
BUNDLE = Authority("ours").certificate
OTHER = Authority("theirs").certificate


def hook_at(name: str, url: str) -> ValidatingWebhook:
    return ValidatingWebhook(
        name=name,
        admission_review_versions=["v1"],
        side_effects="None",
        client_config=WebhookClientConfig(url=url),
    )


async def install_validating(town: Village, *urls: str) -> None:
    hooks = [hook_at(f"{index}.shop.example.com", url) for index, url in enumerate(urls)]
    made = ValidatingWebhookConfiguration(metadata=ObjectMeta(name=HOOKS), webhooks=hooks)
    await town.client.create(made)


async def validating_bundles(town: Village) -> list[bytes | None]:
    found = await town.client.get(ValidatingWebhookConfiguration, HOOKS)
    return [one.client_config.ca_bundle for one in found.webhooks]


async def install_crd(town: Village) -> None:
    service = {"name": "shop", "namespace": "default", "path": "/convert"}
    webhook = {"conversionReviewVersions": ["v1"], "clientConfig": {"service": service}}
    schema = {"openAPIV3Schema": {"type": "object"}}
    await town.client.create(
        Unstructured(
            {
                "apiVersion": "apiextensions.k8s.io/v1",
                "kind": "CustomResourceDefinition",
                "metadata": {"name": "shops.example.com"},
                "spec": {
                    "group": "example.com",
                    "scope": "Namespaced",
                    "names": {"plural": "shops", "kind": "Shop"},
                    "conversion": {"strategy": "Webhook", "webhook": webhook},
                    "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
                },
            }
        )
    )


async def test_the_conversion_of_a_crd_has_a_bundle_too() -> None:
    """Objects of another version could not be read at all without."""
    async with village() as town:
        await install_crd(town)

        await CABundles(town.client, Targets(crds=("shops.example.com",)), HOSTS).publish(BUNDLE)

        crd = await town.client.get(CustomResourceDefinition, "shops.example.com")
        assert crd.spec.conversion is not None
        assert crd.spec.conversion.webhook is not None
        assert crd.spec.conversion.webhook.client_config is not None
        assert crd.spec.conversion.webhook.client_config.ca_bundle == BUNDLE


async def test_a_url_is_ours_by_its_host() -> None:
    """On a developer's machine there is no Service."""
    async with village() as town:
        await install_validating(town, "https://127.0.0.1:9443/v", "https://bank.example/v")

        await CABundles(town.client, Targets(validating=(HOOKS,)), ("127.0.0.1",)).publish(BUNDLE)

        assert await validating_bundles(town) == [BUNDLE, None]


async def test_one_object_that_cannot_be_written_does_not_keep_the_others_from_it() -> None:
    """A missing right for one must not make all webhooks fail."""
    async with village() as town:
        await install_validating(town, "https://shop.default.svc/v")
        wire = Wire()
        wire.cut(Refused(403), "PATCH", "mutating")
        targets = Targets(mutating=(HOOKS,), validating=(HOOKS,))

        async with town.server.client(faults=wire) as client:
            with pytest.raises(ForbiddenError):
                await CABundles(client, targets, HOSTS).publish(BUNDLE)

        assert await validating_bundles(town) == [BUNDLE]


class LateAnswers(InProcessTransport):
    """A connection on which the answer to each patch is five seconds under way."""

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        answer = await super().send(request, timeout=timeout)
        if request.method == "PATCH":
            await self._clock.sleep(5)
        return answer


async def test_an_overwrite_that_is_seen_before_our_own_write_is_answered_is_put_right() -> None:
    """Watch and patch are two connections: the news of the later change can come first."""
    async with village() as town:
        headers = (("Authorization", f"Bearer {town.server.admin.token}"),)
        late = LateAnswers(town.server.api, headers=headers, clock=town.clock)
        config = town.server.config(town.server.admin).replace(token=None)
        async with Client(config, transport=late, clock=town.clock) as client:
            bundles, changed = CABundles(client, TARGETS, HOSTS), asyncio.Event()
            following = asyncio.create_task(bundles.follow(changed.set))
            writing = asyncio.create_task(bundles.publish(BUNDLE))
            await town.clock.advance(1)
            assert await town.bundle() == BUNDLE
            changed.clear()

            await town.overwrite(OTHER)
            await town.clock.advance(1)
            assert not writing.done()
            await town.clock.advance(5)
            assert changed.is_set()
            again = asyncio.create_task(bundles.publish(BUNDLE))
            await town.clock.advance(10)
            following.cancel()
            await asyncio.wait([following, writing, again])

        assert await town.bundle() == BUNDLE


async def test_nothing_is_written_by_who_no_longer_knows_the_truth() -> None:
    """A process that was paused would write an old bundle over the one that is needed now."""
    async with village() as town:
        bundles = CABundles(town.client, TARGETS, HOSTS)
        await town.overwrite(OTHER)
        truths = [False, True]

        async def still_right() -> bool:
            return truths.pop(0)

        assert not await bundles.publish(BUNDLE, still_right=still_right)
        assert await town.bundle() == OTHER
        assert await bundles.publish(BUNDLE, still_right=still_right)
        assert await town.bundle() == BUNDLE


async def test_a_change_between_look_and_write_is_looked_at_again() -> None:
    """The webhooks may have another order by then, and the bundle would go to somebody else's."""
    async with village() as town:
        looks = 0

        async def still_right() -> bool:
            nonlocal looks
            looks += 1
            if looks == 1:
                hooks = await town.client.get(MutatingWebhookConfiguration, HOOKS)
                hooks.webhooks.reverse()
                await town.client.update(hooks)
            return True

        await CABundles(town.client, TARGETS, HOSTS).publish(BUNDLE, still_right=still_right)

        assert looks == 2
        assert await town.bundle(0) == b""
        assert await town.bundle(1) == BUNDLE
