"""TLS of the front: who we are, and which clients we know by their certificates."""

import os
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
            from kubewright._serve.client_authorities import (  # noqa: PLC0415  # ctypes is not for all
                announce_authorities,
            )

            with _as_file(self.client_ca) as name:
                context.load_verify_locations(name)
                announce_authorities(context, name)
            context.verify_mode = ssl.CERT_OPTIONAL
        return context


def load_pair(context: "ssl.SSLContext", pem: bytes) -> None:
    """Let *context* show the certificate in *pem*, which has its key as well."""
    with _as_file(pem) as name:
        context.load_cert_chain(name)


@contextmanager
def _as_file(pem: bytes) -> Iterator[str]:
    """Put *pem* into a file for a moment: OpenSSL reads keys, and names, from files only."""
    handle, name = tempfile.mkstemp(prefix="kubewright-pem-")  # others cannot read it
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(pem)
        yield name
    finally:
        Path(name).unlink()
