"""Webhooks as OLM installs them: it makes the configurations, the Service and the certificate."""

from collections.abc import Iterator
from typing import Any

from kubewright.bundle.collection import Collection, Object, name_of
from kubewright.bundle.document import at, items, mapping, text

__all__ = ["CERTIFICATES", "uses_no_cert_manager", "webhook_definitions"]

CERTIFICATES: str = "/tmp/k8s-webhook-server/serving-certs"  # noqa: S108  # in the pod, made by OLM
"""Where OLM mounts the certificate of webhooks: ``tls.crt`` and ``tls.key``."""
_TYPES = {
    "ValidatingWebhookConfiguration": "ValidatingAdmissionWebhook",
    "MutatingWebhookConfiguration": "MutatingAdmissionWebhook",
}
_COPIED = (
    "failurePolicy", "rules", "timeoutSeconds", "matchPolicy", "objectSelector",
    "reinvocationPolicy",
)  # fmt: skip


def webhook_definitions(collection: Collection) -> list[Object]:
    """Return ``spec.webhookdefinitions`` for all webhooks and conversions, sorted by name."""
    found = [*_admission(collection), *_conversions(collection)]
    return sorted(found, key=lambda one: (one["generateName"], one["type"]))


def uses_no_cert_manager(deployment: Object, collection: Collection) -> Object:
    """Return *deployment* without the volumes that cert-manager would fill: OLM mounts its own."""
    secrets = {text(at(one, "spec", "secretName")) for one in collection.certificates} - {""}
    spec = mapping(at(deployment, "spec", "template", "spec"))
    volumes = items(spec.get("volumes"))
    gone = {
        text(at(one, "name")) for one in volumes if text(at(one, "secret", "secretName")) in secrets
    }
    if not gone:
        return deployment
    changed = {**spec, "volumes": [one for one in volumes if text(at(one, "name")) not in gone]}
    for key in ("containers", "initContainers"):
        if key in spec:
            changed[key] = [_without_mounts(one, gone) for one in items(spec[key])]
    template = {**deployment["spec"]["template"], "spec": changed}
    return {**deployment, "spec": {**deployment["spec"], "template": template}}


def _without_mounts(container: Any, gone: set[str]) -> Any:
    mounts = items(at(container, "volumeMounts"))
    kept = [one for one in mounts if text(at(one, "name")) not in gone]
    return {**container, "volumeMounts": kept} if mounts else container


def _admission(collection: Collection) -> Iterator[Object]:
    for configuration in collection.webhooks:
        for one in map(mapping, items(configuration.get("webhooks"))):
            definition = {
                "type": _TYPES[configuration["kind"]],
                "generateName": text(at(one, "name")),
                "admissionReviewVersions": items(at(one, "admissionReviewVersions")) or ["v1"],
                "sideEffects": at(one, "sideEffects") or "None",
                **{key: one[key] for key in _COPIED if key in one},
            }
            yield {**definition, **_served_by(at(one, "clientConfig", "service"), collection)}


def _conversions(collection: Collection) -> Iterator[Object]:
    for crd in collection.crds:
        conversion = mapping(at(crd, "spec", "conversion"))
        if conversion.get("strategy") == "Webhook":
            webhook = mapping(conversion.get("webhook"))
            yield {
                "type": "ConversionWebhook",
                "generateName": f"c{text(at(crd, 'spec', 'names', 'plural'))}.kb.io",
                "admissionReviewVersions": items(webhook.get("conversionReviewVersions")) or ["v1"],
                "sideEffects": "None",
                "conversionCRDs": [name_of(crd)],
                **_served_by(at(webhook, "clientConfig", "service"), collection),
            }


def _served_by(reference: Any, collection: Collection) -> Object:
    """Return the fields that say who answers: a Deployment, its port and a path."""
    name = text(at(reference, "name"))
    service = next((one for one in collection.services if name_of(one) == name), {})
    selector = mapping(at(service, "spec", "selector"))
    deployment = name.removesuffix("-service")
    for one in collection.deployments:
        labels = mapping(at(one, "spec", "template", "metadata", "labels"))
        if selector and selector.items() <= labels.items():
            deployment = name_of(one)
    port = at(reference, "port") or 443
    found: Object = {"deploymentName": deployment, "containerPort": port}
    for one in items(at(service, "spec", "ports")):
        if at(one, "port") == port:
            found["targetPort"] = at(one, "targetPort") or port
    path = text(at(reference, "path"))
    return {**found, "webhookPath": path} if path else found
