from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509

from kubewright._pki.authority import Authority
from kubewright._pki.facts import CertificateFacts
from tests.unit._pki.handshakes import rsa_pair


def test_the_dates_are_those_that_cryptography_reads() -> None:
    """An alarm on the expiry must not ring a day late."""
    pair = Authority().serving("localhost")
    certificate = x509.load_pem_x509_certificate(pair.certificate)

    facts = CertificateFacts.of(pair.certificate)

    assert facts.not_before == certificate.not_valid_before_utc
    assert facts.not_after == certificate.not_valid_after_utc


def test_dates_after_2049_are_read_too() -> None:
    """They are written in another way, with the whole year."""
    pair = rsa_pair("localhost", datetime(2077, 5, 1, tzinfo=UTC))

    facts = CertificateFacts.of(pair.certificate)

    assert facts.not_before == datetime(2077, 5, 1, tzinfo=UTC)


def test_the_first_certificate_of_a_chain_counts() -> None:
    """It is the one that a server shows as its own; others may be there for longer."""
    authority = Authority()
    leaf = authority.serving("localhost").certificate

    facts = CertificateFacts.of(b"# a comment\n" + leaf + authority.certificate)

    assert facts == CertificateFacts.of(leaf)
    assert facts.not_after < CertificateFacts.of(authority.certificate).not_after


def test_keys_of_two_algorithms_differ() -> None:
    """A context keeps one pair for each."""
    curve = CertificateFacts.of(Authority().serving("localhost").certificate)
    other = CertificateFacts.of(rsa_pair("localhost", datetime.now(UTC)).certificate)

    assert curve.algorithm != other.algorithm


def test_a_certificate_out_of_its_time_is_a_problem_with_a_date() -> None:
    """Whoever reads the readiness page sees what to renew, or whose clock is wrong."""
    facts = CertificateFacts.of(Authority().serving("localhost").certificate)

    assert not facts.problem(facts.not_after)
    assert "expired at 20" in facts.problem(facts.not_after + timedelta(seconds=1))
    assert "not valid before 20" in facts.problem(facts.not_before - timedelta(seconds=1))


@pytest.mark.parametrize(
    "damage",
    [
        lambda pem: b"",
        lambda pem: b"garbage",
        lambda pem: pem[:200],
        lambda pem: pem[:200] + pem[-30:],
        lambda pem: b"-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n",
        lambda pem: b"-----BEGIN CERTIFICATE-----\n\xff\n-----END CERTIFICATE-----\n",
    ],
)
def test_broken_certificates_are_refused_as_values(damage: object) -> None:
    """A file that is half-written must not end the server."""
    pem = Authority().serving("localhost").certificate

    with pytest.raises(ValueError, match=r"certificate|PEM|padding|base64|ascii"):
        CertificateFacts.of(damage(pem))  # type: ignore[operator]
