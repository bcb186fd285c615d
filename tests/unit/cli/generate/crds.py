"""CRDs in files, for the commands."""

from copy import deepcopy
from pathlib import Path
from typing import Any

from kubewright.crd import to_yaml


def shop_crd(plural: str = "shops", group: str = "example.com", **fields: Any) -> dict[str, Any]:
    """Return the CRD of a kind whose spec has *fields*; by default, a size."""
    kind = plural.removesuffix("s").capitalize()
    spec = {"type": "object", "properties": fields or {"size": {"type": "string"}}}
    root = {"type": "object", "properties": {"spec": spec}}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": deepcopy(root)},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "names": {"kind": kind, "listKind": f"{kind}List", "plural": plural,
                      "singular": kind.lower()},
            "scope": "Namespaced",
            "versions": [version],
        },
    }  # fmt: skip


def write_crds(path: Path, *crds: dict[str, Any]) -> Path:
    """Write *crds* to the file at *path*, and return it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(to_yaml(*crds))
    return path
