"""Webhooks as OLM installs them."""

from typing import Any

from kubewright.bundle.collection import collect
from kubewright.bundle.webhooks import uses_no_cert_manager, webhook_definitions
from tests.unit.bundle.sample import one, put

SERVICE = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "shop-webhook-service"},
    "spec": {"selector": {"app": "shop"}, "ports": [{"port": 443, "targetPort": 9443}]},
}
CONFIGURATION: dict[str, Any] = {
    "apiVersion": "admissionregistration.k8s.io/v1",
    "kind": "ValidatingWebhookConfiguration",
    "metadata": {"name": "shop-validating"},
    "webhooks": [
        {
            "name": "v.example.com",
            "clientConfig": {"service": {"name": "shop-webhook-service", "path": "/validate"}},
            "failurePolicy": "Fail",
            "rules": [{"operations": ["CREATE"]}],
        }
    ],
}


def test_a_webhook_names_the_deployment_that_answers() -> None:
    """OLM makes the Service and the certificate, and has to know for which pods."""
    [found] = webhook_definitions(collect([SERVICE, CONFIGURATION, one("Deployment")]))

    assert found == {
        "type": "ValidatingAdmissionWebhook",
        "generateName": "v.example.com",
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "failurePolicy": "Fail",
        "rules": [{"operations": ["CREATE"]}],
        "deploymentName": "shop-manager",
        "containerPort": 443,
        "targetPort": 9443,
        "webhookPath": "/validate",
    }


def test_without_its_service_the_name_of_it_must_do() -> None:
    """Bundles of others are made without the Service, too."""
    [found] = webhook_definitions(collect([CONFIGURATION]))

    assert found["deploymentName"] == "shop-webhook"
    assert "targetPort" not in found


def test_a_conversion_is_a_webhook() -> None:
    """OLM fills in the authority in the CRD, too."""
    conversion = {
        "strategy": "Webhook",
        "webhook": {
            "conversionReviewVersions": ["v1"],
            "clientConfig": {"service": {"name": "shop-webhook-service", "path": "/convert"}},
        },
    }
    crd = put(one("CustomResourceDefinition"), ("spec", "conversion"), conversion)

    [found] = webhook_definitions(collect([SERVICE, crd, one("Deployment")]))

    assert (found["type"], found["generateName"]) == ("ConversionWebhook", "cshops.kb.io")
    assert found["conversionCRDs"] == ["shops.example.com"]
    assert found["webhookPath"] == "/convert"


def test_what_cert_manager_would_fill_is_gone() -> None:
    """The pod would wait for a Secret that nobody makes."""
    certificate = {
        "apiVersion": "cert-manager.io/v1",
        "kind": "Certificate",
        "metadata": {"name": "serving"},
        "spec": {"secretName": "shop-cert"},
    }
    deployment = one("Deployment")
    pod = deployment["spec"]["template"]["spec"]
    pod["volumes"] = [
        {"name": "cert", "secret": {"secretName": "shop-cert"}},
        {"name": "data", "emptyDir": {}},
    ]
    pod["containers"][0]["volumeMounts"] = [{"name": "cert"}, {"name": "data"}]

    found = uses_no_cert_manager(deployment, collect([certificate]))

    changed = found["spec"]["template"]["spec"]
    assert [each["name"] for each in changed["volumes"]] == ["data"]
    assert [each["name"] for each in changed["containers"][0]["volumeMounts"]] == ["data"]
    assert uses_no_cert_manager(deployment, collect([])) is deployment
