"""The manifests of a project without code: CRDs whose schema is that of a role's defaults."""

from kubewright.cli.project.folder import NAME, ProjectFolder
from kubewright.cli.project.helm.source import find_files
from kubewright.errors import ConfigError
from kubewright.scaffold.ansible.creation import ansible_manifests
from kubewright.scaffold.ansible.role import Role, role_folder

__all__ = ["role_manifests"]


def role_manifests(folder: ProjectFolder) -> dict[str, str]:
    """Return the manifests of the project in *folder*, by path.

    Raises:
        ConfigError: A role is missing or broken.
    """
    roles: dict[str, Role] = {}
    for resource in folder.project.resources:
        used = folder.project.role_of(resource)
        if used is None or used.crd_schema != "defaults":
            continue
        place = folder.root / role_folder(used.role)
        if not (used.role and place.is_dir()):
            raise ConfigError(
                f"there is no role in {place}, where {NAME} has that of {resource.kind}. Bring it"
                f" back, or mend {NAME}"
            )
        roles[used.role] = Role(used.role, find_files(place, what="role"))
    return ansible_manifests(folder.project, roles)
