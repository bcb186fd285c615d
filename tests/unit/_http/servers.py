"""Servers on loopback that send exactly the bytes that a test tells them to."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from kubewright._aio import Clock
from kubewright._http.connection import Answer
from kubewright._http.endpoint import Limits, Route, endpoint_of
from kubewright._http.pool import Pool

NEVER = float("inf")

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


def chunk(data: bytes) -> bytes:
    """Return *data* as one chunk of a chunked body."""
    return b"%x\r\n%b\r\n" % (len(data), data)


class Peer:
    """The server's side of one connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.requests: list[bytes] = []

    async def request(self) -> bytes:
        """Read one request, its body included."""
        head = await self.reader.readuntil(b"\r\n\r\n")
        size = 0
        for line in head.lower().split(b"\r\n"):
            if line.startswith(b"content-length:"):
                size = int(line.partition(b":")[2])
        whole = head + await self.reader.readexactly(size)
        self.requests.append(whole)
        return whole

    async def send(self, data: bytes) -> None:
        """Send *data*, all of it."""
        self.writer.write(data)
        await self.writer.drain()

    async def gone(self) -> None:
        """Wait until the client has closed its side."""
        with suppress(OSError):
            while await self.reader.read(65536):
                pass

    def close(self) -> None:
        """Close in good order."""
        self.writer.close()

    def reset(self) -> None:
        """Close with no manners at all."""
        # A transport that has closed in good order has no loop any more, and then cannot abort.
        with suppress(AttributeError):
            self.writer.transport.abort()


Script = Callable[[Peer], Awaitable[None]]


async def say_ok(peer: Peer) -> None:
    """Answer every request with a small 200."""
    while True:
        await peer.request()
        await peer.send(OK)


async def say_nothing(peer: Peer) -> None:
    """Read the request, and leave it at that."""
    await peer.request()
    await peer.gone()


def answering(*answers: bytes) -> Script:
    """Return a script that gives one answer per request, then closes."""

    async def script(peer: Peer) -> None:
        for answer in answers:
            await peer.request()
            await peer.send(answer)

    return script


class Server:
    """A listening server; the n-th connection is served by the n-th script, or by the last."""

    def __init__(self, scripts: tuple[Script, ...]) -> None:
        self._scripts = scripts
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server
        self.peers: list[Peer] = []
        self.port = 0

    @property
    def open(self) -> int:
        """How many connections are being served."""
        return len(self._tasks)

    @property
    def requests(self) -> list[bytes]:
        """Every request, over all connections."""
        return [request for peer in self.peers for request in peer.requests]

    async def listen(self, context: ssl.SSLContext | None) -> None:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, ssl=context)
        self.port = self._server.sockets[0].getsockname()[1]

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = Peer(reader, writer)
        if not self._server.is_serving():
            peer.reset()
            return
        script = self._scripts[min(len(self.peers), len(self._scripts) - 1)]
        self.peers.append(peer)
        task = asyncio.get_running_loop().create_task(self._serve(script, peer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, script: Script, peer: Peer) -> None:
        try:
            with suppress(OSError, EOFError):
                await script(peer)
        finally:
            peer.close()
            with suppress(OSError):
                await peer.writer.wait_closed()

    async def empty(self) -> None:
        """Wait until no connection is left."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def stop(self) -> None:
        self._server.close()
        for peer in self.peers:
            peer.reset()
        for task in list(self._tasks):
            task.cancel()
        await self.empty()
        await self._server.wait_closed()


@asynccontextmanager
async def serving(*scripts: Script, context: ssl.SSLContext | None = None) -> AsyncIterator[Server]:
    """Serve with *scripts* until the block is left."""
    server = Server(scripts)
    await server.listen(context)
    try:
        yield server
    finally:
        await server.stop()


def no_tls() -> ssl.SSLContext:
    """Stand in where no TLS is expected."""
    raise AssertionError("nobody should ask for TLS here")


def route_to(server: Server) -> Route:
    """Return the plain way to *server*."""
    return Route(endpoint_of(f"http://127.0.0.1:{server.port}")[0], no_tls)


@asynccontextmanager
async def pool_to(
    server: Server,
    limits: Limits | None = None,
    *,
    clock: Clock | None = None,
    gzip: bool = False,
) -> AsyncIterator[Pool]:
    """Give a pool of connections to *server*."""
    pool = Pool(route_to(server), limits=limits or Limits(), clock=clock or Clock(), gzip=gzip)
    try:
        yield pool
    finally:
        await pool.close()


async def send(
    pool: Pool, method: str = "GET", *, body: bytes = b"", deadline: float = NEVER
) -> Answer:
    """Send a small request through *pool*."""
    size = b"Content-Length: %d\r\n" % len(body) if body else b""
    head = b"%b / HTTP/1.1\r\nHost: test\r\n%b\r\n" % (method.encode(), size)
    return await pool.request(method, head, body, deadline=deadline)
