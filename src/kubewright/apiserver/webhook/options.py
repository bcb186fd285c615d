"""What a user can say about the webhooks that authenticate and authorize."""

from dataclasses import dataclass
from pathlib import Path

from kubewright._pki.files import PathLike, named_path
from kubewright.errors import ConfigError

VERSIONS: tuple[str, ...] = ("v1", "v1beta1")


@dataclass(frozen=True, slots=True)
class AuthorizationWebhook:
    """A webhook that decides what users may do where RBAC does not allow it.

    Attributes:
        config_file: A file in the format of a kubeconfig, which says where the webhook is.
        version: Of the SubjectAccessReviews that are sent: ``v1`` or ``v1beta1``.
        authorized_ttl: Seconds for which a yes is remembered.
        unauthorized_ttl: Seconds for which any other answer is remembered.
    """

    config_file: PathLike
    version: str = "v1"
    authorized_ttl: float = 300.0
    unauthorized_ttl: float = 30.0


@dataclass(frozen=True, slots=True)
class AuthenticationWebhook:
    """A webhook that knows whose token one is that the server does not know.

    Attributes:
        config_file: A file in the format of a kubeconfig, which says where the webhook is.
        version: Of the TokenReviews that are sent: ``v1`` or ``v1beta1``.
        cache_ttl: Seconds for which an answer is remembered.
    """

    config_file: PathLike
    version: str = "v1"
    cache_ttl: float = 120.0


def authorization_options(
    given: AuthorizationWebhook | PathLike, *, rbac: bool
) -> AuthorizationWebhook:
    """Return what the argument ``authorization_webhook`` says; a path stands for the defaults.

    Raises:
        ConfigError: It cannot be used.
    """
    if not rbac:
        raise ConfigError(
            "cannot use an authorization webhook without RBAC: every user may do everything then,"
            " so that it would never be asked. Turn on RBAC, or leave out the webhook."
        )
    if not isinstance(given, AuthorizationWebhook):
        given = AuthorizationWebhook(given)
    _check_version(given.version, "--authorization-webhook-version", given.config_file)
    return given


def authentication_options(given: AuthenticationWebhook | PathLike) -> AuthenticationWebhook:
    """Return what the argument ``authentication_webhook`` says; a path stands for the defaults.

    Raises:
        ConfigError: It cannot be used.
    """
    if not isinstance(given, AuthenticationWebhook):
        given = AuthenticationWebhook(given)
    _check_version(given.version, "--authentication-token-webhook-version", given.config_file)
    return given


def config_path(name: str, value: PathLike) -> Path:
    """Return the config file that the argument *name* names.

    Raises:
        ConfigError: It is empty.
    """
    found = named_path(name, value)
    assert found is not None
    return found


def _check_version(version: str, option: str, file: PathLike) -> None:
    if version not in VERSIONS:
        raise ConfigError(
            f"cannot send reviews of version {version!r} to the webhook of {file}: choose"
            f" {' or '.join(VERSIONS)} as {option}."
        )
