"""``kubewright init``: a new project in a folder."""

from pathlib import Path

import msgspec

from kubewright.cli.fatal import tell
from kubewright.cli.project.ansible.creation import AnsibleKind, files_in
from kubewright.cli.project.ansible.initialization import beginning as ansible_beginning
from kubewright.cli.project.ansible.options import RoleOptions
from kubewright.cli.project.folder import NAME, find_project
from kubewright.cli.project.helm.creation import HelmKind
from kubewright.cli.project.helm.initialization import beginning
from kubewright.cli.project.helm.options import ChartOptions
from kubewright.cli.project.lock import locked
from kubewright.cli.project.outcome import put
from kubewright.cli.project.plugins import layout_of
from kubewright.errors import ConfigError
from kubewright.scaffold.creation import Scaffold, init_files
from kubewright.scaffold.naming import check_domain, check_project_name, package_name
from kubewright.scaffold.project import ANSIBLE, HELM, LAYOUT, VERSION, Project
from kubewright.scaffold.templates import CURRENT, Templates
from kubewright.scaffold.wanted import Wanted

__all__ = ["InitOptions", "check_license", "check_owner", "project_for", "run"]

_TELLING = (NAME, "Makefile", "pyproject.toml")
_LICENSES = ("apache2", "none")


class InitOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options of the command; each is explained there."""

    domain: str
    project_name: str = ""
    owner: str = ""
    license_name: str = "apache2"
    multigroup: bool = False
    namespaced: bool = False
    project_version: str = VERSION
    plugins: str = ""
    wanted: Wanted = Wanted(group="", version="", kind="")
    chart: ChartOptions = ChartOptions()
    role: RoleOptions = RoleOptions()
    force: bool = False
    dry_run: bool = False
    manifests: bool = True


def run(options: InitOptions, folder: Path | None = None) -> None:
    """Make the project in *folder*, by default the current one.

    Raises:
        ConfigError: It cannot be made; nothing was written.
    """
    root = (folder or Path.cwd()).absolute()
    project = project_for(options, root)
    with locked(root):
        notes = _make(root, project, options)
    for one in notes:
        tell(one)
    if project.resources:
        print("Next: look at config/rbac/role.yaml and the sample, then make install run")  # noqa: T201
        return
    print(  # noqa: T201  # the summary
        "Next: kubewright create api --group GROUP --version v1 --kind KIND"
    )


def _make(root: Path, project: Project, options: InitOptions) -> list[str]:
    """Write the files, and return what users should know."""
    _check_folder(root, force=options.force)
    scaffold, notes = _beginning(root, project, options)
    put(
        root,
        scaffold,
        force=options.force,
        dry_run=options.dry_run,
        manifests=options.manifests and not project.is_codeless,
    )
    return notes


def _beginning(root: Path, project: Project, options: InitOptions) -> tuple[Scaffold, list[str]]:
    """Return the files, and what users should know."""
    wanted, force = options.wanted, options.force
    if project.is_helm:
        return beginning(project, HelmKind(wanted=wanted, chart=options.chart, force=force))
    if project.is_ansible:
        kind = AnsibleKind(wanted=wanted, role=options.role, force=force)
        return ansible_beginning(project, kind, files_in(root))
    return init_files(project, Templates()), []


def project_for(options: InitOptions, root: Path) -> Project:
    """Return the project that *options* describe.

    Raises:
        ConfigError: They make no sense.
    """
    if options.project_version != VERSION:
        raise ConfigError(
            f"--project-version: only {VERSION} is known, not {options.project_version!r}. Leave"
            " the option out"
        )
    layout = layout_of(options.plugins)
    _check_of_plugin(options, layout)
    check_license(options.license_name)
    check_domain(options.domain)
    name = options.project_name or root.name
    check_project_name(name)
    project = Project(
        domain=options.domain,
        project_name=name,
        repo=package_name(name) if layout == LAYOUT else "",
        version=VERSION,
        layout=[layout],
        cli_version=CURRENT,
        multigroup=options.multigroup,
        namespaced=options.namespaced,
    )
    if layout == LAYOUT:
        project.head(owner=check_owner(options.owner), license_name=options.license_name)
    return project


def _check_of_plugin(options: InitOptions, layout: str) -> None:
    """Check that nothing was said that is for another sort of project."""
    wanted = options.wanted
    names = {"--group": wanted.group, "--version": wanted.version, "--kind": wanted.kind}
    said = [name for name, value in names.items() if value]
    charts, roles = options.chart.about_chart, options.role.generated
    if layout != HELM and charts:
        raise ConfigError(f"{charts[0]} goes with --plugins helm")
    if layout != ANSIBLE and roles:
        raise ConfigError(f"{roles[0]} goes with --plugins ansible")
    said += options.chart.said
    if said and layout == LAYOUT:
        raise ConfigError(
            f"{said[0]} goes with --plugins helm or ansible; in a project in Python, `kubewright"
            " create api` makes a kind afterwards"
        )
    if options.owner and layout != LAYOUT:
        raise ConfigError(
            "--owner goes into pyproject.toml, and a project without code has none. Leave it out"
        )


def check_license(name: str) -> None:
    """Check that there is a license *name*.

    Raises:
        ConfigError: There is none.
    """
    if name not in _LICENSES:
        raise ConfigError(
            f"--license: {name!r} is not known; say {' or '.join(_LICENSES)}. For another one,"
            " say none, and add its text as LICENSE"
        )


def check_owner(owner: str) -> str:
    """Return *owner* without spaces around it.

    Raises:
        ConfigError: It has several lines.
    """
    if not owner.isprintable():
        raise ConfigError(f"--owner: {owner!r} is not one line of text")
    return owner.strip()


def _check_folder(root: Path, *, force: bool) -> None:
    there = [name for name in _TELLING if (root / name).exists() or (root / name).is_symlink()]
    if there and not force:
        raise ConfigError(
            f"there is a project in {root} already: {', '.join(there)}. Run it in an empty folder;"
            " --force overwrites the files of a scaffold"
        )
    above = find_project(root.parent)
    if above is not None and not force:
        raise ConfigError(
            f"{root} is inside of the project {above.project.project_name} in {above.root}. Run it"
            " elsewhere; --force makes a project inside of the other"
        )
