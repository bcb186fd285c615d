"""Verifies servers that we call by HTTPS, as Go does.

Webhooks are configured for kube-apiserver, and so with certificates that Go accepts. OpenSSL alone
is stricter about some of them.
"""

import asyncio
import ssl

from cryptography import x509
from cryptography.exceptions import InvalidSignature

_SELF_SIGNED = 18  # X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT


class Trust:
    """How servers are verified.

    Args:
        authorities: The certificates to trust, in PEM; the machine's own if it is empty.

    Raises:
        ssl.SSLError: There is no certificate in *authorities*.

    Attributes:
        context: For the connections.
    """

    def __init__(self, authorities: str = "") -> None:
        self._authorities = authorities
        self.context: ssl.SSLContext = ssl.create_default_context(cadata=authorities or None)
        # What is trusted need not be a root: a bundle may be the leaf itself, or an intermediate.
        self.context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
        # The default since Python 3.13: it wants key usages and identifiers that many do not write.
        self.context.verify_flags &= ~ssl.VERIFY_X509_STRICT

    async def learn(self, cause: BaseException | None, host: str, port: int, *, name: str) -> bool:
        """Trust a server that OpenSSL has refused, if one of the authorities signed for it.

        OpenSSL takes a leaf that bears the name of its issuer for self-signed, without checking the
        signature; Go checks it, and its own library makes such certificates. Dates and names are
        verified by the handshake that follows.

        Args:
            cause: Why the handshake failed.
            host: Where the server is.
            port: Its port there.
            name: The name that it is called by.

        Returns:
            Whether another try makes sense.
        """
        if not (
            isinstance(cause, ssl.SSLCertVerificationError)
            and cause.verify_code == _SELF_SIGNED
            and self._authorities
        ):
            return False
        leaf = await _fetch_certificate(host, port, name)
        if leaf is None or not is_signed(leaf, self._authorities):
            return False
        self.context.load_verify_locations(cadata=leaf)
        return True


async def _fetch_certificate(host: str, port: int, name: str) -> bytes | None:
    """Return the certificate that a server shows, in DER, unverified."""
    anybody = ssl.create_default_context()
    anybody.check_hostname, anybody.verify_mode = False, ssl.CERT_NONE
    try:
        _, writer = await asyncio.open_connection(host, port, ssl=anybody, server_hostname=name)
    except OSError:
        return None
    try:
        found: bytes | None = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
        return found
    finally:
        writer.transport.abort()  # no request is sent


def is_signed(leaf: bytes, authorities: str) -> bool:
    """Say whether one of *authorities*, in PEM, has signed *leaf*, in DER."""
    certificate = x509.load_der_x509_certificate(leaf)
    for authority in x509.load_pem_x509_certificates(authorities.encode()):
        try:
            limits = authority.extensions.get_extension_for_class(x509.BasicConstraints).value
            certificate.verify_directly_issued_by(authority)
        except (ValueError, TypeError, InvalidSignature, x509.ExtensionNotFound):
            continue
        if limits.ca:
            return True
    return False
