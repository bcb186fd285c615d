"""Clusters in the background, as a user starts and stops them."""

import os
import select
import signal
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kubewright.api import ObjectMeta
from kubewright.cli.cluster.clusters import Clusters
from kubewright.client import Client, Config, wait_for
from kubewright.kinds.core.v1 import Container, EnvVar, Pod, PodSpec
from kubewright.testing import KubeconfigServer, probe
from tests.cluster.command import Commands, processes


def place_of(commands: Commands, name: str = "kubewright") -> Path:
    return commands.state / "clusters" / name


def test_it_answers_when_start_returns_and_nothing_is_left_after_stop(commands: Commands) -> None:
    """A script goes on with kubectl in the next line."""
    started = commands.run("cluster", "start", "--simulate")

    folder = place_of(commands)
    server = KubeconfigServer.load(folder / "kubeconfig")
    answer = probe.ask(server, "GET", "/api/v1/nodes/node-1")
    running = commands.run("cluster", "status")
    stopped = commands.run("cluster", "stop")
    after = commands.run("cluster", "status")

    assert started.status == 0, started.err
    assert f"export KUBECONFIG={folder}/kubeconfig" in started.out
    assert "Containers are simulated" in started.out
    assert answer.status == 200
    assert (running.status, stopped.status, after.status) == (0, 0, 3)
    assert "nodes        1 of 1 ready" in running.out
    assert not folder.exists()
    assert processes(str(commands.state)) == []
    with pytest.raises(OSError, match="refused"):
        probe.ask(server, "GET", "/version")


def test_there_can_be_several_and_each_has_its_name(commands: Commands) -> None:
    """Two projects, two clusters."""
    for name in ("shop", "town"):
        assert commands.run("cluster", "start", "--name", name, "--simulate").status == 0

    listed = commands.run("cluster", "list").out
    config = commands.run("cluster", "kubeconfig", "--name", "town").out
    again = commands.run("cluster", "start", "--name", "town")
    missing = commands.run("cluster", "stop", "--name", "village")

    assert [line.split()[:2] for line in listed.splitlines()[1:]] == [
        ["shop", "running"],
        ["town", "running"],
    ]
    assert "current-context: kubewright-town" in config
    assert again.status == 0
    assert "cluster town runs already" in again.out
    assert missing.status == 2
    assert "these do: shop, town" in missing.err


def test_two_who_start_the_same_get_one(commands: Commands) -> None:
    """Two terminals, or a script that runs twice."""
    with ThreadPoolExecutor() as threads:
        starts = [threads.submit(commands.run, "cluster", "start", "--simulate") for _ in range(3)]
    said = [start.result() for start in starts]

    assert [one.status for one in said] == [0, 0, 0]
    assert sum("runs already" in one.out for one in said) == 2


def test_one_that_was_killed_is_known_and_cleaned_up(commands: Commands, tmp_path: Path) -> None:
    """A machine that loses power leaves files behind, too."""
    config = tmp_path / "config"
    commands.run("cluster", "start", "--simulate", "--kubeconfig", config)
    folder = Clusters(commands.state / "clusters").folder("kubewright")
    assert folder.state is not None
    written = config.exists()
    handle = os.pidfd_open(folder.state.pid)
    signal.pidfd_send_signal(handle, signal.SIGKILL)
    os.close(handle)

    killed = commands.run("cluster", "status")
    again = commands.run("cluster", "start", "--simulate")

    assert written
    assert killed.status == 1
    assert "is dead" in killed.out
    assert again.status == 0
    assert "cleaned up after it" in again.out
    assert not config.exists()


def test_objects_are_kept_in_a_data_folder(commands: Commands, tmp_path: Path) -> None:
    """And only there: the state folder goes."""
    data = tmp_path / "data"
    kubeconfig = tmp_path / "config"
    options = ("--simulate", "--data-dir", data, "--kubeconfig", kubeconfig)
    commands.run("cluster", "start", *options)
    server = KubeconfigServer.load(kubeconfig)
    probe.ask(server, "POST", "/api/v1/namespaces", body={"metadata": {"name": "kept"}})
    second = commands.run("cluster", "start", "--name", "other", "--data-dir", data)
    stopped = commands.run("cluster", "stop")

    commands.run("cluster", "start", *options)
    found = probe.ask(KubeconfigServer.load(kubeconfig), "GET", "/api/v1/namespaces/kept")

    assert second.status == 2
    assert "another server has it open" in second.err
    assert f"Its objects are kept in {data}." in stopped.out
    assert found.status == 200
    assert not place_of(commands, "other").exists()


def test_a_port_that_is_taken_is_said_and_nothing_left(commands: Commands) -> None:
    """A start that fails must not stand in the way of the next one."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        failed = commands.run("cluster", "start", "--simulate", "--port", str(port))

    assert failed.status == 2
    assert f"cannot listen on 127.0.0.1:{port}: Address already in use" in failed.err
    assert not place_of(commands).exists()


def test_a_start_that_fails_shows_the_end_of_the_log(commands: Commands, tmp_path: Path) -> None:
    """The log itself is gone with the folder."""
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "if 'kubewright.cli.cluster.daemon' in sys.orig_argv: raise SystemExit('no roof')\n"
    )

    failed = commands.run("cluster", "start", "--simulate", PYTHONPATH=str(tmp_path))

    assert failed.status == 1
    assert "cannot start cluster 'kubewright': it ended at once." in failed.err
    assert "no roof" in failed.err
    assert not place_of(commands).exists()


async def test_what_pods_have_started_ends_with_the_cluster(
    commands: Commands, tmp_path: Path
) -> None:
    """However it ends."""
    mark = f"mark-{tmp_path.name}-{os.getpid()}"
    for end in ("stop", "kill"):
        commands.run("cluster", "start")
        folder = Clusters(commands.state / "clusters").folder("kubewright")
        await _run_pod(Config.from_kubeconfig(folder.kubeconfig), mark)
        assert processes(mark)

        assert folder.state is not None
        if end == "stop":
            commands.run("cluster", "stop")
        else:
            os.kill(folder.state.pid, signal.SIGKILL)

        _wait_until_gone(mark)


async def test_programs_in_pods_find_the_api_server(commands: Commands) -> None:
    """At an address that everybody may listen at, which port 443 is not."""
    commands.run("cluster", "start")
    config = Config.from_kubeconfig(place_of(commands) / "kubeconfig")
    script = "echo https://$KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT"
    container = Container(name="main", image="busybox", command=["sh", "-c", script])
    spec = PodSpec(restart_policy="Never", containers=[container])

    async with Client(config) as client:
        await client.create(Pod(metadata=ObjectMeta(name="a"), spec=spec))
        await wait_for(client, Pod, "a", _is_over, timeout=10)
        said = await client.logs("a")

    assert said.strip() == config.url


def _is_over(pod: Pod | None) -> bool:
    return pod is not None and pod.status.phase == "Succeeded"


async def _run_pod(config: Config, mark: str) -> None:
    """Run a pod for an hour; return when it runs."""
    container = Container(
        name="main",
        image="busybox",
        command=["sh", "-c", "sleep 3600 & sleep 3600"],
        env=[EnvVar(name="MARK", value=mark)],
    )
    async with Client(config) as client:
        pod = Pod(metadata=ObjectMeta(name="long"), spec=PodSpec(containers=[container]))
        await client.create(pod)
        await wait_for(client, Pod, "long", _runs, timeout=10)


def _runs(pod: Pod | None) -> bool:
    return pod is not None and pod.status.phase == "Running"


def _wait_until_gone(mark: str) -> None:
    for pid in processes(mark):
        try:
            handle = os.pidfd_open(pid)
        except ProcessLookupError:
            continue
        with os.fdopen(handle) as ended:
            assert select.select([ended], [], [], 10)[0], f"process {pid} goes on"


def test_a_restart_from_a_data_folder_is_the_same_cluster_again(
    commands: Commands, tmp_path: Path
) -> None:
    """Without --simulate a restart would run the commands of all pods that are stored."""
    data = tmp_path / "data"
    commands.run("cluster", "start", "--simulate", "--nodes", "2", "--data-dir", data)
    commands.run("cluster", "stop")

    again = commands.run("cluster", "start", "--data-dir", data)
    commands.run("cluster", "stop")
    other = commands.run("cluster", "start", "--data-dir", data, "--no-simulate", "--nodes", "1")

    assert "(2 nodes" in again.out
    assert "Containers are simulated" in again.out
    told = f"The cluster in {data} was started with --nodes 2 --simulate before; now with --nodes 1"
    assert told in other.out
    assert "run as local processes" in other.out
