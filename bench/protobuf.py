"""The same pods as protobuf, for the contender that reads it.

The Go program turns JSON into messages; the envelopes around them are simple enough to write here.
"""

import struct
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from bench.data import PodBytes

CONTENT_TYPE = b"application/vnd.kubernetes.protobuf"
_MAGIC = b"k8s\x00"
# Field 6 of ObjectMeta is the version, seven digits as every version here; field 7 the generation.
_VERSION, _GENERATION = 1_111_111, 1
_HOLE = b"\x32\x07%d\x38%c"


class PodMessage(NamedTuple):
    """One pod as a message, with a hole where the version goes."""

    head: bytes
    tail: bytes

    def at(self, version: int, generation: int = 1) -> bytes:
        """Return the pod at *version*."""
        return b"".join((self.head, _HOLE % (version, generation), self.tail))


def convert(pods: Sequence[PodBytes], program: Path) -> list[PodMessage]:
    """Return *pods* as messages, made by the Go program."""
    lines = b"\n".join(pod.at(_VERSION, _GENERATION) for pod in pods)
    done = subprocess.run([program, "convert"], input=lines, capture_output=True, check=True)
    return [_split(message) for message in _messages(done.stdout)]


def _messages(stream: bytes) -> Iterator[bytes]:
    position = 0
    while position < len(stream):
        (length,) = struct.unpack_from(">I", stream, position)
        position += 4
        yield stream[position : position + length]
        position += length


def _split(message: bytes) -> PodMessage:
    head, hole, tail = message.partition(_HOLE % (_VERSION, _GENERATION))
    if not hole:
        raise ValueError("a pod came back from the Go program with no version in it")
    return PodMessage(head, tail)


def page(items: Iterable[bytes], *, version: int, more: str = "", rest: int = 0) -> bytes:
    """Return a PodList; *more* is where it goes on, and *rest* how many come then."""
    metadata = _field(2, b"%d" % version)
    if more:
        metadata += _field(3, more.encode()) + b"\x20" + _varint(rest)
    return _envelope("PodList", _field(1, metadata) + b"".join(_field(2, item) for item in items))


def event(kind: str, item: bytes) -> bytes:
    """Return one event of a watch, after its length."""
    extension = _field(1, _envelope("Pod", item))
    message = _field(1, kind.encode()) + _field(2, extension)
    return struct.pack(">I", len(message)) + message


def initial_events_end(version: int) -> bytes:
    """Return the bookmark that ends the first part of a streaming list."""
    annotation = _field(1, b"k8s.io/initial-events-end") + _field(2, b"true")
    metadata = _field(6, b"%d" % version) + _field(12, annotation)
    return event("BOOKMARK", _field(1, metadata))


def _envelope(kind: str, message: bytes) -> bytes:
    type_meta = _field(1, b"v1") + _field(2, kind.encode())
    return b"".join((_MAGIC, _field(1, type_meta), _field(2, message)))


def _field(number: int, value: bytes) -> bytes:
    return b"".join((_varint(number << 3 | 2), _varint(len(value)), value))


def _varint(number: int) -> bytes:
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)
    return bytes(found)
