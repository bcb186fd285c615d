from kubewright._aio import Clock, VirtualClock
from kubewright._serve.messages import Duplex
from kubewright.embedded.kubelet.spdy import frames
from kubewright.embedded.kubelet.spdy.forward import SPDYForwarder
from kubewright.embedded.node.access import PodConnection
from kubewright.errors import TransportError
from tests.unit.embedded.kubelet.containers import Containers, MemoryConnection
from tests.unit.embedded.kubelet.wires import SPDYClient, talking


class Forwarding:
    """What a server does with its end."""

    def __init__(self, containers: Containers, clock: Clock | None = None) -> None:
        self._containers = containers
        self._clock = clock or Clock()

    async def __call__(self, duplex: Duplex) -> None:
        await SPDYForwarder(duplex, self._connect, clock=self._clock).run()

    async def _connect(self, port: int) -> PodConnection:
        return await self._containers.connect("default", "web", port)


async def dial(client: SPDYClient, port: int, request: str = "0") -> tuple[int, int]:
    """Open a connection as kubectl does: the error stream first, and that one way only."""
    error = await client.open(streamtype="error", port=str(port), requestid=request)
    await client.write(error, b"", final=True)
    data = await client.open(streamtype="data", port=str(port), requestid=request)
    return error, data


async def test_bytes_go_to_the_pod_and_back_to_both_ends() -> None:
    """A client that has said all still hears the answer; then both streams end."""
    containers = Containers()

    async with talking(Forwarding(containers)) as (end, _):
        client = SPDYClient(end)
        error, data = await dial(client, 7)
        await client.write(data, b"hello")
        await client.read_until(lambda: client.got.get(data) == b"hello")
        await client.write(data, b" world", final=True)
        await client.read_until(lambda: {error, data} <= client.ended)

    assert client.got[data] == b"hello world"
    assert client.got[error] == b""
    assert containers.connections[0].closed
    await containers.stop()


async def test_a_pod_that_is_done_ends_both_streams() -> None:
    """Old clients wait for the end of the error stream before they close their own socket."""
    containers = Containers()

    async def hello(far: MemoryConnection) -> None:
        await far.write(b"hello")

    containers.services[80] = hello

    async with talking(Forwarding(containers)) as (end, _):
        client = SPDYClient(end)
        error, data = await dial(client, 80)
        await client.read_until(lambda: {error, data} <= client.ended)

    assert client.got[data] == b"hello"
    await containers.stop()


async def test_many_connections_share_one_client() -> None:
    """That is what a browser does with a forwarded port."""
    containers = Containers()

    async with talking(Forwarding(containers)) as (end, _):
        client = SPDYClient(end)
        pairs = [await dial(client, 7, str(number)) for number in range(20)]
        for number, (_, data) in enumerate(pairs):
            await client.write(data, b"%d" % number, final=True)
        wanted = {stream for pair in pairs for stream in pair}
        await client.read_until(lambda: wanted <= client.ended)

    assert [client.got[data] for _, data in pairs] == [b"%d" % number for number in range(20)]
    await containers.stop()


async def test_a_port_where_nothing_listens_is_told() -> None:
    """The other connections go on."""
    containers = Containers()

    async with talking(Forwarding(containers)) as (end, task):
        client = SPDYClient(end)
        error, data = await dial(client, 9)
        await client.read_until(lambda: {error, data} <= client.ended)
        assert not task.done()

    said = client.got[error].decode()
    assert said.startswith("error forwarding port 9: ")
    assert "connection refused" in said


async def test_a_reset_of_the_client_is_the_end_of_the_connection() -> None:
    """What the pod still says is for nobody."""
    containers = Containers()

    async with talking(Forwarding(containers)) as (end, _):
        client = SPDYClient(end)
        error, data = await dial(client, 7)
        await client.write(data, b"hello")
        await client.read_until(lambda: client.got.get(data) == b"hello")
        await client.send(frames.reset_frame(data, 5))
        await client.read_until(lambda: error in client.ended)

    assert containers.connections[0].closed
    await containers.stop()


async def test_a_pod_that_breaks_the_connection_resets_the_stream() -> None:
    """The data before must not look complete."""
    containers = Containers()

    class Broken(MemoryConnection):
        async def read(self) -> bytes:
            raise TransportError("reset")

    async def connect(namespace: str, pod: str, port: int) -> PodConnection:
        near = await Containers.connect(containers, namespace, pod, port)
        assert isinstance(near, MemoryConnection)
        return Broken(near._incoming, near._outgoing)

    containers.connect = connect  # type: ignore[method-assign]  # a fake of the fake

    async with talking(Forwarding(containers)) as (end, _):
        client = SPDYClient(end)
        error, data = await dial(client, 7)
        await client.read_until(lambda: {error, data} <= client.ended)

    assert client.has(frames.Reset(data, 5))
    await containers.stop()


async def test_a_client_that_is_gone_closes_all_its_connections() -> None:
    """No task and no connection stays behind."""
    containers = Containers()

    async with talking(Forwarding(containers)) as (end, task):
        client = SPDYClient(end)
        for number in range(3):
            await dial(client, 7, str(number))
        for _ in range(3):
            await containers.started.get()
        end.hang_up()
        await task

    assert all(connection.closed for connection in containers.connections)
    await containers.stop()


async def test_the_first_clients_sent_no_number_of_the_request() -> None:
    """The data stream follows its error stream then. What names no port is refused."""
    containers = Containers()

    async with talking(Forwarding(containers)) as (end, _):
        client = SPDYClient(end)
        await client.open(streamtype="error", port="7")
        data = await client.open(streamtype="data", port="7")
        odd = [
            await client.open(streamtype="data", port="http"),
            await client.open(streamtype="odd", port="7"),
        ]
        await client.write(data, b"hi", final=True)
        await client.read_until(lambda: {data, *odd} <= client.ended)

    assert client.got[data] == b"hi"
    await containers.stop()


async def test_half_a_pair_is_given_up_after_a_while() -> None:
    """The other half got lost, or never was."""
    clock = VirtualClock()

    async with talking(Forwarding(Containers(), clock)) as (end, _):
        client = SPDYClient(end)
        error = await client.open(streamtype="error", port="7", requestid="0")
        await client.read_until(lambda: client.has(frames.Replied(error)))
        await clock.advance(31)
        await client.read_until(lambda: error in client.ended)

    assert client.has(frames.Reset(error, 5))
