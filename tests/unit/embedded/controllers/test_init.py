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
from kubewright.testing import EmbeddedServer
from tests.unit.embedded.controllers.world import workload, world


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
