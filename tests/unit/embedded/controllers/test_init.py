import json
from typing import Any

import pytest

from kubewright._aio import VirtualClock
from kubewright.api import Resource
from kubewright.api.requests import Request
from kubewright.cluster import Cluster
from kubewright.controller import Controller
from kubewright.embedded.controllers import CONTROLLERS, make
from kubewright.kinds.apps.v1 import DaemonSet, Deployment, ReplicaSet, StatefulSet
from kubewright.kinds.batch.v1 import CronJob, Job
from kubewright.kinds.core.v1 import Node, ReplicationController
from kubewright.kinds.policy.v1 import PodDisruptionBudget
from kubewright.testing import EmbeddedServer
from tests.unit.embedded.controllers.world import template, workload, world


@pytest.fixture
async def cluster() -> Cluster:
    """Return a cluster that nothing runs in."""
    async with EmbeddedServer(clock=VirtualClock()) as server, server.client() as client:
        return Cluster(client)


async def test_every_name_makes_something_to_run(cluster: Cluster) -> None:
    """A name in the table whose module is missing would fail only when somebody asks for it."""
    made = {name: list(factory(cluster)) for name, factory in CONTROLLERS.items()}

    assert all(made.values())


async def test_controllers_are_made_by_name(cluster: Cluster) -> None:
    """Who tests one controller does not want the others to interfere."""
    made = make(cluster, ["replicaset", "deployment"])

    assert [one.name for one in made if isinstance(one, Controller)] == ["replicaset", "deployment"]


async def test_an_unknown_name_is_refused_with_the_known_ones(cluster: Cluster) -> None:
    """A typing error must not start a cluster without its deployments."""
    with pytest.raises(ValueError, match="no controller called 'deploy': choose among deployment"):
        make(cluster, ["deploy"])


class StatusWrites:
    """Lets nothing go wrong, and keeps what is written into a status."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []

    def choose(self, request: Request) -> None:
        """Keep the body of *request*."""
        if request.method == "PATCH" and "/status" in request.target:
            self.bodies.append(json.loads(request.body or b"{}"))


@pytest.mark.parametrize("kind", [DaemonSet, Deployment, ReplicaSet, StatefulSet])
async def test_a_status_goes_to_the_object_that_was_counted(kind: type[Resource]) -> None:
    """It may have been deleted meanwhile, and another one of the same name was made."""
    writes = StatusWrites()
    async with world("replicaset", kind.__name__.lower(), faults=writes) as w:
        await w.create(kind, workload())

    assert writes.bodies
    assert all(one["metadata"]["resourceVersion"] for one in writes.bodies)


NAMED = {"metadata": {"name": "web", "namespace": "default"}}
TASK = {"template": {"spec": {**template()["spec"], "restartPolicy": "Never"}}}
REFERENCE = {"apiVersion": "batch/v1", "kind": "Job", "namespace": "default", "name": "none"}


@pytest.mark.parametrize(
    ("controller", "kind", "document", "wrong"),
    [
        ("deployment", Deployment, workload(replicas=1), {"replicas": 7}),
        ("replicaset", ReplicaSet, workload(replicas=1), {"replicas": 7}),
        (
            "replicationcontroller",
            ReplicationController,
            {**NAMED, "spec": {"replicas": 1, "template": template()}},
            {"replicas": 7},
        ),
        ("statefulset", StatefulSet, workload(replicas=1), {"replicas": 7}),
        ("daemonset", DaemonSet, workload(), {"numberReady": 7, "numberAvailable": 0}),
        ("job", Job, {**NAMED, "spec": TASK}, {"active": 7}),
        (
            "cronjob",
            CronJob,
            {**NAMED, "spec": {"schedule": "@yearly", "jobTemplate": {"spec": TASK}}},
            {"active": [REFERENCE]},
        ),
        ("disruption", PodDisruptionBudget, {**NAMED, "spec": {}}, {"disruptionsAllowed": 7}),
    ],
)
async def test_a_status_that_somebody_else_wrote_is_put_right(
    controller: str, kind: type[Resource], document: dict[str, Any], wrong: dict[str, Any]
) -> None:
    """Nothing else may ever change, and people believe what a status says."""
    async with world("replicaset", controller) as w:
        await w.create(Node, {"metadata": {"name": "node-1"}})
        await w.create(kind, document)
        right = (await w.client.get(kind, "web")).status  # type: ignore[attr-defined]  # all have one

        await w.client.status.patch(kind, "web", {"status": wrong})
        await w.settle()

        found = await w.client.get(kind, "web")
        assert found.status == right  # type: ignore[attr-defined]  # as above


@pytest.mark.parametrize("kind", [DaemonSet, Deployment, ReplicaSet, StatefulSet, Job])
async def test_an_own_status_is_written_once(kind: type[Resource]) -> None:
    """It comes back as a change, and must not be answered with another one."""
    writes = StatusWrites()
    document = {**NAMED, "spec": TASK} if kind is Job else workload()
    async with world("replicaset", kind.__name__.lower(), faults=writes) as w:
        await w.create(kind, document)
        count = len(writes.bodies)

        await w.settle(60)

    assert len(writes.bodies) == count
