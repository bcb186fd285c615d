"""A journal in SQLite: a change that was answered survives a kill."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from kubewright._pki.files import keep_private
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.storage.event import Stored
from kubewright.apiserver.storage.wal import is_whole
from kubewright.errors import ConfigError


class _Metadata(msgspec.Struct, gc=False):
    name: str


class _Object(msgspec.Struct, gc=False):
    metadata: _Metadata


_check = msgspec.json.Decoder(_Object).decode

FILE: str = "objects.db"
FORMAT: int = 1

_HEADER = 100  # bytes below which SQLite takes a database, and its log, for an empty one

_TABLES = """
CREATE TABLE IF NOT EXISTS objects (
    api_group TEXT NOT NULL,
    resource TEXT NOT NULL,
    key TEXT NOT NULL,
    revision INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (api_group, resource, key)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS latest (
    id INTEGER PRIMARY KEY CHECK (id = 0),
    revision INTEGER NOT NULL
);
INSERT OR IGNORE INTO latest VALUES (0, 1);
"""


class SQLiteJournal:
    """Objects in one database file, written before a request is answered.

    The write-ahead log reaches the operating system with each change, so a killed process loses
    nothing. It is not forced to the disk each time: a power cut may lose the last moments, never
    the consistency.

    Args:
        folder: Where the file is, or will be; made if missing.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Secrets are in it. SQLite gives the files that it makes beside it the same mode.
            keep_private(self._path, _log_of(self._path))
            _check_files(self._path)
            is_new = not self._path.exists()
            self._path.touch(mode=0o600)
            self._database = self._open(is_new=is_new)
        except (OSError, sqlite3.Error) as error:
            raise ConfigError(_explain(self._path, error)) from error

    def _open(self, *, is_new: bool) -> sqlite3.Connection:
        database = sqlite3.connect(
            self._path, isolation_level=None, timeout=0, check_same_thread=False
        )
        try:
            # Held for the life of the process: two servers on one folder would be wrong.
            database.execute("PRAGMA locking_mode = EXCLUSIVE")
            database.execute("PRAGMA journal_mode = WAL")
            # What SQLite writes over is hard to tell from damage after a kill; see wal.py. So it
            # cuts a log that it begins anew after the first transaction.
            database.execute("PRAGMA journal_size_limit = 0")
            database.execute("PRAGMA synchronous = NORMAL")
            database.execute("BEGIN IMMEDIATE")
            found = database.execute("PRAGMA user_version").fetchone()[0]
            if found not in (0, FORMAT):
                raise ConfigError(  # noqa: TRY301  # the connection is closed below
                    f"cannot use {self._path}: it was written in format {found}, and this version"
                    f" reads format {FORMAT}. Use another folder, or the version that wrote it."
                )
            if not found and not is_new:
                raise ConfigError(_hollow(self._path))  # noqa: TRY301  # closed below
            for statement in filter(str.strip, _TABLES.split(";")):
                database.execute(statement)
            database.execute(f"PRAGMA user_version = {FORMAT}")
            database.execute("COMMIT")
        except BaseException:
            database.close()
            raise
        return database

    def load(self) -> tuple[int, Sequence[tuple[GroupResource, Stored]]]:
        """Return the latest revision and every object.

        Raises:
            ConfigError: The file is damaged; it is closed then.
        """
        query = (
            "SELECT max(revision) FROM (SELECT revision FROM latest UNION ALL"
            " SELECT revision FROM objects)"
        )
        try:
            revision: int = self._database.execute(query).fetchone()[0]
            return revision, list(self._rows())
        except sqlite3.Error as error:
            self.close()
            raise ConfigError(_explain(self._path, error)) from error
        except BaseException:
            self.close()
            raise

    def _rows(self) -> Iterator[tuple[GroupResource, Stored]]:
        query = "SELECT api_group, resource, key, data, revision FROM objects"
        for group, resource, key, data, revision in self._database.execute(query):
            try:
                _check(data)
            except (msgspec.DecodeError, UnicodeDecodeError, TypeError):
                raise ConfigError(_damaged(self._path, group, resource, key)) from None
            yield GroupResource(group, resource), Stored(key, data, revision)

    def put(self, resource: GroupResource, stored: Stored) -> None:
        """Keep an object."""
        self._database.execute(
            "INSERT OR REPLACE INTO objects VALUES (?, ?, ?, ?, ?)",
            (resource.group, resource.resource, stored.key, stored.revision, stored.data),
        )

    def remove(self, resource: GroupResource, key: str, revision: int) -> None:
        """Forget an object, and remember the revision in which it went."""
        self._database.execute("BEGIN")
        try:
            self._database.execute(
                "DELETE FROM objects WHERE api_group = ? AND resource = ? AND key = ?",
                (resource.group, resource.resource, key),
            )
            self._database.execute("UPDATE latest SET revision = ?", (revision,))
            self._database.execute("COMMIT")
        except BaseException:
            # Such as a full disk. Left open, this transaction would block all later ones.
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise

    def close(self) -> None:
        """Close the file."""
        self._database.close()


def _log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _check_files(path: Path) -> None:
    """Check what SQLite would take for a new database, or for the end of a log.

    Raises:
        ConfigError: Objects would be lost silently.
    """
    log = _log_of(path)
    if path.exists() and (size := path.stat().st_size) < _HEADER:
        raise ConfigError(
            f"cannot use {path}: it is {'cut off' if size else 'empty'}. Restore it from a copy, or"
            " remove it to begin without objects."
        )
    if not log.exists():
        return
    if not path.exists():
        raise ConfigError(
            f"cannot use {log}: {path.name}, which it belongs to, is missing. Restore it from a"
            " copy, or remove both to begin without objects."
        )
    if not is_whole(log.read_bytes()):
        raise ConfigError(
            f"cannot use {log}: it is damaged, and the last changes are in it. Restore it together"
            f" with {path.name} from a copy, or remove it to go on without these changes."
        )
    if _is_untouched(path):
        raise ConfigError(_hollow(path))


def _is_untouched(path: Path) -> bool:
    """Say whether only the tables were ever written; a server writes as soon as it starts."""
    query = "SELECT revision = 1 AND NOT EXISTS (SELECT 1 FROM objects) FROM latest"
    # Read-only: SQLite would otherwise tidy up, and the next check would find nothing wrong.
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
        try:
            return bool(database.execute(query).fetchone()[0])
        except sqlite3.Error:
            return False  # in use, or damaged: opening it reports what is wrong


def _hollow(path: Path) -> str:
    return (
        f"cannot use {path}: nothing is in it, since its log {path.name}-wal was removed or cut"
        " off. Restore both from a copy, or remove both to begin without objects."
    )


def _damaged(path: Path, group: str, resource: str, key: str) -> str:
    what = f"{resource}.{group}" if group else resource
    return (
        f"cannot use {path}: the object {key!r} of {what} in it is damaged. Restore the file from a"
        " copy, or use another folder."
    )


def _explain(path: Path, error: Exception) -> str:
    if "locked" in str(error):
        return (
            f"cannot use {path}: another server has it open. Stop that one, or use another folder."
        )
    if path.parent.is_file():
        return f"cannot use {path.parent}: it is a file. Name a folder."
    if _is_read_only(error):
        return (
            f"cannot write {path}: it is read-only for this user, or on a disk without locks. Make"
            " the file and its folder writable, or use another folder."
        )
    said = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
    return f"cannot use {path}: {said}. The folder must be writable and the file a database."


def _is_read_only(error: Exception) -> bool:
    if isinstance(error, PermissionError) or "readonly" in str(error):
        return True
    # What SQLite calls a disk I/O error: a file that was opened for reading cannot be locked.
    return getattr(error, "sqlite_errorname", "") == "SQLITE_IOERR_LOCK"
