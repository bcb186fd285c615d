"""The webhooks of an installed bundle, as OLM makes them: with Service and certificate."""

import base64
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from kubewright.bundle.collection import Object, name_of
from kubewright.bundle.document import Document, at, items, mapping, text
from kubewright.bundle.webhooks import CERTIFICATES

__all__ = [
    "Certificate",
    "certificate_of",
    "hosts_of",
    "secret_name",
    "serving_deployments",
    "serving_objects",
    "with_certificate",
]

_API_SERVICE = "/apiserver.local.config/certificates"
_AUTHORITY = "olmCAKey"
_KINDS = {
    "ValidatingAdmissionWebhook": "ValidatingWebhookConfiguration",
    "MutatingAdmissionWebhook": "MutatingWebhookConfiguration",
}
_COPIED = (
    "admissionReviewVersions", "failurePolicy", "matchPolicy", "objectSelector",
    "reinvocationPolicy", "rules", "sideEffects", "timeoutSeconds",
)  # fmt: skip


class Certificate(NamedTuple):
    """What a deployment serves its webhooks with.

    Attributes:
        secret: The name of the Secret that it is in.
        authority: Who has signed it.
        certificate: The certificate.
        key: Its key.
    """

    secret: str
    authority: bytes
    certificate: bytes
    key: bytes


def serving_deployments(csv: Document) -> list[str]:
    """Return the deployments that serve webhooks."""
    found = (text(at(one, "deploymentName")) for one in items(csv.at("spec", "webhookdefinitions")))
    return list(dict.fromkeys(found))


def hosts_of(deployment: str, namespace: str) -> list[str]:
    """Return the names by which an API server reaches the webhooks of a deployment."""
    service = f"{_service_name(deployment)}.{namespace}"
    return [f"{service}.svc", service, f"{service}.svc.cluster.local"]


def certificate_of(deployment: str, secret: Any) -> Certificate | None:
    """Return the certificate in a Secret that is there already; ``None`` if it has none."""
    data = mapping(at(secret, "data"))
    parts = [text(data.get(key)) for key in (_AUTHORITY, "tls.crt", "tls.key")]
    if not all(parts):
        return None
    return Certificate(secret_name(deployment), *map(base64.b64decode, parts))


def secret_name(deployment: str) -> str:
    """Return the name of the Secret with the certificate of a deployment."""
    return f"{_service_name(deployment)}-cert"


def with_certificate(pod: Object, secret: str) -> Object:
    """Return the spec of a pod in which each container has the certificate in its usual places."""
    files = [{"key": f"tls.{end}", "path": f"tls.{end}"} for end in ("crt", "key")]
    others = [{**one, "path": one["path"].replace("tls", "apiserver")} for one in files]
    added = {"webhook-cert": (CERTIFICATES, files), "apiservice-cert": (_API_SERVICE, others)}
    volumes = [one for one in items(pod.get("volumes")) if at(one, "name") not in added]
    for name, (_, listed) in added.items():
        volumes.append({"name": name, "secret": {"secretName": secret, "items": listed}})
    mounts = [{"name": name, "mountPath": path} for name, (path, _) in added.items()]

    def mounted(container: Any) -> Any:
        kept = [one for one in items(at(container, "volumeMounts")) if at(one, "name") not in added]
        return {**mapping(container), "volumeMounts": [*kept, *mounts]}

    return {**pod, "volumes": volumes, "containers": [*map(mounted, items(pod.get("containers")))]}


def serving_objects(
    objects: Iterable[Object],
    csv: Document,
    namespace: str,
    targets: Iterable[str],
    certificates: Mapping[str, Certificate],
) -> list[Object]:
    """Return *objects* with what their webhooks take: the CRDs among them know who converts.

    Args:
        objects: The objects of an operator.
        csv: Its ClusterServiceVersion.
        namespace: Where it runs.
        targets: The namespaces that it looks after; none for all.
        certificates: The certificates, by deployment.
    """
    webhooks = [mapping(one) for one in items(csv.at("spec", "webhookdefinitions"))]
    found = list(objects)
    for deployment, certificate in certificates.items():
        own = [one for one in webhooks if one.get("deploymentName") == deployment]
        found += _serving(deployment, certificate, own, found, namespace)
    for one in webhooks:
        certificate = certificates[text(one.get("deploymentName"))]
        client = _client(one, namespace, certificate)
        if text(one.get("type")) in _KINDS:
            found.append(_configuration(one, client, list(targets)))
        for name in items(one.get("conversionCRDs")):
            found = [_converted(each, name, one, client) for each in found]
    return found


def _service_name(deployment: str) -> str:
    return f"{deployment}-service"


def _serving(
    deployment: str,
    certificate: Certificate,
    webhooks: Iterable[Object],
    objects: Iterable[Object],
    namespace: str,
) -> Iterator[Object]:
    ports: dict[Any, Any] = {}
    for one in webhooks:
        port = one.get("containerPort") or 443
        ports[port] = one.get("targetPort") or ports.get(port)
    labels = next(
        mapping(at(one, "spec", "selector", "matchLabels"))
        for one in objects
        if one.get("kind") == "Deployment" and name_of(one) == deployment
    )
    listed = [
        {"name": str(port), "port": port, "targetPort": target or port}
        for port, target in ports.items()
    ]
    yield {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": _service_name(deployment), "namespace": namespace},
        "spec": {"selector": labels, "ports": listed},
    }
    data = {
        _AUTHORITY: certificate.authority,
        "tls.crt": certificate.certificate,
        "tls.key": certificate.key,
    }
    yield {
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "kubernetes.io/tls",
        "metadata": {"name": certificate.secret, "namespace": namespace},
        "data": {key: base64.b64encode(value).decode() for key, value in data.items()},
    }


def _client(webhook: Object, namespace: str, certificate: Certificate) -> Object:
    service = {
        "name": _service_name(text(webhook.get("deploymentName"))),
        "namespace": namespace,
        "port": webhook.get("containerPort") or 443,
        "path": text(webhook.get("webhookPath")) or "/",
    }
    return {"service": service, "caBundle": base64.b64encode(certificate.authority).decode()}


def _configuration(webhook: Object, client: Object, targets: list[str]) -> Object:
    name = text(webhook.get("generateName"))
    entry = {"name": name, "clientConfig": client}
    entry |= {key: webhook[key] for key in _COPIED if key in webhook}
    if targets:
        expression = {"key": "kubernetes.io/metadata.name", "operator": "In", "values": targets}
        entry["namespaceSelector"] = {"matchExpressions": [expression]}
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": _KINDS[text(webhook.get("type"))],
        "metadata": {"name": name},
        "webhooks": [entry],
    }


def _converted(found: Object, name: Any, webhook: Object, client: Object) -> Object:
    if found.get("kind") != "CustomResourceDefinition" or name_of(found) != name:
        return found
    versions = items(webhook.get("admissionReviewVersions"))
    said = {"clientConfig": client, "conversionReviewVersions": versions}
    conversion = {"strategy": "Webhook", "webhook": said}
    return {**found, "spec": {**mapping(found.get("spec")), "conversion": conversion}}
