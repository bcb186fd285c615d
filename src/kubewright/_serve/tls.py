"""TLS of the front: who we are, and which clients we know by their certificates."""

import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ssl


@dataclass(frozen=True, slots=True)
class ServerTLS:
    """A serving certificate with its key, and the authority of client certificates; all PEM.

    A client may come without a certificate. One that it shows must be signed by *client_ca*, or
    the handshake fails.
    """

    certificate: bytes
    key: bytes = field(repr=False)
    client_ca: bytes | None = None

    def context(self) -> "ssl.SSLContext":
        """Return the context of a server."""
        import ssl  # noqa: PLC0415  # a server without TLS does not pay for it

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.set_alpn_protocols(["http/1.1"])
        context.num_tickets = 0  # clients keep connections, so making tickets is work for nothing
        load_pair(context, self.certificate + b"\n" + self.key)
        if self.client_ca is not None:
            context.load_verify_locations(cadata=self.client_ca.decode("ascii"))
            context.verify_mode = ssl.CERT_OPTIONAL
        return context


def load_pair(context: "ssl.SSLContext", pem: bytes) -> None:
    """Let *context* show the certificate in *pem*, which has its key as well."""
    # OpenSSL reads a key from a file only; others cannot read those of mkstemp.
    handle, name = tempfile.mkstemp(prefix="kubewright-pair-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(pem)
        context.load_cert_chain(name)
    finally:
        Path(name).unlink()
