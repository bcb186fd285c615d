"""The code of an operator under development: loaded, and loaded again when it changes."""

import importlib
import re
import sys
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from kubewright.application import Application
from kubewright.cli.load import check_declared, find_operator, load_module, split_target

__all__ = ["Project"]

_INSTALLED = "site-packages"
_OURS = Path(__file__).resolve().parents[2]


class _Stamp(NamedTuple):
    """What shows that a file has changed."""

    changed: int
    size: int


class Project:
    """An operator, and the files that its code is in.

    Args:
        target: A file or module, as `load_operator` takes it.

    Attributes:
        place: The file or module.
        folder: The folder of the file, or the one that the module's package is in.
    """

    def __init__(self, target: str) -> None:
        place, self._name = split_target(target)
        self.place: str = place
        self._before = frozenset(sys.modules)
        self._stamps: dict[Path, _Stamp | None] = {}
        is_file = Path(self.place).suffix in {".py", ".yaml", ".yml"}
        self.folder: Path = Path(self.place).resolve().parent if is_file else Path.cwd()
        # Python finds compiled files by the second of the last change. People save twice in one.
        sys.dont_write_bytecode = True

    @property
    def label(self) -> str:
        """What to call it: the name of the file without its ending, or of the package."""
        path = Path(self.place)
        return path.stem if path.suffix == ".py" else self.place.partition(".")[0]

    @property
    def slug(self) -> str:
        """The same, as a valid name in Kubernetes."""
        return re.sub(r"[^a-z0-9]+", "-", self.label.lower()).strip("-")[:40] or "operator"

    @property
    def files(self) -> list[Path]:
        """The files that are watched."""
        return sorted(self._stamps)

    def load(self) -> Application:
        """Load the operator again, from its files as they are now.

        Raises:
            ConfigError: It fails, or has no operator with something to do. What was loaded before
                stays as it was.
        """
        # Taken before: a file that is saved while we read it counts as changed, and is read again.
        before = {path: _stamp(path) for path in self._stamps}
        old = self._forget()
        importlib.invalidate_caches()
        try:
            module = load_module(self.place)
            self.folder = self._folder_of(module)
            operator = find_operator(module, self.place, self._name)
            check_declared(operator)
        except BaseException as error:
            failed = self._forget()
            sys.modules.update(old)
            self.note({*_paths(old), *_paths(failed), *_places(error), *before}, before)
            raise
        self.note(set(_paths(self._own())), before)
        return operator

    def changed(self) -> list[Path]:
        """Return the files that have changed since they were loaded."""
        return [path for path, stamp in self._stamps.items() if _stamp(path) != stamp]

    def _folder_of(self, module: ModuleType) -> Path:
        path = _path(module)
        if path is None or Path(self.place).suffix == ".py":
            return self.folder
        # The __init__.py of a package lies one deeper than a module beside it would.
        return path.parents[self.place.count(".") + (path.stem == "__init__")]

    def _own(self) -> dict[str, ModuleType]:
        """Return the modules that were loaded with the operator, without installed libraries."""
        return {
            name: module
            for name, module in list(sys.modules.items())
            if name not in self._before and self._is_own(module)
        }

    def _is_own(self, module: ModuleType) -> bool:
        path = _path(module)
        if path is None or path.suffix != ".py" or not path.is_relative_to(self.folder):
            return False
        return _INSTALLED not in path.relative_to(self.folder).parts

    def _forget(self) -> dict[str, ModuleType]:
        """Remove the operator's modules from ``sys.modules``, and return them."""
        return {name: sys.modules.pop(name) for name in self._own()}

    def note(self, paths: set[Path], before: Mapping[Path, _Stamp | None] | None = None) -> None:
        """Watch *paths* from now on, from the state in *before* if that is known."""
        known = before or {}
        self._stamps = {path: known.get(path) or _stamp(path) for path in paths}


def _path(module: ModuleType) -> Path | None:
    file = getattr(module, "__file__", None)
    return Path(file).resolve() if isinstance(file, str) else None


def _paths(modules: dict[str, ModuleType]) -> Iterator[Path]:
    for module in modules.values():
        if (path := _path(module)) is not None:
            yield path


def _places(error: BaseException | None) -> Iterator[Path]:
    """Yield the files in the traceback of *error*: a change in one of them may fix it."""
    while error is not None:
        if isinstance(error, SyntaxError) and error.filename:
            yield Path(error.filename).resolve()
        for frame in traceback.extract_tb(error.__traceback__):
            path = Path(frame.filename)
            if path.is_file() and not path.is_relative_to(_OURS):
                yield path.resolve()
        error = error.__cause__


def _stamp(path: Path) -> _Stamp | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return _Stamp(found.st_mtime_ns, found.st_size)
