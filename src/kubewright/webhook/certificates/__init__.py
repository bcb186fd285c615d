"""Certificates of a webhook server: files that somebody mounts, or our own in a Secret."""

from typing import TYPE_CHECKING

from kubewright._lazy import lazy_names

if TYPE_CHECKING:
    from kubewright.webhook.certificates.bundles import CABundles
    from kubewright.webhook.certificates.lifetimes import Lifetimes
    from kubewright.webhook.certificates.managed import ManagedCertificate
    from kubewright.webhook.certificates.mounted import MountedCertificate
    from kubewright.webhook.certificates.source import CertificateSource
    from kubewright.webhook.certificates.targets import Targets, rules, service_hosts

__all__ = [
    "CABundles",
    "CertificateSource",
    "Lifetimes",
    "ManagedCertificate",
    "MountedCertificate",
    "Targets",
    "rules",
    "service_hosts",
]

_WHERE = {
    "CABundles": "bundles",
    "CertificateSource": "source",
    "Lifetimes": "lifetimes",
    "ManagedCertificate": "managed",
    "MountedCertificate": "mounted",
    "Targets": "targets",
    "rules": "targets",
    "service_hosts": "targets",
}

# Loaded when first used: a server needs one of the two ways. Hidden from type checkers, which know
# the names from above.
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _WHERE)
