from pathlib import Path

import pytest

from kubewright.apiserver import AuthenticationWebhook, AuthorizationWebhook
from kubewright.cli.webhooks import authentication, authorization
from kubewright.errors import ConfigError

FILE = Path("hook.yaml")


def test_durations_are_those_of_go() -> None:
    """The flags of kube-apiserver can be copied as they are."""
    first = authorization(FILE, "v1beta1", authorized_ttl="1h30m", unauthorized_ttl="0s")
    second = authentication(FILE, "v1", cache_ttl="500ms")

    assert first == AuthorizationWebhook(FILE, "v1beta1", 5400, 0)
    assert second == AuthenticationWebhook(FILE, "v1", 0.5)


def test_without_a_file_there_is_no_webhook() -> None:
    """The other options have defaults."""
    assert authorization(None, "v1", authorized_ttl="5m", unauthorized_ttl="30s") is None
    assert authentication(None, "v1", cache_ttl="2m") is None


def test_a_bad_duration_is_named_with_its_option() -> None:
    """There are three of them."""
    with pytest.raises(ConfigError, match=r"--authorization-webhook-cache-authorized-ttl: .*5x"):
        authorization(FILE, "v1", authorized_ttl="5x", unauthorized_ttl="30s")
    with pytest.raises(ConfigError, match="--authentication-token-webhook-cache-ttl"):
        authentication(FILE, "v1", cache_ttl="soon")
