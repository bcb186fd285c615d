"""Tells an API server about the webhooks of an operator, when they are served."""

import asyncio
import base64
from typing import TYPE_CHECKING

from kubewright._aio import Backoff
from kubewright.client import Client
from kubewright.errors import (
    BadRequestError,
    ConfigError,
    ForbiddenError,
    InvalidError,
    KubewrightError,
    NotFoundError,
    UnauthorizedError,
)
from kubewright.log import get_logger
from kubewright.runnable import Stage
from kubewright.webhook.certificates.bundles import CABundles
from kubewright.webhook.overriding import apply_over

if TYPE_CHECKING:
    from kubewright.webhook.certificates.source import CertificateSource
    from kubewright.webhook.server import WebhookServer
    from kubewright.webhook.serving import WebhookServing
    from kubewright.webhook.webhooks import Webhooks

__all__ = ["Registration", "RegistrationOnStart"]

_STAYS = (BadRequestError, ForbiddenError, InvalidError, UnauthorizedError)

_log = get_logger(__name__)


class Registration:
    """Writes the webhook configurations of an operator; for development, and for tests.

    A release ships them as manifests.

    Args:
        client: How to reach the API server.
        webhooks: What was declared.
        serving: Where it is served.
        owner: The owner of the fields.
    """

    def __init__(
        self, client: Client, webhooks: "Webhooks", serving: "WebhookServing", *, owner: str
    ) -> None:
        self._client = client
        self._webhooks = webhooks
        self._serving = serving
        self._owner = owner

    async def install(self, ca_bundle: bytes = b"") -> None:
        """Write the configurations, waiting while the API server cannot be reached.

        Raises:
            ConfigError: We may not do that, or the server refuses them.
        """
        backoff = Backoff(clock=self._client.clock)
        while True:
            try:
                return await self._install(ca_bundle)
            except _STAYS as error:
                raise ConfigError(
                    f"cannot register the webhooks: {error}{_advice(error)}"
                ) from error
            except ConfigError:
                raise  # it does not pass by waiting
            except KubewrightError as error:
                _log.warning("cannot register the webhooks, will retry", error=str(error))
                await backoff.wait()

    async def remove(self) -> None:
        """Remove the configurations: what they name is not served any more, and nobody shall ask.

        Raises:
            KubewrightError: The API server cannot be reached, or we may not do that.
        """
        await self._remove_others(set())

    async def _install(self, ca_bundle: bytes) -> None:
        encoded = base64.b64encode(ca_bundle).decode()
        wanted = self._webhooks.configurations(self._serving, ca_bundle=encoded)
        for document in wanted:
            await apply_over(self._client, document, field_owner=self._owner)
        await self._remove_others({one["metadata"]["name"] for one in wanted})
        if ca_bundle and self._serving.hosts:
            await CABundles(self._client, self._webhooks.targets(), self._serving.hosts).publish(
                ca_bundle
            )
        if self._webhooks:
            _log.info("webhooks registered", path=self._webhooks.paths)

    async def _remove_others(self, wanted: set[str]) -> None:
        """Remove what is not *wanted*: webhooks that nobody serves refuse everything."""
        from kubewright.kinds.admissionregistration import v1

        mutating, validating = self._webhooks.configuration_names
        for kind, name in (
            (v1.MutatingWebhookConfiguration, mutating),
            (v1.ValidatingWebhookConfiguration, validating),
        ):
            if name not in wanted:
                try:
                    await self._client.delete(kind, name)
                except NotFoundError:
                    continue


def _advice(error: KubewrightError) -> str:
    if isinstance(error, (ForbiddenError, UnauthorizedError)):
        return (
            "\nOr let an administrator apply the webhook configurations, and run without"
            " --install-webhooks."
        )
    return "\nCorrect the options of that webhook where it is declared."


class RegistrationOnStart:
    """A runnable that registers webhooks as soon as they are served, and ends.

    Args:
        registration: What to register.
        server: What serves the webhooks; ``None`` if there are none any more.
        certificate: The certificate of the server.
    """

    stage: Stage = Stage.SERVERS

    def __init__(
        self,
        registration: Registration,
        server: "WebhookServer | None" = None,
        certificate: "CertificateSource | None" = None,
    ) -> None:
        self._registration = registration
        self._server = server
        self._certificate = certificate
        self._done = asyncio.Event()

    async def run(self) -> None:
        """Register the webhooks once the server listens.

        Raises:
            ConfigError: We may not do that, or the API server refuses them.
        """
        try:
            if self._server is not None:
                await self._server.wait_ready()
                if not self._server.listens:
                    return  # it says why itself
            bundle = self._certificate.ca_bundle if self._certificate is not None else b""
            if self._server is not None and not bundle:
                _log.warning(
                    "nobody said who signed the mounted certificate: caBundle is left as it is",
                    hint="put the authority into the folder as ca.crt, or write caBundle yourself;"
                    " API servers refuse to call a webhook that they do not trust",
                )
            await self._registration.install(bundle)
        finally:
            self._done.set()

    async def wait_ready(self) -> None:
        """Return once the webhooks are registered, or that is known to be impossible."""
        await self._done.wait()
