"""Logs of SQLite: whole ones, torn ones, damaged ones."""

import sqlite3
from pathlib import Path

import pytest

from kubewright.apiserver.storage.wal import is_whole


@pytest.fixture
def logs(tmp_path: Path) -> tuple[bytes, bytes]:
    """Return a log of some transactions, and the same one begun anew, with ten others."""
    database = sqlite3.connect(tmp_path / "db", isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("CREATE TABLE t (a)")
    database.execute("PRAGMA wal_checkpoint(RESTART)")
    for n in range(20):
        database.execute("INSERT INTO t VALUES (?)", ("x" * 3000 * (n % 2),))
    old = (tmp_path / "db-wal").read_bytes()
    database.execute("PRAGMA wal_checkpoint(RESTART)")
    for n in range(10):
        database.execute("INSERT INTO t VALUES (?)", ("y" * n,))
    found = (tmp_path / "db-wal").read_bytes()
    database.close()
    return old, found


@pytest.fixture
def log(logs: tuple[bytes, bytes]) -> bytes:
    """Return a log of ten transactions, begun anew, with frames of the one before it."""
    return logs[1]


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


def test_a_new_header_before_old_frames_is_nothing_lost(logs: tuple[bytes, bytes]) -> None:
    """A kill while SQLite begins the log anew: all of the old one is in the database by then."""
    old, new = logs
    first_commits = old[36:40] != bytes(4)

    assert first_commits
    assert is_whole(new[:32] + old[32:])


@pytest.mark.parametrize("at", range(40, 48))
@pytest.mark.parametrize("bit", range(8))
def test_a_changed_bit_in_the_salt_of_the_first_frame_is_damage(
    log: bytes, at: int, bit: int
) -> None:
    """It looks almost as if the frame were left from before."""
    spoilt = log[:at] + bytes([log[at] ^ 1 << bit]) + log[at + 1 :]

    assert not is_whole(spoilt)


FRAME = 24 + 4096


def test_a_new_head_before_an_old_page_is_a_write_that_a_kill_has_torn(
    logs: tuple[bytes, bytes],
) -> None:
    """SQLite writes the two one after the other, and this transaction was not answered."""
    old, new = logs
    last = 32 + (transactions(new) - 1) * FRAME
    torn = new[: last + 24] + old[last + 24 :]

    assert torn[last + FRAME :]  # frames of the log before it follow
    assert torn[last + 24 :] != new[last + 24 :]
    assert is_whole(torn)


@pytest.mark.parametrize("behind", [2, 3])
def test_a_wrong_page_before_a_transaction_is_damage_in_a_log_begun_anew_too(
    logs: tuple[bytes, bytes], behind: int
) -> None:
    """Only the very last write of all can be torn."""
    _, new = logs
    at = 32 + (transactions(new) - behind) * FRAME + 24
    spoilt = new[:at] + b"?" + new[at + 1 :]

    assert not is_whole(spoilt)


def test_a_wrong_page_at_the_end_of_the_file_is_damage(logs: tuple[bytes, bytes]) -> None:
    """There, a kill leaves half a frame, and no whole one that is wrong."""
    _, new = logs
    whole = new[: 32 + transactions(new) * FRAME]

    assert is_whole(whole)
    assert not is_whole(whole[:-1] + bytes([whole[-1] ^ 1]))


def transactions(log: bytes) -> int:
    """Return how many frames there are since *log* was begun anew; each is a transaction."""
    salts = log[16:24]
    starts = range(32, len(log), FRAME)
    return sum(log[start + 8 : start + 16] == salts for start in starts)
