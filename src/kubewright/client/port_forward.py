"""Ports of pods, reached through the API server: one websocket for each connection."""

import asyncio
import socket
import struct
from contextlib import AsyncExitStack, suppress
from typing import Self

from kubewright._aio import Clock
from kubewright.api.requests import Place, Request
from kubewright.client.rest import RESTClient
from kubewright.client.websocket import WebSocket, open_websocket
from kubewright.errors import KubewrightError, LifecycleError, TransportError
from kubewright.log import get_logger

_log = get_logger(__name__)

_SUBPROTOCOL = "v4.channel.k8s.io"
_DATA, _ERROR = 0, 1
_PREFIX = 2  # bytes: each channel begins with the number of its port, the low byte first
_CHUNK = 32 * 1024
_LARGEST_PORT = 65535
_LINGER = 10.0  # seconds of silence after which a half-closed client counts as gone


class PortConnection:
    """A connection to a port of a pod. One task may read while another writes.

    The protocol has no way to close one direction alone: `close` closes both.
    """

    def __init__(self, websocket: WebSocket, port: int, stack: AsyncExitStack) -> None:
        self._socket = websocket
        self._port = port
        self._stack = stack
        self._prefixes = {_DATA: b"", _ERROR: b""}
        self.received: int = 0
        """How many bytes have arrived from the pod."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    async def read(self) -> bytes:
        """Wait for bytes and return them; empty when the pod closed the connection.

        Raises:
            TransportError: Nothing listens at the port, or the connection broke.
        """
        while (message := await self._socket.receive()) is not None:
            if data := self._data(message):
                self.received += len(data)
                return data
        return b""

    async def write(self, data: bytes) -> None:
        """Send *data*; waits while the pod is slow to read.

        Raises:
            TransportError: The connection is closed.
        """
        for start in range(0, len(data), _CHUNK):
            await self._socket.send(bytes([_DATA]) + data[start : start + _CHUNK])

    async def close(self) -> None:
        """Close the connection; does nothing when it is closed already."""
        await self._stack.aclose()

    def _data(self, message: bytes) -> bytes:
        """Return the data in *message*."""
        if not message or message[0] not in self._prefixes:
            return b""
        channel = message[0]
        data = self._without_port(channel, message[1:])
        if channel == _ERROR and data:
            said = data.decode("utf-8", "replace").strip()
            raise TransportError(
                f"cannot {self._socket.attempt}: port {self._port} of the pod could not be"
                f" reached: {said}"
            )
        return data

    def _without_port(self, channel: int, data: bytes) -> bytes:
        seen = self._prefixes[channel]
        missing = _PREFIX - len(seen)
        if not missing:
            return data
        seen = self._prefixes[channel] = seen + data[:missing]
        if len(seen) == _PREFIX and int.from_bytes(seen, "little") != self._port:
            raise TransportError(
                f"cannot {self._socket.attempt}: the server forwards to port"
                f" {int.from_bytes(seen, 'little')}, and {self._port} was asked for"
            )
        return data[missing:]


class PortForward:
    """Forwards one port of one pod; ``async with`` closes all its connections.

    `connect` returns a connection to use here; `listen` opens a port on this machine that others
    can connect to, as ``kubectl port-forward`` does.
    """

    def __init__(self, rest: RESTClient, request: Request, *, port: int) -> None:
        self._rest = rest
        self._request = request
        self._port = port
        self._clock: Clock = rest.clock
        self._is_open = False
        self._servers: list[asyncio.Server] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._connections: set[PortConnection] = set()

    async def __aenter__(self) -> Self:
        if self._is_open:
            raise LifecycleError("this port-forward is open already; make another one")
        self._is_open = True
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._is_open = False
        for server in self._servers:
            server.close()
        for task in self._tasks:
            task.cancel()
        try:
            if self._tasks:
                await asyncio.wait(self._tasks)
        finally:
            await asyncio.gather(*[connection.close() for connection in self._connections])
        for server in self._servers:
            await server.wait_closed()

    async def connect(self) -> PortConnection:
        """Open a connection to the port.

        Raises:
            APIError: The server refused.
            TransportError: There was no answer. If nothing listens at the port, only the first
                `PortConnection.read` finds out.
        """
        self._check_open()
        async with AsyncExitStack() as stack:
            websocket = await stack.enter_async_context(
                open_websocket(self._rest, self._request, subprotocols=(_SUBPROTOCOL,))
            )
            self._check_open()  # the block may have ended meanwhile
            kept = stack.pop_all()
        connection = PortConnection(websocket, self._port, kept)
        kept.callback(self._connections.discard, connection)
        self._connections.add(connection)
        return connection

    async def listen(self, host: str = "127.0.0.1", local_port: int = 0) -> int:
        """Forward connections to a port of this machine, until the block ends.

        A connection that fails is closed and logged; the others continue.

        Args:
            host: The address of this machine to listen at; others can reach it unless it is a
                loopback address.
            local_port: Which port to listen at; 0 takes a free one.

        Returns:
            The port.

        Raises:
            OSError: It cannot listen at that port.
        """
        self._check_open()
        server = await asyncio.start_server(self._accept, host, local_port)
        self._servers.append(server)
        port: int = server.sockets[0].getsockname()[1]
        return port

    def _check_open(self) -> None:
        if not self._is_open:
            raise LifecycleError("use a port-forward inside of its `async with` block")

    # --- For those who connect to this machine ---

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self._is_open:  # it was accepted while the sockets were being closed
            writer.transport.abort()
            return
        task = asyncio.create_task(self._serve(reader, writer), name="forwarded connection")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with await self.connect() as connection:
                await self._pipe(reader, writer, connection)
            await self._hang_up(reader, writer)
        except KubewrightError as error:
            _reset_on_close(writer)
            _log.warning(
                "a forwarded connection failed",
                attempt=str(self._request.attempt), error=str(error),
            )  # fmt: skip
        except OSError:
            pass  # the local client has disconnected, which is its right
        finally:
            writer.transport.abort()  # does nothing after a clean close

    async def _pipe(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        connection: PortConnection,
    ) -> None:
        up = asyncio.create_task(_upload(reader, connection), name="to the pod")
        down = asyncio.create_task(_download(connection, writer), name="from the pod")
        try:
            await asyncio.wait({up, down}, return_when=asyncio.FIRST_COMPLETED)
            if not down.done():
                up.result()
                await self._linger(down, connection)
            if down.done():
                down.result()
        finally:
            up.cancel()
            down.cancel()
            await asyncio.wait({up, down})

    async def _hang_up(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass the pod's end on to the client, and wait a while for the client's.

        A close while the client still sends would be a reset, and the client could lose data that
        it has not read yet.
        """
        writer.write_eof()
        with suppress(TimeoutError):
            async with self._clock.timeout(_LINGER):
                await _discard(reader)
        writer.close()
        await writer.wait_closed()

    async def _linger(self, down: asyncio.Task[None], connection: PortConnection) -> None:
        """Wait for the rest of the pod's answer, after the client has closed its side.

        The client may still be reading or be gone, and TCP cannot tell until something is sent to
        it. So this ends when the pod has been silent for a while.
        """
        before = -1
        while not down.done() and before != connection.received:
            before = connection.received
            with suppress(TimeoutError):
                async with self._clock.timeout(_LINGER):
                    await asyncio.wait({down})


def _reset_on_close(writer: asyncio.StreamWriter) -> None:
    """Let the close be a reset: an orderly end would look like a short or an empty answer."""
    linger = struct.pack("ii", 1, 0)  # on, with a time of zero
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)


async def _upload(reader: asyncio.StreamReader, connection: PortConnection) -> None:
    takes_more = True
    while data := await reader.read(_CHUNK):
        if not takes_more:
            continue
        try:
            await connection.write(data)
        except TransportError:
            # The other direction finds out whether this is a failure, and passes on what the pod
            # has sent: an early answer must not be cut.
            takes_more = False


async def _discard(reader: asyncio.StreamReader) -> None:
    while await reader.read(_CHUNK):
        pass


async def _download(connection: PortConnection, writer: asyncio.StreamWriter) -> None:
    while data := await connection.read():
        writer.write(data)
        await writer.drain()


def port_forward_request(place: Place, port: int) -> Request:
    """Return the request that opens a connection to *port* at *place*.

    Raises:
        ValueError: It is not a port.
    """
    if not 0 < port <= _LARGEST_PORT:
        raise ValueError(f"not a port: {port}; ports are 1 to {_LARGEST_PORT}")
    return place.request("GET", "create", [("ports", str(port))], accept="*/*")
