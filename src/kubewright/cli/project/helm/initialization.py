"""``kubewright init --plugins helm``: a new project without code, with its first kind or not."""

from kubewright.cli.project.codeless import together
from kubewright.cli.project.helm.creation import HelmKind, add_kind, check_names
from kubewright.cli.project.helm.program import Render, render
from kubewright.scaffold.creation import Scaffold
from kubewright.scaffold.helm.creation import helm_init_files
from kubewright.scaffold.project import Project
from kubewright.scaffold.templates import Templates

__all__ = ["beginning"]


def beginning(
    project: Project, kind: HelmKind, *, rendered: Render = render
) -> tuple[Scaffold, list[str]]:
    """Return the files of a new project, and what users should know.

    Args:
        project: The project; the kind is put into it.
        kind: Its first kind; without names and without a chart, there is none yet.
        rendered: Renders the chart.

    Raises:
        ConfigError: It cannot be made.
    """
    made = helm_init_files(project, Templates())
    wanted = kind.wanted
    if not (wanted.group or wanted.version or wanted.kind or kind.chart.said):
        return made, []
    if not kind.chart.chart:
        kind.chart.check()
        check_names(wanted, kind.chart)
    added, _, notes = add_kind(project, kind, made.new.get, rendered)
    return together(made, added), notes
