"""``kubewright init --plugins ansible``: a new project without code, with its first kind or not."""

from kubewright.cli.project.ansible.creation import AnsibleKind, FilesIn, add_kind
from kubewright.cli.project.codeless import together
from kubewright.scaffold.ansible.creation import ansible_init_files
from kubewright.scaffold.creation import Scaffold
from kubewright.scaffold.project import Project
from kubewright.scaffold.templates import Templates

__all__ = ["beginning"]


def beginning(project: Project, kind: AnsibleKind, files: FilesIn) -> tuple[Scaffold, list[str]]:
    """Return the files of a new project, and what users should know.

    Args:
        project: The project; the kind is put into it.
        kind: Its first kind; without names and options, there is none yet.
        files: Reads folders that are there already, with roles.

    Raises:
        ConfigError: It cannot be made.
    """
    made = ansible_init_files(project, Templates())
    wanted = kind.wanted
    if not (wanted.group or wanted.version or wanted.kind or kind.role.said):
        return made, []
    added, notes = add_kind(project, kind, made.new.get, files)
    return together(made, added), notes
