"""Files of a git revision: ``HEAD:config/crd/bases``."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import PurePosixPath

from kubewright.errors import ConfigError

__all__ = ["files_at", "is_revision"]

_TIMEOUT = 60


def is_revision(text: str) -> bool:
    """Tell whether *text* has the form ``REVISION:PATH``, and is no path on Windows."""
    revision, colon, path = text.partition(":")
    return bool(colon and path) and len(revision) > 1 and not revision.startswith("-")


def files_at(text: str, suffixes: frozenset[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of the file, or of those in the folder, of ``REVISION:PATH``.

    Args:
        text: The revision and the path, relative to the current folder, as people type it.
        suffixes: Which files of a folder count.

    Raises:
        ConfigError: There is no git, no repository, no such revision, or no such path in it.
    """
    revision, _, path = text.partition(":")
    # `HEAD:./x` is relative to the current folder for git, and `HEAD:x` to the repository; people
    # copy paths from either, so both are tried.
    tried = (path,) if path.startswith(("./", "../")) else (f"./{path}", path)
    named, kind, problem = "", "", ""
    for one in tried:
        kind, problem = _find_kind(f"{revision}:{one}")
        if kind:
            named = one
            break
    if not kind:
        raise ConfigError(f"there is no file, and git has no such revision, {text}: {problem}")
    if kind == "blob":
        yield text, _git("show", f"{revision}:{named}", what=text)
        return
    listed = _git(
        "ls-tree", "-r", "-z", "--name-only", "--full-tree", f"{revision}:{named}", what=text
    )
    for name in filter(None, listed.decode(errors="surrogateescape").split("\0")):
        if PurePosixPath(name).suffix in suffixes:
            inside = f"{named.rstrip('/')}/{name}" if named not in {".", "./"} else f"./{name}"
            yield f"{revision}:{inside}", _git("show", f"{revision}:{inside}", what=text)


def _find_kind(name: str) -> tuple[str, str]:
    """Return whether *name* is a blob or a tree, or an empty text and what git says."""
    done = _run("cat-file", "-t", name)
    if done.returncode == 0:
        return done.stdout.decode().strip(), ""
    said = done.stderr.decode(errors="replace").strip().splitlines()
    return "", said[-1].removeprefix("fatal: ") if said else "git failed"


def _git(*arguments: str, what: str) -> bytes:
    done = _run(*arguments)
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip()
        raise ConfigError(f"cannot read {what}: git says: {said}")
    return done.stdout


def _run(*arguments: str) -> "subprocess.CompletedProcess[bytes]":
    program = shutil.which("git")
    if program is None:
        raise ConfigError("REVISION:PATH needs the program git, and there is none in PATH")
    try:
        return subprocess.run(  # noqa: S603  # a list, and no shell
            [program, *arguments], capture_output=True, check=False, timeout=_TIMEOUT
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ConfigError(f"cannot run git: {error}") from error
