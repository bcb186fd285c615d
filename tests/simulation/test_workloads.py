"""The workload controllers on a bad network: they come to the right end all the same."""

import pytest

from kubewright.api.requests import Request
from kubewright.embedded.controllers.deployment.status import is_complete
from kubewright.kinds.apps.v1 import DaemonSet, Deployment, ReplicaSet, StatefulSet
from kubewright.kinds.core.v1 import Node
from kubewright.testing.faults import Fault, Hanging, Lost, RandomFaults
from tests.unit.embedded.controllers.world import (
    BAD_IMAGE,
    World,
    controllers_of,
    template,
    workload,
    world,
)


class Crash:
    """The answer to one write is lost, and nothing that is tried after it arrives."""

    def __init__(self, at: int) -> None:
        self._left = at

    def choose(self, request: Request) -> Fault | None:
        """Let writes pass until it is time."""
        if self._left > 0 and request.method != "GET":
            self._left -= 1
            return None if self._left else Lost()
        return None if self._left else Hanging(1e6)

    def heal(self) -> None:
        """Let everything arrive again."""
        self._left = 1_000_000


WORKLOADS = ("deployment", "replicaset", "statefulset", "daemonset")
NODES = ("node-0", "node-1", "node-2")


async def story(w: World) -> None:
    """Create, resize and change everything, without waiting for anything."""
    for name in NODES:
        await w.create(Node, {"metadata": {"name": name}})
        await w.patch(Node, name, {"spec": {"taints": None}})
    await w.create(Deployment, workload("web", replicas=5))
    await w.create(StatefulSet, workload("db", replicas=3))
    await w.create(DaemonSet, workload("log"))
    await w.patch(Deployment, "web", {"spec": {"replicas": 8}})
    for image in (BAD_IMAGE, "second"):
        for kind, name in ((Deployment, "web"), (StatefulSet, "db"), (DaemonSet, "log")):
            await w.patch(kind, name, {"spec": {"template": template(image, app=name)}})
        await w.settle(20)
    await w.patch(StatefulSet, "db", {"spec": {"replicas": 2}})


@pytest.mark.parametrize("seed", range(6))
async def test_a_bad_network_changes_nothing_in_the_end(seed: int) -> None:
    """Lost answers make no pods too many for ever, and none is missing."""
    faults = RandomFaults(seed, rate=0.3)
    async with world(*WORKLOADS, nodes=NODES, faults=faults) as w:
        await story(w)
        faults.heal()
        await w.settle(1800)
        # By hand, as documented: a stateful set does not replace a pod that never came up.
        for pod in await w.pods():
            if pod.spec.containers[0].image == BAD_IMAGE:
                await w.client.delete(pod, grace_period=0)
        await w.settle()

        owners = [pod.metadata.labels["app"] for pod in await w.pods()]
        assert {name: owners.count(name) for name in owners} == {"web": 8, "db": 2, "log": 3}
        assert {pod.spec.containers[0].image for pod in await w.pods()} == {"second"}
        found = await w.client.get(Deployment, "web")
        assert is_complete(found, found.status)
        sets = await w.client.list(ReplicaSet)
        assert sorted(one.spec.replicas or 0 for one in sets)[-2:] in ([0, 8], [8])
        status = (await w.client.get(StatefulSet, "db")).status
        assert (status.ready_replicas, status.current_revision) == (2, status.update_revision)
        assert (await w.client.get(DaemonSet, "log")).status.updated_number_scheduled == 3
        assert faults.count > 0


@pytest.mark.parametrize("at", range(1, 61, 4))
async def test_others_go_on_wherever_a_controller_ends(at: int) -> None:
    """What it knew in memory is in the objects, too."""
    crash = Crash(at)
    async with world(*WORKLOADS, nodes=NODES, faults=crash) as w:
        await w.create(Deployment, workload("web", replicas=3))
        await w.create(StatefulSet, workload("db", replicas=2))
        await w.patch(Deployment, "web", {"spec": {"template": template("second", app="web")}})
        await w.patch(StatefulSet, "db", {"spec": {"template": template("second", app="db")}})

        await w.stop()
        crash.heal()
        w.start(controllers_of(w.theirs, *WORKLOADS))
        await w.settle(60)

        found = await w.client.get(Deployment, "web")
        assert is_complete(found, found.status)
        owners = [pod.metadata.labels["app"] for pod in await w.pods()]
        assert sorted(owners) == ["db", "db", "web", "web", "web"]
        assert {pod.spec.containers[0].image for pod in await w.pods()} == {"second"}
        status = (await w.client.get(StatefulSet, "db")).status
        assert (status.updated_replicas, status.current_revision) == (2, status.update_revision)
