"""`WebhookServing`: where the webhooks of an operator are served, and how they are found."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec
from msgspec.structs import replace

from kubewright.errors import ConfigError

if TYPE_CHECKING:
    from kubewright.crd.webhooks import ClientConfig

__all__ = ["WebhookServing"]

PORT: int = 9443
BODY_LIMIT: int = 7 << 20
"""Bytes of a review, unless it is of a kind that has another limit."""
_LAST_PORT = 65535
_NEVER = re.compile(r"[?#@\s]")  # in a URL to which paths are added
_DRAIN = 5.0  # about what it takes until no node sends new connections to a pod that ends


class WebhookServing(msgspec.Struct, frozen=True, kw_only=True):
    """How the webhooks of an operator are served.

    API servers call a Service in the cluster, or a URL. The certificate is in files that somebody
    mounts; without, the operator makes its own and keeps it in a Secret.

    Attributes:
        host: The address to listen on; empty for all.
        port: The port.
        cert_path: The folder with a certificate that somebody mounts; ``None`` to make our own.
        cert_name: The file of the certificate in that folder.
        cert_key: The file of its key.
        client_ca: A file with the authorities of client certificates; with it, clients need one.
        url: Where API servers reach this process, such as ``https://10.0.0.5:9443``; empty if they
            call the Service.
        service: The name of the Service; by default that of the operator, with dashes for its
            dots, and ``-webhook-service``.
        namespace: The namespace of the Service and the Secret; by default the client's.
        secret: The name of the Secret; by default that of the operator and
            ``-webhook-server-cert``.
        install: Whether to register the webhooks with the API server when they are served.
        drain: Seconds for which new requests are answered after the end was asked for: API servers
            come until they have learnt of it. By default 5 behind a Service, 0 at a URL.

    Raises:
        ConfigError: The port or the URL cannot be used.
    """

    host: str = ""
    port: int = PORT
    cert_path: Path | None = None
    cert_name: str = "tls.crt"
    cert_key: str = "tls.key"
    client_ca: Path | None = None
    url: str = ""
    service: str = ""
    namespace: str = ""
    secret: str = ""
    install: bool = False
    drain: float | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.port <= _LAST_PORT:
            raise ConfigError(f"webhook_port: {self.port} is no port; use 1 to {_LAST_PORT}")
        if self.url:
            _check_url(self.url)
        if self.install and not self.port and not self.url:
            raise ConfigError("webhook_port: API servers must know the port; choose one but 0")

    def named(self, name: str, namespace: str) -> "WebhookServing":
        """Return this with what was left out, for the operator *name* in *namespace*."""
        label = name.replace(".", "-")  # an operator may have dots in its name, a Service may not
        return replace(
            self,
            service=self.service or f"{label}-webhook-service",
            namespace=self.namespace or namespace,
            secret=self.secret or f"{name}-webhook-server-cert",
            drain=self.drain if self.drain is not None else (0.0 if self.url else _DRAIN),
        )

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names and addresses that the certificate is for."""
        from kubewright.webhook.certificates.targets import service_hosts

        called = urlsplit(self.url).hostname
        service = service_hosts(self.service, self.namespace) if self.service else ()
        return (called, *service) if called else service

    def client(self, path: str) -> "ClientConfig":
        """Return how API servers call *path*."""
        from kubewright.crd.webhooks import ClientConfig

        if self.url:
            return ClientConfig(url=f"{self.url.rstrip('/')}{path}")
        where: dict[str, Any] = {"path": path}
        if self.service:
            where["service_name"] = self.service
        if self.namespace:
            where["service_namespace"] = self.namespace
        return ClientConfig(**where)


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        good = url.startswith("https://") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    # Looked for in the text: urlsplit forgets spaces, line ends, and marks with nothing after them.
    if not good or _NEVER.search(url):
        raise ConfigError(
            f"webhook_url: API servers cannot call {url!r}; write https:// and the host and port at"
            " which they reach this machine, such as https://10.0.0.5:9443"
        )
