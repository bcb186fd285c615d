"""What users say of a chart on the command line."""

import msgspec

from kubewright.errors import ConfigError

__all__ = ["ChartOptions"]

_SCHEMAS = ("none", "values")


class ChartOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options about a chart.

    Attributes:
        chart: A folder, an archive, or the name of a chart in a repository; empty for a new one.
        repo: The repository.
        version: Which version of it.
        crd_schema: Whether the CRD has the schema of its values; empty if that was not said.
    """

    chart: str = ""
    repo: str = ""
    version: str = ""
    crd_schema: str = ""

    @property
    def about_chart(self) -> list[str]:
        """The options that were given and are about a chart, not about the CRD."""
        return [name for name in self.said if name != "--crd-schema"]

    @property
    def said(self) -> list[str]:
        """The options that were given."""
        given = {
            "--helm-chart": self.chart,
            "--helm-chart-repo": self.repo,
            "--helm-chart-version": self.version,
            "--crd-schema": self.crd_schema,
        }
        return [name for name, value in given.items() if value]

    def check(self) -> None:
        """Check that the options fit together.

        Raises:
            ConfigError: They do not.
        """
        if self.crd_schema not in {"", *_SCHEMAS}:
            raise ConfigError(
                f"--crd-schema: {self.crd_schema!r} is not known. Say values, for the schema of the"
                " chart's values, or none"
            )
        for name in ("--helm-chart-repo", "--helm-chart-version"):
            if name in self.said and not self.chart:
                raise ConfigError(f"{name} goes with --helm-chart, which says which chart it is")
        if self.repo and "://" not in self.repo:
            raise ConfigError(
                f"--helm-chart-repo: {self.repo!r} is not the address of a repository, such as"
                " https://charts.example.com. One that helm knows by name goes before the chart:"
                f" --helm-chart {self.repo}/{self.chart}"
            )
