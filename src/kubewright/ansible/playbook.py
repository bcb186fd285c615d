"""`Playbook`: a role or a playbook, where it is, and whether its files have changed."""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from kubewright._aio import Clock
from kubewright.errors import ConfigError

__all__ = ["Playbook", "Stamp", "find_playbook", "find_role"]

_COLLECTIONS = "/usr/share/ansible/collections:~/.ansible/collections"
_SKIPPED = frozenset({"__pycache__", ".git", "molecule", "tests"})
_LOOK_EVERY = 2.0
_PARTS = 3  # of the full name of a role in a collection


class Playbook(msgspec.Struct, frozen=True):
    """What is run: a role, or a playbook.

    Attributes:
        path: The folder of the role, or the file of the playbook.
        role: The name of the role; empty for a playbook.
        roles_path: The folder with the role and others, for what is not in a collection.
    """

    path: Path
    role: str = ""
    roles_path: Path | None = None

    @property
    def arguments(self) -> dict[str, str]:
        """The arguments for ansible-runner."""
        if not self.role:
            return {"playbook": str(self.path)}
        found = {"role": self.role, "hosts": "localhost"}
        if self.roles_path is not None:
            found["roles_path"] = str(self.roles_path)
        return found

    def files(self) -> Iterator[Path]:
        """Yield the files that it consists of; for a playbook, those of roles beside it, too."""
        if self.role:
            yield from _below(self.path)
            return
        yield self.path
        folders = {self.path.parent, self.path.parent.parent}
        for name in ("roles", "vars", "templates", "tasks", "group_vars", "files"):
            for folder in sorted(folders):
                yield from _below(folder / name)

    def stamp(self) -> int:
        """Return a number that is another one when a file has changed."""
        found = []
        for path in self.files():
            try:
                stat = path.stat()
            except OSError:
                continue
            found.append((str(path), stat.st_mtime_ns, stat.st_size))
        return hash(tuple(sorted(found)))


def _below(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = [one for one in folders if one not in _SKIPPED]
        yield from (Path(place, name) for name in names)


def find_playbook(name: str, folder: Path) -> Playbook:
    """Return the playbook in the file *name*, from *folder* on.

    Raises:
        ConfigError: There is no such file.
    """
    path = (folder / name).resolve()
    if not path.is_file():
        raise ConfigError(f"there is no playbook {path}: make one, or write where it is")
    return Playbook(path, roles_path=folder / "roles")


def find_role(name: str, folder: Path, environ: Mapping[str, str] = os.environ) -> Playbook:
    """Return the role *name*: a path, the full name of one in a collection, or just a name.

    Raises:
        ConfigError: It is nowhere; the message says where it was looked for.
    """
    if Path(name).is_absolute():
        path = Path(name)
        if not path.is_dir():
            raise ConfigError(f"there is no role in {path}: make one there, or write where it is")
        return Playbook(path, path.name, path.parent)
    places: list[Path] = []
    for path, full in _candidates(name, folder, environ):
        if path.is_dir():
            return Playbook(path, name) if full else Playbook(path, path.name, path.parent)
        places.append(path)
    looked = "\n".join(f"  {one}" for one in places)
    raise ConfigError(
        f"there is no role {name!r}. Make it in {folder / 'roles' / name}, or install it. It was"
        f" looked for in:\n{looked}"
    )


def _candidates(name: str, folder: Path, environ: Mapping[str, str]) -> Iterator[tuple[Path, bool]]:
    """Yield where a role may be, and whether that is a collection."""
    parts = name.split(".")
    if len(parts) == _PARTS and "/" not in name:
        namespace, collection, role = parts
        for root in _paths(environ.get("ANSIBLE_COLLECTIONS_PATH") or _COLLECTIONS, folder):
            place = root / "ansible_collections" / namespace / collection / "roles" / role
            yield place, True
    for root in _paths(environ.get("ANSIBLE_ROLES_PATH", ""), folder):
        yield root / name, False
        yield root / "roles" / name, False
    yield folder / "roles" / name, False
    yield folder / name, False


def _paths(text: str, folder: Path) -> list[Path]:
    return [folder / Path(one).expanduser() for one in text.split(os.pathsep) if one]


class Stamp:
    """The stamps of some playbooks; the files are looked at every few seconds.

    Args:
        playbooks: The roles and playbooks.
        clock: Where time comes from.
    """

    def __init__(self, playbooks: Iterable[Playbook], clock: Clock) -> None:
        self._playbooks = tuple(playbooks)
        self._clock = clock
        self._known = 0
        self._until = float("-inf")

    def now(self) -> int:
        """Return a number that is another one when a file has changed."""
        time = self._clock.monotonic()
        if time >= self._until:
            self._known = hash(tuple(one.stamp() for one in self._playbooks))
            self._until = time + _LOOK_EVERY
        return self._known
