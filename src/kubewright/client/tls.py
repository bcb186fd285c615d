"""How the server is verified and how we show a client certificate: TLS settings and contexts.

Certificates rotate while an operator runs. We check the files again every few minutes; a broken or
half-written file is ignored, and the last good state stays in use.
"""

import os
import re
import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from kubewright._aio import Clock
from kubewright.client.redaction import redacted_repr
from kubewright.errors import ConfigError
from kubewright.log import get_logger

if TYPE_CHECKING:
    import ssl

_log = get_logger(__name__)

RELOAD_AFTER = 300.0
"""Seconds after which certificate files are checked again, as in client-go."""

_PEM_CERTIFICATE = rb"-----BEGIN CERTIFICATE-----\s(?s:.)+?-----END CERTIFICATE-----"


class TLSConfig(msgspec.Struct, frozen=True, kw_only=True):
    """TLS settings of a `Config`; each ``_data`` is PEM and wins over its ``_file``.

    Attributes:
        ca_file: Certificates of the authorities to trust; the system's when neither is set.
        ca_data: The same, as bytes.
        cert_file: The client certificate, with any intermediates behind it.
        cert_data: The same, as bytes.
        key_file: The private key of the client certificate.
        key_data: The same, as bytes.
        insecure: Accept whatever certificate the server shows. Anyone in between can read along.
        server_name: The name to expect in the server's certificate, instead of the host's.
    """

    ca_file: str | None = None
    ca_data: bytes | None = None
    cert_file: str | None = None
    cert_data: bytes | None = None
    key_file: str | None = None
    key_data: bytes | None = None
    insecure: bool = False
    server_name: str | None = None

    @property
    def has_ca(self) -> bool:
        """Tell whether there are authorities to trust, besides the system's."""
        return bool(self.ca_file or self.ca_data)

    @property
    def has_certificate(self) -> bool:
        """Tell whether there is a client certificate."""
        return bool(self.cert_file or self.cert_data)

    def __repr__(self) -> str:
        return redacted_repr(self, secret=("key_data",), long=("ca_data", "cert_data"))

    def __rich_repr__(self) -> list[tuple[str, str]]:
        return [("", repr(self))]


class ClientCertificate(msgspec.Struct, frozen=True):
    """A client certificate and its private key, both PEM."""

    certificate: bytes
    key: bytes

    def __repr__(self) -> str:
        return "ClientCertificate(***)"

    def __rich_repr__(self) -> list[tuple[str, str]]:
        return [("", repr(self))]


CertificateSource = Callable[[], ClientCertificate | None]


class _Material(msgspec.Struct, frozen=True):
    ca: bytes | None
    client: ClientCertificate | None


class TLSContexts:
    """Hands out the `ssl.SSLContext` for new connections, and a new one after a rotation.

    A connection keeps the context that it was opened with. So a transport that finds
    ``provider.context() is not connection.context`` knows that the connection is outdated, and
    drops it once it is idle. When the *client certificate* changes, even busy connections use the
    old identity: then the callbacks given to `on_rotation` are called.
    """

    def __init__(
        self,
        config: TLSConfig,
        clock: Clock,
        *,
        source: str = "the configuration",
        certificate: CertificateSource | None = None,
    ) -> None:
        """Store *config*; nothing is read before the first `context`.

        Args:
            config: The settings.
            clock: The source of time.
            source: Where the settings were written, for errors.
            certificate: Returns the client certificate if *config* has none: an exec plugin's.
        """
        check_tls(config, source)
        self.server_name: str | None = config.server_name
        self._config = config
        self._clock = clock
        self._source = source
        self._certificate = None if config.has_certificate else certificate
        self._material: _Material | None = None
        self._context: ssl.SSLContext | None = None
        self._look_again_at = 0.0
        self._callbacks: list[Callable[[], None]] = []

    def on_rotation(self, callback: Callable[[], None]) -> None:
        """Call *callback* when the client certificate has changed: to close all connections."""
        self._callbacks.append(callback)

    def context(self) -> "ssl.SSLContext":
        """Return the context for a new connection.

        Raises:
            ConfigError: A certificate cannot be read, and there is no earlier one to use.
        """
        if self._context is None or self._material is None:
            self._look_again_at = self._clock.monotonic() + RELOAD_AFTER
            material = self._read()
            return self._use(material, self._build(material))
        if self._is_due():
            self._reload(self._material, self._context)
        return self._context

    def _is_due(self) -> bool:
        now = self._clock.monotonic()
        if now >= self._look_again_at:
            self._look_again_at = now + RELOAD_AFTER  # even if it fails: no storm of warnings
            return True
        source, material = self._certificate, self._material
        return source is not None and material is not None and source() != material.client

    def _reload(self, old: _Material, context: "ssl.SSLContext") -> None:
        try:
            new = self._read()
            if new == old:
                return
            context = self._build(new)
        except ConfigError as error:
            _log.warning("certificates not reloaded, the old ones stay", error=str(error))
            return
        self._use(new, context)
        if new.client != old.client:
            for callback in self._callbacks:
                callback()

    def _use(self, material: _Material, context: "ssl.SSLContext") -> "ssl.SSLContext":
        self._material, self._context = material, context
        return context

    def _read(self) -> _Material:
        config = self._config
        ca = config.ca_data or read_file(config.ca_file, "certificate authority", self._source)
        if config.has_certificate:
            certificate = config.cert_data or read_file(
                config.cert_file, "client certificate", self._source
            )
            key = config.key_data or read_file(config.key_file, "client key", self._source)
            return _Material(ca, ClientCertificate(certificate or b"", key or b""))
        return _Material(ca, self._certificate() if self._certificate else None)

    def _build(self, material: _Material) -> "ssl.SSLContext":
        context = new_context(insecure=self._config.insecure)
        if material.ca is not None:
            _trust(context, material.ca, self._where("certificate authority", self._config.ca_file))
        elif not self._config.insecure:
            context.load_default_certs()
        if material.client is not None:
            where = self._where("client certificate", self._config.cert_file)
            load_client_certificate(context, material.client, where)
        return context

    def _where(self, what: str, file: str | None) -> str:
        return f"the {what} {file} of {self._source}" if file else f"the {what} of {self._source}"


def check_tls(config: TLSConfig, source: str) -> None:
    """Raise `ConfigError` where the settings contradict one another."""
    if config.insecure and config.has_ca:
        raise ConfigError(
            f"cannot use {source}: it says both to skip TLS verification and which certificate"
            " authority to trust. Remove one of the two."
        )
    if config.has_certificate and not (config.key_file or config.key_data):
        raise ConfigError(
            f"cannot use {source}: it has a client certificate but no key."
            " Add client-key or client-key-data."
        )
    if not config.has_certificate and (config.key_file or config.key_data):
        raise ConfigError(
            f"cannot use {source}: it has a client key but no certificate."
            " Add client-certificate or client-certificate-data."
        )


def new_context(*, insecure: bool = False) -> "ssl.SSLContext":
    """Return a client context that trusts no server yet, or any server if *insecure*."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # Python 3.13 made strict RFC 5280 checks the default of create_default_context. Cluster CAs
    # that kubeadm, k3s and many others have made lack the Authority Key Identifier that it wants;
    # Go, and so every other Kubernetes client, accepts them.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    # Go trusts each certificate in the bundle as it stands, an intermediate included.
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.hostname_checks_common_name = False
    context.set_alpn_protocols(["http/1.1"])
    if insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def load_client_certificate(
    context: "ssl.SSLContext", client: ClientCertificate, where: str
) -> None:
    """Load *client* into *context*; *where* names it in errors.

    Raises:
        ConfigError: It is not PEM, the key is encrypted, or the two do not belong together.
    """
    try:
        with _as_file(client.certificate + b"\n" + client.key) as path:
            _load(context, path, client, where=where)
    except OSError as error:
        raise ConfigError(
            f"cannot use {where}: OpenSSL reads it only from a file, and none can be made here"
            f" ({error.strerror or error}). Mount a folder that can be written to at /tmp."
        ) from error


def _load(context: "ssl.SSLContext", path: str, client: ClientCertificate, *, where: str) -> None:
    try:
        # An empty password: without one OpenSSL would ask on the terminal for it.
        context.load_cert_chain(path, password="")
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"cannot use {where}: {_reason(client, error)}."
            " It must be a PEM certificate with its own, unencrypted PEM key."
        ) from error


@contextmanager
def _as_file(data: bytes) -> Iterator[str]:
    """Yield the path of a temporary file with *data* that only our user can read."""
    with ExitStack() as stack:
        yield _in_memory(data, stack) or _in_folder(data, stack)


def _in_memory(data: bytes, stack: ExitStack) -> str | None:
    """Return the path of a file in memory, or None where the system has none.

    Containers often have no folder that they may write to; and a key that was never on a disk
    cannot be found there.
    """
    if not hasattr(os, "memfd_create"):
        return None
    try:
        file = stack.enter_context(os.fdopen(os.memfd_create("kubewright"), "wb", buffering=0))
        file.write(data)
    except OSError:
        return None
    path = f"/proc/self/fd/{file.fileno()}"
    return path if os.access(path, os.R_OK) else None


def _in_folder(data: bytes, stack: ExitStack) -> str:
    import tempfile

    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="kubewright-"))
    path = Path(folder, "client.pem")
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    return str(path)


def _reason(client: ClientCertificate, error: Exception) -> str:
    if b"ENCRYPTED" in client.key:
        return "the key is encrypted with a password"
    if not re.search(_PEM_CERTIFICATE, client.certificate):
        return "there is no PEM certificate in it"
    text = getattr(error, "reason", None) or str(error)
    return str(text).replace("_", " ").lower()


def _trust(context: "ssl.SSLContext", bundle: bytes, where: str) -> None:
    """Trust every certificate of *bundle*; as in Go, broken ones among good ones are skipped."""
    loaded = 0
    for block in re.findall(_PEM_CERTIFICATE, bundle):
        try:
            context.load_verify_locations(cadata=block.decode("ascii"))
        except (ssl.SSLError, ValueError):
            continue
        loaded += 1
    if not loaded:
        raise ConfigError(
            f"cannot use {where}: there is no valid PEM certificate in it."
            " It must hold at least one -----BEGIN CERTIFICATE----- block."
        )


def read_file(path: str | None, what: str, source: str) -> bytes | None:
    """Return the content of the file *path*; None if no file is named.

    Raises:
        ConfigError: It cannot be read; *what* and *source* say in the message what it is for.
    """
    if not path:
        return None
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise ConfigError(
            f"cannot read the {what} {path} of {source}: {error.strerror}."
            " Check the path and its permissions."
        ) from error
