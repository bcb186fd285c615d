"""Real sockets: the tiny HTTP server of a simulated container, and connections to a pod."""

import asyncio
from contextlib import suppress

from kubewright.embedded.node.images import short_name
from kubewright.embedded.node.simulated.http import answer_to
from kubewright.kinds.core.v1 import Container, Pod
from kubewright.log import get_logger

__all__ = ["Listener", "StreamConnection"]

MOST: int = 64 * 1024
USUAL: dict[str, int] = {"nginx": 80, "httpd": 80}
"""The ports that images listen on without declaring them."""

_log = get_logger(__name__)


class Listener:
    """Listens at the ports of a container that only pretends to run.

    Args:
        pod: Its pod.
        container: The container.
        address: The address of the pod.
    """

    def __init__(self, pod: Pod, container: Container, address: str) -> None:
        self._key = pod.key
        self._image = container.image or ""
        self._address = address
        ports = [one.container_port for one in container.ports if one.protocol in {"TCP", None, ""}]
        name = short_name(self._image)
        self._declared = bool(ports)
        self._ports = ports or ([USUAL[name]] if name in USUAL else [])
        self._servers: list[asyncio.Server] = []
        self._writers: set[asyncio.StreamWriter] = set()

    async def open(self) -> None:
        """Start listening; a port that is taken or forbidden is left out."""
        for port in self._ports:
            try:
                server = await asyncio.start_server(self._serve, self._address, port)
            except OSError as error:
                # A port that was not declared is not missed; ordinary users cannot bind low ones.
                say = _log.warning if self._declared else _log.debug
                say(
                    "simulated container cannot listen",
                    key=str(self._key),
                    address=f"{self._address}:{port}",
                    error=error.strerror or str(error),
                )
            else:
                self._servers.append(server)

    def close(self) -> None:
        """Stop listening, and close open connections."""
        for server in self._servers:
            server.close()
        self._servers.clear()
        for writer in self._writers:
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        data = b""
        self._writers.add(writer)
        with suppress(OSError):
            while more := await reader.read(MOST):
                data += more
                answer, close = b"x", False
                while answer and not close:
                    answer, data, close = answer_to(data, pod=self._key.name, image=self._image)
                    writer.write(answer)
                await writer.drain()
                if close:
                    break
        self._writers.discard(writer)
        writer.close()


class StreamConnection:
    """A connection over a socket."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def read(self) -> bytes:
        """Wait for bytes and return all that are there; empty at the end."""
        return await self._reader.read(MOST)

    async def write(self, data: bytes) -> None:
        """Send *data*."""
        self._writer.write(data)
        await self._writer.drain()

    async def end(self) -> None:
        """End our side; reading goes on."""
        if self._writer.can_write_eof():
            self._writer.write_eof()

    async def close(self) -> None:
        """Close it; may be called twice."""
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()
