"""A certificate authority: serving, client and signing keys, all PEM.

Import this only where certificates are made: it loads the package ``cryptography``. Times are the
machine's unless they are given, not a virtual clock's, since it is TLS libraries that judge them.
"""

import datetime as dt
import ipaddress
from typing import NamedTuple, TypeAlias

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from kubewright._pki.keypair import KeyPair

__all__ = [
    "LIFETIME", "SKEW", "Authority", "KeyPair", "OutOfDateError", "Period", "hosts_of",
    "is_serving", "new_signing_key",
]  # fmt: skip

LIFETIME: dt.timedelta = dt.timedelta(days=365)
"""How long a certificate is good for."""

AUTHORITY_LIFETIME: dt.timedelta = 10 * LIFETIME
RENEWAL: dt.timedelta = dt.timedelta(days=30)
SKEW: dt.timedelta = dt.timedelta(hours=1)
"""How far certificates are dated back, since clocks differ."""

Extension: TypeAlias = tuple[x509.ExtensionType, bool]
"""An extension of a certificate, and whether it is critical."""


class Period(NamedTuple):
    """When a certificate is valid."""

    not_before: dt.datetime
    not_after: dt.datetime

    @classmethod
    def from_now(cls, lifetime: dt.timedelta) -> "Period":
        """Return the period that begins now, by the clock of the machine."""
        now = dt.datetime.now(dt.UTC)
        return cls(now - SKEW, now + lifetime)


class OutOfDateError(ValueError):
    """A certificate has expired, or soon will; nothing else is wrong with it."""


class Authority:
    """Signs certificates of servers and clients.

    Args:
        name: The name of a new authority.
        pair: The certificate and key of an existing authority.
        period: When a new authority is valid; ten years from now by default.
        judge_dates: Whether an existing authority must be valid for some time to come.

    Raises:
        OutOfDateError: *pair* has expired, or soon will.
        ValueError: It is broken, or certificate and key do not match.
    """

    def __init__(
        self,
        name: str = "kubewright-ca",
        *,
        pair: KeyPair | None = None,
        period: Period | None = None,
        judge_dates: bool = True,
    ) -> None:
        if pair is None:
            self._certificate, self._key = _self_signed(name, period)
        else:
            self._certificate, self._key = _checked(pair) if judge_dates else _matching(pair)
        extensions = self._certificate.extensions
        own = extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
        # Python 3.13 checks strictly: a certificate must name the key that signed it.
        self._identifier: Extension = (
            x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(own),
            False,
        )

    @property
    def certificate(self) -> bytes:
        """The authority's own certificate, for others to trust."""
        return self._certificate.public_bytes(serialization.Encoding.PEM)

    @property
    def pair(self) -> KeyPair:
        """The authority itself, to be kept where nobody else can read it."""
        return KeyPair(self.certificate, _private_pem(self._key))

    def serving(self, *hosts: str, period: Period | None = None) -> KeyPair:
        """Return a pair for a server that is reached by any of *hosts*, names or addresses.

        Args:
            hosts: The names and addresses.
            period: When it is valid; one year from now by default.
        """
        alternatives = x509.SubjectAlternativeName([_host(host) for host in hosts])
        usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
        return self._pair(_name(hosts[0]), [(usage, False), (alternatives, False)], period)

    def client(self, user: str, groups: tuple[str, ...] = ()) -> KeyPair:
        """Return a pair with which a client is *user*, a member of *groups*."""
        usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH])
        return self._pair(_name(user, groups), [(usage, False)])

    def signed(self, certificate: x509.Certificate) -> bool:
        """Say whether this authority has signed *certificate*."""
        try:
            certificate.verify_directly_issued_by(self._certificate)
        except Exception:  # noqa: BLE001  # any of several, of which one shares no base
            return False
        return True

    def _pair(
        self, subject: x509.Name, extensions: list[Extension], period: Period | None = None
    ) -> KeyPair:
        key = _new_key()
        extensions = [*_usage(authority=False), self._identifier, *extensions]
        issuer = (self._certificate.subject, self._key)
        period = period or Period.from_now(LIFETIME)
        certificate = _sign((subject, key), issuer, extensions, period=period)
        return KeyPair(certificate.public_bytes(serialization.Encoding.PEM), _private_pem(key))


def is_serving(pair: KeyPair, authority: Authority, *hosts: str) -> bool:
    """Say whether *pair* is still valid for exactly *hosts*, signed by *authority*."""
    try:
        certificate, _ = _checked(pair)
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (ValueError, x509.ExtensionNotFound):
        return False
    return set(names) == {_host(host) for host in hosts} and authority.signed(certificate)


def hosts_of(pair: KeyPair, authority: Authority) -> tuple[str, ...]:
    """Return the hosts that *pair* is for, whatever its dates.

    Raises:
        ValueError: It is broken, certificate and key do not match, or another authority signed it.
    """
    certificate, _ = _matching(pair)
    if not authority.signed(certificate):
        raise ValueError("the certificate is signed by another authority")
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound as error:
        raise ValueError("the certificate is for no host") from error
    return tuple(str(name.value) for name in names)


def new_signing_key() -> bytes:
    """Return a private key for service account tokens; servers find the public half in it."""
    return _private_pem(_new_key())


def _self_signed(
    name: str, period: Period | None
) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    key = _new_key()
    own = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    extensions = [*_usage(authority=True), (own, False)]
    subject = (_name(name), key)
    period = period or Period.from_now(AUTHORITY_LIFETIME)
    return _sign(subject, subject, extensions, period=period), key


def _checked(pair: KeyPair) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    """Return certificate and key of *pair*, if they match and are valid for some time."""
    certificate, key = _matching(pair)
    if certificate.not_valid_after_utc - RENEWAL < dt.datetime.now(dt.UTC):
        raise OutOfDateError("the certificate has expired or soon will")
    return certificate, key


def _matching(pair: KeyPair) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    """Return certificate and key of *pair*, if they match."""
    certificate = x509.load_pem_x509_certificate(pair.certificate)
    key = serialization.load_pem_private_key(pair.key, None)
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise ValueError("the key is not an elliptic one")  # noqa: TRY004  # the file is wrong
    if certificate.public_key() != key.public_key():
        raise ValueError("the certificate is for another key")
    return certificate, key


def _sign(
    subject: tuple[x509.Name, ec.EllipticCurvePrivateKey],
    issuer: tuple[x509.Name, ec.EllipticCurvePrivateKey],
    extensions: list[Extension],
    *,
    period: Period,
) -> x509.Certificate:
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject[0])
        .issuer_name(issuer[0])
        .public_key(subject[1].public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(period.not_before)
        .not_valid_after(period.not_after)
    )
    for extension, critical in extensions:
        builder = builder.add_extension(extension, critical=critical)
    return builder.sign(issuer[1], hashes.SHA256())


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
