"""The certificates of a server, kept in a folder as long as they are good."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.x509 import ExtensionNotFound, load_pem_x509_certificate

from kubewright._pki.authority import Authority, KeyPair, OutOfDateError, is_serving
from kubewright._pki.files import keep_private, write_private
from kubewright.errors import ConfigError

_FRONT_PROXY = "front-proxy-ca"


@dataclass(frozen=True, slots=True)
class Certificates:
    """What a server needs for TLS: its authorities, and its own certificate.

    Attributes:
        front_proxy: Signs for those who may speak in the name of users. It is not the authority of
            clients: whoever has a client certificate must not be able to do that.
    """

    authority: Authority
    serving: KeyPair
    front_proxy: Authority


def prepare_certificates(folder: Path | None, hosts: Sequence[str]) -> Certificates:
    """Return certificates for a server that is reached by *hosts*.

    Those in *folder* are used while they are good for some time to come and the hosts are the
    same; others are made, and kept there. Without a folder they live as long as the server.

    Raises:
        ConfigError: The folder cannot be read or written, or the authority in it is damaged.
    """
    if folder is None:
        authority = Authority()
        return Certificates(authority, authority.serving(*hosts), Authority(_FRONT_PROXY))
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return _load_or_make(folder, hosts)
    except OSError as error:
        raise ConfigError(
            f"cannot keep certificates in {folder}: {error.strerror or error}."
            " Use a folder that you can write to."
        ) from error


def _load_or_make(folder: Path, hosts: Sequence[str]) -> Certificates:
    authority = _load_or_make_authority(folder)
    serving = _read(folder, "serving")
    if serving is None or not is_serving(serving, authority, *hosts):
        serving = authority.serving(*hosts)
        _write(folder, "serving", serving)
    return Certificates(authority, serving, _load_or_make_authority(folder, _FRONT_PROXY))


def _load_or_make_authority(folder: Path, name: str = "ca") -> Authority:
    pair = _read(folder, name)
    if pair is not None:
        try:
            return Authority(pair=pair)
        except OutOfDateError:
            pass  # it has expired, so nothing is lost by making another one
        except (ValueError, TypeError, ExtensionNotFound, UnsupportedAlgorithm) as error:
            raise ConfigError(_damaged(folder, name, pair)) from error
    authority = Authority() if name == "ca" else Authority(name)
    _write(folder, name, authority.pair)
    return authority


def _damaged(folder: Path, name: str, pair: KeyPair) -> str:
    # Clients trust this authority: a new one in its place would silently lock them out.
    try:
        load_pem_x509_certificate(pair.certificate)
        path = folder / f"{name}.key"
    except ValueError:
        path = folder / f"{name}.crt"
    return (
        f"cannot use {path}: it is damaged, or the two halves of the authority do not fit. Restore"
        f" it, or remove {name}.crt and {name}.key from {folder} to get new ones; clients need the"
        " new kubeconfig then."
    )


def _read(folder: Path, name: str) -> KeyPair | None:
    keep_private(folder / f"{name}.key")
    try:
        return KeyPair((folder / f"{name}.crt").read_bytes(), (folder / f"{name}.key").read_bytes())
    except FileNotFoundError:
        return None


def _write(folder: Path, name: str, pair: KeyPair) -> None:
    write_private(folder / f"{name}.key", pair.key)
    write_private(folder / f"{name}.crt", pair.certificate)
