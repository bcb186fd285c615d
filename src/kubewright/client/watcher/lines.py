"""Parses the body of a watch: chunks of bytes, cut into lines, one event in each."""

from collections.abc import Iterable
from typing import Literal, get_args

import msgspec

from kubewright import _json
from kubewright.errors import DecodeError

EventType = Literal["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"]
RawEvent = tuple[EventType, bytes]
"""What happened, and the JSON of the object."""

_TYPES: dict[bytes, EventType] = {name.encode(): name for name in get_args(EventType)}
_LEAD = b'{"type":"'
_BETWEEN = b'","object":'
_LONGEST_TYPE = 40
_ENDS_INITIAL_EVENTS = "k8s.io/initial-events-end"


class Lines:
    """Cuts chunks into lines, looking at every byte once however long a line is."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def feed(self, chunks: Iterable[bytes]) -> list[bytes]:
        """Return the lines that *chunks* complete, each with its line break."""
        lines: list[bytes] = []
        parts = self._parts
        for chunk in chunks:
            start = 0
            while end := chunk.find(b"\n", start) + 1:
                line = chunk[start:end]  # not copied, if it is all of the chunk
                if parts:
                    parts.append(line)
                    line = b"".join(parts)
                    parts.clear()
                lines.append(line)
                start = end
            if start < len(chunk):
                parts.append(chunk[start:])
        return lines

    def rest(self) -> bytes:
        """Return the bytes after the last line break."""
        return b"".join(self._parts)

    @property
    def pending(self) -> int:
        """How many bytes of an unfinished line have arrived."""
        return sum(map(len, self._parts))


class _EventObject(msgspec.Struct, gc=False):
    type: EventType
    object: msgspec.Raw


def parse_event(line: bytes) -> RawEvent:
    """Return the type of a watch event and the bytes of its object.

    Args:
        line: The event, with its line break.

    Raises:
        DecodeError: The line is not a watch event.
    """
    # Kubernetes writes the type first and the object last. Cutting between them saves decoding the
    # object twice: once to find where it ends, once into its class.
    if line.startswith(_LEAD) and line.endswith(b"}\n"):
        cut = line.find(_BETWEEN, len(_LEAD), _LONGEST_TYPE)
        name = _TYPES.get(line[len(_LEAD) : cut]) if cut > 0 else None
        if name is not None:
            return name, line[cut + len(_BETWEEN) : -2]
    event = _json.decode(line, _EventObject)
    return event.type, bytes(event.object)


class _Meta(msgspec.Struct, gc=False, rename="camel"):
    resource_version: str = ""
    annotations: dict[str, str] | None = None


class _Bookmark(msgspec.Struct, gc=False):
    metadata: _Meta = msgspec.field(default_factory=_Meta)


def bookmark_of(raw: bytes) -> tuple[str, bool]:
    """Return the version of a bookmark, and whether it ends the initial events.

    Raises:
        DecodeError: It is not a bookmark.
    """
    meta = _json.decode(raw, _Bookmark).metadata
    ends = meta.annotations is not None and meta.annotations.get(_ENDS_INITIAL_EVENTS) == "true"
    return meta.resource_version, ends


class _VersionMeta(msgspec.Struct, gc=False, rename="camel"):
    resource_version: str = ""


class _Versioned(msgspec.Struct, gc=False):
    metadata: _VersionMeta = msgspec.field(default_factory=_VersionMeta)


def version_of(raw: bytes) -> str:
    """Return the version of an object, whatever else it holds; empty if it has none."""
    try:
        return _json.decode(raw, _Versioned).metadata.resource_version
    except DecodeError:
        return ""
