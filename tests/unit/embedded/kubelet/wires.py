"""The client's end of connections that left HTTP, in memory."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from websockets.frames import Frame, Opcode
from websockets.protocol import Protocol, Side, State

from kubewright._serve.messages import Answer, Duplex, Upgrade
from kubewright.embedded.kubelet.spdy import frames
from kubewright.embedded.pipe import Pipe

WEBSOCKET = {
    "connection": "Upgrade",
    "upgrade": "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
}
SPDY = {"connection": "Upgrade", "upgrade": "SPDY/3.1"}
RUNS = {"stdin": "true", "stdout": "true", "stderr": "true"}


class End:
    """One end of a connection; a `Duplex`."""

    def __init__(self, incoming: Pipe, outgoing: Pipe) -> None:
        self._incoming = incoming
        self._outgoing = outgoing

    async def read(self) -> bytes:
        return await self._incoming.read()

    async def write(self, data: bytes) -> None:
        await self._outgoing.write(data)

    def hang_up(self) -> None:
        """Be gone, in both directions."""
        self._outgoing.end()
        self._incoming.end()


def ends() -> tuple[End, End]:
    """Return both ends of a connection: the client's and the server's."""
    up, down = Pipe(), Pipe()
    return End(down, up), End(up, down)


@asynccontextmanager
async def talking(
    talk: Callable[[Duplex], Awaitable[None]] | Answer,
) -> AsyncIterator[tuple[End, "asyncio.Future[None]"]]:
    """Let a server talk on one end; it must have ended by itself once the client hangs up."""
    if not callable(talk):
        assert isinstance(talk, Upgrade), talk
        talk = talk.talk
    client, server = ends()
    task = asyncio.ensure_future(talk(server))
    task.add_done_callback(lambda _: server.hang_up())
    try:
        yield client, task
    finally:
        client.hang_up()
        async with asyncio.timeout(5):
            await task


class WebSocketClient:
    """A client that the library ``websockets`` speaks for."""

    def __init__(self, end: End) -> None:
        self._end = end
        self._protocol = Protocol(Side.CLIENT)
        self._frames: list[Frame] = []
        self.closed_with: int | None = None

    async def send(self, data: bytes, *, text: bool = False, fin: bool = True) -> None:
        (self._protocol.send_text if text else self._protocol.send_binary)(data, fin)
        await self._flush()

    async def send_more(self, data: bytes, *, fin: bool) -> None:
        self._protocol.send_continuation(data, fin)
        await self._flush()

    async def ping(self, data: bytes) -> None:
        self._protocol.send_ping(data)
        await self._flush()

    async def close(self) -> None:
        if self._protocol.state is State.OPEN:
            self._protocol.send_close(1000)
        await self._flush()

    async def _flush(self) -> None:
        await self._end.write(b"".join(self._protocol.data_to_send()))

    async def frame(self) -> Frame | None:
        """Wait for the next frame; ``None`` at the end."""
        while not self._frames:
            data = await self._end.read()
            if not data:
                return None
            self._protocol.receive_data(data)
            self._frames += [one for one in self._protocol.events_received() if _is_frame(one)]  # type: ignore[misc]  # no handshake here
        return self._frames.pop(0)

    async def receive(self) -> bytes | None:
        """Wait for the next message; ``None`` at the end."""
        while (frame := await self.frame()) is not None:
            if frame.opcode is Opcode.CLOSE:
                self.closed_with = int.from_bytes(frame.data[:2], "big")
                return None
            if frame.opcode in {Opcode.BINARY, Opcode.TEXT}:
                return bytes(frame.data)
        return None

    async def rest(self) -> dict[int, bytes]:
        """Return all data of each channel until the end."""
        found: dict[int, bytearray] = {}
        while (message := await self.receive()) is not None:
            found.setdefault(message[0], bytearray()).extend(message[1:])
        return {channel: bytes(data) for channel, data in found.items() if data}


def _is_frame(event: object) -> bool:
    return isinstance(event, Frame)


class SPDYClient:
    """A client that speaks SPDY, and remembers what each stream got."""

    def __init__(self, end: End, *, gives_room: bool = False) -> None:
        self._end = end
        self._reader = frames.FrameReader()
        self._writer = frames.FrameWriter()
        self._gives_room = gives_room
        self._next = 1
        self.got: dict[int, bytes] = {}
        self.ended: set[int] = set()
        self.events: list[frames.Event] = []

    async def open(self, **headers: str) -> int:
        """Open a stream."""
        number, self._next = self._next, self._next + 2
        await self.send(self._writer.open(number, headers))
        return number

    async def write(self, stream: int, data: bytes, *, final: bool = False) -> None:
        await self.send(frames.data_frame(stream, data, final=final))

    async def send(self, data: bytes) -> None:
        await self._end.write(data)

    async def read_until(self, done: Callable[[], bool]) -> None:
        """Read until *done* says that it is enough."""
        while not done():
            data = await self._end.read()
            assert data, f"the server is gone: {self.events}"
            await self._take(data)

    async def read_rest(self) -> None:
        """Read to the end."""
        while data := await self._end.read():
            await self._take(data)

    async def _take(self, data: bytes) -> None:
        for event in self._reader.feed(data):
            self.events.append(event)
            if isinstance(event, frames.Data):
                self.got[event.stream] = self.got.get(event.stream, b"") + event.data
                if event.final:
                    self.ended.add(event.stream)
                if self._gives_room and event.data:
                    await self.send(frames.window_frame(event.stream, len(event.data)))
                    await self.send(frames.window_frame(0, len(event.data)))
            if isinstance(event, frames.Reset):
                self.ended.add(event.stream)

    def has(self, event: frames.Event) -> bool:
        return event in self.events
