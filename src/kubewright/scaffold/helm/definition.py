"""The CRD of a kind whose spec is the values of a chart, and a sample of it."""

from typing import Any

from kubewright.crd.manifest import to_yaml
from kubewright.crd.values import read_values, spec_schema
from kubewright.scaffold.helm.chart import Chart
from kubewright.scaffold.manifests import CRDS, MARK
from kubewright.scaffold.project import ProjectResource

__all__ = ["crd_path", "crd_text", "notes_of", "sample_text"]

_OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
_HEAD = """\
# The spec is the values of the chart, and may be anything; with `--crd-schema values`, the API
# server checks it. This file is yours.
"""


def crd_path(resource: ProjectResource) -> str:
    """Return where the CRD of *resource* is in a project."""
    return f"{CRDS}/{resource.api_group}_{resource.plural_name}.yaml"


def crd_text(resource: ProjectResource, chart: Chart | None = None) -> str:
    """Return the file of the CRD of *resource*.

    Args:
        resource: The kind.
        chart: The chart whose values its spec is checked against; without, it may be anything.

    Raises:
        ConfigError: The chart has values or a schema that cannot be read.
    """
    if chart is None:
        spec = {"description": "The values of the chart.", **_OPEN}
        return _HEAD + to_yaml(_document(resource, spec, f"What a {resource.kind} is."))
    found = spec_schema(chart.metadata, chart.values, chart.schema, folder=f"{chart.folder}/")
    spec = {**found.schema}
    spec.setdefault(
        "description", f"The values of the chart; what is not there is as in {chart.folder}."
    )
    about = chart.metadata.description or f"What a {resource.kind} is."
    return MARK + to_yaml(_document(resource, spec, about))


def notes_of(chart: Chart) -> list[str]:
    """Return what users should know of the schema that the CRD has."""
    found = spec_schema(chart.metadata, chart.values, chart.schema, folder=f"{chart.folder}/")
    notes = [f"not in the schema of the CRD: {one}" for one in found.notes]
    if missing := found.schema.get("required"):
        notes.append(
            f"the sample lacks {', '.join(missing)}: the schema requires that, and values.yaml has"
            " no value for it"
        )
    return notes


def sample_text(resource: ProjectResource, chart: Chart, labels: str) -> str:
    """Return an object with the values of *chart* as its spec, and their comments.

    Args:
        resource: The kind.
        chart: The chart.
        labels: The labels, indented for metadata.
    """
    head = (
        f"# The values of {chart.folder}/values.yaml; what is left out is as it is there.\n"
        f"apiVersion: {resource.api_group}/{resource.version}\nkind: {resource.kind}\n"
        f"metadata:\n  labels:\n{labels}\n  name: {resource.singular}-sample\n"
    )
    values = read_values(chart.values)
    if not values:
        return f"{head}spec: {{}}\n"
    indented = head + "spec:\n" + _indented(chart.values)
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


def _document(resource: ProjectResource, spec: dict[str, Any], about: str) -> dict[str, Any]:
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
            "status": {"description": "How the release is.", **_OPEN},
        },
    }
    columns = [
        {
            "name": "Deployed",
            "type": "string",
            "jsonPath": ".status.conditions[?(@.type=='Deployed')].status",
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
            "scope": "Namespaced",
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
