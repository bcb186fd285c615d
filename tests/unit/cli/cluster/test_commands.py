"""What can be typed behind ``kubewright cluster``."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kubewright.cli.app import app
from kubewright.cli.cluster.clusters import Clusters, State


@pytest.fixture(autouse=True)
def clusters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Clusters:
    monkeypatch.setenv("KUBEWRIGHT_STATE", str(tmp_path))
    return Clusters.of_user()


def typed(*words: str) -> tuple[int, str]:
    """Return the exit status of a command, and what it printed."""
    done = CliRunner().invoke(app, ["cluster", *words])
    return done.exit_code, done.output


def test_every_command_is_offered() -> None:
    """The group alone says what there is."""
    _, said = typed("--help")

    for command in ("start", "stop", "status", "kubeconfig", "list"):
        assert command in said


@pytest.mark.parametrize(
    ("option", "value"),
    [("--nodes", "193"), ("--nodes", "-1"), ("--port", "65536"), ("--wait", "0")],
)
def test_numbers_out_of_range_are_refused(option: str, value: str) -> None:
    """Before anything is started."""
    code, said = typed("start", option, value)

    assert code == 2
    assert option in said


@pytest.mark.parametrize("option", ["--kubeconfig", "--data-dir"])
def test_an_empty_path_is_refused(option: str) -> None:
    """An unset variable in a script would otherwise be the current folder."""
    code, said = typed("start", option, "")

    assert code == 2
    assert "it is empty" in said


def test_the_status_of_what_is_not_there_is_3(clusters: Clusters) -> None:
    """As from an init script."""
    code, said = typed("status")

    assert code == 3
    assert "no cluster called 'kubewright' runs" in said
    assert typed("list") == (0, "no clusters. `kubewright cluster start` starts one.\n")


def test_the_commands_find_a_cluster_by_its_name(clusters: Clusters) -> None:
    """There can be several."""
    folder = clusters.folder("shop")
    lock = folder.lock()
    assert lock is not None
    now = datetime.now(UTC)
    folder.write_state(State(os.getpid(), "https://127.0.0.1:1", now, 1, simulate=True))
    folder.kubeconfig.write_text("kind: Config\n")

    shown = typed("kubeconfig", "--name", "shop")
    started = typed("start", "--name", "shop")

    assert shown == (0, "kind: Config\n")
    assert started[0] == 0
    lock.release()
    assert typed("stop", "--name", "shop")[0] == 0
