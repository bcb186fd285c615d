"""Charts under development."""

import re
from collections.abc import Iterator
from pathlib import Path

from kubewright.cli.dev.watches import WatchesProject
from kubewright.helm.files import files_below

__all__ = ["HelmProject"]

_CHART = re.compile(r"^\s*(?:-\s+)?chart\s*:\s*[\"']?([^\s\"'#]+)", re.MULTILINE)


class HelmProject(WatchesProject):
    """The charts of a ``watches.yaml``, and the files that they are in."""

    def roots(self, text: str) -> Iterator[Path]:
        """Yield the charts."""
        return (self.folder / name for name in _CHART.findall(text))

    def files_in(self, root: Path) -> Iterator[Path]:
        """Yield the files of a chart; links to subcharts are followed, as Helm does."""
        return (path for _, path in files_below(root))
