"""The files of a project without code, and of a kind in it."""

from collections.abc import Callable
from typing import NamedTuple

from kubewright.crd.manifest import to_yaml
from kubewright.crd.rbac import PolicyRule
from kubewright.errors import ConfigError
from kubewright.scaffold.context import init_context, resource_context
from kubewright.scaffold.creation import Current, Scaffold
from kubewright.scaffold.helm.chart import Chart, chart_of
from kubewright.scaffold.helm.definition import crd_path, crd_text, sample_text
from kubewright.scaffold.helm.rights import kind_rules
from kubewright.scaffold.helm.watches import FILE, with_watch
from kubewright.scaffold.listing import with_entry
from kubewright.scaffold.project import Project, ProjectResource
from kubewright.scaffold.templates import Templates

__all__ = ["ROLE", "Contents", "helm_api_files", "helm_files", "helm_init_files", "helm_manifests"]

ROLE: str = "config/rbac/role.yaml"
_COMMON = ("config/", "grafana/")  # what projects with code have as well


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
    context = init_context(project)
    common = templates.render("init", context)
    found = {path: text for path, text in common.items() if path.startswith(_COMMON)}
    return found | templates.render("helm-init", context)


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
    found = Scaffold()
    context = resource_context(project, resource)
    rendered = {**templates.render("api", context), **templates.render("helm-api", context)}
    sample = f"config/samples/{context['group_']}{resource.version}_{resource.singular}.yaml"
    kept = {p: text for p, text in rendered.items() if p.startswith("config/") and p != sample}
    found.take(kept)
    checked = used.crd_schema == "values"
    if contents is not None:
        chart = contents.chart
        found.new |= {f"{chart.folder}/{path}": text for path, text in chart.files.items()}
        found.new[sample] = sample_text(resource, chart, context["labels"])
        found.new[crd_path(resource)] = crd_text(resource, chart if checked else None)
    elif not checked:
        found.new[crd_path(resource)] = crd_text(resource)
    _list(found, resource, current, sample)
    rules = [*kind_rules(resource), *(contents.rules if contents else ())]
    _change(found, current, ROLE, lambda text: _with_rules(text, rules))
    _change(found, current, FILE, lambda text: with_watch(text, resource, used.chart))
    found.changed["PROJECT"] = project.text(current("PROJECT") or "")
    return found


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


def _list(found: Scaffold, resource: ProjectResource, current: Current, sample: str) -> None:
    """Add the roles, the sample and the CRD of a kind to what kustomize reads."""
    for path in [*(one for one in found.new if one.startswith("config/rbac/")), sample]:
        folder, _, name = path.rpartition("/")
        found.add_entry(current, f"{folder}/kustomization.yaml", "resources", name)
    crd = crd_path(resource).removeprefix("config/crd/")
    found.add_entry(current, "config/crd/kustomization.yaml", "resources", crd)
    found.add_entry(current, "config/default/kustomization.yaml", "resources", "../crd")


def _change(found: Scaffold, current: Current, path: str, change: Callable[[str], str]) -> None:
    before = current(path)
    if before is None:
        raise ConfigError(
            f"there is no {path} in this project, which a new kind is added to. Bring it back from"
            " git, or make an empty file"
        )
    after = change(before)
    if after != before:
        found.changed[path] = after


def _with_rules(text: str, rules: list[PolicyRule]) -> str:
    for rule in rules:
        entry = to_yaml(rule.document()).removeprefix("---\n")
        text = with_entry(text, "rules", entry, place=ROLE)
    return text
