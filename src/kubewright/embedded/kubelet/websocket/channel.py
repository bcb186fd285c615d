"""Numbered channels in the messages of a websocket: channel.k8s.io, in binary or base64."""

import base64
import binascii

from kubewright.embedded.kubelet.upgrade import BASE64
from kubewright.embedded.kubelet.websocket.connection import WebSocket

_FIRST_DIGIT = ord("0")
_PIECE = 32 * 1024  # bytes in one message, as other servers send; some clients take no more


class Channels:
    """Messages that each begin with the number of their channel."""

    def __init__(self, socket: WebSocket, protocol: str) -> None:
        self._socket = socket
        self._text = BASE64 in protocol

    async def receive(self) -> tuple[int, bytes] | None:
        """Wait for the next message; ``None`` when the client is gone. Invalid ones are skipped."""
        while (message := await self._socket.receive()) is not None:
            if message:
                data = self._decoded(message[1:])
                channel = message[0] - (_FIRST_DIGIT if self._text else 0)
                if data is not None:
                    return channel, data
        return None

    async def send(self, channel: int, data: bytes) -> None:
        """Send *data* on *channel*; an empty message shows that the channel is open.

        Raises:
            TransportError: The client is gone.
        """
        for start in range(0, max(len(data), 1), _PIECE):
            piece = data[start : start + _PIECE]
            if self._text:
                head = b"%c" % (_FIRST_DIGIT + channel)
                await self._socket.send(head + base64.b64encode(piece), text=True)
            else:
                await self._socket.send(b"%c%b" % (channel, piece))

    async def ping(self) -> None:
        """Send a ping.

        Raises:
            TransportError: The client is gone.
        """
        await self._socket.ping()

    async def close(self) -> None:
        """Send a close frame."""
        await self._socket.close()

    def _decoded(self, data: bytes) -> bytes | None:
        if not self._text:
            return data
        try:
            return base64.b64decode(data, validate=True)
        except binascii.Error:
            return None
