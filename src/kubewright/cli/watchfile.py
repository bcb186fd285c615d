"""Finds the ``watches.yaml`` that a user means, and says what works for its kinds."""

import re
from pathlib import Path
from typing import Literal

__all__ = ["FrontEnd", "find_watches", "front_end_of"]

FrontEnd = Literal["", "helm", "ansible"]

NAME: str = "watches.yaml"
_ENTRY = re.compile(r"^(\s*)-(\s+)\S", re.MULTILINE)


def find_watches(target: str | None) -> str | None:
    """Return the path of the ``watches.yaml`` that *target* is, or is the folder of.

    Args:
        target: What the user has typed; nothing stands for the current folder.
    """
    place = Path(target or ".")
    file = place / NAME if place.is_dir() else place
    return str(file) if front_end_of(str(file)) else None


def front_end_of(target: str) -> FrontEnd:
    """Say whether *target* is a file that names charts, or roles and playbooks; else nothing.

    The text is asked, since it may be one that is not YAML just now. One with both is a file of
    roles, where a chart is refused.
    """
    path = Path(target)
    if path.suffix not in {".yaml", ".yml"} or not path.is_file():
        return ""
    text = path.read_text("utf-8", "replace")
    if _has(text, "playbook|role"):
        return "ansible"
    # One who has misspelt `role` wants to hear of the fields that there are for roles.
    roles = any((path.parent / name).is_dir() for name in ("roles", "playbooks"))
    return "ansible" if roles and not _has(text, "chart") else "helm"


def _has(text: str, names: str) -> bool:
    """Say whether an entry of *text* has a field with one of *names*."""
    first = _ENTRY.search(text)
    if first is None:
        return False
    # What an entry says stands below its first word; what stands deeper is the value of something.
    indent = len(first[1]) + 1 + len(first[2])
    at_entry = rf"^(?: {{{indent}}}|\s{{{len(first[1])}}}-\s+)(?:{names})\s*:"
    return re.search(at_entry, text, re.MULTILINE) is not None
