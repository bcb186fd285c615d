"""``kubewright create api`` in a project without code: a kind, and the chart that installs it."""

import re

import msgspec
from msgspec.structs import replace

from kubewright.cli.fatal import tell
from kubewright.cli.project.codeless import new_kind
from kubewright.cli.project.folder import ProjectFolder
from kubewright.cli.project.helm.options import ChartOptions
from kubewright.cli.project.helm.program import Render, render
from kubewright.cli.project.helm.source import get_chart
from kubewright.cli.project.outcome import put
from kubewright.errors import ConfigError, SchemaError
from kubewright.scaffold.codeless.creation import ROLE
from kubewright.scaffold.codeless.rights import Rights
from kubewright.scaffold.creation import Current, Scaffold
from kubewright.scaffold.helm.chart import Chart, default_chart
from kubewright.scaffold.helm.creation import Contents, helm_api_files
from kubewright.scaffold.helm.definition import notes_of
from kubewright.scaffold.helm.rights import manifest_rights, template_rights
from kubewright.scaffold.project import ChartUse, Project, ProjectResource
from kubewright.scaffold.templates import Templates
from kubewright.scaffold.wanted import Wanted

__all__ = ["GROUP", "VERSION", "HelmKind", "add_kind", "check_names", "run"]

GROUP: str = "charts"
VERSION: str = "v1alpha1"
_TEXTS = (".yaml", ".yml", ".tpl", ".json")


class HelmKind(msgspec.Struct, frozen=True, kw_only=True):
    """A kind to make.

    Attributes:
        wanted: Its names; those that are empty are made out from the chart.
        chart: The options about its chart.
        force: Whether files that are there may be overwritten.
    """

    wanted: Wanted
    chart: ChartOptions
    force: bool = False


def run(kind: HelmKind, place: ProjectFolder, *, dry_run: bool, rendered: Render = render) -> None:
    """Add *kind* to the project in *place*.

    Raises:
        ConfigError: It cannot be added; nothing was written.
    """
    scaffold, resource, notes = add_kind(place.project, kind, place.find_exact, rendered)
    used = place.project.chart_of(resource)
    assert used is not None
    home = place.root / used.chart
    old = (path.relative_to(place.root).as_posix() for path in home.rglob("*") if path.is_file())
    scaffold.removed = sorted(set(old) - scaffold.new.keys())
    if scaffold.removed and not kind.force:
        raise ConfigError(
            f"there is a chart in {used.chart} already, with other files, such as"
            f" {scaffold.removed[0]}. Nothing was changed; --force replaces it"
        )
    put(place.root, scaffold, force=kind.force, dry_run=dry_run)
    for one in notes:
        tell(one)
    print(f"Next: look at {ROLE} and the sample, then make install run")  # noqa: T201


def check_names(wanted: Wanted, chart: ChartOptions) -> None:
    """Check that the names of a kind are there, or can be made out from its chart.

    Raises:
        ConfigError: They are not.
    """
    names = {"--group": wanted.group, "--version": wanted.version, "--kind": wanted.kind}
    missing = [name for name, value in names.items() if not value]
    if missing and not chart.chart:
        raise ConfigError(
            f"Missing option '{missing[0]}': a kind has a group, a version and a kind. With"
            " --helm-chart, those that are left out are made out from the chart"
        )


def add_kind(
    project: Project, kind: HelmKind, current: Current, rendered: Render
) -> tuple[Scaffold, ProjectResource, list[str]]:
    """Return the files of a new kind, the kind, and what users should know.

    Args:
        project: The project; the kind is put into it.
        kind: The kind.
        current: Reads files of the project.
        rendered: Renders its chart.

    Raises:
        ConfigError: It cannot be made.
    """
    kind.chart.check()
    check_names(kind.wanted, kind.chart)
    templates = Templates(project.cli_version)
    chart = get_chart(kind.chart) if kind.chart.chart else default_chart_for(kind, templates)
    wanted = _named(kind.wanted, chart)
    resource = _resource(project, wanted, force=kind.force)
    schema = kind.chart.crd_schema or "none"
    _check_shared(project, resource, chart, current)
    project.put(resource)
    project.put_chart(resource, ChartUse(chart=chart.folder, crd_schema=schema))
    if kind.chart.chart:
        rights, notes = _rights(chart, rendered, namespaced=project.namespaced)
    else:  # ours: all that its values can bring is known, with or without helm
        rights, notes = template_rights(chart, namespaced=project.namespaced), []
    found = helm_api_files(project, resource, templates, current, Contents(chart, rights.rules))
    if chart.missing:
        notes.append(
            f"the chart depends on {' and '.join(chart.missing)}, which is not in its folder"
            f" charts: run `helm dependency update {chart.folder}`"
        )
    if schema == "values":
        notes += notes_of(chart)
    return found, resource, notes


def default_chart_for(kind: HelmKind, templates: Templates) -> Chart:
    """Return a new chart for *kind*.

    Raises:
        ConfigError: No chart can be called after it.
    """
    kind.wanted.check()
    return default_chart(kind.wanted.kind, templates)


def _named(wanted: Wanted, chart: Chart) -> Wanted:
    """Return *wanted* with the names that were left out."""
    words = re.findall(r"[a-z0-9]+", chart.metadata.name)
    camel = "".join(word[0].upper() + word[1:] for word in words)
    named = replace(
        wanted,
        group=wanted.group or GROUP,
        version=wanted.version or VERSION,
        kind=wanted.kind or camel,
    )
    named.check()
    return named


def _resource(project: Project, wanted: Wanted, *, force: bool) -> ProjectResource:
    if not wanted.namespaced:
        raise ConfigError(
            f"--no-namespaced: a release is in the namespace of its object, so objects of"
            f" {wanted.kind} are in one. Leave the option out"
        )
    return new_kind(project, wanted, what="chart", force=force)


def _check_shared(
    project: Project, resource: ProjectResource, chart: Chart, current: Current
) -> None:
    """Check that a chart does not take the place of another kind's, of the same name."""
    for one in project.resources:
        used = project.chart_of(one)
        if str(one) == str(resource) or used is None or used.chart != chart.folder:
            continue
        texts = {path: text for path, text in chart.files.items() if path.endswith(_TEXTS)}
        there = {path: current(f"{chart.folder}/{path}") or "" for path in texts}
        if any(_lines(there[path]) != _lines(text) for path, text in texts.items()):
            raise ConfigError(
                f"{chart.folder} has the chart of {one.kind} already, which is another one of that"
                f" name. Change the name in the Chart.yaml of that for {resource.kind}"
            )


def _lines(text: str) -> list[str]:
    """Return the lines without their ends, which git may write in another way."""
    return text.replace("\r\n", "\n").split("\n")


def _rights(chart: Chart, rendered: Render, *, namespaced: bool) -> tuple[Rights, list[str]]:
    """Return what it takes to install *chart*, and what users should know of that."""
    try:
        rights = manifest_rights(rendered(chart), chart, namespaced=namespaced)
    except (ConfigError, SchemaError) as error:
        rights = template_rights(chart, namespaced=namespaced)
        why = (
            f"{chart.folder} was not rendered, so {ROLE} allows what its templates name, needed or"
            f" not: {error}. Look at it, and add what is missing"
        )
        return rights, [why, *(f"{ROLE}: {one}" for one in rights.notes)]
    return rights, [f"{ROLE}: {one}" for one in rights.notes]
