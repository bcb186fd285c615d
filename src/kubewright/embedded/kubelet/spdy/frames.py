"""Frames of SPDY/3.1, without any I/O: what ``kubectl`` before 1.31 speaks for exec and the like.

The protocol is dead everywhere else, so there is no maintained library for it.
"""

import struct
from collections.abc import Callable, Iterator

from msgspec import Struct

from kubewright.embedded.kubelet.spdy.error import PROTOCOL_ERROR, SPDYError
from kubewright.embedded.kubelet.spdy.headers import HeaderReader, Headers, HeaderWriter

FIN: int = 0x01
"""The flag of the last frame of a stream in one direction."""

_UNIDIRECTIONAL = 0x02
_VERSION = 3
_CONTROL = 0x80000000
_STREAM_ID = 0x7FFFFFFF
_LENGTH = 0xFFFFFF
_HEAD = 8
_SYN_STREAM, _SYN_REPLY, _RST_STREAM, _SETTINGS = 1, 2, 3, 4
_PING, _GOAWAY, _HEADERS, _WINDOW_UPDATE = 6, 7, 8, 9
_INITIAL_WINDOW = 7  # the one setting that matters to us
_LONGEST_CONTROL = 1024 * 1024
_LONGEST_DATA = _LENGTH
_PRIORITY_AND_SLOT = 2


class Opened(Struct, frozen=True):
    """The other side opens a stream."""

    stream: int
    headers: Headers
    final: bool = False
    one_way: bool = False


class Data(Struct, frozen=True):
    """A piece of what a stream carries."""

    stream: int
    data: bytes
    final: bool = False


class Reset(Struct, frozen=True):
    """A stream is reset, in both directions."""

    stream: int
    code: int


class Replied(Struct, frozen=True):
    """The other side accepts a stream that we opened, or sends more headers."""

    stream: int
    final: bool = False


class InitialWindow(Struct, frozen=True):
    """How much we may send on each stream before the other side has read some of it."""

    size: int


class WindowUpdate(Struct, frozen=True):
    """The other side has read *size* bytes; stream 0 is the connection as a whole."""

    stream: int
    size: int


class Ping(Struct, frozen=True):
    """A ping; the answer has the same number."""

    number: int


class GoAway(Struct, frozen=True):
    """The other side opens no more streams, and accepts none."""

    last_stream: int
    code: int


_PAIRS: dict[int, Callable[[int, int], Reset | GoAway | WindowUpdate]] = {
    _RST_STREAM: Reset,
    _GOAWAY: GoAway,
    _WINDOW_UPDATE: WindowUpdate,
}

Event = Opened | Data | Reset | Replied | InitialWindow | WindowUpdate | Ping | GoAway


class FrameReader:
    """Cuts what the other side sends into events."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._need = _HEAD
        self._headers = HeaderReader()

    def feed(self, data: bytes) -> Iterator[Event]:
        """Add *data*, and yield the events that are complete now.

        Raises:
            SPDYError: The other side broke the protocol.
        """
        buffer = self._buffer
        buffer += data
        at = 0
        try:
            while len(buffer) - at >= self._need:
                first, second = struct.unpack_from(">II", buffer, at)
                size = _HEAD + (second & _LENGTH)
                if first & _CONTROL and size > _LONGEST_CONTROL:
                    raise SPDYError(PROTOCOL_ERROR, "a control frame that is too long")
                if len(buffer) - at < size:
                    self._need = size
                    break
                self._need = _HEAD
                payload = bytes(buffer[at + _HEAD : at + size])
                at += size
                if not first & _CONTROL:
                    yield Data(first & _STREAM_ID, payload, bool(second >> 24 & FIN))
                elif (event := self._control(first, second >> 24, payload)) is not None:
                    yield event
        finally:
            del buffer[:at]

    def _control(self, first: int, flags: int, payload: bytes) -> Event | None:
        version, kind = first >> 16 & 0x7FFF, first & 0xFFFF
        if version != _VERSION:
            raise SPDYError(PROTOCOL_ERROR, f"version {version} of SPDY, and we speak {_VERSION}")
        try:
            return self._event(kind, flags, payload)
        except struct.error:
            raise SPDYError(PROTOCOL_ERROR, f"a frame of kind {kind} that is too short") from None

    def _event(self, kind: int, flags: int, payload: bytes) -> Event | None:
        if kind == _SETTINGS:
            return _initial_window(payload)
        (number,) = struct.unpack_from(">I", payload)
        stream = number & _STREAM_ID
        if kind == _SYN_STREAM:
            headers = self._headers.headers(payload[8 + _PRIORITY_AND_SLOT :])
            return Opened(stream, headers, bool(flags & FIN), bool(flags & _UNIDIRECTIONAL))
        if kind in {_SYN_REPLY, _HEADERS}:
            self._headers.headers(payload[4:])  # even unread ones change the state of zlib
            return Replied(stream, bool(flags & FIN))
        if kind == _PING:
            return Ping(number)
        maker = _PAIRS.get(kind)
        if maker is None:
            return None  # the draft says to ignore it
        return maker(stream, struct.unpack_from(">I", payload, 4)[0])


def _initial_window(payload: bytes) -> InitialWindow | None:
    (count,) = struct.unpack_from(">I", payload)
    found = None
    for index in range(min(count, (len(payload) - 4) // 8)):
        name, value = struct.unpack_from(">II", payload, 4 + 8 * index)
        if name & _LENGTH == _INITIAL_WINDOW:
            found = InitialWindow(value & _STREAM_ID)
    return found


class FrameWriter:
    """Makes the frames that one side sends. What it makes must be sent in the same order."""

    def __init__(self) -> None:
        self._headers = HeaderWriter()

    def reply(self, stream: int, headers: Headers) -> bytes:
        """Return the frame that accepts a stream."""
        return _control(_SYN_REPLY, struct.pack(">I", stream) + self._headers.block(headers))

    def open(self, stream: int, headers: Headers, *, final: bool = False) -> bytes:
        """Return the frame that opens a stream."""
        start = struct.pack(">IIH", stream, 0, 0)
        return _control(_SYN_STREAM, start + self._headers.block(headers), FIN if final else 0)


def data_frame(stream: int, data: bytes, *, final: bool = False) -> bytes:
    """Return a frame of what a stream carries."""
    return struct.pack(">II", stream, (FIN if final else 0) << 24 | len(data)) + data


def reset_frame(stream: int, code: int) -> bytes:
    """Return the frame that resets a stream."""
    return _control(_RST_STREAM, struct.pack(">II", stream, code))


def ping_frame(number: int) -> bytes:
    """Return the frame that asks, or answers, a ping."""
    return _control(_PING, struct.pack(">I", number))


def goaway_frame(last_stream: int, code: int) -> bytes:
    """Return the frame that says that we accept no more streams."""
    return _control(_GOAWAY, struct.pack(">II", last_stream, code))


def window_frame(stream: int, size: int) -> bytes:
    """Return the frame that lets the other side send *size* bytes more."""
    return _control(_WINDOW_UPDATE, struct.pack(">II", stream, size))


def settings_frame(window: int) -> bytes:
    """Return the frame that says how much each stream may be sent at first."""
    return _control(_SETTINGS, struct.pack(">III", 1, _INITIAL_WINDOW, window))


def _control(kind: int, payload: bytes, flags: int = 0) -> bytes:
    head = struct.pack(">II", _CONTROL | _VERSION << 16 | kind, flags << 24 | len(payload))
    return head + payload
