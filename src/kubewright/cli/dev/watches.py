"""A folder with a ``watches.yaml`` under development: loaded, and loaded again when it changes."""

from abc import abstractmethod
from collections.abc import Iterator
from pathlib import Path

from kubewright.application import Application
from kubewright.cli.dev.project import Project
from kubewright.cli.load import load_operator

__all__ = ["WatchesProject"]

_SKIPPED = frozenset({"__pycache__", ".git", "molecule"})


class WatchesProject(Project):
    """What a ``watches.yaml`` names, and the files that it is in."""

    @property
    def label(self) -> str:
        """The name of the folder."""
        return self.folder.name or "operator"

    def load(self) -> Application:
        """Read everything again, from its files as they are now.

        Raises:
            ConfigError: One cannot be read. What was loaded before stays as it was.
        """
        self.note(self._found())
        return load_operator(str(self._file))

    def changed(self) -> list[Path]:
        """Return the files that have changed, are new or are gone since they were loaded."""
        new = self._found().difference(self.files)
        return [*super().changed(), *sorted(new)]

    @abstractmethod
    def roots(self, text: str) -> Iterator[Path]:
        """Yield the files and folders that *text*, that of the file, names."""

    def files_in(self, root: Path) -> Iterator[Path]:
        """Yield the files below the folder *root*."""
        return (path for path in root.rglob("*") if path.is_file())

    @property
    def _file(self) -> Path:
        return self.folder / Path(self.place).name

    def _found(self) -> set[Path]:
        """Return the file, those that it names, and the CRDs beside it.

        They are looked for in the text: it may be one that cannot be read just now.
        """
        text = self._file.read_text("utf-8", "replace") if self._file.is_file() else ""
        roots = [*self.roots(text), self.folder / "config" / "crd" / "bases"]
        files = [root for root in roots if root.is_file()]
        files += [path for root in roots if root.is_dir() for path in self.files_in(root)]
        return {self._file, *(one for one in files if not _SKIPPED.intersection(one.parts))}
