"""The body of an answer, as it arrives."""

import asyncio
import zlib
from collections.abc import Callable
from typing import Protocol

from kubewright.errors import NotLeadingError, TransportError


class Flow(Protocol):
    """The part of a transport that controls reading."""

    def pause_reading(self) -> None:
        """Stop reading from the socket."""
        ...

    def resume_reading(self) -> None:
        """Read from the socket again."""
        ...


class BodyStream:
    """A bounded buffer of chunks between a connection and one reader.

    The connection puts chunks into the list and calls `count`, `finish` and `fail`; the reader
    iterates, or calls `read`. The reader gets everything that has arrived at once, so that a slow
    reader catches up in large steps.
    """

    __slots__ = ("_chunks", "_decode", "_error", "_flow", "_full", "_held", "_over", "_paused",
                 "_taken", "_waiter")  # fmt: skip

    def __init__(
        self, flow: Flow, chunks: list[bytes], *, full: int, decode: "Gunzip | None" = None
    ) -> None:
        self._flow = flow
        self._chunks = chunks
        self._full = full
        self._decode = decode
        self._taken = 0
        self._held = 0
        self._paused = False
        self._over = False
        self._error: TransportError | NotLeadingError | None = None
        self._waiter: asyncio.Future[None] | None = None

    @property
    def received(self) -> int:
        """How many bytes have arrived, before decompression."""
        return self._taken + sum(map(len, self._chunks))

    def count(self, size: int) -> None:
        """Count *size* bytes that were added to the list, and wake the reader."""
        self._held += size
        if self._held >= self._full and not self._paused:
            self._paused = True
            self._flow.pause_reading()
        if self._waiter is not None and self._chunks and not self._waiter.done():
            self._waiter.set_result(None)

    def finish(self) -> None:
        """End the stream: the body is complete."""
        self._over = True
        self._wake()

    def fail(self, error: TransportError | NotLeadingError) -> None:
        """End the stream with *error*; chunks that have arrived can still be read."""
        if not self._over:
            self._over = True
            self._error = error
            self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def __aiter__(self) -> "BodyStream":
        return self

    async def __anext__(self) -> bytes:
        chunks = await self.read()
        if not chunks:
            raise StopAsyncIteration
        return chunks[0] if len(chunks) == 1 else b"".join(chunks)

    async def read(self) -> list[bytes]:
        """Wait for chunks and return all that have arrived; empty at the end of the body.

        For callers that do not need one piece: joining many chunks costs more than receiving them.
        """
        if self._decode is not None:
            return await self._read_decoded(self._decode)
        while not self._chunks:
            if self._over:
                return self._end()
            await self._more()
        return self._take()

    async def _read_decoded(self, decode: "Gunzip") -> list[bytes]:
        while True:
            chunks = []
            if not decode.pending:
                while not self._chunks:
                    if self._over:
                        self._end()
                        decode.finish()
                        return []
                    await self._more()
                chunks = self._take()
            if data := decode.feed(b"".join(chunks), most=self._full):
                return [data]

    def _end(self) -> list[bytes]:
        if self._error is not None:
            raise self._error
        return []

    async def _more(self) -> None:
        if self._waiter is not None:
            raise RuntimeError("two tasks read one stream; let one read and pass it on")
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None

    def _take(self) -> list[bytes]:
        chunks = self._chunks.copy()
        self._chunks.clear()
        self._taken += sum(map(len, chunks))
        self._held = 0
        if self._paused:
            self._paused = False
            if not self._over:
                self._flow.resume_reading()
        return chunks


class Gunzip:
    """Decompresses a body piece by piece, and refuses one larger than *limit*.

    Attributes:
        pending: Input that is not decompressed yet, because the output was full.
    """

    __slots__ = ("_inflate", "_limit", "_problem", "_size", "pending")

    def __init__(self, problem: Callable[[str], TransportError], limit: int | None = None) -> None:
        self._problem = problem
        self._limit = limit
        self._size = 0
        self._inflate = zlib.decompressobj(31)
        self.pending: bytes = b""

    def feed(self, data: bytes, *, most: int | None = None) -> bytes:
        """Return *data* decompressed; empty if more input is needed.

        With *most*, return at most that many bytes; the rest is `pending` until the next call.
        """
        data, out, size = self.pending + data, [], 0
        while data and (most is None or size < most):
            if self._inflate.eof:  # concatenated gzip files are one gzip file
                self._inflate = zlib.decompressobj(31)
            piece = self._inflated(data, 0 if most is None else most - size)
            out.append(piece)
            size += len(piece)
            data = self._inflate.unconsumed_tail or self._inflate.unused_data
        self.pending = data
        return b"".join(out)

    def _inflated(self, data: bytes, room: int) -> bytes:
        if self._limit is not None:
            left = self._limit - self._size + 1
            room = min(room, left) if room else left
        try:
            piece = self._inflate.decompress(data, room)
        except zlib.error as error:
            raise self._problem(f"its gzip body is broken ({error})") from error
        self._size += len(piece)
        if self._limit is not None and self._size > self._limit:
            raise self._problem(f"its body is larger than {self._limit} bytes when decompressed")
        return piece

    def finish(self) -> None:
        """Check that the body is complete."""
        if not self._inflate.eof:
            raise self._problem("its gzip body ends too early")
