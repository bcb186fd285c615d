"""What connects one process of a simulation with the server."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from kubewright.api.requests import Request
from kubewright.client.transport import Duplex, Headers, Response, Stream
from kubewright.embedded import InProcessTransport


class Wire:
    """What a process hears of the world; nothing while it is paused."""

    def __init__(self, inner: InProcessTransport) -> None:
        self.inner = inner
        self._open = asyncio.Event()
        self._open.set()
        self._streams: set[_Overheard] = set()

    @property
    def streams(self) -> int:
        """How many streams are open."""
        return len(self.inner._open)

    @property
    def under_way(self) -> int:
        """How many requests have not been answered."""
        return len(self.inner._waits)

    def pause(self) -> None:
        """Let nothing arrive."""
        self._open.clear()

    def resume(self) -> None:
        """Let everything arrive that has come meanwhile."""
        self._open.set()

    async def hear(self) -> None:
        """Wait for the end of a pause, if there is one."""
        await self._open.wait()

    def silence(self) -> int:
        """Let every stream that is open fall silent for ever; return how many there are."""
        for stream in self._streams:
            stream.silent = True
        return len(self._streams)

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        """Send *request*."""
        response = await self.inner.send(request, timeout=timeout)
        await self.hear()
        return response

    @asynccontextmanager
    async def stream(
        self, request: Request, *, timeout: float | None = None
    ) -> AsyncIterator[Stream]:
        """Open a stream."""
        async with self.inner.stream(request, timeout=timeout) as stream:
            overheard = _Overheard(stream, self._open)
            self._streams.add(overheard)
            try:
                yield overheard
            finally:
                self._streams.discard(overheard)

    def upgrade(
        self, request: Request, *, timeout: float | None = None
    ) -> AbstractAsyncContextManager[Duplex]:
        """Switch protocols."""
        return self.inner.upgrade(request, timeout=timeout)

    async def close(self) -> None:
        """Close everything."""
        await self.inner.close()


class _Overheard:
    """A stream that waits while its process is paused, and may fall silent."""

    def __init__(self, stream: Stream, hearing: asyncio.Event) -> None:
        self.status: int = stream.status
        self.headers: Headers = stream.headers
        self.silent: bool = False
        self._stream = stream
        self._hearing = hearing

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            await self._hearing.wait()
            if self.silent:
                break
            yield chunk
        await self._hearing.wait()
        if self.silent:
            await asyncio.Event().wait()
