"""A stored object, and a change of one."""

from typing import Any, Literal

import msgspec

from kubewright.apiserver.storage.packing import Packer

EventType = Literal["ADDED", "MODIFIED", "DELETED"]

_decode = msgspec.json.Decoder().decode


class _Labelled(msgspec.Struct, gc=False):
    labels: dict[str, str] = {}


class _WithLabels(msgspec.Struct, gc=False):
    metadata: _Labelled = msgspec.field(default_factory=_Labelled)


_decode_labels = msgspec.json.Decoder(_WithLabels).decode


class Stored:
    """One object in one revision. It never changes; a newer revision is another object.

    Attributes:
        size: How many bytes `data` has.
    """

    __slots__ = ("_bytes", "_packer", "key", "revision", "size")

    def __init__(self, key: str, data: bytes, revision: int) -> None:
        self.key: str = key
        self.revision: int = revision
        self.size: int = len(data)
        self._bytes = data
        self._packer: Packer | None = None

    @property
    def data(self) -> bytes:
        """The object as JSON."""
        return self._bytes if self._packer is None else self._packer.unpack(self._bytes)

    def pack(self, packer: Packer) -> None:
        """Pack the bytes, if that pays; `data` takes a little longer then."""
        if self._packer is None and (packed := packer.pack(self._bytes)) is not None:
            self._bytes = packed
            self._packer = packer

    def decode(self) -> dict[str, Any]:
        """Return a private copy of the object."""
        found: dict[str, Any] = _decode(self.data)
        return found

    def labels(self) -> dict[str, str]:
        """Return the labels, without decoding the rest."""
        return _decode_labels(self.data).metadata.labels


class Event:
    """One change of one object.

    Attributes:
        current: The object after the change; for a deletion its last state, with the revision of
            the deletion.
        previous: The object before it; ``None`` if it was not there.
        memo: What readers have computed from it, so that a hundred watchers share the work.
    """

    __slots__ = ("current", "memo", "previous", "time", "type")

    def __init__(
        self,
        type: EventType,  # noqa: A002  # the word of the protocol
        current: Stored,
        previous: Stored | None,
        time: float,
    ) -> None:
        self.type = type
        self.current: Stored = current
        self.previous: Stored | None = previous
        self.time: float = time
        self.memo: dict[Any, Any] = {}

    @property
    def revision(self) -> int:
        """The revision that this change made."""
        return self.current.revision

    @property
    def cost(self) -> int:
        """The memory that only the history holds: what is no longer current."""
        old = self.previous.size if self.previous else 0
        return 300 + old + (self.current.size if self.type == "DELETED" else 0)
