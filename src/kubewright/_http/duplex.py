"""A connection without a protocol of its own: bytes in, bytes out."""

import asyncio
from typing import cast

from kubewright._http.errors import transport_error
from kubewright._http.stream import BodyStream
from kubewright.errors import TransportError


class RawConnection(asyncio.Protocol):
    """Bytes both ways over TCP or TLS, with back-pressure in both directions."""

    def __init__(self, *, tried: str, host: str, buffer: int) -> None:
        self._tried = tried
        self._host = host
        self._buffer = buffer
        self._transport: asyncio.Transport | None = None
        self._chunks: list[bytes] = []
        self._incoming: BodyStream | None = None
        self._writable = asyncio.Event()
        self._writable.set()
        self._lost: TransportError | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is not a subclass
        self._incoming = BodyStream(self._transport, self._chunks, full=self._buffer)

    def data_received(self, data: bytes) -> None:
        assert self._incoming is not None
        self._chunks.append(data)
        self._incoming.count(len(data))

    def eof_received(self) -> bool:
        assert self._incoming is not None
        self._incoming.finish()
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost = transport_error(
            exc or ConnectionResetError("the stream is over"), self._tried, host=self._host
        )
        if self._incoming is not None:
            if exc is None:
                self._incoming.finish()
            else:
                self._incoming.fail(self._lost)
        self._writable.set()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    async def read(self) -> bytes:
        """Wait for bytes and return all that have arrived; empty at the end of the stream.

        Raises:
            TransportError: The connection broke.
        """
        assert self._incoming is not None
        return await anext(self._incoming, b"")

    async def write(self, data: bytes) -> None:
        """Send *data*; waits while the other side is slow to read.

        Raises:
            TransportError: The connection is gone.
        """
        await self._writable.wait()
        if self._lost is not None or self._transport is None or self._transport.is_closing():
            raise self._lost or TransportError(f"cannot {self._tried}: the connection is closed")
        self._transport.write(data)
        await self._writable.wait()

    def close(self) -> None:
        """Close the connection without waiting for the other side."""
        if self._transport is not None and self._lost is None:
            self._transport.abort()


class Handover(asyncio.Protocol):
    """Gives the events of an upgraded connection to its new owner, and its end to both owners."""

    def __init__(self, raw: RawConnection, connection: asyncio.BaseProtocol) -> None:
        self.data_received = raw.data_received  # type: ignore[method-assign]  # no call between
        self.eof_received = raw.eof_received  # type: ignore[method-assign]  # as above
        self.pause_writing = raw.pause_writing  # type: ignore[method-assign]  # as above
        self.resume_writing = raw.resume_writing  # type: ignore[method-assign]  # as above
        self.connection_lost = connection.connection_lost  # type: ignore[method-assign]  # as above
