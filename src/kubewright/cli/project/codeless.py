"""What the commands of projects without code have in common."""

from kubewright.errors import ConfigError
from kubewright.scaffold.creation import Scaffold
from kubewright.scaffold.naming import check_group
from kubewright.scaffold.project import API, Project, ProjectResource
from kubewright.scaffold.wanted import Wanted, check_new_kind

__all__ = ["new_kind", "together"]


def new_kind(project: Project, wanted: Wanted, *, what: str, force: bool) -> ProjectResource:
    """Return *wanted* as a kind of *project*.

    Args:
        project: The project.
        wanted: The names of the kind.
        what: What is run for each kind, in a word.
        force: Whether it may be there already.

    Raises:
        ConfigError: It cannot be one.
    """
    group = wanted.group
    if group.endswith(f".{project.domain}"):
        group = group.removesuffix(f".{project.domain}")
    check_group(group, project.domain)
    made = ProjectResource(
        kind=wanted.kind,
        version=wanted.version,
        group=group,
        domain=project.domain,
        plural=wanted.plural,
        api=API(crd_version="v1", namespaced=wanted.namespaced),
    )
    for one in project.versions_of(made):
        if one.version != made.version:
            raise ConfigError(
                f"{made.kind} is in this project already, in version {one.version}, and one {what}"
                f" is for it: there are no conversions without code. Change its {what} instead"
            )
        if not force:
            raise ConfigError(
                f"the project has {made.kind} of {made.api_group}/{made.version} already. Overwrite"
                " its files with --force"
            )
    check_new_kind(project, made)
    return made


def together(made: Scaffold, added: Scaffold) -> Scaffold:
    """Return the files of a new project *made* with those of its first kind, *added* to it."""
    return Scaffold(new={**added.shared, **made.new, **added.new, **added.changed})
