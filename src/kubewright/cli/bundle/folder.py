"""Reads all texts of a folder, and names what is in the way."""

import os
from pathlib import Path

from kubewright.errors import ConfigError

__all__ = ["place_of", "read_texts"]

_SIZE_LIMIT = 16 << 20


def read_texts(folder: Path, *, what: str = "folder") -> dict[str, str]:
    """Return the texts below *folder*, by their paths in it, with slashes.

    Hidden files and folders are left out, and so are files that are not text.

    Args:
        folder: The folder.
        what: What it should be, for messages.

    Raises:
        ConfigError: It is not there, is a file, or one of its files cannot be read.
    """
    if not folder.exists():
        raise ConfigError(f"there is no {what} {folder}")
    if not folder.is_dir():
        raise ConfigError(f"{folder} is a file, and should be the folder of a {what}")
    found: dict[str, str] = {}
    for top, folders, names in os.walk(folder):
        folders[:] = sorted(one for one in folders if not one.startswith("."))
        for name in sorted(names):
            if not name.startswith("."):
                path = Path(top) / name
                _check(path, folder)
                if (text := _find_text(path)) is not None:
                    found[path.relative_to(folder).as_posix()] = text
    return found


def place_of(folder: Path) -> str:
    """Return how messages name *folder*: as the user did, without a slash at the end."""
    return folder.as_posix().rstrip("/") or "."


def _check(path: Path, folder: Path) -> None:
    """Refuse what is no file of the folder: a link could lead to anybody's secrets."""
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise ConfigError(f"cannot read {path}: the link leads nowhere ({error})") from None
    if not target.is_relative_to(folder.resolve()):
        raise ConfigError(
            f"{path} is a link out of {folder}, to {target}. Put the file itself there"
        )
    if not target.is_file():
        raise ConfigError(f"{path} is not a file. Move it away")


def _find_text(path: Path) -> str | None:
    try:
        if path.stat().st_size > _SIZE_LIMIT:
            raise ConfigError(f"{path} is larger than {_SIZE_LIMIT >> 20} MB. Move it away")
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return None
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
