"""Finds the ``watches.yaml`` that a user means."""

import re
from pathlib import Path

__all__ = ["find_watches", "is_watches"]

NAME: str = "watches.yaml"
_PLAYBOOK = re.compile(r"^\s*(?:-\s+)?(?:playbook|role)\s*:", re.MULTILINE)


def find_watches(target: str | None) -> str | None:
    """Return the path of the ``watches.yaml`` with charts that *target* is, or is the folder of.

    Args:
        target: What the user has typed; nothing stands for the current folder.
    """
    place = Path(target or ".")
    file = place / NAME if place.is_dir() else place
    return str(file) if is_watches(str(file)) else None


def is_watches(target: str) -> bool:
    """Say whether *target* is a file that names charts, and not one for playbooks."""
    path = Path(target)
    if path.suffix not in {".yaml", ".yml"} or not path.is_file():
        return False
    return not _PLAYBOOK.search(path.read_text("utf-8", "replace"))
