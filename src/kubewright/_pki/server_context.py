"""The `ssl` context of a server, whose certificate can be replaced while it listens."""

import os
import ssl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kubewright._pki.facts import CertificateFacts
from kubewright._pki.keypair import KeyPair

__all__ = ["Serving", "as_file", "load_pair", "new_context"]


def new_context(pair: KeyPair) -> ssl.SSLContext:
    """Return a context for a server that shows *pair*: HTTP/1.1 over TLS 1.2 and later.

    Raises:
        ssl.SSLError: Certificate and key do not fit together, or one of them is broken.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    context.num_tickets = 0  # clients keep their connections, so tickets would be wasted work
    load_pair(context, pair.certificate + b"\n" + pair.key)
    return context


def load_pair(context: ssl.SSLContext, pem: bytes) -> None:
    """Load the certificate and key in *pem* into *context*."""
    with as_file(pem) as name:
        # An empty password: for a key with one, OpenSSL would ask on the terminal, and wait.
        context.load_cert_chain(name, password="")


@contextmanager
def as_file(pem: bytes) -> Iterator[str]:
    """Write *pem* to a temporary file: OpenSSL reads keys and names from files only."""
    handle, name = tempfile.mkstemp(prefix="kubewright-pem-")  # only our user can read it
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(pem)
        yield name
    finally:
        Path(name).unlink()


class Serving:
    """A context, and the pair that new handshakes are answered with.

    Open connections go on with the pair that they began with.

    Raises:
        ValueError: The pair is broken, or its halves do not fit together.

    Attributes:
        context: What a server listens with; the same for ever.
        pair: What it shows now.
        facts: What the certificate says.
    """

    def __init__(self, pair: KeyPair) -> None:
        self.facts: CertificateFacts = CertificateFacts.of(pair.certificate)
        self.context: ssl.SSLContext = _tried(pair)
        self.pair: KeyPair = pair
        self._algorithm = self.facts.algorithm

    def replace(self, pair: KeyPair) -> None:
        """Show *pair* from now on; if it is not good, the last one stays.

        Raises:
            ValueError: As above.
        """
        facts = CertificateFacts.of(pair.certificate)
        # Tried elsewhere first: a failure would leave half of the pair in the context.
        tried = _tried(pair)
        if facts.algorithm == self._algorithm:
            load_pair(self.context, pair.certificate + b"\n" + pair.key)
            self.context.sni_callback = None
        else:
            self._divert(tried)
        self.pair, self.facts = pair, facts

    def _divert(self, other: ssl.SSLContext) -> None:
        """Answer handshakes with *other*.

        A context keeps one pair for each algorithm, and the client chooses: after a change from RSA
        to elliptic curves it would show the old certificate to some, even when that has expired.
        """
        ours = self.context
        if authorities := b"".join(ours.get_ca_certs(binary_form=True)):
            other.load_verify_locations(cadata=authorities)
        other.verify_mode = ours.verify_mode

        def divert(connection: ssl.SSLObject, name: str | None, context: ssl.SSLContext) -> None:
            connection.context = other

        ours.sni_callback = divert


def _tried(pair: KeyPair) -> ssl.SSLContext:
    try:
        return new_context(pair)
    except ssl.SSLError as error:
        # An SSLError is an OSError, too, as if the files could not be read.
        raise ValueError(f"OpenSSL cannot use certificate and key: {error}") from error
