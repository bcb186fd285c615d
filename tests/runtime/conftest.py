"""The real kube-apiserver, a namespace of its own for each test, and replicas of the operator."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

import kubewright as kw
from kubewright.application.install import install_crds
from kubewright.kinds.core.v1 import Namespace
from kubewright.testing import RealServer
from tests.runtime.processes import Replica
from tests.runtime.shops import Shop
from tests.runtime.town import Town


@pytest.fixture(scope="session")
def server() -> Iterator[RealServer]:
    """Return the real server, started once."""
    with RealServer() as running:
        yield running


@pytest.fixture
async def town(server: RealServer, request: pytest.FixtureRequest) -> AsyncIterator[Town]:
    """Return an empty town."""
    config = server.config(server.admin)
    async with kw.Client(config, field_owner="customer") as client:
        await install_crds(client, [Shop])
        made = await client.create(Namespace(metadata=kw.ObjectMeta(generate_name="town-")))
        yield Town(client, made.metadata.name)


@pytest.fixture
def start(server: RealServer, town: Town, tmp_path: Path) -> Iterator[Callable[[], Replica]]:
    """Return what starts one more replica in the town; at the end, those that run are killed."""
    kubeconfig = tmp_path / "kubeconfig"
    server.write_kubeconfig(kubeconfig)
    with ExitStack() as replicas:

        def begin() -> Replica:
            flags = ["--namespace", town.namespace, "--workers", "10"]
            flags += ["--leader-elect", "--leader-elect-namespace", town.namespace]
            log = tmp_path / "operator.log"
            return replicas.enter_context(Replica(kubeconfig, log, *flags))

        yield begin


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """Return what ends the processes of a test."""
    with ExitStack() as processes:
        yield processes
