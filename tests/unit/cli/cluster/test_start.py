"""Starting and stopping, as far as no process is needed; the rest is in tests/cluster."""

import os
from datetime import UTC, datetime
from getpass import getuser
from pathlib import Path

import msgspec
import pytest

from kubewright.cli.cluster.clusters import Clusters, State
from kubewright.cli.cluster.start import Options, _how_to_use, containers_text, start, stop
from kubewright.errors import ConfigError

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
STATE = State(os.getpid(), "https://127.0.0.1:1", NOON, 2, simulate=True)


@pytest.fixture(autouse=True)
def clusters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Clusters:
    monkeypatch.setenv("KUBEWRIGHT_STATE", str(tmp_path))
    return Clusters.of_user()


def test_what_runs_on_this_machine_is_said() -> None:
    """Nobody starts other people's commands without knowing."""
    assert f"local processes of the user {getuser()}" in containers_text(simulate=False)
    assert containers_text(simulate=True) == "Containers are simulated: no command of theirs runs."


def test_one_that_runs_is_not_started_again(
    clusters: Clusters, capsys: pytest.CaptureFixture[str]
) -> None:
    """A script may start it to be sure that it runs."""
    folder = clusters.folder("shop")
    lock = folder.lock()
    assert lock is not None
    folder.write_state(STATE)

    start(Options("shop"))

    said = capsys.readouterr().out
    assert "cluster shop runs already, since 12:00:00 UTC: https://127.0.0.1:1 (2 nodes," in said
    assert f"export KUBECONFIG={folder.kubeconfig}" in said
    assert "`kubewright cluster stop --name shop`" in said
    lock.release()


def test_what_to_type_can_be_copied_from_a_path_with_spaces(tmp_path: Path) -> None:
    """A shell would take it for several words."""
    folder = Clusters(tmp_path / "my state").folder("shop")

    assert f"  export KUBECONFIG='{folder.kubeconfig}'\n" in _how_to_use(folder, STATE)


@pytest.mark.parametrize(
    ("options", "ignored"),
    [
        (Options("shop"), ""),
        (Options("shop", nodes=2, simulate=True, port=1), ""),
        (Options("shop", nodes=3, port=2), "--nodes, --port"),
        (Options("shop", data_dir=Path("kept"), kubeconfig=Path("k")), "--data-dir, --kubeconfig"),
    ],
)
def test_what_one_that_runs_does_not_have_is_said(
    clusters: Clusters,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: Options,
    ignored: str,
) -> None:
    """Else the user looks for a third node, or for a kubeconfig, that nobody has made."""
    monkeypatch.chdir(tmp_path)
    folder = clusters.folder("shop")
    lock = folder.lock()
    assert lock is not None
    folder.write_state(STATE)

    start(options)

    said = capsys.readouterr().out
    assert (f"It was left as it is, without your {ignored}: stop it first" in said) == bool(ignored)
    assert ("without your" in said) == bool(ignored)
    lock.release()


def test_one_that_runs_commands_does_not_become_simulated(
    clusters: Clusters, capsys: pytest.CaptureFixture[str]
) -> None:
    """A user who asks for it does not want commands to run."""
    folder = clusters.folder("shop")
    lock = folder.lock()
    assert lock is not None
    folder.write_state(msgspec.structs.replace(STATE, simulate=False))

    start(Options("shop", simulate=True))

    assert "without your --simulate: stop it first, or give" in capsys.readouterr().out
    lock.release()


def test_one_that_another_starts_is_waited_for_no_longer_than_asked(clusters: Clusters) -> None:
    """If the other hangs, the user hears where to look."""
    lock = clusters.folder("shop").lock()
    assert lock is not None

    with pytest.raises(ConfigError, match=r"somebody else is starting it.*Its log is .*/shop/log"):
        start(Options("shop", wait=0))

    with pytest.raises(ConfigError, match="it is just starting"):
        stop("shop")
    lock.release()


def test_a_kubeconfig_that_cannot_be_written_stops_the_start(
    clusters: Clusters, tmp_path: Path
) -> None:
    """Before anything is started."""
    with pytest.raises(ConfigError, match=r"the folder .* does not exist"):
        start(Options("shop", kubeconfig=tmp_path / "missing" / "config"))

    assert not clusters.root.exists()


def test_stopping_what_was_killed_cleans_up(
    clusters: Clusters, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever killed it wants it gone."""
    folder = clusters.folder("shop")
    folder.path.mkdir(parents=True)
    folder.write_state(STATE)  # our own process id: a signal to it would end the tests

    stop("shop")

    assert capsys.readouterr().out == "cluster shop was dead; cleaned up after it.\n"
    assert not folder.exists


def test_stopping_what_is_not_there_is_a_mistake() -> None:
    """Silence would hide that another name was meant."""
    with pytest.raises(ConfigError, match="cannot stop it: no cluster called 'shop' runs"):
        stop("shop")
