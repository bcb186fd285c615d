"""A server on loopback that takes websockets as an API server does, and plays a script on each."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from kubewright._aio import Clock
from kubewright.api.kind import RESTMapping
from kubewright.api.requests import Place
from kubewright.client import Client, Config
from kubewright.client.http_transport import HTTPTransport
from kubewright.client.rest import RESTClient
from kubewright.client.websocket import accept_for
from tests.unit._http.servers import Peer, Script

V5, V4 = "v5.channel.k8s.io", "v4.channel.k8s.io"
REQUEST = Place(RESTMapping("", "v1", "Pod", "pods"), "shop", "web", "exec").request(
    "GET", "create", accept="*/*"
)

Play = Callable[[ServerConnection], Awaitable[None]]


class WebSocketServer:
    """What a running server has seen."""

    def __init__(self, play: Play) -> None:
        self._play = play
        self._idle = asyncio.Event()
        self.port = 0
        self.open = 0
        self.targets: list[str] = []
        self.sockets: list[ServerConnection] = []

    @property
    def url(self) -> str:
        """Where the server is."""
        return f"http://127.0.0.1:{self.port}"

    async def serve(self, socket: ServerConnection) -> None:
        """Play the script on one connection."""
        assert socket.request is not None
        self.targets.append(socket.request.path)
        self.sockets.append(socket)
        self.open += 1
        self._idle.clear()
        try:
            with suppress(ConnectionClosed):
                await self._play(socket)
                await socket.close()
            await socket.wait_closed()
        finally:
            self.open -= 1
            if not self.open:
                self._idle.set()

    async def empty(self) -> None:
        """Wait until there was a connection and none is left; a forgotten socket hangs here."""
        await self._idle.wait()


@asynccontextmanager
async def websockets_at(
    play: Play, *, subprotocols: tuple[str, ...] = (V5, V4)
) -> AsyncIterator[WebSocketServer]:
    """Serve *play* until the block is left."""
    server = WebSocketServer(play)
    chosen = [Subprotocol(name) for name in subprotocols]
    async with serve(
        server.serve, "127.0.0.1", 0, subprotocols=chosen, compression=None, ping_interval=None
    ) as listening:
        server.port = next(iter(listening.sockets)).getsockname()[1]
        yield server


@asynccontextmanager
async def rest_to(port: int) -> AsyncIterator[RESTClient]:
    """Give what sends requests to a server on loopback."""
    async with HTTPTransport(f"http://127.0.0.1:{port}") as transport:
        yield RESTClient(transport)


@asynccontextmanager
async def client_of(server: WebSocketServer, clock: Clock | None = None) -> AsyncIterator[Client]:
    """Give a client of *server* whose own time is *clock*; the sockets live in real time."""
    config = Config(server=server.url, namespace="shop")
    async with Client(config, transport=HTTPTransport(server.url), clock=clock) as client:
        yield client


def switching(*after: bytes, **headers: str) -> Script:
    """Return a raw script: a right handshake, with *headers* changed, and *after* behind it."""

    async def script(peer: Peer) -> None:
        sent = await peer.request()
        key = next(
            line.partition(b": ")[2].decode()
            for line in sent.split(b"\r\n")
            if line.lower().startswith(b"sec-websocket-key")
        )
        said = {
            "upgrade": "websocket",
            "connection": "Upgrade",
            "sec-websocket-accept": accept_for(key),
            "sec-websocket-protocol": V5,
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in said.items() if value)
        await peer.send(f"HTTP/1.1 101 Switching Protocols\r\n{lines}\r\n".encode())
        for data in after:
            await peer.send(data)
        if not after:
            await peer.gone()

    return script


def refusing(status: int, body: Any) -> Script:
    """Return a raw script that answers the handshake with *body* as JSON."""

    async def script(peer: Peer) -> None:
        await peer.request()
        text = json.dumps(body).encode()
        head = f"HTTP/1.1 {status} No\r\nContent-Type: application/json\r\n"
        await peer.send(f"{head}Content-Length: {len(text)}\r\n\r\n".encode() + text)

    return script


async def passes(times: int = 200) -> None:
    """Let everything run that can run."""
    for _ in range(times):
        await asyncio.sleep(0)


async def until(condition: Callable[[], bool]) -> None:
    """Let everything run until *condition* holds; fail if it never does."""
    for _ in range(100_000):
        if condition():
            return
        await asyncio.sleep(0)
    raise AssertionError("what was waited for did not happen")


@asynccontextmanager
async def leaving_no_task() -> AsyncIterator[None]:
    """Check that the block leaves no task behind that was not there before."""
    before = asyncio.all_tasks()
    yield
    await passes()
    left = asyncio.all_tasks() - before - {asyncio.current_task()}
    assert not left
