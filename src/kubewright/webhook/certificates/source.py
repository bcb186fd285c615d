"""Where the certificate of a webhook server comes from."""

import ssl
from typing import Protocol, runtime_checkable

__all__ = ["CertificateSource"]


@runtime_checkable
class CertificateSource(Protocol):
    """A certificate for a server, and whatever keeps it up to date."""

    async def load(self) -> ssl.SSLContext:
        """Return the context to listen with, once there is a certificate.

        Raises:
            ConfigError: There is none, and waiting does not help.
        """
        ...

    async def keep(self) -> None:
        """Keep the certificate, and what clients trust, up to date until cancelled."""
        ...

    def problem(self) -> str:
        """Return why the server is not ready to serve with it, or nothing."""
        ...

    @property
    def ca_bundle(self) -> bytes:
        """The authorities that clients must trust, in PEM; empty if somebody else knows them."""
        ...
