"""The journal: what was written is there after a restart."""

import functools
import sqlite3
from pathlib import Path

import pytest

from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.storage import Store
from kubewright.apiserver.storage.sqlite import FILE, SQLiteJournal
from kubewright.errors import ConfigError
from tests.unit.apiserver.storage.test_store import PODS, made


def test_objects_and_the_revision_survive_a_restart(tmp_path: Path) -> None:
    """The revision must go on, or clients would take new objects for old ones."""
    store = Store(journal=SQLiteJournal(tmp_path))
    store.put(PODS, made("a", text="ünï"))
    store.put(PODS, made("b"))
    last = store.remove(PODS, made("b")).revision
    store.close()

    again = Store(journal=SQLiteJournal(tmp_path))

    found = again.find_object(PODS, "default", "a")
    assert found is not None
    assert found["text"] == "ünï"
    assert again.find_object(PODS, "default", "b") is None
    assert again.revision == last
    again.close()


def test_a_watch_from_before_the_restart_is_told_to_list_again(tmp_path: Path) -> None:
    """The history is not kept; a client must hear that rather than wait for events for ever."""
    store = Store(journal=SQLiteJournal(tmp_path))
    at = store.put(PODS, made("a")).revision
    store.put(PODS, made("a", n=2))
    store.close()

    again = Store(journal=SQLiteJournal(tmp_path))

    with pytest.raises(Exception, match="too old resource version"):
        again.collection(PODS).watch(since=at)
    _, missed = again.collection(PODS).watch(since=again.revision)
    assert list(missed) == []
    again.close()


def test_two_servers_cannot_share_a_folder(tmp_path: Path) -> None:
    """Both would hand out the same revisions."""
    first = SQLiteJournal(tmp_path)

    with pytest.raises(ConfigError, match="another server has it open"):
        SQLiteJournal(tmp_path)

    first.close()
    SQLiteJournal(tmp_path).close()


def test_a_file_in_the_place_of_the_folder_is_said(tmp_path: Path) -> None:
    """Whoever typed it can see why."""
    (tmp_path / "file").touch()

    with pytest.raises(ConfigError, match=r"cannot use .*/file: it is a file\. Name a folder\."):
        SQLiteJournal(tmp_path / "file")


def test_a_file_that_is_read_only_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root can write anything, so SQLite is told to open it as for another user."""
    SQLiteJournal(tmp_path).close()
    read_only = functools.partial(sqlite3.connect, f"file:{tmp_path / FILE}?mode=ro", uri=True)
    monkeypatch.setattr(sqlite3, "connect", lambda _, **options: read_only(**options))

    with pytest.raises(ConfigError, match=r"cannot write .*: it is read-only for this user"):
        SQLiteJournal(tmp_path)


def test_a_file_that_is_no_database_is_refused_and_kept(tmp_path: Path) -> None:
    """Somebody pointed us at the wrong folder; their file is not ours to overwrite."""
    (tmp_path / FILE).write_text("my notes, which are long enough to be taken for a header " * 20)

    with pytest.raises(ConfigError, match=FILE):
        SQLiteJournal(tmp_path)

    assert (tmp_path / FILE).read_text().startswith("my notes")


def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    """An older server must not guess at what a newer one has written."""
    journal = SQLiteJournal(tmp_path)
    journal._database.execute("PRAGMA user_version = 99")
    journal.close()

    with pytest.raises(ConfigError, match="format 99"):
        SQLiteJournal(tmp_path)


def test_a_folder_that_cannot_be_made_is_explained(tmp_path: Path) -> None:
    """The path may be a file."""
    (tmp_path / "file").write_text("")

    with pytest.raises(ConfigError, match="file/data"):
        SQLiteJournal(tmp_path / "file" / "data")


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """Return the folder of a server that was killed: all its objects are in the log."""
    (folder := tmp_path / "killed").mkdir()
    store = Store(journal=SQLiteJournal(tmp_path / "running"))
    store.put(PODS, made("a"))
    for file in (tmp_path / "running").iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    store.close()
    return folder


@pytest.mark.parametrize("size", [1, 31, 32, 4000, 4152])
def test_a_log_that_was_cut_off_before_its_first_change_is_refused_each_time(
    killed: Path, size: int
) -> None:
    """The database alone is an empty one: the next server would begin without any object."""
    log = killed / f"{FILE}-wal"
    log.write_bytes(log.read_bytes()[:size])

    for _ in range(2):
        with pytest.raises(ConfigError, match=f"{FILE}: nothing is in it, since its log"):
            SQLiteJournal(killed)


def test_a_log_that_was_cut_off_behind_the_tables_is_refused_each_time(tmp_path: Path) -> None:
    """What is left of it is whole, and has no object in it."""
    (folder := tmp_path / "cut").mkdir()
    journal = SQLiteJournal(tmp_path / "running")
    for file in (tmp_path / "running").iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    journal.close()

    for _ in range(2):
        with pytest.raises(ConfigError, match=f"{FILE}: nothing is in it, since its log"):
            SQLiteJournal(folder)


def test_a_database_whose_only_log_was_removed_is_refused(killed: Path) -> None:
    """As when only `*.db` was copied from a folder in use."""
    (killed / f"{FILE}-wal").unlink()

    with pytest.raises(ConfigError, match="nothing is in it"):
        SQLiteJournal(killed)


def test_a_database_that_was_cut_off_is_refused_and_its_log_is_kept(killed: Path) -> None:
    """SQLite takes a file of one byte for a new database, and removes the log beside it."""
    (killed / FILE).write_bytes(b"S")

    with pytest.raises(ConfigError, match=f"{FILE}: it is cut off"):
        SQLiteJournal(killed)

    assert (killed / f"{FILE}-wal").stat().st_size


def test_files_that_were_restored_are_made_private_again(killed: Path) -> None:
    """A copy has the rights that a new file has, and Secrets are in it."""
    for file in killed.iterdir():
        file.chmod(0o644)

    store = Store(journal=SQLiteJournal(killed))

    assert {file.stat().st_mode & 0o777 for file in killed.iterdir()} == {0o600}
    store.close()


def test_the_folder_is_made_for_its_owner_only(tmp_path: Path) -> None:
    """Who can write into it can put another database there."""
    SQLiteJournal(tmp_path / "data").close()

    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700


def test_resources_of_the_same_name_in_two_groups_stay_apart(tmp_path: Path) -> None:
    """Events exist in two groups."""
    store = Store(journal=SQLiteJournal(tmp_path))
    other = GroupResource("example.com", "pods")
    store.put(PODS, made("a", n=1))
    store.put(other, made("a", n=2))
    store.close()

    again = Store(journal=SQLiteJournal(tmp_path))

    found = again.find_object(other, "default", "a")
    assert found is not None
    assert found["n"] == 2
    again.close()


def test_others_on_the_machine_cannot_read_what_is_stored(tmp_path: Path) -> None:
    """Secrets are in the database, and in the log beside it."""
    store = Store(journal=SQLiteJournal(tmp_path))

    store.put(PODS, made("a"))

    modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
    assert len(modes) > 1
    assert set(modes.values()) == {0o600}
    store.close()
