"""`Chart`: the files of a helm chart, and what they say."""

from collections.abc import Mapping
from typing import NamedTuple

from kubewright.crd.chart import ChartMetadata, check_chart_name, read_chart
from kubewright.crd.values import read_values
from kubewright.errors import ConfigError
from kubewright.scaffold.templates import CHART, Templates

__all__ = ["FOLDER", "Chart", "chart_of", "default_chart"]

FOLDER: str = "helm-charts"
"""Where the charts of a project are."""
_LEFT_OUT = {".git", ".hg", ".svn", ".bzr", "CVS", "__pycache__", ".DS_Store"}


class Chart(NamedTuple):
    """A chart.

    Attributes:
        metadata: What it says of itself.
        files: The texts of its files, by path; bytes that are not UTF-8 are surrogates.
    """

    metadata: ChartMetadata
    files: Mapping[str, str]

    @property
    def folder(self) -> str:
        """Where it is in a project."""
        return f"{FOLDER}/{self.metadata.name}"

    @property
    def values(self) -> str:
        """The file ``values.yaml``; empty if there is none."""
        return self.files.get("values.yaml", "")

    @property
    def schema(self) -> str | None:
        """The file ``values.schema.json``, if there is one."""
        return self.files.get("values.schema.json")

    @property
    def missing(self) -> list[str]:
        """The names of the charts that it needs and does not have."""
        there = {path.split("/")[1] for path in self.files if path.startswith("charts/")}
        return [
            one.name
            for one in self.metadata.dependencies
            if not any(name == one.name or name.startswith(f"{one.name}-") for name in there)
        ]


def chart_of(files: Mapping[str, str], *, place: str) -> Chart:
    """Return the chart that has *files*.

    Args:
        files: The texts of its files, by path.
        place: Where they are, for errors.

    Raises:
        ConfigError: They are not those of a chart that can be installed.
    """
    kept = {
        path: text for path, text in files.items() if not _LEFT_OUT.intersection(path.split("/"))
    }
    if "Chart.yaml" not in kept:
        raise ConfigError(
            f"{place} has no file Chart.yaml, so it is not a helm chart. Name the folder that has"
            " it"
        )
    metadata = read_chart(kept["Chart.yaml"], place=f"{place}/Chart.yaml")
    if not any(path.startswith(("templates/", "charts/")) for path in kept):
        raise ConfigError(f"{place} has no folder templates, so there is nothing to install")
    read_values(kept.get("values.yaml", ""), place=f"{place}/values.yaml")
    return Chart(metadata, kept)


def default_chart(kind: str, templates: Templates) -> Chart:
    """Return a chart to begin with: a Deployment and what is usually beside it.

    Args:
        kind: The kind that it is for; it is called so, in lower case.
        templates: The templates.
    """
    name = kind.lower()
    check_chart_name(name, place="--kind")
    files = templates.render(CHART, {"chart": name, "kind": kind})
    return Chart(read_chart(files["Chart.yaml"]), files)
