import asyncio
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.storage import Store
from kubewright.cluster import Cluster
from kubewright.embedded.node.access import AccessError, PodConnection
from kubewright.embedded.proxy import ServiceProxy
from kubewright.embedded.proxy.relay import SocketConnection, dial
from kubewright.embedded.proxy.service_proxy import Address, Connect
from kubewright.runnable import Readying, Runnable
from kubewright.testing.embedded import EmbeddedServer
from tests.unit.embedded.kubelet.containers import Containers
from tests.unit.embedded.proxy.test_relay import listening, read_all

SERVICES = GroupResource("", "services")
SLICES = GroupResource("discovery.k8s.io", "endpointslices")
ADDRESS = "127.97.0.10"


def free_port(address: str = ADDRESS) -> int:
    with socket.socket() as probe:
        probe.bind((address, 0))
        port: int = probe.getsockname()[1]
        return port


class World:
    """A proxy that runs, on an API server whose objects are written without any check."""

    def __init__(self, store: Store, proxy: ServiceProxy) -> None:
        self.store = store
        self.proxy = proxy
        self.port = free_port()

    def service(self, address: str = ADDRESS, **spec: Any) -> dict[str, Any]:
        ports = [{"port": self.port}]
        meta = {"namespace": "default", "name": "web", "uid": "1"}
        tree = {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": meta,
            "spec": {"clusterIP": address, "clusterIPs": [address], "ports": ports, **spec},
        }
        self.store.put(SERVICES, tree)
        return tree

    def endpoints(self, *ports: int, pods: Sequence[str] = (), name: str = "web-1") -> None:
        """Let the service lead to *ports* of loopback, or to *pods* at the first of them."""
        for index in range(max(len(ports), len(pods))):
            target = {"kind": "Pod", "name": pods[index]} if pods else None
            endpoint: dict[str, Any] = {"addresses": ["127.0.0.1"], "conditions": {"ready": True}}
            if target:
                endpoint["targetRef"] = target
            self._put_slice(f"{name}-{index}", [endpoint], ports[min(index, len(ports) - 1)])

    def no_endpoint(self, index: int, name: str = "web-1") -> None:
        self._put_slice(f"{name}-{index}", [], 80)

    def _put_slice(self, name: str, endpoints: list[dict[str, Any]], port: int) -> None:
        labels = {"kubernetes.io/service-name": "web"}
        tree = {
            "apiVersion": "discovery.k8s.io/v1",
            "kind": "EndpointSlice",
            "metadata": {"namespace": "default", "name": name, "labels": labels, "uid": name},
            "addressType": "IPv4",
            "endpoints": endpoints,
            "ports": [{"port": port}, {"name": "x", "port": port}],
        }
        self.store.put(SLICES, tree)

    async def until(self, *addresses: tuple[str, int]) -> None:
        """Wait until the proxy listens at *addresses*, and nowhere else."""
        async with asyncio.timeout(5):
            while self.proxy.addresses != sorted(addresses):  # noqa: ASYNC110  # it has no event
                await asyncio.sleep(0.005)

    async def ask(self) -> bytes:
        connection = await dial(ADDRESS, self.port)
        try:
            return await read_all(connection)
        finally:
            await connection.close()


@asynccontextmanager
async def world(connect: Connect | None = None) -> AsyncIterator[World]:
    async with EmbeddedServer(controllers=False) as server, server.client() as client:
        cluster = Cluster(client)
        proxy = ServiceProxy(cluster, connect=connect)
        tasks = [asyncio.create_task(cluster.run()), asyncio.create_task(proxy.run())]
        await proxy.wait_ready()
        try:
            yield World(server.api.store, proxy)
        finally:
            for task in reversed(tasks):
                task.cancel()
                await asyncio.wait({task})


class Backend:
    """Says its name to whoever connects."""

    def __init__(self, name: bytes) -> None:
        self._name = name
        self.stay = asyncio.Event()
        self.stay.set()

    async def __call__(self, client: SocketConnection) -> None:
        await client.write(self._name)
        await self.stay.wait()


async def test_a_cluster_address_on_loopback_leads_to_the_endpoints_in_turn() -> None:
    """And is given up with the service."""
    async with listening(Backend(b"a")) as a, listening(Backend(b"b")) as b, world() as made:
        assert isinstance(made.proxy, Runnable)
        assert isinstance(made.proxy, Readying)
        tree = made.service()
        made.endpoints(a, b)
        await made.until((ADDRESS, made.port))
        got = [await made.ask() for _ in range(4)]
        made.store.remove(SERVICES, tree)
        await made.until()

        with pytest.raises(ConnectionRefusedError):
            await made.ask()

    assert sorted(got) == [b"a", b"a", b"b", b"b"]


async def test_other_addresses_are_left_alone_and_node_ports_are_not() -> None:
    """An address of a network may be that of another machine."""
    async with listening(Backend(b"a")) as a, world() as made:
        node_port = free_port("127.0.0.1")
        made.service("10.96.0.10", ports=[{"port": 80, "nodePort": node_port}])
        made.endpoints(a)
        await made.until(("127.0.0.1", node_port))

        connection = await dial("127.0.0.1", node_port)
        got = await read_all(connection)
        await connection.close()
        made.service("None")
        await made.until()

    assert got == b"a"


async def test_open_connections_stay_when_the_endpoints_change() -> None:
    """New ones go to the new set at once."""
    old, new = Backend(b"old"), Backend(b"new")
    old.stay.clear()
    async with listening(old) as a, listening(new) as b, world() as made:
        made.service()
        made.endpoints(a)
        await made.until((ADDRESS, made.port))
        held = await dial(ADDRESS, made.port)
        first = await held.read()

        made.endpoints(b)
        await _until_answers(made, b"new")
        old.stay.set()
        rest = await read_all(held)
        await held.close()

    assert (first, rest) == (b"old", b"")


async def _until_answers(made: World, wanted: bytes) -> None:
    async with asyncio.timeout(5):
        while True:
            try:
                if await made.ask() == wanted:
                    return
            except ConnectionResetError:
                pass  # it led nowhere for a moment
            await asyncio.sleep(0.005)


async def test_an_endpoint_where_nothing_listens_gives_way_to_the_next() -> None:
    """A pod may end before anybody hears of it: no request fails for that."""
    async with listening(Backend(b"a")) as a, world() as made:
        made.service()
        made.endpoints(a, free_port("127.0.0.1"))
        await made.until((ADDRESS, made.port))

        assert [await made.ask() for _ in range(6)] == [b"a"] * 6


async def test_endpoints_that_have_all_ended_are_waited_for_a_moment() -> None:
    """Others replace them, which the watch shows a little later: no request may fail for that."""
    async with listening(Backend(b"new")) as new, world() as made:
        made.service()
        made.endpoints(free_port("127.0.0.1"))
        await made.until((ADDRESS, made.port))

        asking = asyncio.create_task(made.ask())
        await asyncio.sleep(0.05)
        made.endpoints(new)

        assert await asking == b"new"


async def test_without_endpoints_the_port_is_free() -> None:
    """A pod that listens at all addresses can have it, and gets what is sent to the service."""
    async with listening(Backend(b"a")) as a, world() as made:
        made.service()
        made.endpoints(a)
        await made.until((ADDRESS, made.port))
        made.no_endpoint(0)
        await made.until()

        with pytest.raises(ConnectionRefusedError):
            await made.ask()
        pod = await asyncio.start_server(_say_pod, "0.0.0.0", made.port)
        async with pod:
            made.endpoints(made.port)
            assert await made.ask() == b"pod"


async def _say_pod(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"pod")
    writer.close()


async def test_pods_without_a_socket_are_reached_through_their_node() -> None:
    """And pods that the node does not know at their address."""
    containers = Containers()
    asked: list[tuple[str, str, int]] = []

    async def connect(namespace: str, pod: str, port: int) -> PodConnection:
        asked.append((namespace, pod, port))
        if pod == "foreign":
            raise AccessError(404, "no such pod")
        return await containers.connect(namespace, pod, 7)

    async with listening(Backend(b"a")) as a, world(connect) as made:
        made.service()
        made.endpoints(a, pods=["simulated"])
        await made.until((ADDRESS, made.port))
        connection = await dial(ADDRESS, made.port)
        await connection.write(b"echo")
        await connection.end()
        echoed = await read_all(connection)
        await connection.close()
        made.endpoints(a, pods=["foreign"])
        await _until_answers(made, b"a")

    assert echoed == b"echo"
    assert asked[0] == ("default", "simulated", a)
    await containers.stop()


async def test_a_client_stays_at_its_endpoint_where_the_service_says_so() -> None:
    """By sessionAffinity."""
    async with listening(Backend(b"a")) as a, listening(Backend(b"b")) as b, world() as made:
        made.service(sessionAffinity="ClientIP")
        made.endpoints(a, b)
        await made.until((ADDRESS, made.port))

        assert len({await made.ask() for _ in range(6)}) == 1


async def test_a_port_that_is_taken_is_said_once_and_skipped(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The other ports of the service work."""
    async with listening(Backend(b"a")) as a, world() as made:
        with socket.socket() as taken:
            taken.bind((ADDRESS, 0))
            taken.listen()
            ports = [
                {"name": "x", "port": taken.getsockname()[1]},
                {"name": "", "port": made.port},
            ]
            made.service(ports=ports)
            made.endpoints(a)
            await made.until((ADDRESS, made.port))
            made.service(ports=ports, sessionAffinity="ClientIP")
            await _until_answers(made, b"a")

    said = [record for record in caplog.records if "cannot listen" in record.getMessage()]
    assert len(said) == 1


async def test_a_port_that_is_taken_is_nobodys_trouble_once_its_service_is_gone(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It went while we tried to listen, and the proxy goes on for the others."""
    async with world() as made:
        made.proxy._report_refusal(Address(ADDRESS, made.port), OSError("taken"))

    assert "cannot listen for a service" not in caplog.text


async def test_no_request_fails_while_a_backend_is_scaled_down() -> None:
    """A pod that ends is taken from the endpoints first, and serves what it has."""
    async with listening(Backend(b"a")) as a, listening(Backend(b"b")) as b, world() as made:
        made.service()
        made.endpoints(a, b)
        await made.until((ADDRESS, made.port))

        answers = []
        for number in range(60):
            if number == 20:
                made.no_endpoint(1)
            answers.append(await made.ask())

    assert set(answers[:20]) == {b"a", b"b"}
    assert set(answers) == {b"a", b"b"}
    assert answers[-1] == b"a"
