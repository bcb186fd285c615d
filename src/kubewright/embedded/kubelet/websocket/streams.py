"""The streams of a command as channels of a websocket."""

from kubewright.embedded.kubelet.options import RemoteOptions
from kubewright.embedded.kubelet.remote_status import RemoteStatus, encoded
from kubewright.embedded.kubelet.terminal_size import resize
from kubewright.embedded.kubelet.websocket.channel import Channels
from kubewright.embedded.kubelet.websocket.connection import WebSocket
from kubewright.embedded.node.access import Command, OutputStream

_STDIN, _STDOUT, _STDERR, _ERROR, _RESIZE, _CLOSE = 0, 1, 2, 3, 4, 255


class WebSocketStreams:
    """Speaks v5.channel.k8s.io and its older dialects; a `RemoteStreams`."""

    def __init__(self, socket: WebSocket, protocol: str, options: RemoteOptions) -> None:
        self._channels = Channels(socket, protocol)
        self._protocol = protocol
        self._options = options
        self._wanted: dict[OutputStream, int] = {}
        if options.stdout:
            self._wanted["stdout"] = _STDOUT
        if options.stderr and not options.tty:
            self._wanted["stderr"] = _STDERR

    async def greet(self) -> None:
        """Send an empty message, so that the client knows that the connection is open."""
        lowest = min(self._wanted.values(), default=_ERROR)
        await self._channels.send(lowest, b"")

    async def serve_input(self, command: Command) -> None:
        """Pass what the client sends on to *command*, until the client is gone."""
        is_open = self._options.stdin
        while (message := await self._channels.receive()) is not None:
            channel, data = message
            if channel == _STDIN and is_open:
                if data:
                    await command.write(data)
            elif channel == _CLOSE and data == bytes([_STDIN]) and self._protocol[:2] == "v5":
                if is_open:
                    await command.close_input()
                is_open = False
            elif channel == _RESIZE and self._options.tty:
                resize(command, data)

    async def write(self, stream: OutputStream, data: bytes) -> None:
        """Send what the command wrote, if the client wants it."""
        channel = self._wanted.get("stdout" if self._options.tty else stream)
        if channel is not None:
            await self._channels.send(channel, data)

    async def ping(self) -> None:
        """Send a ping."""
        await self._channels.ping()

    async def finish(self, status: RemoteStatus) -> None:
        """Send how the command ended, and close."""
        if said := encoded(status, self._protocol):
            await self._channels.send(_ERROR, said)
        await self._channels.close()

    async def wait_gone(self) -> None:
        """Return once the client is gone."""
        while await self._channels.receive() is not None:
            pass
