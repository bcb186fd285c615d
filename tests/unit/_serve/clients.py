"""Handlers that do what a test tells them to, and clients that send exact bytes."""

import asyncio
import re
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, cast

from kubewright._aio import Clock, VirtualClock
from kubewright._serve.connection import ServerConnection
from kubewright._serve.intake import Intake
from kubewright._serve.limits import Limits
from kubewright._serve.messages import Answer, Handler, Request, Response
from kubewright._serve.refusals import Refusals
from kubewright._serve.server import HTTPServer
from kubewright._serve.tls import ServerTLS
from kubewright._serve.wire import DateHeader
from kubewright.log.sparing import Sparing

GET = b"GET / HTTP/1.1\r\nHost: test\r\n\r\n"


class Scripted:
    """A handler that answers with *answer*, and remembers what it was asked."""

    def __init__(self, answer: Callable[[Request], Awaitable[Answer]] | Answer) -> None:
        self._answer = answer
        self.requests: list[Request] = []

    async def handle(self, request: Request) -> Answer:
        self.requests.append(request)
        if callable(self._answer):
            return await self._answer(request)
        return self._answer


async def echo(request: Request) -> Response:
    """Answer with the path and the body."""
    return Response(200, request.path.encode() + b" " + request.body, "text/plain")


class Peer:
    """The client's side of one connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def head(self) -> bytes:
        """Read one head, up to the empty line."""
        return await self.reader.readuntil(b"\r\n\r\n")

    async def answer(self, *, bodiless: bool = False) -> tuple[bytes, bytes]:
        """Read one answer of a known length."""
        head = await self.head()
        size = re.search(rb"\r\ncontent-length: (\d+)", head.lower())
        return head, b"" if bodiless or not size else await self.reader.readexactly(int(size[1]))

    async def chunk(self) -> bytes:
        """Read one chunk of a chunked answer; empty at its end."""
        size = int(await self.reader.readuntil(b"\r\n"), 16)
        return (await self.reader.readexactly(size + 2))[:-2]

    async def rest(self) -> bytes:
        """Read until the server closes."""
        with suppress(ConnectionError):
            return await self.reader.read()
        return b""

    async def reset(self) -> None:
        """Go away with no manners at all."""
        connected = self.writer.get_extra_info("socket")
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()
        await asyncio.sleep(0)

    async def close(self) -> None:
        self.writer.close()
        with suppress(OSError):
            await self.writer.wait_closed()


class Wire:
    """A connection without a socket, for what depends on time: all of it is virtual."""

    def __init__(self, handler: Handler, clock: Clock) -> None:
        self.handler = handler
        self.limits = Limits()
        self.refusals = Refusals()
        self.clock = clock
        self.dates = DateHeader(clock)
        self.intake = Intake(self.limits.held)
        self.failures = Sparing(clock)
        self.written = b""
        self.is_open = self.reading = True
        self.connection = ServerConnection(self)
        self.connection.connection_made(cast("asyncio.Transport", self))

    async def cut(self, clock: VirtualClock) -> None:
        """Lose the connection, and let its task end."""
        self.connection.connection_lost(None)
        await clock.settle()

    # What a connection asks of its owner.

    def add(self, connection: ServerConnection) -> bool:
        return True

    def remove(self, connection: ServerConnection) -> None:
        self.is_open = False

    # What a connection asks of its transport.

    def write(self, data: bytes) -> None:
        self.written += data

    def close(self) -> None:
        self.is_open = False

    abort = close

    def can_write_eof(self) -> bool:
        return False

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True

    def set_write_buffer_limits(self, high: int) -> None:
        pass

    def get_extra_info(self, name: str) -> None:
        return None


@asynccontextmanager
async def connected(
    server: HTTPServer, context: ssl.SSLContext | None = None
) -> AsyncIterator[Peer]:
    """Connect to *server*."""
    reader, writer = await asyncio.open_connection(*server.address, ssl=context)
    peer = Peer(reader, writer)
    try:
        yield peer
    finally:
        await peer.close()


@asynccontextmanager
async def serving(
    answer: Callable[[Request], Awaitable[Answer]] | Answer = echo,
    *,
    clock: Clock | None = None,
    tls: ServerTLS | None = None,
    **limits: Any,
) -> AsyncIterator[tuple[HTTPServer, Scripted]]:
    """Serve with *answer* until the block is left."""
    handler = Scripted(answer)
    server = HTTPServer(handler, clock=clock, tls=tls, limits=Limits(**limits))
    await server.start()
    try:
        yield server, handler
    finally:
        await server.stop(grace=0.0)
