"""TLS handshakes without sockets, and so without real time."""

import ssl
from contextlib import suppress
from datetime import datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID

from kubewright._pki.facts import CertificateFacts
from kubewright._pki.keypair import KeyPair

_NO_CHECK_TIME = 0x200000  # X509_V_FLAG_NO_CHECK_TIME: OpenSSL knows the machine's time only


class Connection:
    """A client and a server that have shaken hands; raises `ssl.SSLError` if they cannot."""

    def __init__(
        self, server: ssl.SSLContext, authorities: bytes, host: str, now: datetime | None = None
    ) -> None:
        trust = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        if authorities:
            trust.load_verify_locations(cadata=authorities.decode())
        if now is not None:
            trust.verify_flags |= _NO_CHECK_TIME
        up, down = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.client = trust.wrap_bio(down, up, server_hostname=host)
        self.server = server.wrap_bio(up, down, server_side=True)
        for _ in range(4):
            for side in (self.client, self.server):
                with suppress(ssl.SSLWantReadError):
                    side.do_handshake()
        self.der = self.client.getpeercert(binary_form=True) or b""
        if now is not None:
            self._check_time(now, authorities)

    def say(self, text: bytes) -> bytes:
        """Send *text* from the client, and return what the server reads."""
        self.client.write(text)
        return self.server.read(100)

    def _check_time(self, now: datetime, authorities: bytes) -> None:
        leaf = x509.load_der_x509_certificate(self.der)
        pems = [leaf.public_bytes(serialization.Encoding.PEM)]
        for authority in x509.load_pem_x509_certificates(authorities):
            if authority.subject == leaf.issuer:
                with suppress(Exception):
                    leaf.verify_directly_issued_by(authority)
                    pems.append(authority.public_bytes(serialization.Encoding.PEM))
        for pem in pems:
            if problem := CertificateFacts.of(pem).problem(now):
                raise ssl.SSLCertVerificationError(problem)


def rsa_pair(host: str, now: datetime) -> KeyPair:
    """Return a self-signed pair with an RSA key, as other tools make them."""
    key = rsa.generate_private_key(65537, 2048)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now)
        .not_valid_after(now + timedelta(days=90))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return KeyPair(certificate.public_bytes(serialization.Encoding.PEM), private)
