"""`Shard`: one of several equal parts of the objects of a kind, by a hash of the uid."""

import msgspec

_OFFSET = 0xCBF29CE484222325
_PRIME = 0x100000001B3
_SPACE = 1 << 64


def fnv1a(text: str) -> int:
    """Return the 64-bit FNV-1a hash of *text*, as the server computes it.

    Example:
        >>> hex(fnv1a("a"))
        '0xaf63dc4c8601ec8c'
    """
    found = _OFFSET
    for byte in text.encode():
        found = (found ^ byte) * _PRIME % _SPACE
    return found


class Shard(msgspec.Struct, frozen=True):
    """Part *index* of *count* parts, counted from zero; each object is in exactly one of them.

    Servers that support shards are asked for this part only. Others send everything, and `owns`
    picks this part.

    Example:
        >>> Shard(0, 2).selector
        "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')"
    """

    index: int
    count: int

    def __post_init__(self) -> None:
        if self.count < 1 or not 0 <= self.index < self.count:
            raise ValueError(
                f"there is no shard {self.index} of {self.count}: count from 0, and have at least 1"
            )

    @property
    def start(self) -> int:
        """The first hash that belongs to this shard."""
        return self.index * (_SPACE // self.count)

    @property
    def end(self) -> int:
        """The first hash after it; the last shard takes the remainder of the division."""
        last = self.index == self.count - 1
        return _SPACE if last else (self.index + 1) * (_SPACE // self.count)

    @property
    def selector(self) -> str:
        """What to send as ``shardSelector``."""
        return f"shardRange(object.metadata.uid, '0x{self.start:016x}', '0x{self.end:016x}')"

    def owns(self, uid: str) -> bool:
        """Say whether the object with this uid belongs to the shard."""
        return self.count == 1 or self.start <= fnv1a(uid) < self.end

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"
