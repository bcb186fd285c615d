"""Where clusters keep their state, and how one that runs is told from one that was killed."""

import os
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from kubewright._pki import kubeconfig
from kubewright.cli.cluster.clusters import ClusterFolder, Clusters, State, start_hint
from kubewright.errors import ConfigError

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
URL = "https://127.0.0.1:6443"


def state(**changes: Any) -> State:
    return State(os.getpid(), URL, NOON, 1, simulate=True, **changes)


def test_the_environment_says_where_state_is(tmp_path: Path) -> None:
    """Tests and people with odd homes choose; everybody else gets what the XDG rules say."""
    chosen = Clusters.of_user({"KUBEWRIGHT_STATE": str(tmp_path)})
    by_rule = Clusters.of_user({"XDG_STATE_HOME": str(tmp_path)})
    relative = Clusters.of_user({"XDG_STATE_HOME": "not/absolute"})

    assert chosen.root == tmp_path / "clusters"
    assert by_rule.root == tmp_path / "kubewright" / "clusters"
    assert relative.root == Path.home() / ".local/state/kubewright/clusters"


@pytest.mark.parametrize("name", ["", "A", "a_b", "../a", "a.b", "x" * 64])
def test_a_name_that_is_no_label_is_refused(name: str, tmp_path: Path) -> None:
    """It is the name of a folder and of a context; '../a' would be somebody else's."""
    with pytest.raises(ConfigError, match="a cluster cannot be called"):
        Clusters(tmp_path).folder(name)


def test_the_context_is_called_after_the_cluster(tmp_path: Path) -> None:
    """Where KUBECONFIG lists several files, equal names would hide one another."""
    clusters = Clusters(tmp_path)

    assert clusters.folder("kubewright").context == "kubewright"
    assert clusters.folder("shop").context == "kubewright-shop"


def test_who_holds_the_lock_runs_and_nobody_else_gets_it(tmp_path: Path) -> None:
    """A process id alone may be another's by now."""
    folder = ClusterFolder(tmp_path / "a")
    lock = folder.lock()
    assert lock is not None

    held, second = folder.is_held, folder.lock()
    lock.release()

    assert held
    assert second is None
    assert not folder.is_held


def test_a_lock_on_a_removed_folder_is_no_lock(tmp_path: Path) -> None:
    """Whoever opened the file just before the stop would hold what nobody looks at any more."""
    folder = ClusterFolder(tmp_path / "a")
    first = folder.lock()
    assert first is not None
    folder.remove()

    again = folder.lock()
    assert again is not None

    assert folder.is_held
    first.release()
    assert folder.is_held
    again.release()


def test_only_one_of_many_gets_the_lock(tmp_path: Path) -> None:
    """Two terminals, one command: one cluster."""
    folder, got = ClusterFolder(tmp_path / "a"), []
    threads = [threading.Thread(target=lambda: got.append(folder.lock())) for _ in range(8)]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    held = [lock for lock in got if lock is not None]
    assert len(held) == 1
    held[0].release()


def test_state_is_read_back_and_broken_state_is_none(tmp_path: Path) -> None:
    """A cluster that is killed while it writes must not break the commands."""
    folder = ClusterFolder(tmp_path)
    before = folder.state
    folder.write_state(state(data_dir="/data"))

    found = folder.state
    (tmp_path / "state.json").write_text("{")

    assert before is None
    assert found == state(data_dir="/data")
    assert folder.state is None


def test_what_a_killed_cluster_left_is_removed(tmp_path: Path) -> None:
    """Its folder, and the kubeconfig that was asked for."""
    copy = tmp_path / "config"
    kubeconfig.write(copy, kubeconfig.document(URL, ("a", {}), ca_data=None))
    folder = ClusterFolder(tmp_path / "a")
    folder.path.mkdir()
    folder.write_state(state(kubeconfig=str(copy)))

    cleaned = folder.clean()

    assert cleaned
    assert list(tmp_path.iterdir()) == []
    assert not folder.clean()


def test_a_kubeconfig_that_others_have_changed_stays(tmp_path: Path) -> None:
    """It may hold the only copy of somebody's credentials."""
    copy = tmp_path / "config"
    kubeconfig.write(copy, kubeconfig.document(URL, ("me", {}), ca_data=None, name="production"))
    folder = ClusterFolder(tmp_path / "a")
    folder.path.mkdir()
    folder.write_state(state(kubeconfig=str(copy)))

    folder.clean()

    assert copy.exists()


def test_what_runs_is_not_cleaned(tmp_path: Path) -> None:
    """The folder is the cluster's as long as it lives."""
    folder = ClusterFolder(tmp_path / "a")
    lock = folder.lock()
    assert lock is not None
    (folder.path / "old").mkdir()
    (folder.path / "log").touch()

    cleaned = folder.clean()
    folder.remove_contents()

    assert not cleaned
    assert [path.name for path in folder.path.iterdir()] == ["lock"]
    lock.release()


def test_who_asks_for_a_cluster_that_is_not_there_hears_which_are(tmp_path: Path) -> None:
    """Most often the name was forgotten, or misspelt."""
    clusters = Clusters(tmp_path)
    with pytest.raises(ConfigError, match=r"no cluster called 'shop' runs; nor does any other\."):
        clusters.running("shop")
    lock = clusters.folder("town").lock()
    assert lock is not None

    with pytest.raises(ConfigError, match=r"these do: town\. Start it with .* --name shop`\."):
        clusters.running("shop")

    lock.release()
    assert start_hint("kubewright") == "Start it with `kubewright cluster start`."


def test_one_that_runs_is_found(tmp_path: Path) -> None:
    """With what it wrote about itself."""
    clusters = Clusters(tmp_path)
    folder = clusters.folder("town")
    lock = folder.lock()
    assert lock is not None
    folder.write_state(state())

    found, said = clusters.running("town")

    assert (found.path, said) == (folder.path, state())
    assert [one.name for one in clusters.all()] == ["town"]
    lock.release()


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    """A home that is read-only is common in containers."""
    (tmp_path / "file").touch()

    with pytest.raises(ConfigError, match="Set KUBEWRIGHT_STATE"):
        ClusterFolder(tmp_path / "file" / "a").lock()
