"""`Folders`: the folders behind provisioned volumes, on this machine."""

import asyncio
from pathlib import Path

from kubewright.embedded.node.process.supervisor import remove_tree
from kubewright.kinds.core.v1 import PersistentVolumeClaim

__all__ = ["Folders"]

NOWHERE: Path = Path("/var/lib/kubewright/claims")
"""What the volumes of simulated pods name, for which there are no folders."""


class Folders:
    """Makes and removes the folders of volumes.

    Args:
        root: Their parent.
        real: Whether there are folders at all; simulated pods need none.
    """

    def __init__(self, root: Path = NOWHERE, *, real: bool = False) -> None:
        self._root = root
        self._real = real

    def path(self, volume: str, claim: PersistentVolumeClaim) -> Path:
        """Return the place of the folder of a new *volume* for *claim*."""
        return self._root / f"{volume}_{claim.metadata.namespace}_{claim.metadata.name}"

    def make(self, volume: str, claim: PersistentVolumeClaim) -> None:
        """Make the folder of a new *volume* for *claim*.

        Claims were folders before there were volumes; such a one, with all that is in it, becomes
        the folder of the first volume of its claim.

        Raises:
            OSError: It cannot be made.
        """
        path = self.path(volume, claim)
        if not self._real or path.exists():
            return
        # For this user only: the folder of a node, which may not be there yet, holds Secrets.
        self._root.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._root.mkdir(exist_ok=True)
        old = self._root / f"{claim.metadata.namespace}_{claim.metadata.name}"
        if old.is_dir():
            old.rename(path)
        else:
            path.mkdir()

    async def remove(self, name: str) -> None:
        """Remove a folder with all that is in it; nothing if it is gone already.

        Raises:
            OSError: Something of it is left.
        """
        if not self._real:
            return
        path = self._root / name
        await asyncio.to_thread(remove_tree, path)
        if path.exists():
            raise OSError(f"cannot remove {path}: some of its files belong to another user")
