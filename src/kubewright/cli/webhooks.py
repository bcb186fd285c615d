"""The options of ``kubewright apiserver`` about webhooks that authenticate and authorize."""

from pathlib import Path

from kubewright.api.times import parse_duration
from kubewright.apiserver.webhook.options import AuthenticationWebhook, AuthorizationWebhook
from kubewright.errors import ConfigError

__all__ = ["authentication", "authorization"]


def authorization(
    file: Path | None, version: str, *, authorized_ttl: str, unauthorized_ttl: str
) -> AuthorizationWebhook | None:
    """Return the webhook that decides what users may do; ``None`` without a config file.

    Raises:
        ConfigError: A duration is not one.
    """
    prefix = "--authorization-webhook-cache"
    yes = _seconds(f"{prefix}-authorized-ttl", authorized_ttl)
    no = _seconds(f"{prefix}-unauthorized-ttl", unauthorized_ttl)
    return None if file is None else AuthorizationWebhook(file, version, yes, no)


def authentication(
    file: Path | None, version: str, *, cache_ttl: str
) -> AuthenticationWebhook | None:
    """Return the webhook that knows tokens; ``None`` without a config file.

    Raises:
        ConfigError: The duration is not one.
    """
    seconds = _seconds("--authentication-token-webhook-cache-ttl", cache_ttl)
    return None if file is None else AuthenticationWebhook(file, version, seconds)


def _seconds(option: str, text: str) -> float:
    try:
        return parse_duration(text).total_seconds()
    except ValueError as error:
        raise ConfigError(f"cannot use {option}: {error}") from None
