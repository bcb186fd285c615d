"""Files and folders that a user has named."""

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from kubewright.errors import ConfigError

PathLike: TypeAlias = str | os.PathLike[str]


def named_path(name: str, value: PathLike | None) -> Path | None:
    """Return what the argument *name* says as a path.

    Raises:
        TypeError: It is not a path.
        ConfigError: It is empty, which would be the current folder.
    """
    if value is None:
        return None
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{name} must be a path, a str or os.PathLike, not {value!r}")
    if not os.fspath(value):
        raise ConfigError(f"{name} is empty: name a path, or leave it out.")
    return Path(value)


def check_writable(path: Path) -> None:
    """Check that *path* can be a file: its folder exists, and it is not a folder itself.

    Raises:
        ConfigError: It cannot; the text says what to do.
    """
    folder = path.parent
    if not folder.is_dir():
        problem = "is a file. Name a folder" if folder.exists() else "does not exist. Make it"
        raise ConfigError(f"cannot write {path}: the folder {folder} {problem}.")
    if path.is_dir():
        raise ConfigError(f"cannot write {path}: it is a folder. Name a file in it.")


def keep_private(*paths: Path) -> None:
    """Take away the rights of other users, which a file may have after it was restored.

    A missing file is skipped, and so is a file of another owner.
    """
    for path in paths:
        with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
            path.chmod(path.stat().st_mode & stat.S_IRWXU)


def write_private(path: Path, content: bytes) -> None:
    """Write *content* to *path*, whole or not at all, readable by us only.

    Raises:
        OSError: The folder does not exist, or cannot be written to.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
