import pytest

from kubewright._aio import VirtualClock
from kubewright.cluster import Cluster
from kubewright.controller import Controller
from kubewright.embedded.controllers import CONTROLLERS, make
from kubewright.testing import EmbeddedServer


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
