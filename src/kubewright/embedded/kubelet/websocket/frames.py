"""Websocket frames as a server reads and writes them (RFC 6455), without any I/O.

It is our own because it is small, and ``kubectl exec`` must work without extras installed.
"""

from collections.abc import Iterator
from typing import NamedTuple

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA

NORMAL, PROTOCOL_ERROR, TOO_LARGE = 1000, 1002, 1009

MAX_MESSAGE: int = 32 * 1024 * 1024
"""Go's limit; clients that we know send 32 KiB at a time."""

_KNOWN = frozenset({CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG})
_FIN, _RESERVED, _OPCODE = 0x80, 0x70, 0x0F
_MASKED, _LENGTH = 0x80, 0x7F
_TWO_BYTES, _EIGHT_BYTES = 126, 127
_LONGEST_CONTROL = 125
_HEAD, _MASK = 2, 4


class Frame(NamedTuple):
    """One frame, unmasked."""

    opcode: int
    data: bytes
    final: bool = True


class FrameError(Exception):
    """The data is not a valid frame of a client.

    Attributes:
        code: The code to close the connection with.
    """

    def __init__(self, code: int, message: str) -> None:
        self.code: int = code
        super().__init__(code, message)


class FrameReader:
    """Cuts what a client sends into frames."""

    def __init__(self, *, limit: int = MAX_MESSAGE) -> None:
        self._limit = limit
        self._buffer = bytearray()
        self._need = _HEAD

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Add *data*, and yield the frames that are complete now.

        Raises:
            FrameError: The client broke the protocol, or the frame is too large.
        """
        self._buffer += data
        at = 0
        try:
            while len(self._buffer) - at >= self._need:
                start, size = self._head(at)
                end = start + size
                if end > len(self._buffer):
                    self._need = end - at
                    break
                self._need = _HEAD
                mask = bytes(self._buffer[start - _MASK : start])
                payload = unmasked(self._buffer[start:end], mask)
                first = self._buffer[at]
                at = end
                yield Frame(first & _OPCODE, payload, bool(first & _FIN))
        finally:
            del self._buffer[:at]

    def _head(self, at: int) -> tuple[int, int]:
        """Return where the payload begins and how long it is, as far as has arrived."""
        first, second = self._buffer[at], self._buffer[at + 1]
        opcode, size = first & _OPCODE, second & _LENGTH
        if first & _RESERVED or opcode not in _KNOWN or not second & _MASKED:
            raise FrameError(PROTOCOL_ERROR, "not a frame of a client")
        if opcode >= CLOSE and (size > _LONGEST_CONTROL or not first & _FIN):
            raise FrameError(PROTOCOL_ERROR, "a control frame that is too long or in parts")
        start = at + _HEAD
        if size >= _TWO_BYTES:
            more = 2 if size == _TWO_BYTES else 8
            if len(self._buffer) < start + more:
                return start + more + _MASK, 0  # enough to read the length
            size = int.from_bytes(self._buffer[start : start + more], "big")
            start += more
        if size > self._limit:
            raise FrameError(TOO_LARGE, "message too large")
        return start + _MASK, size


def unmasked(data: bytes | bytearray, mask: bytes) -> bytes:
    """Return *data* with *mask* removed or applied; as one large number, which is fast."""
    size = len(data)
    key = (mask * (size // _MASK + 1))[:size]
    number = int.from_bytes(data, "little") ^ int.from_bytes(key, "little")
    return number.to_bytes(size, "little")


def frame(opcode: int, data: bytes) -> bytes:
    """Return *data* as one frame of a server, which is not masked."""
    size = len(data)
    if size < _TWO_BYTES:
        return b"%c%c%b" % (_FIN | opcode, size, data)
    if size < 1 << 16:
        return b"%c%c%b%b" % (_FIN | opcode, _TWO_BYTES, size.to_bytes(2, "big"), data)
    return b"%c%c%b%b" % (_FIN | opcode, _EIGHT_BYTES, size.to_bytes(8, "big"), data)


def close_frame(code: int = NORMAL, reason: str = "") -> bytes:
    """Return a close frame."""
    return frame(CLOSE, code.to_bytes(2, "big") + reason.encode()[: _LONGEST_CONTROL - 2])
