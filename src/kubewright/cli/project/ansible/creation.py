"""``kubewright create api`` in a project without code: a kind, and what Ansible runs for it."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec

from kubewright.cli.fatal import tell
from kubewright.cli.project.ansible.options import RoleOptions
from kubewright.cli.project.codeless import new_kind
from kubewright.cli.project.folder import ProjectFolder
from kubewright.cli.project.helm.source import find_files
from kubewright.cli.project.outcome import put
from kubewright.errors import ConfigError
from kubewright.scaffold.ansible.creation import RoleContents, ansible_api_files
from kubewright.scaffold.ansible.rights import role_rights
from kubewright.scaffold.ansible.role import (
    Role,
    new_playbook,
    new_role,
    playbook_path,
    role_folder,
    role_name,
)
from kubewright.scaffold.codeless.creation import ROLE
from kubewright.scaffold.creation import Current, Scaffold
from kubewright.scaffold.project import Project, ProjectResource, RoleUse
from kubewright.scaffold.templates import Templates
from kubewright.scaffold.wanted import Wanted

__all__ = ["AnsibleKind", "FilesIn", "add_kind", "check_names", "files_in", "run"]

FilesIn = Callable[[str], dict[str, str]]
"""Returns the files below a folder of the project, by path in it."""


class AnsibleKind(msgspec.Struct, frozen=True, kw_only=True):
    """A kind to make.

    Attributes:
        wanted: Its names.
        role: The options about its role.
        force: Whether files that are there may be overwritten.
    """

    wanted: Wanted
    role: RoleOptions
    force: bool = False


class _Found(NamedTuple):
    """What is to be run for a kind."""

    role: Role | None
    playbook: str | None
    made: dict[str, str]


def run(kind: AnsibleKind, place: ProjectFolder, *, dry_run: bool) -> None:
    """Add *kind* to the project in *place*.

    Raises:
        ConfigError: It cannot be added; nothing was written.
    """
    scaffold, notes = add_kind(place.project, kind, place.find_exact, files_in(place.root))
    put(place.root, scaffold, force=kind.force, dry_run=dry_run)
    for one in notes:
        tell(one)
    print(f"Next: look at {ROLE} and the sample, then make install run")  # noqa: T201


def files_in(root: Path) -> FilesIn:
    """Return what reads the folders of the project in *root*."""

    def found(folder: str) -> dict[str, str]:
        return find_files(root / folder, what="role") if (root / folder).is_dir() else {}

    return found


def check_names(wanted: Wanted) -> None:
    """Check that the names of a kind are there.

    Raises:
        ConfigError: They are not.
    """
    names = {"--group": wanted.group, "--version": wanted.version, "--kind": wanted.kind}
    for name, value in names.items():
        if not value:
            raise ConfigError(f"Missing option '{name}': a kind has a group, a version and a kind")


def add_kind(
    project: Project, kind: AnsibleKind, current: Current, files: FilesIn
) -> tuple[Scaffold, list[str]]:
    """Return the files of a new kind, and what users should know.

    Args:
        project: The project; the kind is put into it.
        kind: The kind.
        current: Reads files of the project.
        files: Reads folders of the project.

    Raises:
        ConfigError: It cannot be made.
    """
    kind.role.check()
    check_names(kind.wanted)
    kind.wanted.check()
    templates = Templates(project.cli_version)
    resource = new_kind(project, kind.wanted, what="role", force=kind.force)
    name = role_name(project, resource)
    found = _find(kind.role, resource, name, templates, files)
    project.put(resource)
    project.put_role(resource, _use(kind.role, name, found))
    rights = role_rights(_named_files(found, name), namespaced=project.namespaced)
    contents = RoleContents(found.role, found.made, rights.rules)
    scaffold = ansible_api_files(project, resource, templates, current, contents)
    return scaffold, [f"{ROLE}: {one}" for one in rights.notes]


def _find(
    options: RoleOptions,
    resource: ProjectResource,
    name: str,
    templates: Templates,
    files: FilesIn,
) -> _Found:
    """Return what is to be run: what is there already, or what is new."""
    there, playbook = files(role_folder(name)), files("playbooks").get(f"{name}.yml")
    role = Role(name, there) if there else None
    made: dict[str, str] = {}
    if options.generate_role:
        new = new_role(name, resource, templates)
        made |= {f"{new.folder}/{path}": text for path, text in new.files.items()}
        role = Role(name, {**there, **new.files})
    if options.generate_playbook:
        playbook = new_playbook(name, resource, templates, with_role=role is not None)
        made[playbook_path(name)] = playbook
    if role is None and playbook is None:
        raise ConfigError(
            f"what should be run for {resource.kind}? Say --generate-role or --generate-playbook,"
            f" or put a role into {role_folder(name)} first, or a playbook into"
            f" {playbook_path(name)}"
        )
    return _Found(role, playbook, made)


def _use(options: RoleOptions, name: str, found: _Found) -> RoleUse:
    schema = options.crd_schema or "none"
    if schema == "defaults" and (found.role is None or not found.role.defaults.strip()):
        raise ConfigError(
            "--crd-schema defaults: the schema comes from the defaults of a role, and there are"
            f" none in {role_folder(name)}/defaults/main.yml. Say --generate-role, or write them"
        )
    return RoleUse(
        role=name if found.role is not None else "",
        playbook=playbook_path(name) if found.playbook is not None else "",
        crd_schema=schema,
    )


def _named_files(found: _Found, name: str) -> dict[str, str]:
    """Return all that is run, by path in the project."""
    role = found.role.files if found.role is not None else {}
    named = {f"{role_folder(name)}/{path}": text for path, text in role.items()}
    return named | ({playbook_path(name): found.playbook} if found.playbook else {})
