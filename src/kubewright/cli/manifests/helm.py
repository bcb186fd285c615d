"""The manifests of a project without code: CRDs whose schema is that of a chart's values."""

from kubewright.cli.project.folder import NAME, ProjectFolder
from kubewright.cli.project.helm.source import find_files
from kubewright.errors import ConfigError
from kubewright.scaffold.helm.creation import helm_manifests

__all__ = ["chart_manifests"]


def chart_manifests(folder: ProjectFolder) -> dict[str, str]:
    """Return the manifests of the project in *folder*, by path.

    Raises:
        ConfigError: A chart is missing or broken.
    """
    charts: dict[str, dict[str, str]] = {}
    for resource in folder.project.resources:
        used = folder.project.chart_of(resource)
        if used is None or used.crd_schema != "values":
            continue
        place = folder.root / used.chart
        if not place.is_dir():
            raise ConfigError(
                f"there is no chart in {place}, where {NAME} has that of {resource.kind}. Bring it"
                f" back, or mend {NAME}"
            )
        charts[used.chart] = find_files(place)
    return helm_manifests(folder.project, charts)
