"""What a certificate of a webhook is good for: until when, for which hosts, and who signed it."""

import ssl
from datetime import datetime, timedelta

from cryptography import x509

from kubewright._pki.facts import CertificateFacts
from kubewright._pki.trust import is_signed
from kubewright.webhook.certificates.chain import certificates_in

__all__ = ["SOON", "bundle_problem", "expires_soon", "leaf_problem", "signature_problem"]

SOON: timedelta = timedelta(days=7)
"""How long before the end of a certificate it is said to expire soon."""


def bundle_problem(bundle: bytes, now: datetime) -> str:
    """Return why API servers cannot use the authorities in *bundle*, or nothing."""
    found = certificates_in(bundle)
    if not found:
        return "there is no certificate in it"
    problems = [CertificateFacts.of(one).problem(now) for one in found]
    return problems[0] if all(problems) else ""


def leaf_problem(leaf: bytes, hosts: tuple[str, ...], now: datetime) -> str:
    """Return what is wrong with the certificate that a server shows, or nothing.

    Args:
        leaf: The certificate, in PEM.
        hosts: The names of the Service; API servers use the first one.
        now: The time.
    """
    found = certificates_in(leaf)
    if not found:
        return "there is no certificate in it"
    if wrong := CertificateFacts.of(found[0]).problem(now):
        return wrong
    names = _names_in(found[0])
    if not any(_matches(one, hosts[0]) for one in names):
        return f"it is for {', '.join(names) or 'no host'}, and not for {hosts[0]}"
    return ""


def expires_soon(leaf: bytes, now: datetime) -> str:
    """Return when a certificate expires if that is soon, or nothing."""
    found = certificates_in(leaf)
    end = CertificateFacts.of(found[0]).not_after if found else None
    return f"{end:%Y-%m-%d %H:%M} UTC" if end is not None and now <= end < now + SOON else ""


def signature_problem(leaf: bytes, bundle: bytes) -> str:
    """Return that no authority in *bundle* has signed what a server shows, or nothing."""
    chain = certificates_in(leaf)
    trusted = certificates_in(bundle)
    if not chain or set(chain) & set(trusted):
        return ""
    text = b"".join(trusted).decode()
    if any(is_signed(ssl.PEM_cert_to_DER_cert(one.decode()), text) for one in chain):
        return ""
    return "no authority in it has signed the certificate that the operator shows"


def _names_in(pem: bytes) -> list[str]:
    certificate = x509.load_pem_x509_certificate(pem)
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return []
    addresses = [str(one) for one in names.get_values_for_type(x509.IPAddress)]
    return [*names.get_values_for_type(x509.DNSName), *addresses]


def _matches(name: str, host: str) -> bool:
    """Say whether the name in a certificate covers *host*; a star stands for one label."""
    if name.startswith("*."):
        return host.partition(".")[2] == name[2:]
    return name.lower() == host
