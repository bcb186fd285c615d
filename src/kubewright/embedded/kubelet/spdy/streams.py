"""The streams of a command as streams of a SPDY connection."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from kubewright._aio import TaskSet
from kubewright._serve.messages import Duplex
from kubewright.embedded.kubelet.options import RemoteOptions
from kubewright.embedded.kubelet.remote_status import RemoteStatus, encoded
from kubewright.embedded.kubelet.spdy.connection import SPDYConnection, Stream
from kubewright.embedded.kubelet.terminal_size import resize
from kubewright.embedded.node.access import Command, OutputStream

_RESIZING = ("v3.", "v4.")


class SPDYStreams:
    """Speaks v4.channel.k8s.io and its older dialects; a `RemoteStreams`."""

    def __init__(self, duplex: Duplex, protocol: str, options: RemoteOptions) -> None:
        self.connection: SPDYConnection = SPDYConnection(duplex, self._admit)
        self._protocol = protocol
        self._options = options
        self._streams: dict[str, Stream] = {}
        self._missing = {"error"}
        self._missing |= {"stdin"} if options.stdin else set()
        self._missing |= {"stdout"} if options.stdout else set()
        self._missing |= {"stderr"} if options.stderr and not options.tty else set()
        if options.tty and protocol.startswith(_RESIZING):
            self._missing.add("resize")
        self._complete = asyncio.Event()

    def _admit(self, stream: Stream) -> bool:
        kind = stream.headers.get("streamtype", "")
        if kind not in self._missing:
            return False
        self._missing.discard(kind)
        self._streams[kind] = stream
        if not self._missing:
            self._complete.set()
        return True

    async def wait_open(self) -> bool:
        """Wait for all streams; return False if the client leaves before."""
        async with TaskSet() as tasks:
            complete = tasks.start(self._complete.wait())
            gone = tasks.start(self.connection.wait_gone())
            await asyncio.wait({complete, gone}, return_when=asyncio.FIRST_COMPLETED)
        return self._complete.is_set()

    async def serve_input(self, command: Command) -> None:
        """Pass what the client sends on to *command*, until the client is gone."""
        async with TaskSet() as tasks:
            if stream := self._streams.get("stdin"):
                tasks.start(_feed(stream, command))
            if stream := self._streams.get("resize"):
                tasks.start(_resize(stream, command))
            await self.connection.wait_gone()

    async def write(self, stream: OutputStream, data: bytes) -> None:
        """Send what the command wrote, if the client wants it."""
        found = self._streams.get("stdout" if self._options.tty else stream)
        if found is not None:
            await found.write(data)

    async def ping(self) -> None:
        """Send a ping."""
        await self.connection.ping()

    async def finish(self, status: RemoteStatus) -> None:
        """Send how the command ended, and end all streams."""
        error = self._streams["error"]
        if said := encoded(status, self._protocol):
            await error.write(said)
        for stream in self._streams.values():
            if stream is not error:
                await stream.end()
        await error.end()
        await self.connection.go_away()

    async def wait_gone(self) -> None:
        """Return once the client is gone."""
        await self.connection.wait_gone()


@asynccontextmanager
async def open_streams(
    duplex: Duplex, protocol: str, options: RemoteOptions
) -> AsyncIterator[SPDYStreams]:
    """Read the connection while the block lasts."""
    streams = SPDYStreams(duplex, protocol, options)
    async with TaskSet() as tasks:
        tasks.start(streams.connection.run(), name="SPDY connection")
        yield streams


async def _feed(stream: Stream, command: Command) -> None:
    while data := await stream.read():
        await command.write(data)
    if not stream.was_reset:
        await command.close_input()


async def _resize(stream: Stream, command: Command) -> None:
    while data := await stream.read():
        resize(command, data)
