"""Two replicas answer the webhooks of a Service; one goes, well or badly, under a steady stream."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

import kubewright as kw
from kubewright.api.unstructured import Unstructured
from kubewright.kinds.core.v1 import Service, ServicePort, ServiceSpec
from kubewright.testing import RealServer
from kubewright.testing.ports import free_ports
from kubewright.webhook.serving import WebhookServing
from tests.runtime import stalls
from tests.runtime.market import (
    CRD,
    HOST,
    RATE,
    WRITERS,
    Front,
    Stream,
    is_ready,
    new_market,
    server_with_services,
    with_port,
)
from tests.runtime.processes import Replica

pytestmark = pytest.mark.timeout(180)  # processes start in real time

SERVICE, PORT = "stalls", free_ports(1)[0]


@pytest.fixture(scope="module")
def service_server() -> Iterator[RealServer]:
    """Return a real server whose Services have addresses that we can listen at."""
    with server_with_services() as running:
        yield running


@pytest.fixture
async def client(service_server: RealServer, tmp_path: Path) -> AsyncIterator[kw.Client]:
    """Return a client whose namespace belongs to the test."""
    async with new_market(service_server, tmp_path) as made:
        yield made


async def install(client: kw.Client) -> str:
    """Do what a chart does: a Service, the CRD and the configurations; return its address."""
    ports = [ServicePort(port=PORT)]
    made = await client.create(
        Service(metadata=kw.ObjectMeta(name=SERVICE), spec=ServiceSpec(ports=ports))
    )
    place = WebhookServing(service=SERVICE, namespace=client.namespace)
    await stalls.operator.install_crds(client, serve_webhooks=place)
    conversion = {"clientConfig": {"service": {"port": PORT}}}
    patch = {"spec": {"conversion": {"webhook": conversion}}}
    await client.patch("customresourcedefinitions.apiextensions.k8s.io", CRD, patch)
    for document in stalls.operator.webhooks.configurations(place):
        await client.create(Unstructured(with_port(document, PORT)))
    return made.spec.cluster_ip or ""


async def start_two(client: kw.Client, folder: Path, stack: ExitStack) -> dict[int, Replica]:
    """Start two replicas, and return them by their ports once both are ready."""
    found: dict[int, Replica] = {}
    probes: list[tuple[int, Replica]] = []
    program = Path(stalls.__file__)
    for number in range(2):
        port, health = free_ports(2)
        flags = ["--namespace", client.namespace, "--webhook-service", SERVICE]
        flags += ["--webhook-namespace", client.namespace]
        flags += ["--webhook-host", HOST, "--webhook-port", str(port)]
        flags += ["--health-probe-bind-address", f"{HOST}:{health}"]
        log = folder / f"operator-{number}.log"
        replica = Replica(folder / "kubeconfig", log, *flags, program=program)
        found[port] = stack.enter_context(replica)
        probes.append((health, replica))
    for health, replica in probes:
        await is_ready(health, lambda one=replica: one.running)  # type: ignore[misc]
    return found


async def test_once_the_endpoint_of_a_killed_replica_is_withdrawn_nothing_is_refused(
    client: kw.Client, tmp_path: Path, stack: ExitStack
) -> None:
    """``kill -9`` with ``failurePolicy: Fail``: what comes before the withdrawal is counted."""
    address = await install(client)
    replicas = await start_two(client, tmp_path, stack)
    stream, front = Stream(client, client.namespace), Front(address, PORT, list(replicas))
    killed = front.endpoints[0]

    async with front.open(), stream.flowing():
        await stream.passed(5 * RATE)
        quiet = len(stream.refused)
        replicas[killed].kill()
        await stream.passed(RATE)  # it takes about a second until the Service knows
        front.endpoints.remove(killed)
        await stream.passed(WRITERS)  # these were on their way
        before = len(stream.refused)
        await stream.passed(10 * RATE)

    print(f"\nkill -9: {stream.summary()}; {before - quiet} refused before the withdrawal")  # noqa: T201  # with -s
    assert quiet == 0
    assert stream.refused[before:] == []


async def test_a_replica_that_is_asked_to_stop_answers_until_its_endpoint_is_withdrawn(
    client: kw.Client, tmp_path: Path, stack: ExitStack
) -> None:
    """A rolling update: nothing is refused, neither while it drains nor when it closes."""
    address = await install(client)
    replicas = await start_two(client, tmp_path, stack)
    stream, front = Stream(client, client.namespace), Front(address, PORT, list(replicas))
    leaving = front.endpoints[0]

    async with front.open(), stream.flowing():
        await stream.passed(2 * RATE)
        stopping = asyncio.create_task(asyncio.to_thread(replicas[leaving].stop))
        await stream.passed(RATE)
        front.endpoints.remove(leaving)
        status = await stopping
        await stream.passed(2 * RATE)

    print(f"\nSIGTERM: {stream.summary()}")  # noqa: T201  # with -s
    assert status == 0
    assert stream.refused == []
