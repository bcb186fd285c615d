"""A transport whose watches can be held back or cut while everything else works."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from kubewright.api.requests import Request
from kubewright.client.transport import Duplex, Headers, Response, Stream, Transport
from kubewright.errors import TransportError


class _Held:
    """A stream whose chunks pass only while the gate is open."""

    def __init__(self, stream: Stream, transport: "HeldTransport") -> None:
        self.status: int = stream.status
        self.headers: Headers = stream.headers
        self._stream = stream
        self._transport = transport

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            await self._transport.passing()
            yield chunk


class HeldTransport:
    """Passes everything on, but for streams: they wait while held, and break while cut."""

    def __init__(self, transport: Transport) -> None:
        self.requests: list[Request] = []
        self.bug: Exception | None = None
        """Raised by the next stream: nothing that a transport may raise."""
        self._transport = transport
        self._open = asyncio.Event()
        self._open.set()
        self._is_cut = False

    def hold(self) -> None:
        """Let nothing of any stream through; it waits, in its order."""
        self._open.clear()

    def cut(self) -> None:
        """Break each stream at its next chunk, and refuse new ones."""
        self._is_cut = True

    def release(self) -> None:
        """Let everything through that waited, and new streams begin."""
        self._is_cut = False
        self._open.set()

    async def passing(self) -> None:
        """Wait until a chunk may pass."""
        await self._open.wait()
        if self._is_cut:
            raise TransportError("the stream was cut", lost=True)

    @property
    def reads(self) -> int:
        """How many requests there were that read, but for watches."""
        return sum(one.method == "GET" and "watch=true" not in one.target for one in self.requests)

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        """Send it."""
        self.requests.append(request)
        return await self._transport.send(request, timeout=timeout)

    @asynccontextmanager
    async def stream(
        self, request: Request, *, timeout: float | None = None
    ) -> AsyncIterator[Stream]:
        """Open it, held as all of them are."""
        self.requests.append(request)
        if self.bug is not None:
            raise self.bug
        if self._is_cut:
            raise TransportError("nobody there")
        async with self._transport.stream(request, timeout=timeout) as stream:
            yield _Held(stream, self)

    def upgrade(
        self, request: Request, *, timeout: float | None = None
    ) -> AbstractAsyncContextManager[Duplex]:
        """Switch protocols, unhindered."""
        return self._transport.upgrade(request, timeout=timeout)

    async def close(self) -> None:
        """Close it."""
        await self._transport.close()
