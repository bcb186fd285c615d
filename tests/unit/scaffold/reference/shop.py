"""A kind to describe, some of whose texts are hostile."""

from typing import Any

HOSTILE = "<script>alert(1)</script> | [x](javascript:alert(1)) `a|b` *b* </code>"


def shop_crd() -> dict[str, Any]:
    """Return the CRD of a shop in two versions."""
    port = {
        "type": "object",
        "properties": {"name": {"type": "string", "pattern": "^[a-z|]+$", "description": HOSTILE}},
        "required": ["name"],
    }
    spec = {
        "type": "object",
        "description": "What it should be.\n\n- one\n- two, see https://example.com/docs.",
        "x-kubernetes-validations": [{"rule": "self.a <= 1", "message": HOSTILE}],
        "properties": {
            "size": {"type": "string", "default": "<Small>", "enum": ["<Small>", "Large"]},
            "ports": {"type": "array", "items": port, "maxItems": 3},
        },
    }
    root = {"type": "object", "description": "A place to buy.", "properties": {"spec": spec}}
    stored = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": root},
        "selectableFields": [{"jsonPath": ".spec.size"}],
        "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.replicas"}},
        "additionalPrinterColumns": [
            {"name": "Size", "jsonPath": ".spec.size", "type": "string"},
            {"name": "Age", "jsonPath": ".metadata.x", "type": "date", "priority": 1},
        ],
    }
    old = {"name": "v1beta1", "served": False, "storage": False, "deprecated": True}
    names = {"kind": "Shop", "plural": "shops", "shortNames": ["sh"], "categories": ["all"]}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "shops.shops.example.com"},
        "spec": {
            "group": "shops.example.com",
            "names": names,
            "scope": "Namespaced",
            "conversion": {"strategy": "Webhook"},
            "versions": [old, stored],
        },
    }
