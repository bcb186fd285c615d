"""The CRD of a kind whose spec is the values of a chart, and a sample of it."""

from kubewright.crd.manifest import to_yaml
from kubewright.crd.values import read_values, spec_schema
from kubewright.scaffold.codeless.definition import (
    ANYTHING,
    definition,
    sample_head,
)
from kubewright.scaffold.codeless.definition import sample_text as sample_of
from kubewright.scaffold.helm.chart import Chart
from kubewright.scaffold.manifests import MARK
from kubewright.scaffold.project import ProjectResource

__all__ = ["crd_text", "notes_of", "sample_text"]

_HEAD = """\
# The spec is the values of the chart, and may be anything; with `--crd-schema values`, the API
# server checks it. This file is yours.
"""
_SHOWN = {"status": "How the release is.", "condition": "Deployed"}


def crd_text(resource: ProjectResource, chart: Chart | None = None) -> str:
    """Return the file of the CRD of *resource*.

    Args:
        resource: The kind.
        chart: The chart whose values its spec is checked against; without, it may be anything.

    Raises:
        ConfigError: The chart has values or a schema that cannot be read.
    """
    if chart is None:
        spec = {"description": "The values of the chart.", **ANYTHING}
        about = f"What a {resource.kind} is."
        return _HEAD + to_yaml(definition(resource, spec, about=about, **_SHOWN))
    found = spec_schema(chart.metadata, chart.values, chart.schema, folder=f"{chart.folder}/")
    spec = {**found.schema}
    spec.setdefault(
        "description", f"The values of the chart; what is not there is as in {chart.folder}."
    )
    about = chart.metadata.description or f"What a {resource.kind} is."
    return MARK + to_yaml(definition(resource, spec, about=about, **_SHOWN))


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
    comment = f"The values of {chart.folder}/values.yaml; what is left out is as it is there."
    head = sample_head(resource, labels, comment)
    return sample_of(head, read_values(chart.values), chart.values)
