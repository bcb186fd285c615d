"""Certificates of webhooks that are served by an installed bundle."""

from kubewright._aio import Clock
from kubewright._pki.facts import CertificateFacts
from kubewright.api.kind_reference import Kind
from kubewright.bundle.document import Document
from kubewright.bundle.serving import (
    Certificate,
    certificate_of,
    hosts_of,
    secret_name,
    serving_deployments,
)
from kubewright.client import Client

__all__ = ["certificates_for"]

_SECRET = Kind("v1", "Secret")


async def certificates_for(
    client: Client, csv: Document, namespace: str, *, clock: Clock | None = None
) -> dict[str, Certificate]:
    """Return a certificate for each deployment that serves webhooks.

    One that is there already and still valid is kept, so that a second run changes nothing.

    Args:
        client: The cluster.
        csv: The ClusterServiceVersion.
        namespace: Where the operator is installed.
        clock: Says what time it is.
    """
    found: dict[str, Certificate] = {}
    for deployment in serving_deployments(csv):
        there = await client.find(_SECRET, secret_name(deployment), namespace=namespace)
        kept = certificate_of(deployment, there) if there is not None else None
        if kept is None or _problem(kept, clock or Clock()):
            kept = _new(deployment, namespace)
        found[deployment] = kept
    return found


def _problem(certificate: Certificate, clock: Clock) -> str:
    try:
        return CertificateFacts.of(certificate.certificate).problem(clock.now())
    except ValueError as error:
        return str(error)


def _new(deployment: str, namespace: str) -> Certificate:
    from kubewright._pki.authority import Authority

    authority = Authority(f"{deployment}-ca")
    pair = authority.serving(*hosts_of(deployment, namespace))
    name = secret_name(deployment)
    return Certificate(name, authority.certificate, pair.certificate, pair.key)
