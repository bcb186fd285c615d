"""Bytes from one task to another, with a bounded buffer."""

import asyncio
from collections.abc import AsyncIterator

from kubewright._http.stream import BodyStream
from kubewright.errors import TransportError

BUFFER: int = 1024 * 1024
"""How much a reader may be behind before the writer waits; as much as over HTTP."""


class Pipe:
    """One side writes, the other reads; a slow reader makes the writer wait."""

    __slots__ = ("_chunks", "_over", "_room", "_stream")

    def __init__(self, buffer: int = BUFFER) -> None:
        self._chunks: list[bytes] = []
        self._stream = BodyStream(self, self._chunks, full=buffer)
        self._room = asyncio.Event()
        self._room.set()
        self._over = False

    async def write(self, data: bytes) -> None:
        """Pass *data* on; waits while the reader is slow to take it.

        Raises:
            TransportError: The reader is gone.
        """
        await self._room.wait()
        if self._over:
            raise TransportError("cannot write: the other side has closed the connection")
        if data:
            self._chunks.append(data)
            self._stream.count(len(data))

    def end(self, error: TransportError | None = None) -> None:
        """End it: the reader gets what was written, and then the end or *error*."""
        self._over = True
        self._room.set()
        if error is None:
            self._stream.finish()
        else:
            self._stream.fail(error)

    async def read(self) -> bytes:
        """Wait for bytes and return all that are there; empty at the end."""
        return await anext(self._stream, b"")

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._stream

    # What the stream calls.

    def pause_reading(self) -> None:
        """Make the writer wait."""
        self._room.clear()

    def resume_reading(self) -> None:
        """Let the writer go on."""
        self._room.set()
