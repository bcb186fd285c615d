"""Logs of SQLite: whole ones, torn ones, damaged ones."""

import sqlite3
from pathlib import Path

import pytest

from kubewright.apiserver.storage.wal import is_whole


@pytest.fixture
def log(tmp_path: Path) -> bytes:
    """Return a log of ten transactions, begun anew once."""
    database = sqlite3.connect(tmp_path / "db", isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("CREATE TABLE t (a)")
    for n in range(20):
        database.execute("INSERT INTO t VALUES (?)", ("x" * 3000 * (n % 2),))
    database.execute("PRAGMA wal_checkpoint(RESTART)")
    for n in range(10):
        database.execute("INSERT INTO t VALUES (?)", ("y" * n,))
    found = (tmp_path / "db-wal").read_bytes()
    database.close()
    return found


def test_a_log_that_sqlite_wrote_is_whole(log: bytes) -> None:
    """With old frames behind the new ones, too."""
    assert is_whole(log)


@pytest.mark.parametrize("at", [2, 10, 17, 25, 40, 60, 2000, 4200, 9000])
def test_a_changed_byte_before_a_transaction_is_damage(log: bytes, at: int) -> None:
    """Wherever it is: what follows would be lost."""
    spoilt = log[:at] + bytes([log[at] ^ 0xFF]) + log[at + 1 :]

    assert not is_whole(spoilt)


def test_an_empty_log_is_no_log() -> None:
    """Somebody emptied it: a clean end removes it."""
    assert not is_whole(b"")


@pytest.mark.parametrize("size", [1, 31, 32, 56, 4000])
def test_the_beginning_of_a_first_write_is_nothing_lost(log: bytes, size: int) -> None:
    """A kill during the very first write."""
    assert is_whole(log[:size])
