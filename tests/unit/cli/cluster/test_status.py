"""What is printed about clusters; those that run are in tests/cluster."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from kubewright.cli.cluster.clusters import Clusters, State
from kubewright.cli.cluster.status import age, kubeconfig, list_all, status, table
from kubewright.errors import ConfigError

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
STATE = State(1, "https://127.0.0.1:1", NOON, 2, simulate=True)


@pytest.fixture(autouse=True)
def clusters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Clusters:
    monkeypatch.setenv("KUBEWRIGHT_STATE", str(tmp_path))
    return Clusters.of_user()


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(-5, "0s"), (5, "5s"), (119, "119s"), (120, "2m"), (7200, "2h"), (10 * 86400, "10d")],
)
def test_an_age_is_one_word(seconds: int, said: str) -> None:
    """As in the columns of kubectl."""
    assert age(NOON, NOON + timedelta(seconds=seconds)) == said


def test_columns_are_as_wide_as_what_is_in_them() -> None:
    """And lines end where the text does."""
    assert table([("A", "B"), ("long", "")]) == ["A      B", "long"]


def test_one_that_was_never_started_is_not_running(capsys: pytest.CaptureFixture[str]) -> None:
    """Scripts see 3, as from an init script, and people what to do."""
    assert status("shop") == 3
    assert "Start it with `kubewright cluster start --name shop`." in capsys.readouterr().out


def test_one_that_was_killed_is_said_to_be(
    clusters: Clusters, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its folder is there, and nobody holds it."""
    folder = clusters.folder("shop")
    folder.path.mkdir(parents=True)
    folder.write_state(STATE)

    code = status("shop")
    list_all()

    assert code == 1
    said = capsys.readouterr().out
    assert "cluster shop is dead" in said
    assert "shop   dead" in said


def test_one_that_is_not_ready_is_starting(
    clusters: Clusters, capsys: pytest.CaptureFixture[str]
) -> None:
    """It has no address yet."""
    lock = clusters.folder("shop").lock()
    assert lock is not None

    code = status("shop")
    list_all()

    assert code == 1
    said = capsys.readouterr().out
    assert "cluster shop is starting" in said
    assert "shop   starting" in said
    lock.release()


def test_one_that_does_not_answer_is_in_trouble(
    clusters: Clusters, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its process lives and its log says why; all that is known is printed."""
    folder = clusters.folder("shop")
    lock = folder.lock()
    assert lock is not None
    folder.write_state(STATE)

    code = status("shop")
    list_all()

    said = capsys.readouterr().out
    assert code == 1
    assert "cluster shop runs, but does not answer" in said
    assert "simulated" in said
    assert "shop   running   2" in said
    lock.release()


def test_without_clusters_the_list_says_how_to_get_one(capsys: pytest.CaptureFixture[str]) -> None:
    """An empty table would be a riddle."""
    list_all()

    assert capsys.readouterr().out == "no clusters. `kubewright cluster start` starts one.\n"


def test_the_kubeconfig_is_printed_as_it_is(
    clusters: Clusters, capsys: pytest.CaptureFixture[str]
) -> None:
    """So that it can be sent to a file."""
    folder = clusters.folder("shop")
    lock = folder.lock()
    assert lock is not None
    folder.write_state(STATE)
    folder.kubeconfig.write_text("kind: Config\n")

    kubeconfig("shop")

    assert capsys.readouterr().out == "kind: Config\n"
    lock.release()
    with pytest.raises(ConfigError, match="no cluster called 'shop' runs"):
        kubeconfig("shop")
