"""Files that a command writes: all of them or none, and a line about each."""

import difflib
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Literal, NamedTuple

from kubewright.cli.fatal import tell
from kubewright.cli.interruption import Interrupted, held_signals
from kubewright.errors import ConfigError

__all__ = ["Action", "FileChange", "changes_of", "check_new", "diff_of", "lines_of", "write"]

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
"""A line as patch counts them: a form feed ends none."""
Action = Literal["create", "update", "delete", "keep"]

_RECORD = "PROJECT"
_CRLF = "\r\n"


class FileChange(NamedTuple):
    """What happens to one file; bytes in it that are not UTF-8 are surrogates.

    Attributes:
        path: Where it is, below the folder, with slashes.
        before: Its text as it is; ``None`` if there is no such file.
        after: Its text as it should be; ``None`` if it should go.
        encoding: How the text is written.
    """

    path: str
    before: str | None
    after: str | None
    encoding: str = "utf-8"

    @property
    def action(self) -> Action:
        """What is done to the file."""
        if self.before == self.after:
            return "keep"
        if self.before is None:
            return "create"
        return "delete" if self.after is None else "update"


def changes_of(root: Path, files: Mapping[str, str | None]) -> list[FileChange]:
    """Compare *files*, the wanted texts by path, with what is in the folder *root*.

    Files keep the ends of lines that they have, such as those of Windows.

    Raises:
        ConfigError: A file cannot be read, is not text, or leads out of the folder by a link.
    """
    found = ((path, _find_text(root, path, text), text) for path, text in files.items())
    return [FileChange(path, before, _alike(before, after)) for path, before, after in found]


def check_new(changes: Iterable[FileChange], *, hint: str) -> None:
    """Check that *changes* do not overwrite or delete a file.

    Args:
        changes: The changes.
        hint: What to do about it, such as ``"--force overwrites them"``.

    Raises:
        ConfigError: They do; the message names the files.
    """
    there = [one.path for one in changes if one.action in {"update", "delete"}]
    if there:
        raise ConfigError(f"these files are there already: {', '.join(there)}. {hint}")


def write(root: Path, changes: Iterable[FileChange]) -> None:
    """Make *changes* in the folder *root*; if one fails, or a signal comes, undo those before it.

    Nothing can be undone when the process is killed or the machine goes down. So what is new comes
    first, then PROJECT, which tells of it, and deletions come last: a file that was moved is in
    one place or in both, and never in none.

    Raises:
        ConfigError: A file cannot be written. The folder is as it was, but for files that the
            message names.
    """
    done: list[_Done] = []
    folders: list[Path] = []
    with held_signals() as check:
        try:
            for one in sorted(changes, key=_turn):
                check()
                if one.action != "keep":
                    done.append(_make(root, one, folders))
        except BaseException as error:
            outcome = _outcome_of(_undo(root, done, folders))
            if isinstance(error, Interrupted):
                tell(f"{error.name} came while files were written. {outcome}")
            elif isinstance(error, OSError):
                raise ConfigError(
                    f"cannot write {error.filename or root}: {error.strerror}. {outcome}"
                ) from error
            else:
                error.add_note(outcome)
            raise


def lines_of(changes: Iterable[FileChange], *, dry_run: bool = False) -> Iterator[str]:
    """Yield a line about each file that is not kept, such as ``create  Makefile``."""
    width = len("would create")
    for one in changes:
        if one.action != "keep":
            said = f"would {one.action:<{width - 6}}" if dry_run else f"{one.action:<6}"
            yield f"{said}  {one.path}"


def diff_of(changes: Iterable[FileChange]) -> str:
    """Return *changes* as a patch."""
    return "".join(line for one in changes if one.action != "keep" for line in _diff(one))


def _diff(change: FileChange) -> Iterator[str]:
    before, after = (_LINE.findall(text or "") for text in (change.before, change.after))
    names = (
        "/dev/null" if change.before is None else f"a/{change.path}",
        "/dev/null" if change.after is None else f"b/{change.path}",
    )
    for line in difflib.unified_diff(before, after, *names):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _find_text(root: Path, path: str, after: str | None) -> str | None:
    place = root / path
    _resolved(root, path)
    try:
        # What is to become other bytes, or nothing, may be bytes; texts are of people.
        lenient = after is None or _has_bytes(after)
        return place.read_bytes().decode("utf-8", "surrogateescape" if lenient else "strict")
    except FileNotFoundError:
        return None
    except IsADirectoryError:
        raise ConfigError(f"{place} is a folder, where a file should be. Move it away") from None
    except NotADirectoryError:
        raise ConfigError(
            f"cannot write {place}: a folder above it is a file. Move that away"
        ) from None
    except UnicodeDecodeError:
        raise ConfigError(f"{place} is not a text in UTF-8. Move it away") from None
    except OSError as error:
        raise ConfigError(f"cannot read {place}: {error.strerror}") from error


def _has_bytes(text: str) -> bool:
    """Tell whether *text* has bytes in it that are not UTF-8, as surrogates."""
    return any("\udc80" <= char <= "\udcff" for char in text) if not text.isascii() else False


def _alike(before: str | None, after: str | None) -> str | None:
    """Return *after* with the ends of lines that *before* has."""
    if before is None or after is None or _CRLF in after or _has_bytes(after):
        return after
    is_windows = before.count(_CRLF) * 2 > before.count("\n")
    return after.replace("\n", _CRLF) if is_windows else after


def _resolved(root: Path, path: str) -> Path:
    """Return the file that is meant by *path*, which may be, or go by, a link inside of *root*.

    Raises:
        ConfigError: It is outside.
    """
    place = root / path
    circle = ConfigError(f"{place} is a link that leads to itself. Remove it first")
    try:
        found, top = place.resolve(), root.resolve()
    except (OSError, RuntimeError):  # up to Python 3.12
        raise circle from None
    if found.is_symlink():  # later ones leave such a link as it is
        raise circle
    if not found.is_relative_to(top):
        raise ConfigError(f"{place} leads out of {root} by a link. Remove the link first")
    return found


# --- Writing and undoing ---


class _Done(NamedTuple):
    """A change that was made.

    Attributes:
        change: The change.
        link: Where the file has led to, if it was a link that was deleted.
    """

    change: FileChange
    link: Path | None = None


def _turn(change: FileChange) -> int:
    """Return which changes come first: the smaller ones."""
    if change.action == "delete":
        return 3
    return 2 if change.path == _RECORD else change.action == "update"


def _make(root: Path, change: FileChange, folders: list[Path]) -> _Done:
    if change.after is None:
        place = root / change.path  # a link, not what it leads to
        link = place.readlink() if place.is_symlink() else None
        _put(place, None, change.encoding)
        return _Done(change, link)
    place = _resolved(root, change.path)
    _make_folders(place, folders)
    _put(place, change.after, change.encoding)
    return _Done(change)


def _undo(root: Path, done: list[_Done], folders: list[Path]) -> list[str]:
    """Undo what was done, and return the paths of the files for which that failed."""
    left: list[str] = []
    for change, link in reversed(done):
        try:
            if link is not None:
                (root / change.path).symlink_to(link)
            else:
                _put(_resolved(root, change.path), change.before, change.encoding)
        except (OSError, ConfigError):
            left.append(change.path)
    for folder in reversed(folders):
        with suppress(OSError):  # something is left in it
            folder.rmdir()
    return sorted(left)


def _outcome_of(left: list[str]) -> str:
    if not left:
        return "Nothing was changed"
    return (
        f"These files could not be put back and are not as they were: {', '.join(left)}. Restore"
        " them, for instance with git"
    )


def _make_folders(path: Path, made: list[Path]) -> None:
    """Make the folders above *path*, and note each that is new in *made*."""
    for folder in reversed([one for one in path.parents if not one.exists()]):
        folder.mkdir()
        made.append(folder)


def _put(path: Path, text: str | None, encoding: str) -> None:
    """Give the file this text at once, so that nobody reads half of it; ``None`` removes it."""
    if text is None:
        path.unlink(missing_ok=True)
        return
    try:
        _replace(path, text.encode(encoding, "surrogateescape"))
    except OSError as error:  # a full disk has no name, and a temporary file is not what was meant
        raise OSError(error.errno, error.strerror, str(path)) from error


def _replace(path: Path, content: bytes) -> None:
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    """Return the process's mask for new files, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
