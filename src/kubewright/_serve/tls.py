"""TLS on the server's side: its certificate, and the authority for client certificates."""

import os
import ssl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ssl


@dataclass(frozen=True, slots=True)
class ServerTLS:
    """A serving certificate with its key, and the authority of client certificates; all PEM.

    A client may connect without a certificate. If it shows one, *client_ca* must have signed it, or
    the handshake fails.
    """

    certificate: bytes
    key: bytes = field(repr=False)
    client_ca: bytes | None = None

    def context(self) -> "ssl.SSLContext":
        """Return the `ssl` context for a server."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.set_alpn_protocols(["http/1.1"])
        context.num_tickets = 0  # clients keep their connections, so tickets would be wasted work
        load_pair(context, self.certificate + b"\n" + self.key)
        if self.client_ca is not None:
            from kubewright._serve.client_authorities import announce_authorities

            with _as_file(self.client_ca) as name:
                context.load_verify_locations(name)
                announce_authorities(context, name)
            context.verify_mode = ssl.CERT_OPTIONAL
        return context


def load_pair(context: "ssl.SSLContext", pem: bytes) -> None:
    """Load the certificate and key in *pem* into *context*."""
    with _as_file(pem) as name:
        context.load_cert_chain(name)


@contextmanager
def _as_file(pem: bytes) -> Iterator[str]:
    """Write *pem* to a temporary file: OpenSSL reads keys and names from files only."""
    handle, name = tempfile.mkstemp(prefix="kubewright-pem-")  # only our user can read it
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(pem)
        yield name
    finally:
        Path(name).unlink()
