"""What ``kubewright dev`` refuses and says; as a process it runs in tests/cluster."""

import asyncio
import logging
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from kubewright._aio import VirtualClock
from kubewright.cli.cluster.clusters import ClusterFolder, Clusters, State
from kubewright.cli.dev import dev
from kubewright.cli.dev.dev import Options, _Home, _wait_for_own, run
from kubewright.cli.dev.project import Project
from kubewright.cli.load import load_operator
from kubewright.cluster import Cluster
from kubewright.embedded import LocalCluster
from kubewright.errors import ConfigError
from kubewright.runnable import Runnable, Stage

AT = Path(__file__).resolve().parents[4] / "examples" / "at" / "at.py"


@pytest.fixture(autouse=True)
def clusters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Clusters:
    monkeypatch.setenv("KUBEWRIGHT_STATE", str(tmp_path))
    return Clusters.of_user()


def test_a_file_that_is_not_there_is_said_before_anything_starts(clusters: Clusters) -> None:
    """Most often the folder is another one."""
    with pytest.raises(ConfigError, match="there is no such file"):
        run(Options("missing.py"))

    assert not clusters.root.exists()


def test_lines_of_the_cluster_are_left_out_unless_something_is_wrong() -> None:
    """The user looks for what their own operator says."""
    info = logging.LogRecord("a", logging.INFO, "", 0, "", None, None)
    error = logging.LogRecord("a", logging.ERROR, "", 0, "", None, None)

    outside = dev._is_wanted(info)
    token = dev._IN_CLUSTER.set(True)
    inside, wrong = dev._is_wanted(info), dev._is_wanted(error)
    dev._IN_CLUSTER.reset(token)

    assert (outside, inside, wrong) == (True, False, True)


def test_the_first_thing_to_try_is_a_sample_if_there_is_one(
    clusters: Clusters, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It can be copied as it is."""
    operator, project = load_operator(str(AT)), Project(str(AT))
    folder = clusters.folder("dev-at")
    monkeypatch.chdir(AT.parent)

    offered = dev._first_steps(operator, folder, project, applied=False)
    applied = dev._first_steps(operator, folder, project, applied=True)

    assert f"  export KUBECONFIG={folder.kubeconfig}\n" in offered
    assert "  kubectl apply -f samples/at.yaml\n  kubectl get ats --watch\n" in offered
    assert "Ctrl-C stops everything." in offered
    assert "apply" not in applied
    assert "  kubectl get ats --watch\n" in applied


def test_a_kind_that_kubernetes_has_too_is_named_with_its_group(
    clusters: Clusters, tmp_path: Path
) -> None:
    """For kubectl, `cronjobs` are those of batch."""
    operator = load_operator(str(AT.parents[1] / "cronjob" / "cronjob.py"))

    steps = dev._first_steps(operator, clusters.folder("dev"), Project(str(AT)), applied=True)

    assert "  kubectl get cronjobs.batch.tutorial.kubebuilder.io --watch\n" in steps


def test_what_to_type_can_be_copied_from_a_path_with_spaces(tmp_path: Path) -> None:
    """A shell would take it for several words."""
    samples = tmp_path / "my shop/samples"
    samples.mkdir(parents=True)
    (samples / "at.yaml").write_text("")
    path = samples.parent / "at.py"
    path.write_text(AT.read_text())
    folder = Clusters(tmp_path / "my state").folder("dev-at")

    steps = dev._first_steps(load_operator(str(AT)), folder, Project(str(path)), applied=False)

    assert f"  export KUBECONFIG='{folder.kubeconfig}'\n" in steps
    assert f"  kubectl apply -f '{samples / 'at.yaml'}'\n" in steps


def test_a_cluster_that_the_user_named_goes_on(clusters: Clusters) -> None:
    """And that is what is said."""
    operator, project = load_operator(str(AT)), Project(str(AT))

    steps = dev._first_steps(operator, clusters.folder("town"), project, applied=True, own=False)

    assert "Ctrl-C stops the operator, and the cluster goes on." in steps


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"simulate": True}, "the cluster town runs commands of containers"),
        ({"nodes": 3}, "has 2 nodes, and --nodes does not change it"),
    ],
)
def test_a_cluster_that_runs_is_not_taken_for_another(asked: dict[str, Any], problem: str) -> None:
    """Above all, a user who passes --simulate does not want commands to run."""
    now = datetime(2026, 1, 1, tzinfo=UTC)
    running = State(1, "https://127.0.0.1:1", now, nodes=2, simulate=False)

    dev._check_is_as_asked(running, dev.Options("at.py", name="town", nodes=2))
    with pytest.raises(ConfigError, match=problem):
        dev._check_is_as_asked(running, dev.Options("at.py", name="town", **asked))


class Doomed(LocalCluster):
    """A cluster one of whose machines fails as soon as it is told to."""

    def __init__(self) -> None:
        super().__init__(nodes=0, controllers=[], clock=VirtualClock())
        self.doom = asyncio.Event()

    def _machines(self, cluster: Cluster) -> Iterator[Runnable]:
        yield _Failing(self.doom)


class _Failing:
    stage = Stage.ALWAYS

    def __init__(self, doom: asyncio.Event) -> None:
        self._doom = doom

    async def run(self) -> None:
        await self._doom.wait()
        raise RuntimeError("out of smoke")


async def test_a_cluster_of_its_own_that_fails_is_told() -> None:
    """The operator would go on as if there was nothing to do."""
    cluster = Doomed()
    home = _Home(ClusterFolder(Path("none")), lambda: _wait_for_own(cluster))
    ended = asyncio.Event()
    await cluster.start()

    async with home.watch(ended.set):
        cluster.doom.set()
        await ended.wait()

    assert home.problem == (
        "the cluster has failed: RuntimeError('out of smoke'). Its objects were in memory and are"
        " lost: start `kubewright dev` again."
    )
    with pytest.raises(RuntimeError):
        await cluster.stop()


async def test_a_cluster_that_lives_is_no_problem() -> None:
    """The user stops first, as always."""

    async def ended() -> str:
        await asyncio.get_running_loop().create_future()
        return "never"

    home = _Home(ClusterFolder(Path("none")), ended)

    async with home.watch(lambda: None):
        await asyncio.sleep(0)

    assert home.problem == ""
