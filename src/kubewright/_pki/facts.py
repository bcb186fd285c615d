"""What a certificate says about itself, read without the package ``cryptography``.

A program that only serves with a certificate of somebody else need not load that package, which is
the largest that we depend on.
"""

import ssl
from datetime import UTC, datetime
from typing import NamedTuple

__all__ = ["CertificateFacts"]

_BEGIN, _END = b"-----BEGIN CERTIFICATE-----", b"-----END CERTIFICATE-----"
_VERSION = 0xA0
_TWO_DIGITS = 0x17  # UTCTime; the other one, GeneralizedTime, has the whole year
_LONG = 0x80


class CertificateFacts(NamedTuple):
    """When a certificate is valid, and for which algorithm its key is (an encoded OID)."""

    not_before: datetime
    not_after: datetime
    algorithm: bytes

    @classmethod
    def of(cls, pem: bytes) -> "CertificateFacts":
        """Return the facts of the first certificate in *pem*.

        Raises:
            ValueError: There is none, or it is broken.
        """
        try:
            return _facts(_first_der(pem))
        except (IndexError, UnicodeDecodeError) as error:
            raise ValueError("the certificate is cut off or broken") from error

    def problem(self, now: datetime) -> str:
        """Return why the certificate is not valid at the time *now*, or nothing."""
        if now > self.not_after:
            return f"the certificate expired at {self.not_after:%Y-%m-%d %H:%M:%S} UTC"
        if now < self.not_before:
            return f"the certificate is not valid before {self.not_before:%Y-%m-%d %H:%M:%S} UTC"
        return ""


def _first_der(pem: bytes) -> bytes:
    start = pem.find(_BEGIN)
    end = pem.find(_END, start)
    if start < 0 or end < 0:
        raise ValueError("there is no certificate in it, which begins with '-----BEGIN'")
    return ssl.PEM_cert_to_DER_cert(pem[start : end + len(_END)].decode("ascii"))


def _facts(der: bytes) -> CertificateFacts:
    # TBSCertificate: [version], serial, signature, issuer, validity, subject, key, …
    _, certificate, _ = _element(der)
    _, content, _ = _element(certificate)
    tag, _, rest = _element(content)
    if tag == _VERSION:
        _, _, rest = _element(rest)
    for _skipped in ("signature", "issuer"):
        _, _, rest = _element(rest)
    _, validity, rest = _element(rest)
    _, _, rest = _element(rest)
    _, key, _ = _element(rest)
    _, algorithm, _ = _element(key)
    kind, begin, more = _element(validity)
    last, end, _ = _element(more)
    return CertificateFacts(_time(kind, begin), _time(last, end), _element(algorithm)[1])


def _element(data: bytes) -> tuple[int, bytes, bytes]:
    """Return the tag and the content of the first element, and what follows it."""
    size, start = data[1], 2
    if size & _LONG:
        start = 2 + (size & ~_LONG)
        size = int.from_bytes(data[2:start], "big")
    if start + size > len(data):
        raise IndexError("an element ends after the data")
    return data[0], data[start : start + size], data[start + size :]


def _time(tag: int, content: bytes) -> datetime:
    text = content.decode("ascii")
    if tag == _TWO_DIGITS:
        text = ("19" if text >= "50" else "20") + text
    return datetime.strptime(text, "%Y%m%d%H%M%SZ").replace(tzinfo=UTC)
