"""The server's side of a SPDY/3.1 connection: streams that the client opens, each of them a pipe.

Flow control works in two ways. A client that sends SETTINGS or WINDOW_UPDATE uses windows, and we
send no more than it has room for. Kubernetes' own client sends neither: we would wait for its
updates for ever, so only the socket slows us down. In the other direction, we stop reading from the
connection while one of its streams is full.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from kubewright._serve.messages import Duplex
from kubewright.embedded.kubelet.spdy import frames
from kubewright.embedded.kubelet.spdy.error import (
    GOING_AFTER_ERROR,
    GOING_OK,
    INVALID_STREAM,
    PROTOCOL_ERROR,
    REFUSED_STREAM,
    SPDYError,
)
from kubewright.embedded.kubelet.spdy.headers import Headers
from kubewright.errors import TransportError

WINDOW: int = 64 * 1024
"""How many bytes each side may send at first, on each stream and in total."""

BUFFER: int = 512 * 1024
"""How much of a stream is kept for a slow reader before we stop reading the connection."""

TOTAL: int = 8 * 1024 * 1024
"""The same for all streams together."""

MAX_STREAMS: int = 4096

_PIECE = 64 * 1024  # bytes of one stream at a time, so that others get their turn
_UPDATE_FROM = WINDOW // 2


class Window:
    """How many bytes may be sent; without a limit until the client turns out to use windows."""

    __slots__ = ("_bounded", "_left", "_room")

    def __init__(self, *, size: int = WINDOW, bounded: bool = False) -> None:
        self._left = size
        self._bounded = bounded
        self._room = asyncio.Event()
        self._note()

    def add(self, size: int) -> None:
        """Let *size* bytes more be sent; less, if it is negative."""
        self._bounded = True
        self._left += size
        self._note()

    def bound(self) -> None:
        """Apply the limit from now on."""
        self.add(0)

    def lift(self) -> None:
        """Release all waiters: nothing more will be sent."""
        self._bounded = False
        self._note()

    async def take(self, wanted: int) -> int:
        """Wait for room, and return how much of *wanted* may be sent now."""
        await self._room.wait()
        size = min(wanted, self._left) if self._bounded else wanted
        self._left -= size
        self._note()
        return size

    def _note(self) -> None:
        if not self._bounded or self._left > 0:
            self._room.set()
        else:
            self._room.clear()


class Stream:
    """Bytes both ways, each direction with an end of its own. One task reads, one writes.

    Attributes:
        number: Its number on the connection.
        headers: Its headers, names in lower case.
        was_reset: Whether it was reset, and did not end in order.
        is_dropped: Whether nobody reads it any more.
    """

    def __init__(self, connection: "SPDYConnection", opened: frames.Opened, window: Window) -> None:
        self.number: int = opened.stream
        self.headers: Headers = opened.headers
        self.was_reset: bool = False
        self.is_dropped: bool = False
        self._connection = connection
        self._window = window
        self._chunks: deque[bytes] = deque()
        self._size = 0
        self._taken = 0
        self._arrived = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self._received_all = opened.final
        self._sent_all = opened.one_way

    async def read(self) -> bytes:
        """Wait for bytes and return all that are there; empty at the end, however it came."""
        while not self._chunks:
            if self._received_all:
                return b""
            self._arrived.clear()
            await self._arrived.wait()
        data = self._chunks[0] if len(self._chunks) == 1 else b"".join(self._chunks)
        self._chunks.clear()
        self._connection.hold(-self._size)
        self._size = 0
        self._room.set()
        await self._give_room(len(data))
        return data

    async def write(self, data: bytes) -> None:
        """Send *data*; waits while the client is slow to take it.

        Raises:
            TransportError: The client is gone, or wants no more of this stream.
        """
        view = memoryview(data)
        while view:
            # The stream's window first: while we wait, others may use that of the connection.
            size = await self._window.take(min(len(view), _PIECE))
            granted = await self._connection.window.take(size)
            if granted < size:
                self._window.add(size - granted)
            await self._send(bytes(view[:granted]), final=False)
            view = view[granted:]

    async def end(self) -> None:
        """End our side of it; does nothing if it has ended already."""
        if not self._sent_all:
            await self._send(b"", final=True)

    def drop(self) -> None:
        """Stop reading: data is thrown away from now on, so that it blocks no other stream."""
        self.is_dropped = True
        self._connection.hold(-self._size)
        self._chunks.clear()
        self._size = 0
        self._room.set()

    async def reset(self, code: int) -> None:
        """Reset it, in both directions."""
        if not self.was_reset:
            self.break_off()
            await self._connection.send(frames.reset_frame(self.number, code))

    async def _send(self, data: bytes, *, final: bool) -> None:
        if self._sent_all:
            raise TransportError("cannot write: the stream is closed", lost=True)
        self._sent_all = final
        self._forget_if_over()
        await self._connection.send(frames.data_frame(self.number, data, final=final))

    async def _give_room(self, size: int) -> None:
        self._taken += size
        if self._taken >= _UPDATE_FROM and not self._received_all:
            taken, self._taken = self._taken, 0
            await self._connection.try_to_send(frames.window_frame(self.number, taken))
        await self._connection.give_room(size)

    # --- What the connection calls ---

    @property
    def room(self) -> asyncio.Event:
        """Set while more can be kept for the reader."""
        return self._room

    @property
    def window(self) -> Window:
        """How much the client takes of it."""
        return self._window

    def put(self, data: bytes, *, final: bool) -> bool:
        """Keep *data* for the reader; return False if the client had ended the stream before."""
        if self._received_all:
            return self.was_reset
        if data and not self.is_dropped:
            self._chunks.append(data)
            self._size += len(data)
            self._connection.hold(len(data))
            if self._size >= BUFFER:
                self._room.clear()
        self._received_all = final
        self._arrived.set()
        self._forget_if_over()
        return True

    def break_off(self) -> None:
        """End it: the reader gets what has arrived and then the end, the writer an error."""
        self.was_reset = not (self._received_all and self._sent_all)
        self._received_all = self._sent_all = True
        self._arrived.set()
        self._room.set()
        self._window.lift()
        self._forget_if_over()

    def _forget_if_over(self) -> None:
        if self._received_all and self._sent_all:
            self._connection.forget(self.number)


class SPDYConnection:
    """Reads a client's streams, from `run` until the client is gone.

    Args:
        duplex: What carries the bytes.
        admit: Called with each new stream; returns whether to accept it. Synchronous: it may put
            the stream aside, or start a task for it.
    """

    def __init__(self, duplex: Duplex, admit: Callable[[Stream], bool]) -> None:
        self.window: Window = Window()
        self._duplex = duplex
        self._admit = admit
        self._reader = frames.FrameReader()
        self._writer = frames.FrameWriter()
        self._streams: dict[int, Stream] = {}
        self._last = 0
        self._initial = WINDOW
        self._bounded = False
        self._taken = 0
        self._pings = 0
        self._held = 0
        self._room = asyncio.Event()
        self._room.set()
        self._gone = asyncio.Event()

    async def run(self) -> None:
        """Read until the client is gone, or breaks the protocol."""
        try:
            while data := await self._duplex.read():
                for event in self._reader.feed(data):
                    await self._take(event)
        except SPDYError:
            await self.try_to_send(frames.goaway_frame(self._last, GOING_AFTER_ERROR))
        except TransportError:
            pass  # for us, the same as an end
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Treat the client as gone: end all streams."""
        self._gone.set()
        self._room.set()
        self.window.lift()
        for stream in list(self._streams.values()):
            stream.break_off()

    async def wait_gone(self) -> None:
        """Return once the client is gone."""
        await self._gone.wait()

    async def ping(self) -> None:
        """Send a ping; our numbers are even.

        Raises:
            TransportError: The client is gone.
        """
        self._pings += 2
        await self.send(frames.ping_frame(self._pings & 0xFFFFFFFF))

    async def go_away(self) -> None:
        """Tell the client that we accept no more streams."""
        await self.try_to_send(frames.goaway_frame(self._last, GOING_OK))

    # --- What streams call ---

    async def send(self, data: bytes) -> None:
        """Send a frame."""
        if self._gone.is_set():
            raise TransportError("cannot write: the client is gone", lost=True)
        await self._duplex.write(data)

    async def try_to_send(self, data: bytes) -> None:
        """Send a frame, unless the client is gone."""
        with suppress(TransportError):
            await self.send(data)

    async def give_room(self, size: int) -> None:
        """Let the client send *size* bytes more, of whichever stream."""
        self._taken += size
        if self._taken >= _UPDATE_FROM:
            taken, self._taken = self._taken, 0
            await self.try_to_send(frames.window_frame(0, taken))

    def hold(self, size: int) -> None:
        """Count *size* bytes more, or fewer, that are kept for the readers of all streams."""
        self._held += size
        if self._held < TOTAL or self._gone.is_set():
            self._room.set()
        else:
            self._room.clear()

    def forget(self, number: int) -> None:
        """Forget a stream that has ended."""
        self._streams.pop(number, None)

    # --- How events are handled ---

    async def _take(self, event: frames.Event) -> None:
        if isinstance(event, frames.Data):
            await self._take_data(event)
        elif isinstance(event, frames.Opened):
            await self._open(event)
        elif isinstance(event, frames.Ping):
            if event.number % 2:  # odd ones are pings of the client, even ones answers to ours
                await self.try_to_send(frames.ping_frame(event.number))
        elif isinstance(event, frames.Reset):
            if stream := self._streams.get(event.stream):
                stream.break_off()
        elif isinstance(event, frames.WindowUpdate):
            self._widen(event)
        elif isinstance(event, frames.InitialWindow):
            self._set_initial(event.size)

    async def _take_data(self, event: frames.Data) -> None:
        stream = self._streams.get(event.stream)
        if stream is None or stream.is_dropped:
            await self.give_room(len(event.data))  # it crossed our end of the stream
        if stream is None:
            if event.stream > self._last:
                await self.try_to_send(frames.reset_frame(event.stream, INVALID_STREAM))
            return
        if not stream.put(event.data, final=event.final):
            stream.break_off()
            await self.try_to_send(frames.reset_frame(event.stream, PROTOCOL_ERROR))
        await stream.room.wait()
        await self._room.wait()

    async def _open(self, event: frames.Opened) -> None:
        if event.stream <= self._last or event.stream % 2 == 0:
            raise SPDYError(PROTOCOL_ERROR, f"stream {event.stream} after {self._last}")
        self._last = event.stream
        window = Window(size=self._initial, bounded=self._bounded)
        stream = Stream(self, event, window)
        if len(self._streams) >= MAX_STREAMS or not self._admit(stream):
            await self.try_to_send(frames.reset_frame(event.stream, REFUSED_STREAM))
            return
        self._streams[event.stream] = stream
        if not event.one_way:
            await self.try_to_send(self._writer.reply(event.stream, {}))

    def _widen(self, event: frames.WindowUpdate) -> None:
        self._bound()
        if event.stream == 0:
            self.window.add(event.size)
        elif stream := self._streams.get(event.stream):
            stream.window.add(event.size)

    def _set_initial(self, size: int) -> None:
        self._bound()
        for stream in self._streams.values():
            stream.window.add(size - self._initial)
        self._initial = size

    def _bound(self) -> None:
        if not self._bounded:
            self._bounded = True
            self.window.bound()
            for stream in self._streams.values():
                stream.window.bound()
