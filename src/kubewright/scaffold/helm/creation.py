"""The files of a project made of charts, and of a kind in it."""

from typing import NamedTuple

from kubewright.crd.rbac import PolicyRule
from kubewright.scaffold.codeless.creation import common_files, finish, kind_files, sample_path
from kubewright.scaffold.codeless.definition import crd_path
from kubewright.scaffold.context import resource_context
from kubewright.scaffold.creation import Current, Scaffold
from kubewright.scaffold.helm.chart import Chart, chart_of
from kubewright.scaffold.helm.definition import crd_text, sample_text
from kubewright.scaffold.helm.rights import kind_rules
from kubewright.scaffold.project import Project, ProjectResource
from kubewright.scaffold.templates import Templates

__all__ = ["Contents", "helm_api_files", "helm_files", "helm_init_files", "helm_manifests"]


class Contents(NamedTuple):
    """What is in a kind of a project, and does not follow from the file PROJECT.

    Attributes:
        chart: The chart.
        rules: The rights that it takes to install the chart.
    """

    chart: Chart
    rules: tuple[PolicyRule, ...] = ()


def helm_files(project: Project, templates: Templates) -> dict[str, str]:
    """Return the files that a project has before its first kind, but for PROJECT."""
    return common_files(project, templates, "helm-init")


def helm_init_files(project: Project, templates: Templates) -> Scaffold:
    """Return the files of a new project, PROJECT among them."""
    return Scaffold(new={**helm_files(project, templates), "PROJECT": project.text()})


def helm_api_files(
    project: Project,
    resource: ProjectResource,
    templates: Templates,
    current: Current,
    contents: Contents | None,
) -> Scaffold:
    """Return the files of a kind.

    Args:
        project: The project; *resource* and its chart are in it already.
        resource: The kind.
        templates: The templates.
        current: Reads files of the project.
        contents: Its chart; without, the files that depend on the chart are left out.

    Raises:
        ConfigError: A file to add to is not as it should be.
    """
    used = project.chart_of(resource)
    assert used is not None  # it was put there before
    found = kind_files(project, resource, templates)
    checked = used.crd_schema == "values"
    if contents is not None:
        chart = contents.chart
        labels = resource_context(project, resource)["labels"]
        found.new |= {f"{chart.folder}/{path}": text for path, text in chart.files.items()}
        found.new[sample_path(resource)] = sample_text(resource, chart, labels)
        found.new[crd_path(resource)] = crd_text(resource, chart if checked else None)
    elif not checked:
        found.new[crd_path(resource)] = crd_text(resource)
    rules = [*kind_rules(resource), *(contents.rules if contents else ())]
    runs = {"chart": used.chart}
    return finish(found, project, resource, current, rules=rules, runs=runs)


def helm_manifests(project: Project, charts: dict[str, dict[str, str]]) -> dict[str, str]:
    """Return the CRDs of *project* whose schema is that of the values of a chart, by path.

    Args:
        project: The project.
        charts: The files of the charts that these need, by the folder of the chart.

    Raises:
        ConfigError: A chart is broken, or there is no such chart.
    """
    found = {}
    for resource in project.resources:
        used = project.chart_of(resource)
        if used is not None and used.crd_schema == "values":
            chart = chart_of(charts[used.chart], place=used.chart)
            found[crd_path(resource)] = crd_text(resource, chart)
    return found
