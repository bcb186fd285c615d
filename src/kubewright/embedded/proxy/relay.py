"""Copies bytes between a client's socket and an endpoint, in both directions."""

import asyncio
import socket
import struct
from contextlib import suppress

from kubewright._aio import TaskSet
from kubewright.embedded.node.access import BROKEN, PodConnection

BUFFER: int = 256 * 1024
"""How much of one direction is kept for a slow reader."""


class SocketConnection:
    """A TCP connection, as a `PodConnection`."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def read(self) -> bytes:
        """Wait for bytes and return all that are there; empty at the end."""
        return await self._reader.read(BUFFER)

    async def write(self, data: bytes) -> None:
        """Send *data*; waits while the other side is slow to take it."""
        self._writer.write(data)
        await self._writer.drain()

    async def end(self) -> None:
        """Send no more, but go on reading."""
        if not self._writer.is_closing():
            self._writer.write_eof()

    async def close(self) -> None:
        """Close it, once what was written is sent."""
        self._writer.close()

    def reset(self) -> None:
        """Break it: an orderly end would look like a short or an empty answer."""
        linger = struct.pack("ii", 1, 0)  # on, for no time at all
        with suppress(OSError):
            own = self._writer.get_extra_info("socket")
            own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self._writer.transport.abort()


async def dial(address: str, port: int) -> SocketConnection:
    """Connect to an address.

    Raises:
        OSError: Nothing listens there.
    """
    reader, writer = await asyncio.open_connection(address, port, limit=BUFFER)
    return SocketConnection(reader, writer)


async def relay(client: SocketConnection, endpoint: PodConnection) -> None:
    """Copy in both directions until both have ended; if one side breaks, break the other."""
    try:
        async with TaskSet() as tasks:
            up = tasks.start(_copy(client, endpoint))
            down = tasks.start(_copy(endpoint, client))
            await asyncio.wait({up, down}, return_when=asyncio.FIRST_COMPLETED)
            whole = all(task.result() for task in (up, down) if task.done())
            if whole:
                await asyncio.wait({up, down})
                whole = up.result() and down.result()
        if not whole:
            client.reset()
    finally:
        await endpoint.close()


async def _copy(source: PodConnection, target: PodConnection) -> bool:
    """Copy until the end; return whether it was reached."""
    try:
        while data := await source.read():
            await target.write(data)
        await target.end()
    except BROKEN:
        return False
    return True
