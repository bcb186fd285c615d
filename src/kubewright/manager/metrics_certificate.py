"""The serving certificate of the metrics page: from files, or made in memory."""

import socket
import ssl
from dataclasses import dataclass
from pathlib import Path

from kubewright._pki.files import PathLike, named_path
from kubewright._serve.tls import ServerTLS
from kubewright.errors import ConfigError

__all__ = ["CertificateFiles", "load_certificate", "make_certificate"]

_OPTION = "metrics_cert_path"
_HOSTS = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class CertificateFiles:
    """Where a certificate and its key are; both PEM."""

    certificate: Path
    key: Path

    @classmethod
    def find(cls, folder: PathLike | None, name: str, key: str) -> "CertificateFiles | None":
        """Return the files called *name* and *key* in *folder*; ``None`` without a folder.

        Raises:
            ConfigError: One of the names is empty.
        """
        path = named_path(f"{_OPTION}: the path", folder)
        if path is None:
            return None
        for option, value in (("metrics_cert_name", name), ("metrics_cert_key", key)):
            if not value:
                raise ConfigError(f"{option}: it is empty. Name a file in {path}.")
        return cls(path / name, path / key)


def load_certificate(files: CertificateFiles) -> ServerTLS:
    """Return what is in *files*.

    Raises:
        ConfigError: A file is missing or damaged, or the two do not fit.
    """
    tls = ServerTLS(_read(files.certificate), _read(files.key))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_verify_locations(cadata=tls.certificate.decode())
    except (ssl.SSLError, ValueError) as error:
        raise ConfigError(
            f"{_OPTION}: {files.certificate} has no certificate in it. It must be PEM, such as the"
            " tls.crt of a Secret of type kubernetes.io/tls."
        ) from error
    try:
        # With a password, or OpenSSL would ask for one on the terminal.
        context.load_cert_chain(files.certificate, files.key, password="")
    except (ssl.SSLError, OSError, ValueError) as error:
        raise ConfigError(f"{_OPTION}: {_problem(files, error)}") from error
    return tls


def make_certificate() -> ServerTLS:
    """Return a new certificate that nobody knows; it is gone with the process."""
    from kubewright._pki.authority import Authority

    hosts = dict.fromkeys([*_HOSTS, socket.gethostname()])
    pair = Authority("kubewright-metrics").serving(*hosts)
    return ServerTLS(pair.certificate, pair.key)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"{_OPTION}: cannot read {path}: {error.strerror or error}. Mount a certificate there,"
            " or leave the path out for one that is made at the start."
        ) from error


def _problem(files: CertificateFiles, error: Exception) -> str:
    if isinstance(error, ssl.SSLError) and error.reason == "KEY_VALUES_MISMATCH":
        return (
            f"{files.key} is not the key of the certificate {files.certificate}."
            " Mount the two that were made together."
        )
    return f"{files.key} has no private key in it that can be read: it must be PEM, not encrypted."
