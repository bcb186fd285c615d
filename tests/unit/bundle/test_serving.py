"""Webhooks of an installed bundle."""

from typing import Any

from kubewright.bundle.document import Document
from kubewright.bundle.serving import (
    Certificate,
    certificate_of,
    hosts_of,
    secret_name,
    serving_deployments,
    serving_objects,
    with_certificate,
)
from tests.unit.bundle.sample import one

CERTIFICATE = Certificate("shop-manager-service-cert", b"ca", b"crt", b"key")
WEBHOOKS = [
    {
        "type": "ValidatingAdmissionWebhook", "generateName": "v.example.com",
        "deploymentName": "shop-manager", "containerPort": 443, "targetPort": 9443,
        "webhookPath": "/validate", "rules": [{}], "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    },
    {
        "type": "ConversionWebhook", "generateName": "c", "deploymentName": "shop-manager",
        "conversionCRDs": ["shops.example.com"], "admissionReviewVersions": ["v1"],
        "webhookPath": "/convert",
    },
]  # fmt: skip
CSV = Document("f", {"spec": {"webhookdefinitions": WEBHOOKS}})
CLIENT = {"name": "shop-manager-service", "namespace": "here", "port": 443}


def objects(*targets: str) -> dict[str, dict[str, Any]]:
    """Return the objects, by kind."""
    base = [one("CustomResourceDefinition"), one("Deployment")]
    made = serving_objects(base, CSV, "here", targets, {"shop-manager": CERTIFICATE})
    return {each["kind"]: each for each in made}


def test_there_is_a_service_a_secret_and_a_configuration() -> None:
    """As OLM makes them, under its names."""
    found = objects()

    [webhook] = found["ValidatingWebhookConfiguration"]["webhooks"]
    assert found["Service"]["spec"] == {
        "selector": {"app": "shop"},
        "ports": [{"name": "443", "port": 443, "targetPort": 9443}],
    }
    assert set(found["Secret"]["data"]) == {"olmCAKey", "tls.crt", "tls.key"}
    assert webhook["clientConfig"] == {
        "service": {**CLIENT, "path": "/validate"}, "caBundle": "Y2E=",
    }  # fmt: skip
    assert "namespaceSelector" not in webhook


def test_the_crd_knows_who_converts() -> None:
    """With the same authority."""
    conversion = objects()["CustomResourceDefinition"]["spec"]["conversion"]

    assert conversion == {
        "strategy": "Webhook",
        "webhook": {
            "conversionReviewVersions": ["v1"],
            "clientConfig": {"service": {**CLIENT, "path": "/convert"}, "caBundle": "Y2E="},
        },
    }


def test_it_is_asked_about_its_own_namespaces_only() -> None:
    """Somebody else may have installed it for others."""
    [webhook] = objects("a", "b")["ValidatingWebhookConfiguration"]["webhooks"]

    [expression] = webhook["namespaceSelector"]["matchExpressions"]
    assert expression["values"] == ["a", "b"]


def test_a_pod_has_the_certificate_in_both_places() -> None:
    """Operators look here or there."""
    pod = with_certificate({"containers": [{"name": "m", "volumeMounts": [{"name": "x"}]}]}, "s")
    again = with_certificate(pod, "s")

    [container] = pod["containers"]
    assert [each.get("mountPath") for each in container["volumeMounts"]] == [
        None, "/tmp/k8s-webhook-server/serving-certs", "/apiserver.local.config/certificates",
    ]  # fmt: skip
    assert [each["secret"]["secretName"] for each in pod["volumes"]] == ["s", "s"]
    assert again == pod


def test_a_certificate_is_found_again() -> None:
    """So that a second run changes nothing."""
    assert certificate_of("shop-manager", objects()["Secret"]) == CERTIFICATE
    assert certificate_of("shop-manager", {"data": {"tls.crt": "Y3J0"}}) is None


def test_names_are_those_of_olm() -> None:
    """Tools look for them."""
    assert serving_deployments(CSV) == ["shop-manager"]
    assert secret_name("a") == "a-service-cert"
    assert hosts_of("a", "b")[0] == "a-service.b.svc"
