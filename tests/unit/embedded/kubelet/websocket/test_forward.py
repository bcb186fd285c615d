from kubewright._aio import Clock
from kubewright._serve.messages import Duplex
from kubewright.embedded.kubelet.websocket.channel import Channels
from kubewright.embedded.kubelet.websocket.connection import WebSocket
from kubewright.embedded.kubelet.websocket.forward import WebSocketForwarder
from kubewright.embedded.node.access import PodConnection
from tests.unit.embedded.kubelet.containers import Containers, MemoryConnection
from tests.unit.embedded.kubelet.wires import WebSocketClient, talking


class Forwarding:
    """What a server does with its end."""

    def __init__(self, containers: Containers, *ports: int) -> None:
        self._containers = containers
        self._ports = ports

    async def __call__(self, duplex: Duplex) -> None:
        channels = Channels(WebSocket(duplex), "v4.channel.k8s.io")
        await WebSocketForwarder(channels, self._ports, self._connect, clock=Clock()).run()

    async def _connect(self, port: int) -> PodConnection:
        return await self._containers.connect("default", "web", port)


async def test_each_port_has_two_channels_that_begin_with_its_number() -> None:
    """The low byte first, as clients read it."""
    containers = Containers()
    containers.services[258] = containers.services[7]

    async with talking(Forwarding(containers, 7, 258)) as (end, task):
        client = WebSocketClient(end)
        heads = [await client.receive() for _ in range(4)]
        await client.send(b"\0first")
        first = await client.receive()
        await client.send(b"\2second")
        second = await client.receive()
        await client.close()
        await task

    assert heads == [b"\0\7\0", b"\1\7\0", b"\2\2\1", b"\3\2\1"]
    assert (first, second) == (b"\0first", b"\2second")
    assert all(connection.closed for connection in containers.connections)
    await containers.stop()


async def test_a_port_where_nothing_listens_is_told_and_the_others_go_on() -> None:
    """On the channel for its errors."""
    containers = Containers()

    async with talking(Forwarding(containers, 9, 7)) as (end, _):
        client = WebSocketClient(end)
        for _ in range(4):
            await client.receive()
        said = await client.receive()
        await client.send(b"\2hi")
        await client.send(b"\0lost")
        answer = await client.receive()
        await client.close()

    assert said is not None
    assert said.startswith(b"\1error forwarding port 9: ")
    assert answer == b"\2hi"
    await containers.stop()


async def test_the_websocket_ends_when_the_pod_has_said_all() -> None:
    """With a goodbye, which tells it apart from a break."""
    containers = Containers()

    async def hello(far: MemoryConnection) -> None:
        await far.write(b"hello")

    containers.services[80] = hello

    async with talking(Forwarding(containers, 80)) as (end, _):
        client = WebSocketClient(end)
        got = await client.rest()

    assert got == {0: b"\x50\0hello", 1: b"\x50\0"}
    assert client.closed_with == 1000
    await containers.stop()


async def test_a_client_that_is_gone_closes_its_connections() -> None:
    """In the middle of anything."""
    containers = Containers()

    async with talking(Forwarding(containers, 7)) as (end, task):
        await containers.started.get()
        end.hang_up()
        await task

    assert containers.connections[0].closed
    await containers.stop()
