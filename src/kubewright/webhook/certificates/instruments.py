"""The metric of the certificate that a webhook server shows."""

from kubewright._pki.facts import CertificateFacts
from kubewright.metrics import Gauge

__all__ = ["EXPIRY", "note_expiry"]

EXPIRY: Gauge = Gauge(
    "kubewright_webhook_certificate_expiry_timestamp_seconds",
    "When the certificate of the webhook server expires, in seconds since 1970.",
)


def note_expiry(facts: CertificateFacts) -> None:
    """Show on the page of metrics when the certificate in use expires."""
    EXPIRY.labels().set(facts.not_after.timestamp())
