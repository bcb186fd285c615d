"""A folder with charts under development: loaded, and loaded again when a file changes."""

import re
from pathlib import Path

from kubewright.application import Application
from kubewright.cli.dev.project import Project
from kubewright.cli.load import load_operator
from kubewright.helm.files import files_below

__all__ = ["HelmProject"]

_CHART = re.compile(r"^\s*(?:-\s+)?chart\s*:\s*[\"']?([^\s\"'#]+)", re.MULTILINE)


class HelmProject(Project):
    """The charts of a ``watches.yaml``, and the files that they are in."""

    @property
    def label(self) -> str:
        """The name of the folder."""
        return self.folder.name or "helm"

    def load(self) -> Application:
        """Read the charts again, from their files as they are now.

        Raises:
            ConfigError: One cannot be read. What was loaded before stays as it was.
        """
        self.note(self._found())
        return load_operator(str(self._file))

    def changed(self) -> list[Path]:
        """Return the files that have changed, are new or are gone since they were loaded."""
        new = self._found().difference(self.files)
        return [*super().changed(), *sorted(new)]

    @property
    def _file(self) -> Path:
        return self.folder / Path(self.place).name

    def _found(self) -> set[Path]:
        """Return the file, those of its charts, and the CRDs beside it.

        The charts are looked for in the text: it may be one that cannot be read just now.
        """
        text = self._file.read_text("utf-8", "replace") if self._file.is_file() else ""
        charts = (self.folder / name for name in _CHART.findall(text))
        roots = [*charts, self.folder / "config" / "crd" / "bases"]
        folders = (root for root in roots if root.is_dir())
        files = (path for folder in folders for _, path in files_below(folder))
        return {self._file, *files, *(root for root in roots if root.is_file())}
