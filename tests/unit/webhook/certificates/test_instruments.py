"""The metric of the certificate that a webhook server shows."""

from datetime import UTC, datetime, timedelta

from kubewright._pki.facts import CertificateFacts
from kubewright.webhook.certificates.instruments import EXPIRY, note_expiry

START = datetime(2026, 1, 1, tzinfo=UTC)


def test_the_end_of_the_certificate_in_use_is_shown() -> None:
    """An alert compares it with the time; after a rotation it must have moved on."""
    seen = []
    for days in (1, 90):
        note_expiry(CertificateFacts(START, START + timedelta(days=days), b""))
        seen.append(EXPIRY.labels().value)

    assert seen == [1767312000, 1775001600]
