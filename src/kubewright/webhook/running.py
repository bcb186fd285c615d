"""What a manager runs for the webhooks of an operator."""

from typing import TYPE_CHECKING

from kubewright._aio import VirtualClock
from kubewright.errors import ConfigError
from kubewright.runnable import Runnable
from kubewright.webhook.registration import Registration, RegistrationOnStart
from kubewright.webhook.server import WebhookServer, check_authorities

if TYPE_CHECKING:
    from kubewright.cluster import Cluster
    from kubewright.webhook.certificates.source import CertificateSource
    from kubewright.webhook.serving import WebhookServing
    from kubewright.webhook.webhooks import Webhooks

__all__ = ["runnables"]


def runnables(
    webhooks: "Webhooks", cluster: "Cluster", serving: "WebhookServing", *, name: str
) -> list[Runnable]:
    """Return what serves *webhooks*, and what registers them if *serving* says so.

    Args:
        webhooks: What was declared.
        cluster: Where handlers read, and where the webhooks are registered.
        serving: How they are served.
        name: The name of the operator.

    Raises:
        ConfigError: A file cannot be read.
        SchemeError: A conversion lacks a function.
    """
    client = cluster.live
    place = serving.named(name, client.namespace)
    registration = Registration(client, webhooks, place, owner=name)
    if not webhooks:  # those of a version before this one may be registered
        return [RegistrationOnStart(registration)] if place.install else []
    certificate = _certificate(webhooks, cluster, place)
    routes = webhooks.routes(cluster)
    server = WebhookServer(
        routes,
        certificate=certificate,
        bodies=routes.limits,
        host=place.host,
        port=place.port,
        client_ca=_client_ca(place),
        drain=_drain(place, cluster),
        clock=cluster.clock,
    )
    if not place.install:
        return [server]
    return [server, RegistrationOnStart(registration, server, certificate)]


def _certificate(
    webhooks: "Webhooks", cluster: "Cluster", place: "WebhookServing"
) -> "CertificateSource":
    if place.cert_path is not None:
        from kubewright.webhook.certificates.mounted import MountedCertificate

        return MountedCertificate(
            place.cert_path, name=place.cert_name, key=place.cert_key, clock=cluster.clock
        )
    from kubewright.webhook.certificates.managed import ManagedCertificate

    return ManagedCertificate(
        cluster.live,
        secret=place.secret,
        namespace=place.namespace,
        hosts=place.hosts,
        targets=webhooks.targets(),
        clock=cluster.clock,
    )


def _drain(place: "WebhookServing", cluster: "Cluster") -> float:
    # API servers learn in real time that they must not come any more, which a virtual clock is not.
    return 0.0 if isinstance(cluster.clock, VirtualClock) else place.drain or 0.0


def _client_ca(place: "WebhookServing") -> bytes | None:
    if place.client_ca is None:
        return None
    try:
        found = place.client_ca.read_bytes()
        check_authorities(found)
    except OSError as error:
        raise ConfigError(
            f"webhook_client_ca: cannot read {place.client_ca}: {error.strerror}. Name a file with"
            " the authorities of client certificates, in PEM."
        ) from None
    except ConfigError as error:
        raise ConfigError(f"webhook_client_ca: {place.client_ca}: {error}") from error.__cause__
    return found
