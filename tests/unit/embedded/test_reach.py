import pytest

from kubewright._aio import Clock
from kubewright.api import ObjectMeta
from kubewright.client import wait_for
from kubewright.embedded import LocalCluster
from kubewright.embedded.node.access import AccessError
from kubewright.embedded.reach import Reach
from kubewright.errors import ServerError
from kubewright.kinds.core.v1 import Container, Pod, PodSpec


class Elsewhere:
    """A node that has no pod; it is asked for nothing else."""

    async def connect(self, namespace: str, pod: str, port: int) -> None:
        raise AccessError(404, "not here")


class Broken(Elsewhere):
    """A node that has the pod, but nothing listens there."""

    async def connect(self, namespace: str, pod: str, port: int) -> None:
        raise AccessError(500, "nothing listens")


def is_over(pod: Pod | None) -> bool:
    return pod is not None and pod.status.phase == "Succeeded"


async def test_a_pod_is_found_on_whichever_node_it_is() -> None:
    """A service knows its pods, and not where they run."""
    nowhere, broken = Reach(clock=Clock()), Reach(clock=Clock())
    for reach, second in ((nowhere, Elsewhere()), (broken, Broken())):
        reach.add("a", Elsewhere())  # type: ignore[arg-type]
        reach.add("b", second)  # type: ignore[arg-type]

    with pytest.raises(AccessError, match='pod "town/web" not found'):
        await nowhere.connect("town", "web", 80)
    with pytest.raises(AccessError, match="nothing listens"):
        await broken.connect("town", "web", 80)


async def test_logs_come_from_the_node_of_the_pod() -> None:
    """And a node that is not there is named."""
    container = Container(name="main", image="busybox", command=["echo", "YAY"])

    async with LocalCluster(nodes=2, controllers=[]) as cluster, cluster.client() as client:
        for name, node in (("here", "node-2"), ("gone", "node-9")):
            spec = PodSpec(restart_policy="Never", node_name=node, containers=[container])
            await client.create(Pod(metadata=ObjectMeta(name=name), spec=spec))
        await wait_for(client, Pod, "here", is_over, timeout=10)
        text = await client.logs("here")
        with pytest.raises(ServerError, match='cannot reach node "node-9"'):
            await client.logs("gone")

    assert text == "YAY\n"
