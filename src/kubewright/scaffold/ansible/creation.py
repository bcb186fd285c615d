"""The files of a project made of Ansible roles, and of a kind in it."""

from collections.abc import Mapping
from typing import NamedTuple

from kubewright.crd.rbac import PolicyRule
from kubewright.scaffold.ansible.definition import crd_text, sample_text
from kubewright.scaffold.ansible.rights import kind_rules
from kubewright.scaffold.ansible.role import Role
from kubewright.scaffold.codeless.creation import common_files, finish, kind_files, sample_path
from kubewright.scaffold.codeless.definition import crd_path
from kubewright.scaffold.context import resource_context
from kubewright.scaffold.creation import Current, Scaffold
from kubewright.scaffold.project import Project, ProjectResource
from kubewright.scaffold.templates import Templates

__all__ = [
    "RoleContents",
    "ansible_api_files",
    "ansible_files",
    "ansible_init_files",
    "ansible_manifests",
]


class RoleContents(NamedTuple):
    """What is in a kind of a project, and does not follow from the file PROJECT.

    Attributes:
        role: Its role, if it has one.
        files: The files to make for it, by path: those of a new role, a new playbook.
        rules: The rights that it takes to run it.
    """

    role: Role | None
    files: Mapping[str, str]
    rules: tuple[PolicyRule, ...] = ()


def ansible_files(project: Project, templates: Templates) -> dict[str, str]:
    """Return the files that a project has before its first kind, but for PROJECT."""
    return common_files(project, templates, "ansible-init")


def ansible_init_files(project: Project, templates: Templates) -> Scaffold:
    """Return the files of a new project, PROJECT among them."""
    return Scaffold(new={**ansible_files(project, templates), "PROJECT": project.text()})


def ansible_api_files(
    project: Project,
    resource: ProjectResource,
    templates: Templates,
    current: Current,
    contents: RoleContents | None,
) -> Scaffold:
    """Return the files of a kind.

    Args:
        project: The project; *resource* and its role are in it already.
        resource: The kind.
        templates: The templates.
        current: Reads files of the project.
        contents: Its role; without, the files that depend on the role are left out.

    Raises:
        ConfigError: A file to add to, or the role, is not as it should be.
    """
    used = project.role_of(resource)
    assert used is not None  # it was put there before
    found = kind_files(project, resource, templates)
    checked = used.crd_schema == "defaults"
    if contents is not None:
        labels = resource_context(project, resource)["labels"]
        found.new |= contents.files
        found.new[sample_path(resource)] = sample_text(resource, contents.role, labels)
        found.new[crd_path(resource)] = crd_text(resource, contents.role if checked else None)
    elif not checked:
        found.new[crd_path(resource)] = crd_text(resource)
    rules = [*kind_rules(resource), *(contents.rules if contents else ())]
    return finish(found, project, resource, current, rules=rules, runs=used.runs)


def ansible_manifests(project: Project, roles: Mapping[str, Role]) -> dict[str, str]:
    """Return the CRDs of *project* whose schema is that of the defaults of a role, by path.

    Args:
        project: The project.
        roles: The roles that these need, by name.

    Raises:
        ConfigError: The defaults of a role cannot be read.
    """
    found = {}
    for resource in project.resources:
        used = project.role_of(resource)
        if used is not None and used.crd_schema == "defaults":
            found[crd_path(resource)] = crd_text(resource, roles[used.role])
    return found
