from pathlib import Path

import pytest

from kubewright.apiserver.webhook.options import (
    AuthenticationWebhook,
    AuthorizationWebhook,
    authentication_options,
    authorization_options,
    config_path,
)
from kubewright.errors import ConfigError


def test_a_path_stands_for_the_defaults_of_kube_apiserver() -> None:
    """Most users have no other wish."""
    assert authorization_options("a", rbac=True) == AuthorizationWebhook("a", "v1", 300, 30)
    assert authentication_options(Path("a")) == AuthenticationWebhook(Path("a"), "v1", 120)


def test_an_unknown_version_is_refused_with_those_that_are_known() -> None:
    """A webhook would not understand it."""
    with pytest.raises(ConfigError, match=r"'v2'.*choose v1 or v1beta1 as --authorization-webhook"):
        authorization_options(AuthorizationWebhook("a", "v2"), rbac=True)
    with pytest.raises(ConfigError, match="as --authentication-token-webhook-version"):
        authentication_options(AuthenticationWebhook("a", ""))


def test_a_webhook_that_would_never_be_asked_is_refused() -> None:
    """Without RBAC all is allowed before the webhook."""
    with pytest.raises(ConfigError, match="without RBAC"):
        authorization_options("a", rbac=False)


def test_an_empty_path_is_refused() -> None:
    """A variable of a script was not set."""
    with pytest.raises(ConfigError, match="authorization_webhook is empty"):
        config_path("authorization_webhook", "")
