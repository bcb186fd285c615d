"""Manifests of the stand-in for OLM, as a release of OLM has them: CRDs, and what runs."""

from typing import Any

from kubewright.bundle.phase import csv_definition
from kubewright.crd.manifest import to_yaml

__all__ = ["crds", "definitions", "everything"]

Object = dict[str, Any]
_GROUP = "operators.coreos.com"
_KINDS = {
    "CatalogSource": ("v1alpha1", "catalogsources"),
    "Subscription": ("v1alpha1", "subscriptions"),
    "InstallPlan": ("v1alpha1", "installplans"),
    "OperatorGroup": ("v1", "operatorgroups"),
}


def definitions() -> list[Object]:
    """Return the CRDs."""
    versions = csv_definition()
    del versions["metadata"]["labels"]
    return [versions, *(_definition(kind, *rest) for kind, rest in _KINDS.items())]


def crds() -> str:
    """Return ``crds.yaml``."""
    return "---\n".join(map(to_yaml, definitions()))


def everything() -> str:
    """Return ``olm.yaml``."""
    found: list[Object] = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "olm"}},
        _deployment("olm-operator"),
        _deployment("catalog-operator"),
        {
            "apiVersion": f"{_GROUP}/v1",
            "kind": "OperatorGroup",
            "metadata": {"name": "olm-operators", "namespace": "olm"},
            "spec": {"targetNamespaces": ["olm"]},
        },
        {
            "apiVersion": f"{_GROUP}/v1alpha1",
            "kind": "ClusterServiceVersion",
            "metadata": {"name": "packageserver", "namespace": "olm"},
            "spec": {
                "displayName": "Package Server",
                "install": {"strategy": "deployment", "spec": {"deployments": []}},
            },
        },
    ]
    return "---\n".join(map(to_yaml, found))


def _definition(kind: str, version: str, plural: str) -> Object:
    held = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    schema = {"type": "object", "properties": {"spec": held, "status": held}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{_GROUP}"},
        "spec": {
            "group": _GROUP,
            "scope": "Namespaced",
            "names": {"kind": kind, "listKind": f"{kind}List", "plural": plural,
                      "singular": kind.lower()},
            "versions": [
                {"name": version, "served": True, "storage": True, "subresources": {"status": {}},
                 "schema": {"openAPIV3Schema": schema}}
            ],
        },
    }  # fmt: skip


def _deployment(name: str) -> Object:
    container = {"name": name, "image": "example.com/olm:v1"}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "olm"},
        "spec": {
            "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {"containers": [container]},
            },
        },
    }
