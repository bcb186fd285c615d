"""`Role`: the files of an Ansible role, and what they say."""

from collections.abc import Mapping
from typing import NamedTuple

from kubewright.scaffold.naming import module_name
from kubewright.scaffold.project import Project, ProjectResource
from kubewright.scaffold.templates import PLAYBOOK, ROLE, Templates

__all__ = [
    "FOLDER",
    "Role",
    "new_playbook",
    "new_role",
    "playbook_path",
    "role_folder",
    "role_name",
]

FOLDER: str = "roles"
"""Where the roles of a project are."""
_DEFAULTS = ("defaults/main.yml", "defaults/main.yaml")


class Role(NamedTuple):
    """A role.

    Attributes:
        name: Its name.
        files: The texts of its files, by path.
    """

    name: str
    files: Mapping[str, str]

    @property
    def folder(self) -> str:
        """Where it is in a project."""
        return role_folder(self.name)

    @property
    def defaults_file(self) -> str:
        """The path of its defaults, for messages."""
        there = [path for path in _DEFAULTS if path in self.files]
        return f"{self.folder}/{[*there, _DEFAULTS[0]][0]}"

    @property
    def defaults(self) -> str:
        """Its variables, as the file with their defaults says them; empty if there is none."""
        return next((self.files[path] for path in _DEFAULTS if path in self.files), "")


def role_folder(name: str) -> str:
    """Return where the role *name* is in a project."""
    return f"{FOLDER}/{name}"


def playbook_path(name: str) -> str:
    """Return where the playbook for the role *name* is in a project."""
    return f"playbooks/{name}.yml"


def role_name(project: Project, resource: ProjectResource) -> str:
    """Return what the role of *resource* is called: as the kind, unless another kind has that."""
    used = project.role_of(resource)
    if used is not None:
        return used.name
    others = (project.role_of(one) for one in project.resources)
    taken = {one.name for one in others if one is not None}
    name = resource.singular
    return f"{module_name(resource.group)}_{name}" if name in taken else name


def new_role(name: str, resource: ProjectResource, templates: Templates) -> Role:
    """Return a role to begin with.

    Args:
        name: What it is called.
        resource: The kind that it is for.
        templates: The templates.
    """
    return Role(name, templates.render(ROLE, {"role": name, "resource": resource}))


def new_playbook(
    name: str, resource: ProjectResource, templates: Templates, *, with_role: bool
) -> str:
    """Return a playbook to begin with.

    Args:
        name: The name of the role.
        resource: The kind that it is for.
        templates: The templates.
        with_role: Whether it runs the role, or has the tasks itself.
    """
    context = {"role": name, "resource": resource, "with_role": with_role}
    [text] = templates.render(PLAYBOOK, context).values()
    return text
