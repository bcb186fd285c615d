"""A certificate authority for one test run: serving, client and signing keys in PEM.

Import this only where certificates are made: it needs the package ``cryptography``.
"""

import datetime as dt
import ipaddress
from dataclasses import dataclass
from typing import TypeAlias

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

__all__ = ["Authority", "KeyPair", "signing_key"]

LIFETIME: dt.timedelta = dt.timedelta(days=7)
Extension: TypeAlias = tuple[x509.ExtensionType, bool]
"""An extension of a certificate, and whether those who do not know it must refuse."""


@dataclass(frozen=True, slots=True)
class KeyPair:
    """A certificate and its private key, both PEM."""

    certificate: bytes
    key: bytes

    def __repr__(self) -> str:
        return "KeyPair(…)"  # the key must not reach a log


class Authority:
    """Signs certificates that only this test run trusts, each good for a week."""

    def __init__(self, name: str = "kubewright-test-ca") -> None:
        self._key = _new_key()
        self._name = _name(name)
        own = x509.SubjectKeyIdentifier.from_public_key(self._key.public_key())
        extensions = [*_usage(authority=True), (own, False)]
        self._certificate = self._sign(self._name, self._key, extensions)
        # Python 3.13 checks strictly: a certificate must name the key that signed it.
        self._identifier: Extension = (
            x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(own),
            False,
        )

    @property
    def certificate(self) -> bytes:
        """The authority's own certificate, for clients to trust."""
        return self._certificate

    def serving(self, *hosts: str) -> KeyPair:
        """Return a pair for a server that is reached by any of *hosts*, names or addresses."""
        alternatives = x509.SubjectAlternativeName([_host(host) for host in hosts])
        usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
        return self._pair(_name(hosts[0]), [(usage, False), (alternatives, False)])

    def client(self, user: str, groups: tuple[str, ...] = ()) -> KeyPair:
        """Return a pair with which a client is *user*, a member of *groups*."""
        usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH])
        return self._pair(_name(user, groups), [(usage, False)])

    def _pair(self, subject: x509.Name, extensions: list[Extension]) -> KeyPair:
        key = _new_key()
        extensions = [*_usage(authority=False), self._identifier, *extensions]
        return KeyPair(self._sign(subject, key, extensions), _private_pem(key))

    def _sign(
        self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, extensions: list[Extension]
    ) -> bytes:
        now = dt.datetime.now(dt.UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - dt.timedelta(hours=1))  # clocks differ
            .not_valid_after(now + LIFETIME)
        )
        for extension, critical in extensions:
            builder = builder.add_extension(extension, critical=critical)
        return builder.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def signing_key() -> bytes:
    """Return a private key for service account tokens; servers find the public half in it."""
    return _private_pem(_new_key())


def _new_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def _name(common: str, organizations: tuple[str, ...] = ()) -> x509.Name:
    groups = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group) for group in organizations]
    return x509.Name([*groups, x509.NameAttribute(NameOID.COMMON_NAME, common)])


def _host(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _usage(*, authority: bool) -> list[Extension]:
    usage = x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=authority,
        crl_sign=authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
    return [(x509.BasicConstraints(ca=authority, path_length=None), True), (usage, True)]


def _private_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,  # what Kubernetes 1.20 reads for EC keys
        serialization.NoEncryption(),
    )
