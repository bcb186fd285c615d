"""TLS on the server's side: its certificate, and the authority for client certificates."""

import ssl
from dataclasses import dataclass, field
from typing import Protocol

from kubewright._pki.keypair import KeyPair
from kubewright._pki.server_context import as_file, load_pair, new_context

__all__ = ["ServerTLS", "load_pair"]


class TLSSource(Protocol):
    """Whatever knows the TLS settings of a server, such as `ServerTLS`."""

    def context(self) -> "ssl.SSLContext":
        """Return the `ssl` context for a server."""
        ...


@dataclass(frozen=True, slots=True)
class ServerTLS:
    """A serving certificate with its key, and the authority of client certificates; all PEM.

    A client may connect without a certificate. If it shows one, *client_ca* must have signed it, or
    the handshake fails.
    """

    certificate: bytes
    key: bytes = field(repr=False)
    client_ca: bytes | None = None

    def context(self) -> ssl.SSLContext:
        """Return the `ssl` context for a server."""
        context = new_context(KeyPair(self.certificate, self.key))
        if self.client_ca is not None:
            from kubewright._serve.client_authorities import announce_authorities

            with as_file(self.client_ca) as name:
                context.load_verify_locations(name)
                announce_authorities(context, name)
            context.verify_mode = ssl.CERT_OPTIONAL
        return context
