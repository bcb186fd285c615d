"""Roles and playbooks under development."""

import re
from collections.abc import Iterator
from pathlib import Path

from kubewright.cli.dev.watches import WatchesProject

__all__ = ["AnsibleProject"]

_PLAYBOOK = re.compile(r"^\s*(?:-\s+)?(?:playbook|role)\s*:\s*[\"']?([^\s\"'#]+)", re.MULTILINE)
_FOLDERS = ("roles", "playbooks", "group_vars", "vars", "templates", "tasks", "files")


class AnsibleProject(WatchesProject):
    """The roles and playbooks of a ``watches.yaml``, and the files that they are in."""

    def roots(self, text: str) -> Iterator[Path]:
        """Yield what is named, and the folders in which Ansible looks for more."""
        yield from (self.folder / name for name in _PLAYBOOK.findall(text))
        yield from (self.folder / name for name in _FOLDERS)
