"""The server's side of a websocket: the handshake, and messages both ways."""

import base64
import hashlib
from collections import deque

from kubewright._serve.messages import Duplex, Headers
from kubewright.embedded.kubelet.websocket import frames
from kubewright.errors import TransportError

_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # a constant of RFC 6455
_VERSION = "13"


def offered_protocols(headers: Headers) -> list[str]:
    """Return the subprotocols that a client can speak, the best first."""
    said = headers.get("sec-websocket-protocol", "")
    return [name.strip() for name in said.split(",") if name.strip()]


def is_websocket(headers: Headers) -> bool:
    """Return whether a client asks for a websocket."""
    return (
        headers.get("upgrade", "").lower() == "websocket"
        and "upgrade" in headers.get("connection", "").lower()
    )


def handshake_problem(headers: Headers) -> str:
    """Return what is wrong with the request for a websocket; empty if nothing is."""
    if headers.get("sec-websocket-version", "") != _VERSION:
        return "missing or bad WebSocket Version"
    if not headers.get("sec-websocket-key"):
        return "mismatch challenge/response"
    return ""


def handshake(headers: Headers, protocol: str) -> tuple[tuple[str, str], ...]:
    """Return the headers of the answer that opens a websocket to speak *protocol*."""
    digest = hashlib.sha1(
        f"{headers['sec-websocket-key']}{_GUID}".encode(), usedforsecurity=False
    ).digest()
    accept = ("Sec-WebSocket-Accept", base64.b64encode(digest).decode())
    chosen = (("Sec-WebSocket-Protocol", protocol),) if protocol else ()
    return (("Upgrade", "websocket"), ("Connection", "Upgrade"), accept, *chosen)


class WebSocket:
    """Messages both ways. One task may receive while others send."""

    def __init__(self, duplex: Duplex, *, limit: int = frames.MAX_MESSAGE) -> None:
        self._duplex = duplex
        self._limit = limit
        self._reader = frames.FrameReader(limit=limit)
        self._messages: deque[bytes] = deque()
        self._parts: list[bytes] = []
        self._closed = False  # we have sent a close frame, or the client is gone
        self._over = False  # no more messages will come

    async def receive(self) -> bytes | None:
        """Wait for the next message; ``None`` when the client has closed or is gone."""
        while not self._messages:
            if self._over:
                return None
            await self._read()
        return self._messages.popleft()

    async def send(self, data: bytes, *, text: bool = False) -> None:
        """Send *data* as one message; waits while the client is slow to take it.

        Raises:
            TransportError: The client is gone.
        """
        if self._closed:
            raise TransportError("cannot send: the websocket is closed", lost=True)
        await self._duplex.write(frames.frame(frames.TEXT if text else frames.BINARY, data))

    async def ping(self) -> None:
        """Send a ping.

        Raises:
            TransportError: The client is gone.
        """
        if not self._closed:
            await self._duplex.write(frames.frame(frames.PING, b""))

    async def close(self, code: int = frames.NORMAL, reason: str = "") -> None:
        """Send a close frame; messages that the client still sends can be received."""
        if not self._closed:
            self._closed = True
            await self._write_control(frames.close_frame(code, reason))

    async def _read(self) -> None:
        try:
            data = await self._duplex.read()
        except TransportError:
            data = b""
        if not data:
            self._over = self._closed = True
            return
        try:
            for frame in self._reader.feed(data):
                await self._take(frame)
                if self._over:
                    return
        except frames.FrameError as error:
            self._over = True
            await self.close(error.code, str(error.args[1]))

    async def _take(self, frame: frames.Frame) -> None:
        if frame.opcode == frames.PING:
            if not self._closed:
                await self._write_control(frames.frame(frames.PONG, frame.data))
        elif frame.opcode == frames.CLOSE:
            self._over = True
            await self.close()
        elif frame.opcode != frames.PONG:
            self._take_part(frame)

    def _take_part(self, frame: frames.Frame) -> None:
        if (frame.opcode == frames.CONTINUATION) != bool(self._parts):
            raise frames.FrameError(frames.PROTOCOL_ERROR, "a part of no message")
        self._parts.append(frame.data)
        if sum(map(len, self._parts)) > self._limit:
            raise frames.FrameError(frames.TOO_LARGE, "message too large")
        if frame.final:
            self._messages.append(b"".join(self._parts))
            self._parts.clear()

    async def _write_control(self, data: bytes) -> None:
        try:
            await self._duplex.write(data)
        except TransportError:
            self._closed = True  # what it sent before is still worth reading


class Tunnel:
    """Bytes both ways inside of a websocket; a `Duplex`."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket

    async def read(self) -> bytes:
        """Wait for bytes and return them; empty at the end."""
        while (message := await self._socket.receive()) is not None:
            if message:
                return message
        return b""

    async def write(self, data: bytes) -> None:
        """Send *data*; waits while the client is slow to take it."""
        await self._socket.send(data)
