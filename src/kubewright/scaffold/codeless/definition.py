"""The CRD of a kind that has no class."""

from typing import Any

from kubewright.crd.manifest import to_yaml
from kubewright.crd.values.inference import OPEN
from kubewright.scaffold.manifests import CRDS
from kubewright.scaffold.project import ProjectResource

__all__ = ["ANYTHING", "crd_path", "definition", "sample_head", "sample_text"]

ANYTHING: dict[str, Any] = {"type": "object", **OPEN}
"""The schema of a mapping that may have anything in it."""


def crd_path(resource: ProjectResource) -> str:
    """Return where the CRD of *resource* is in a project."""
    return f"{CRDS}/{resource.api_group}_{resource.plural_name}.yaml"


def definition(
    resource: ProjectResource, spec: dict[str, Any], *, about: str, status: str, condition: str
) -> dict[str, Any]:
    """Return the CRD of *resource*.

    Args:
        resource: The kind.
        spec: The schema of its spec.
        about: What an object is, in a sentence.
        status: What the status says, in a sentence.
        condition: The type of the condition that ``kubectl get`` shows.
    """
    plural, kind = resource.plural_name, resource.kind
    text = {"type": "string"}
    schema = {
        "description": about,
        "type": "object",
        "properties": {
            "apiVersion": text,
            "kind": text,
            "metadata": {"type": "object"},
            "spec": spec,
            "status": {"description": status, **ANYTHING},
        },
    }
    columns = [
        {
            "name": condition,
            "type": "string",
            "jsonPath": f".status.conditions[?(@.type=='{condition}')].status",
        },
        {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
    ]
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{resource.api_group}"},
        "spec": {
            "group": resource.api_group,
            "names": {
                "kind": kind,
                "listKind": f"{kind}List",
                "plural": plural,
                "singular": resource.singular,
            },
            "scope": "Namespaced" if resource.namespaced else "Cluster",
            "versions": [
                {
                    "name": resource.version,
                    "served": True,
                    "storage": True,
                    "subresources": {"status": {}},
                    "additionalPrinterColumns": columns,
                    "schema": {"openAPIV3Schema": schema},
                }
            ],
        },
    }


def sample_head(resource: ProjectResource, labels: str, comment: str) -> str:
    """Return the lines of an object above its spec.

    Args:
        resource: The kind.
        labels: The labels, indented for metadata.
        comment: What the spec is.
    """
    return (
        f"# {comment}\n"
        f"apiVersion: {resource.api_group}/{resource.version}\nkind: {resource.kind}\n"
        f"metadata:\n  labels:\n{labels}\n  name: {resource.singular}-sample\n"
    )


def sample_text(head: str, values: dict[str, Any], text: str) -> str:
    """Return an object whose spec is *values*, as *text* says them if that can be.

    Args:
        head: What is above the spec.
        values: The spec.
        text: The file that it comes from, whose comments are kept.
    """
    if not values:
        return f"{head}spec: {{}}\n"
    indented = head + "spec:\n" + _indented(text)
    if _spec_of(indented) == values:
        return indented
    return head + to_yaml({"spec": values}).removeprefix("---\n")


def _indented(text: str) -> str:
    lines = (line.rstrip() for line in text.strip("\n").splitlines() if line.strip() != "---")
    return "".join(f"  {line}\n" if line else "\n" for line in lines)


def _spec_of(text: str) -> Any:
    import yaml

    try:
        found = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError):
        return None
    return found.get("spec") if isinstance(found, dict) else None
