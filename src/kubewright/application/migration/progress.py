"""How far a migration has come, in a file, so that the next run goes on from there."""

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

import msgspec

from kubewright import _json
from kubewright.application.migration.definition import Definition
from kubewright.errors import ConfigError, DecodeError

__all__ = ["Progress", "ProgressFile"]


class Progress(msgspec.Struct):
    """How far a migration has come.

    Attributes:
        generation: The CRD's. If another one has been seen, the storage version may have been
            another one for a while, and all objects are suspect again.
        continue_: Leads to the first page that is not done.
        migrated: How many objects are done.
        listed: Whether all pages are done.
        failed: The objects that could not be written, as ``namespace/name``, and why.
    """

    generation: int
    continue_: str = ""
    migrated: int = 0
    listed: bool = False
    failed: dict[str, str] = msgspec.field(default_factory=dict)


class ProgressFile:
    """Keeps the progress of one migration.

    Args:
        folder: Where; ``None`` keeps nothing.
        server: The address of the server. A restored copy of a cluster has the same CRDs, with the
            same uids, but is elsewhere.
        definition: The CRD, with the storage version to migrate to.
    """

    def __init__(self, folder: Path | None, server: str, definition: Definition) -> None:
        key = f"{server}\n{definition.metadata.uid}\n{definition.storage_version}"
        name = f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.json"
        self._path = folder / name if folder else None

    def load(self, generation: int) -> Progress:
        """Return the progress with a CRD of that *generation*; a new one if there is none."""
        if self._path is not None:
            with contextlib.suppress(OSError, DecodeError):
                found = _json.decode(self._path.read_bytes(), Progress)
                if found.generation == generation:
                    return found
        return Progress(generation)

    def save(self, progress: Progress) -> None:
        """Replace the file in one step, so that a kill leaves the old or the new one.

        Raises:
            ConfigError: It cannot be written.
        """
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(0o700, parents=True, exist_ok=True)
            _replace(self._path, _json.encode(progress))
        except OSError as error:
            raise ConfigError(
                f"cannot keep the progress in {self._path}: {error}. Set XDG_STATE_HOME to a"
                " folder that can be written to."
            ) from error

    def clear(self) -> None:
        """Remove the file, since there is nothing to go on with."""
        if self._path is not None:
            with contextlib.suppress(OSError):
                self._path.unlink()


def _replace(path: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(prefix=f"{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
