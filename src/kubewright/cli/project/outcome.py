"""Writes a scaffold into a folder, makes its manifests, and says what was done."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from kubewright.cli.fatal import tell
from kubewright.cli.files import changes_of, check_new, lines_of, write
from kubewright.scaffold.creation import Scaffold

__all__ = ["put", "write_manifests"]

_PATIENCE = 120.0


def put(root: Path, scaffold: Scaffold, *, force: bool, dry_run: bool) -> None:
    """Write *scaffold* into the folder *root*, all or nothing, with a line about each file.

    Args:
        root: The folder.
        scaffold: The files.
        force: Whether files that are there may be overwritten.
        dry_run: Whether to say only what would be done.

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
    for line in lines_of(changes, dry_run=dry_run):
        print(line)  # noqa: T201  # the summary


def write_manifests(root: Path, *, run: Callable[[Path], str] | None = None) -> None:
    """Make the manifests of the project in *root* from its code, as ``kubewright manifests`` does.

    If they cannot be made, the files of the scaffold stand, and users are told.

    Args:
        root: The folder of the project.
        run: Makes them and returns what is wrong; by default in another process, as the modules of
            the project may be loaded already in this one.
    """
    problem = (run or _manifests)(root)
    if problem:
        tell(
            f"the manifests were not made from the code: {problem}. Run `make manifests` when that"
            " is mended"
        )


def _manifests(root: Path) -> str:
    command = [sys.executable, "-m", "kubewright", "manifests"]
    try:
        done = subprocess.run(  # noqa: S603  # ourselves
            command, cwd=root, capture_output=True, text=True, timeout=_PATIENCE, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode:
        said = done.stderr.strip().removeprefix("kubewright: ")
        return said.rstrip(".") or f"it ended with {done.returncode}"
    print(done.stdout, end="")  # noqa: T201  # the summary
    return ""
