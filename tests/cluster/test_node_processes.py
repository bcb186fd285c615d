"""The node with local processes, in real time: on our server, on a real one, and killed."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

import kubewright as kw
from kubewright.client import Client
from kubewright.client.wait import wait_for
from kubewright.cluster import Cluster
from kubewright.embedded.node import LogOptions, Node, ProcessRuntime
from kubewright.kinds.core.v1 import (
    ConfigMap,
    ConfigMapVolumeSource,
    Container,
    EmptyDirVolumeSource,
    ExecAction,
    Pod,
    Probe,
    Secret,
    SecretVolumeSource,
    ServiceAccount,
    TCPSocketAction,
    Volume,
    VolumeMount,
)
from kubewright.kinds.core.v1 import Node as NodeObject
from kubewright.manager import Manager
from kubewright.testing import EmbeddedServer, RealServer
from kubewright.testing.access import Access
from kubewright.testing.assets import get_program
from tests.unit.embedded.node.processes import is_alive
from tests.unit.embedded.node.world import conditions, container, pod

pytestmark = [
    pytest.mark.timeout(90),
    pytest.mark.skipif(sys.platform != "linux", reason="local processes need Linux"),
]

PATIENCE = 30.0


@pytest.fixture(params=["embedded", "real"])
def server(request: pytest.FixtureRequest) -> Iterator[Access]:
    """Give our server, and a real one."""
    with ExitStack() as stack:
        if request.param == "embedded":
            yield stack.enter_context(EmbeddedServer())
            return
        try:
            get_program("kube-apiserver")
        except kw.errors.KubewrightError as error:
            pytest.skip(str(error))
        yield stack.enter_context(RealServer())


class World:
    """A server with a node that runs processes."""

    def __init__(self, client: Client, node: Node) -> None:
        self.client = client
        self.node = node

    async def create(self, wanted: Pod) -> None:
        """Create a pod that needs no service account."""
        wanted.spec.automount_service_account_token = False
        await self.client.create(wanted)

    async def until(self, name: str, holds: Callable[[Pod], bool]) -> Pod:
        """Wait until a pod is as it should be."""
        found = await wait_for(
            self.client, Pod, name, lambda one: one is not None and holds(one), timeout=PATIENCE
        )
        assert found is not None
        return found

    async def gone(self, name: str) -> None:
        """Wait until there is no such pod."""
        await wait_for(self.client, Pod, name, lambda one: one is None, timeout=PATIENCE)

    async def log(self, name: str, **options: Any) -> AsyncIterator[str]:
        """Yield the lines of a log."""
        wanted = LogOptions(**options)
        async for data in self.node.access.logs("default", name, "main", wanted):
            for line in data.decode().splitlines():
                yield line

    async def output(self, name: str, *command: str) -> str:
        """Return what a command prints in a container."""
        made = await self.node.access.execute("default", name, "main", command)
        return b"".join([data async for _, data in made.output()]).decode()


@asynccontextmanager
async def a_world(server: Access) -> AsyncIterator[World]:
    """Yield a node that is attached to *server*."""
    async with Client(server.config(), field_owner="test") as client:
        if await client.find(ServiceAccount, "default") is None:
            await client.create(ServiceAccount(metadata=kw.ObjectMeta(name="default")))
        cluster = Cluster(client)
        node = Node("node-1", cluster=cluster, runtime=ProcessRuntime())
        manager = Manager(cluster)
        manager.add(node)
        async with manager:
            yield World(client, node)


def is_ready(one: Pod) -> bool:
    """Return whether a pod is ready."""
    return conditions(one).get("Ready") == "True"


def is_ready_after_a_restart(one: Pod) -> bool:
    """Return whether a pod is ready in the second life of its container."""
    return is_ready(one) and one.status.container_statuses[0].restart_count == 1


def shell(script: str, **fields: Any) -> Container:
    """Return a container that runs a script."""
    return container(image="busybox", command=["sh", "-c", script], **fields)


async def test_a_command_runs_to_its_end_and_its_log_is_there(server: Access) -> None:
    """What the At operator does, on both servers."""
    async with a_world(server) as world:
        await world.create(pod(shell("echo YAY"), restart_policy="OnFailure"))

        found = await world.until("web", lambda one: one.status.phase == "Succeeded")

        assert [line async for line in world.log("web")] == ["YAY"]
        assert conditions(found)["Ready"] == "False"
        node = await world.client.get(NodeObject, "node-1")
        assert {one.type: one.status for one in node.status.conditions}["Ready"] == "True"


async def test_two_pods_listen_on_one_port_and_are_probed(server: Access) -> None:
    """Each at its own address, which it finds in POD_IP."""
    code = (
        "import os, http.server as h;"
        "h.HTTPServer((os.environ['POD_IP'], 18088), h.SimpleHTTPRequestHandler).serve_forever()"
    )
    probe = Probe(tcp_socket=TCPSocketAction(port=18088), period_seconds=1, failure_threshold=30)
    serving = container(command=[sys.executable, "-c", code], readiness_probe=probe)
    async with a_world(server) as world:
        for name in ("a", "b"):
            await world.create(pod(serving, name=name))

        found = [await world.until(name, is_ready) for name in ("a", "b")]

        assert len({one.status.pod_ip for one in found}) == 2
        connection = await world.node.access.connect("default", "b", 18088)
        await connection.write(b"GET / HTTP/1.0\r\n\r\n")
        assert (await connection.read()).startswith(b"HTTP/1.0 200 OK")
        await connection.close()


async def test_files_of_a_config_map_follow_its_changes(server: Access) -> None:
    """Programs that watch their configuration see it change."""
    async with a_world(server) as world:
        meta = kw.ObjectMeta(name="conf", namespace="default")
        await world.client.create(ConfigMap(metadata=meta, data={"a": "one"}))
        await world.client.create(Secret(metadata=meta, data={"p": b"secret"}))
        volumes = [
            Volume(name="c", config_map=ConfigMapVolumeSource(name="conf")),
            Volume(name="s", secret=SecretVolumeSource(secret_name="conf", default_mode=0o400)),
        ]
        mounts = [
            VolumeMount(name="c", mount_path="/etc/conf"),
            VolumeMount(name="s", mount_path="/etc/pass"),
        ]
        watching = (
            "cat /etc/conf/a /etc/pass/p; echo; echo ready;"
            " while [ $(cat /etc/conf/a) != two ]; do sleep 0.1; done; echo changed"
        )
        await world.create(
            pod(shell(watching, volume_mounts=mounts), volumes=volumes, restart_policy="Never")
        )
        await world.until("web", lambda one: one.status.phase == "Running")

        lines = world.log("web", follow=True)
        first = [await anext(lines), await anext(lines)]
        await world.client.patch(ConfigMap, "conf", {"data": {"a": "two"}})

        assert first == ["onesecret", "ready"]
        assert await anext(lines) == "changed"
        await world.until("web", lambda one: one.status.phase == "Succeeded")


async def test_a_pod_that_is_deleted_leaves_no_process(server: Access) -> None:
    """Neither its own, nor what it has made a daemon."""
    async with a_world(server) as world:
        await world.create(pod(shell("setsid sleep 1000 & echo $! $$$$; sleep 1000")))
        await world.until("web", lambda one: one.status.phase == "Running")
        line = await anext(world.log("web", follow=True))
        before = [is_alive(int(pid)) for pid in line.split()]

        await world.client.delete(Pod, "web")
        await world.gone("web")

        assert before == [True, True]
        assert [is_alive(int(pid)) for pid in line.split()] == [False, False]


async def test_a_container_that_crashes_is_restarted_with_its_volumes(server: Access) -> None:
    """What it wrote into an emptyDir is still there."""
    async with a_world(server) as world:
        script = (
            "test -e /data/x && { echo second; sleep 1000; }; touch /data/x; echo first; exit 1"
        )
        mounts = [VolumeMount(name="w", mount_path="/data")]
        volume = Volume(name="w", empty_dir=EmptyDirVolumeSource())
        await world.create(pod(shell(script, volume_mounts=mounts), volumes=[volume]))

        found = await world.until("web", is_ready_after_a_restart)

        assert found.status.container_statuses[0].last_state is not None
        assert [line async for line in world.log("web", previous=True)] == ["first"]
        assert await anext(world.log("web", follow=True)) == "second"
        assert (await world.output("web", "ls", "data")) == "x\n"


async def test_a_node_that_stops_asks_its_processes_to_end(tmp_path: Path) -> None:
    """A program in a pod can put its things in order."""
    told = tmp_path / "told"
    script = f"trap 'echo bye > {told}; exit 0' TERM; echo ready; while :; do sleep 0.1; done"
    with EmbeddedServer() as server:
        async with a_world(server) as world:
            await world.create(pod(shell(script)))
            await world.until("web", is_ready)
            await anext(world.log("web", follow=True))

    assert words(told) == ["bye"]


NODE_PROGRAM = """
import asyncio, sys
from kubewright.client import Client, Config
from kubewright.cluster import Cluster
from kubewright.embedded.node import Node, ProcessRuntime
from kubewright.manager import Manager

async def main():
    cluster = Cluster(Config.load(kubeconfig=sys.argv[1]))
    manager = Manager(cluster)
    manager.add(Node("node-1", cluster=cluster, runtime=ProcessRuntime(sys.argv[2])))
    await manager.run_until_signal()

asyncio.run(main())
"""


async def test_nothing_survives_a_node_that_is_killed_and_the_next_one_goes_on(
    tmp_path: Path,
) -> None:
    """Kill -9 in the middle: no process, no folder, and the pod runs again with the next node."""
    with EmbeddedServer() as server, ExitStack() as stack:
        folder = tmp_path / "node"
        command = [sys.executable, "-c", NODE_PROGRAM, str(server.kubeconfig_file), str(folder)]
        async with Client(server.config(), field_owner="test") as client:
            world = World(client, None)  # type: ignore[arg-type]
            script = f"setsid sleep 1000 & echo $! $$$$ > {tmp_path}/pids; sleep 1000"
            written = ExecAction(command=["test", "-s", f"{tmp_path}/pids"])
            probe = Probe(exec=written, period_seconds=1, failure_threshold=30)
            await client.create(pod(shell(script, readiness_probe=probe)))
            first = start(command, stack)
            await world.until("web", is_ready)
            watched = [os.pidfd_open(int(pid)) for pid in words(tmp_path / "pids")]

            first.kill()
            for process in watched:
                await ended(process)
            second = start(command, stack)
            found = await world.until("web", is_ready_after_a_restart)
            second.terminate()
            codes = await asyncio.to_thread(lambda: (first.wait(), second.wait()))

            assert found.status.container_statuses[0].last_state is not None
            assert codes == (-signal.SIGKILL, 0)
            assert not await asyncio.to_thread(folder.exists)


def start(command: list[str], stack: ExitStack) -> "subprocess.Popen[bytes]":
    """Start a node as a program of its own, which ends with *stack* at the latest."""
    made = stack.enter_context(subprocess.Popen(command, start_new_session=True))
    stack.callback(made.kill)
    return made


def words(file: Path) -> list[str]:
    """Return the words in a file."""
    return file.read_text().split()


async def ended(process: int) -> None:
    """Wait for the end of a process that is not ours."""
    over = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(process, over.set)
    try:
        async with asyncio.timeout(PATIENCE):
            await over.wait()
    finally:
        loop.remove_reader(process)
        os.close(process)
