"""Writes a scaffold into a folder, makes its manifests, and says what was done."""

import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from kubewright.cli.fatal import tell
from kubewright.cli.files import FileChange, changes_of, check_new, lines_of, write
from kubewright.scaffold.creation import Scaffold

__all__ = ["conclude", "put"]

_PATIENCE = 120.0
_PATH = len("create  ")
"""Where the path begins in a line about a file."""

Maker = Callable[[Path], tuple[list[str], str]]
"""Makes the manifests of a project, and returns a line about each file and what is wrong."""


def put(
    root: Path, scaffold: Scaffold, *, force: bool, dry_run: bool, manifests: bool = False
) -> None:
    """Write *scaffold* into the folder *root*, all or nothing, with a line about each file.

    Args:
        root: The folder.
        scaffold: The files.
        force: Whether files that are there may be overwritten.
        dry_run: Whether to say only what would be done.
        manifests: Whether to make the manifests from the code, too.

    Raises:
        ConfigError: A file is there already, or cannot be written; nothing is changed.
    """
    new = changes_of(root, dict(scaffold.new))
    if not force:
        check_new(new, hint="Nothing was changed; --force overwrites them")
    shared = [one for one in changes_of(root, dict(scaffold.shared)) if one.before is None]
    changes = [*new, *shared, *changes_of(root, dict(scaffold.changed))]
    changes += changes_of(root, dict.fromkeys(scaffold.removed))
    changes.sort(key=lambda one: one.path)
    if not dry_run:
        write(root, changes)
    conclude(root, changes, dry_run=dry_run, manifests=manifests)


def conclude(
    root: Path,
    changes: Iterable[FileChange],
    *,
    dry_run: bool = False,
    manifests: bool = False,
    run: Maker | None = None,
) -> None:
    """Make the manifests of the project in *root*, and say what has become of each file.

    Nothing is printed before: if nobody reads that to the end, as with ``| head``, the project is
    whole all the same. If the manifests cannot be made, the files stand, and users are told.

    Args:
        root: The folder of the project.
        changes: What was written, or would be.
        dry_run: Whether nothing was written, and no manifests are made.
        manifests: Whether to make the manifests, as ``kubewright manifests`` does.
        run: Makes them; by default in another process, as the modules of the project may be loaded
            already in this one.
    """
    lines = list(lines_of(changes, dry_run=dry_run))
    try:
        if manifests and not dry_run:
            lines += _others(lines, _made(root, run or _manifests))
    finally:
        for line in lines:
            print(line)  # noqa: T201  # the summary


def _made(root: Path, run: Maker) -> list[str]:
    try:
        lines, problem = run(root)
    except KeyboardInterrupt:
        tell("the manifests were not made from the code. Run `make manifests`")
        raise
    if problem:
        tell(
            f"the manifests were not made from the code: {problem}. Run `make manifests` when that"
            " is mended"
        )
    return lines


def _others(lines: list[str], more: list[str]) -> list[str]:
    """Return those of *more* about files that *lines* are not about: each is named once."""
    told = {line[_PATH:] for line in lines}
    return [line for line in more if line[_PATH:] not in told]


def _manifests(root: Path) -> tuple[list[str], str]:
    command = [sys.executable, "-m", "kubewright", "manifests"]
    try:
        done = subprocess.run(  # noqa: S603  # ourselves
            command, cwd=root, capture_output=True, text=True, timeout=_PATIENCE, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return [], str(error)
    if done.returncode:
        said = done.stderr.strip().removeprefix("kubewright: ")
        return [], said.rstrip(".") or f"it ended with {done.returncode}"
    return done.stdout.splitlines(), ""
