import pytest

from kubewright.api import ObjectMeta
from kubewright.client import wait_for
from kubewright.errors import ConfigError, ForbiddenError
from kubewright.kinds.core.v1 import Container, Pod, PodSpec
from kubewright.testing import EmbeddedCluster, Server, VirtualClock, probe


def pod(*command: str) -> Pod:
    container = Container(name="main", image="busybox", command=list(command))
    spec = PodSpec(restart_policy="Never", containers=[container])
    return Pod(metadata=ObjectMeta(name="a"), spec=spec)


def is_over(one: Pod | None) -> bool:
    return one is not None and one.status.phase == "Succeeded"


async def test_pods_run_in_the_event_loop_of_the_test() -> None:
    """What a reconciler waits for comes by itself."""
    async with EmbeddedCluster() as cluster, cluster.client() as client:
        await client.create(pod("echo", "YAY"))
        await wait_for(client, Pod, "a", is_over, timeout=10)

        assert await client.logs("a") == "YAY\n"


async def test_time_may_be_virtual() -> None:
    """Nothing of it needs the real one."""
    clock = VirtualClock()

    async with EmbeddedCluster(clock=clock, nodes=3) as cluster, cluster.client() as client:
        await client.create(pod("sleep", "60"))
        await clock.advance(70)

        assert is_over(await client.get(Pod, "a"))


async def test_its_users_have_the_rights_of_their_names() -> None:
    """As those of the server without nodes."""
    async with EmbeddedCluster() as cluster:
        async with cluster.client(cluster.reader) as reader:
            with pytest.raises(ForbiddenError):
                await reader.create(pod("true"))
        async with cluster.client(cluster.nobody) as nobody:
            with pytest.raises(ForbiddenError):
                await nobody.list(Pod)


def test_it_answers_without_an_event_loop() -> None:
    """Code that is not asynchronous can use it, and kubectl; its files go with it."""
    with EmbeddedCluster(controllers=[]) as cluster:
        same: Server = cluster
        answer = probe.ask(same, "GET", "/api/v1/nodes/node-1")
        folder = cluster.folder
        assert cluster.kubeconfig_file.exists()

    assert answer.status == 200
    assert not folder.exists()


def test_it_can_be_started_again() -> None:
    """Each start has an event loop of its own; nothing may be left of the one before."""
    cluster = EmbeddedCluster(nodes=0, controllers=[])

    for _ in range(2):
        with cluster:
            assert probe.ask(cluster, "GET", "/version").status == 200


def test_options_that_do_not_go_together_are_refused_at_once() -> None:
    """The traceback then leads to the line with the mistake, and not to a start elsewhere."""
    with pytest.raises(ConfigError, match="a cluster cannot have -1 nodes"):
        EmbeddedCluster(nodes=-1)
