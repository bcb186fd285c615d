"""One command at a time in a project: each reads PROJECT, and writes it with something added."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from kubewright.cli.fatal import tell
from kubewright.cli.project.folder import ProjectFolder, get_project

__all__ = ["locked", "locked_project"]


@contextmanager
def locked_project(folder: Path | None = None) -> Iterator[ProjectFolder]:
    """Yield the project that *folder* is in, for as long as no other command writes into it.

    Raises:
        ConfigError: It is not in a project.
    """
    root = get_project(folder).root
    with locked(root):
        yield get_project(root)  # again: the one that was waited for has changed it


@contextmanager
def locked(root: Path) -> Iterator[None]:
    """Keep other commands out of the folder *root*; wait while one is there, and say so.

    The folder itself is locked, so no file is left behind, and whoever is killed holds nothing up.
    On disks without locks, as some of networks, commands are not kept out.
    """
    with ExitStack() as stack:
        with suppress(OSError):
            descriptor = os.open(root, os.O_RDONLY)
            stack.callback(os.close, descriptor)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                tell(f"another command is writing into {root}; this one goes on when that ends")
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
