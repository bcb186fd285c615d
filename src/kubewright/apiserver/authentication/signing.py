"""The key that signs the tokens of service accounts: made when needed, kept with the data."""

from pathlib import Path

from kubewright._pki.files import keep_private, write_private
from kubewright.apiserver.authentication.jwt import SigningKey
from kubewright.errors import ConfigError

FILE: str = "service-account.key"
PEM: bytes = b"-----BEGIN "


def prepare_signing_key(folder: Path | None) -> SigningKey:
    """Return the key in *folder*, made if it is not there; a new one without a folder.

    Raises:
        ConfigError: The file is not a key.
    """
    if folder is None:
        return SigningKey.generate()
    path = folder / FILE
    if path.exists():
        return _load(path)
    key = SigningKey.generate()
    write_private(path, key.pem)
    return key


def check_signing_key(folder: Path) -> None:
    """Check that the key in *folder*, if there is one, looks like a key.

    It is loaded when it is first needed: that takes longer than to start the server.

    Raises:
        ConfigError: It does not.
    """
    path = folder / FILE
    keep_private(path)
    try:
        found = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror or error}.") from error
    if not found.startswith(PEM):
        raise ConfigError(_damaged(path))


def _load(path: Path) -> SigningKey:
    try:
        return SigningKey.load(path.read_bytes())
    except (OSError, ValueError, TypeError) as error:
        raise ConfigError(_damaged(path)) from error


def _damaged(path: Path) -> str:
    return (
        f"cannot use {path}: it holds no private key of RSA or P-256 in PEM. Restore it, or remove"
        " it to get a new one; tokens of service accounts are made anew then."
    )
