"""The project that a command is about: the folder with the file PROJECT, and its operator."""

import sys
from pathlib import Path
from typing import NamedTuple

from kubewright.errors import ConfigError
from kubewright.scaffold.codeless.watches import FILE
from kubewright.scaffold.project import Project

__all__ = ["NAME", "ProjectFolder", "find_project", "get_project", "target_of"]

NAME: str = "PROJECT"


class ProjectFolder(NamedTuple):
    """A project on disk.

    Attributes:
        root: The folder with the file PROJECT.
        project: What that file says.
    """

    root: Path
    project: Project

    @property
    def target(self) -> str:
        """The operator, as `load_operator` takes it."""
        return str(self.root / FILE) if self.project.is_codeless else f"{self.project.repo}.main"

    def find_text(self, path: str) -> str | None:
        """Return the text of the file *path* of the project; ``None`` if there is no such file.

        Raises:
            ConfigError: It is there, and cannot be read.
        """
        return _find_text(self.root / path)

    def find_exact(self, path: str) -> str | None:
        """Return the text of the file *path* with the ends of lines that it has.

        Raises:
            ConfigError: It is there, and cannot be read.
        """
        return _find_text(self.root / path, newline="")


def find_project(start: Path | None = None) -> ProjectFolder | None:
    """Return the project that *start* is in, by default the current folder, or ``None``.

    Raises:
        ConfigError: Its file PROJECT cannot be read, or another tool has written it.
    """
    here = (start or Path.cwd()).absolute()
    for folder in (here, *here.parents):
        if (folder / NAME).is_file():
            return _read(folder)
    return None


def get_project(start: Path | None = None) -> ProjectFolder:
    """Return the project that *start* is in, by default the current folder.

    Raises:
        ConfigError: It is not in a project.
    """
    found = find_project(start)
    if found is None:
        raise ConfigError(
            f"there is no project here: no file {NAME} in {start or Path.cwd()} or above it. Change"
            " into the folder of a project, or make one with `kubewright init`"
        )
    return found


def target_of(target: str | None) -> str:
    """Return *target*, or the operator of the project that the current folder is in.

    Modules of the project can be imported afterwards, wherever in it the command is run.

    Raises:
        ConfigError: Nothing is named, and there is no project.
    """
    if target:
        return target
    found = find_project()
    if found is None:
        raise ConfigError(
            "which operator? Name a file such as at.py, or a module; in the folder of a project"
            f" (there is no file {NAME} here), its own operator is taken"
        )
    if str(found.root) not in sys.path:
        sys.path.insert(0, str(found.root))
    return found.target


def _read(folder: Path) -> ProjectFolder:
    place = folder / NAME
    return ProjectFolder(folder, Project.read(_find_text(place) or "", place=str(place)))


def _find_text(path: Path, *, newline: str | None = None) -> str | None:
    try:
        with path.open(encoding="utf-8", newline=newline) as stream:
            return stream.read()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read {path}: {error}") from error
