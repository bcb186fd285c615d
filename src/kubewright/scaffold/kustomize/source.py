"""`Folder`: the files of one kustomization, as far as it may read them."""

import posixpath
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from kubewright.scaffold.kustomize.problem import ProblemError

__all__ = ["Folder", "Reader"]

Reader = Callable[[str], str | None]
"""Returns the text of a file, or ``None`` if there is none."""
_NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_REMOTE = ("git@", "git::", "github.com/", "gitlab.com/", "bitbucket.org/", "ssh:", "file:")


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder with a kustomization.

    Attributes:
        path: Its path from the root of all; ``.`` is the root itself.
        read: Reads files by such paths.
        visited: The folders that led here.
    """

    path: str
    read: Reader
    visited: tuple[str, ...] = field(default=())

    def load(self, path: str) -> str:
        """Return the text of a file.

        Raises:
            ProblemError: There is none, or it is not in this folder or below.
        """
        if (found := self.find(path)) is not None:
            return found
        raise ProblemError(f"there is no file {self.place(path)}")

    def find(self, path: str) -> str | None:
        """Return the text of a file, or ``None`` if there is none.

        Raises:
            ProblemError: It is not in this folder or below: kustomize would not read it.
        """
        place = self.place(path)
        found = self.read(place)
        if found is not None and not _is_in(place, self.path):
            raise ProblemError(
                f"{place} is not in {self.path} or below, so kustomize would not read it; copy it"
                " there, or give its folder a kustomization.yaml and name the folder"
            )
        return found

    def place(self, path: str) -> str:
        """Return a path from the root of all.

        Raises:
            ProblemError: It leads out of that, or is remote.
        """
        if "://" in path or "?ref=" in path or path.startswith(_REMOTE):
            raise ProblemError(f"{path} is remote; download it, and name the file instead")
        if path.startswith("/"):
            raise ProblemError(f"{path} is absolute; give a path from {self.path}")
        place = posixpath.normpath(posixpath.join(self.path, path))
        if place == ".." or place.startswith("../"):
            raise ProblemError(f"{path} leads out of the folder that all files are read from")
        return place

    def find_kustomization(self) -> tuple[str, str] | None:
        """Return name and text of the file kustomization.yaml, or ``None`` if there is none.

        Raises:
            ProblemError: There are several.
        """
        there = [(name, text) for name, text in self._kustomizations() if text is not None]
        if len(there) > 1:
            names = ", ".join(name for name, _ in there)
            raise ProblemError(f"the folder {self.path} has {names}; keep one of them")
        return there[0] if there else None

    def _kustomizations(self) -> Iterator[tuple[str, str | None]]:
        for name in _NAMES:
            yield name, self.read(self.place(name))

    def folder(self, path: str) -> "Folder":
        """Return another folder.

        Raises:
            ProblemError: It is one that led here, or contains such a one.
        """
        place = self.place(path)
        if any(_is_in(one, place) for one in (*self.visited, self.path)):
            raise ProblemError(f"{place} is built while it is built: the paths make a circle")
        return Folder(place, self.read, (*self.visited, self.path))


def _is_in(place: str, folder: str) -> bool:
    return folder in (".", place) or place.startswith(folder + "/")
