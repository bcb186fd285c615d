"""The webhooks of one server that authenticate and authorize, if it has any."""

from typing import TYPE_CHECKING

from kubewright._aio import Clock
from kubewright._pki.files import PathLike
from kubewright.apiserver.authorization.attributes import Authorizer

if TYPE_CHECKING:
    from kubewright.apiserver.authentication.webhook import WebhookTokens
    from kubewright.apiserver.webhook.client import ReviewClient
    from kubewright.apiserver.webhook.options import AuthenticationWebhook, AuthorizationWebhook


class Reviewers:
    """Makes what asks the webhooks, and closes it. Modules are loaded only if there are webhooks.

    Args:
        clock: Where time comes from.
        authorization: The webhook that decides what users may do, or the path of its config file.
        authentication: The webhook that knows tokens, or the path of its config file.
        rbac: Whether RBAC decides before the webhook.

    Raises:
        ConfigError: A webhook cannot be used as it is configured.

    Attributes:
        tokens: Asks about tokens; ``None`` without a webhook for it.
    """

    def __init__(
        self,
        clock: Clock,
        authorization: "AuthorizationWebhook | PathLike | None" = None,
        authentication: "AuthenticationWebhook | PathLike | None" = None,
        *,
        rbac: bool = True,
    ) -> None:
        self._clock = clock
        self._clients: list[ReviewClient] = []
        self._authorization: tuple[ReviewClient, AuthorizationWebhook] | None = None
        self.tokens: WebhookTokens | None = None
        if authorization is not None:
            self._authorization = self._prepare(authorization, rbac=rbac)
        if authentication is not None:
            self.tokens = self._tokens(authentication)

    def after(self, first: Authorizer) -> Authorizer:
        """Return what decides as *first* does, and then as the webhook does, if there is one."""
        if self._authorization is None:
            return first
        from kubewright.apiserver.authorization.webhook import WebhookAuthorizer

        client, options = self._authorization
        return WebhookAuthorizer(first, client, options=options, clock=self._clock)

    async def close(self) -> None:
        """Close every connection."""
        for client in self._clients:
            await client.close()

    def _prepare(
        self, given: "AuthorizationWebhook | PathLike", *, rbac: bool
    ) -> "tuple[ReviewClient, AuthorizationWebhook]":
        from kubewright.apiserver.webhook.options import authorization_options

        options = authorization_options(given, rbac=rbac)
        return self._client("authorization_webhook", options.config_file), options

    def _tokens(self, given: "AuthenticationWebhook | PathLike") -> "WebhookTokens":
        from kubewright.apiserver.authentication.webhook import WebhookTokens
        from kubewright.apiserver.webhook.options import authentication_options

        options = authentication_options(given)
        client = self._client("authentication_webhook", options.config_file)
        return WebhookTokens(client, options=options, clock=self._clock)

    def _client(self, name: str, file: PathLike) -> "ReviewClient":
        from kubewright.apiserver.webhook.client import ReviewClient
        from kubewright.apiserver.webhook.config import read_config
        from kubewright.apiserver.webhook.options import config_path

        client = ReviewClient(read_config(config_path(name, file)), clock=self._clock)
        self._clients.append(client)
        return client
