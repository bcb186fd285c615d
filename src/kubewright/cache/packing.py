"""`Packing`: compression of the objects in a cache, with a dictionary made from the first of them.

Objects of one kind are much alike, so a dictionary of what they share shrinks each to a tenth.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import zstandard

Compress = Literal["auto"] | bool
"""Whether to compress: always, never, or where objects turn out to be many and large."""

MANY: int = 1000
"""Objects of a kind from which on ``"auto"`` compresses them."""
LARGE: int = 1024
"""Bytes of a mean object from which on ``"auto"`` compresses them."""

_FEW = 32  # objects that "always" waits for: less make no dictionary
_SAMPLES = 64
_SAMPLED_BYTES = 256 * 1024  # with these, training takes about 10 ms, on the event loop, once
_DICTIONARY_BYTES = 16 * 1024
_SEGMENT = 2048  # cut from samples as a whole; given, so that zstd does not try many sizes
_LEVEL = 1  # higher ones cost more and gain nothing here: the dictionary does the work


class Packing:
    """Packs the objects of one kind; starts by itself as soon as it pays.

    Args:
        compress: When to start.

    Raises:
        ValueError: *compress* is none of the three.
    """

    def __init__(self, compress: Compress = "auto") -> None:
        if compress not in {"auto", True, False}:
            raise ValueError(f"compress={compress!r} is unknown: give True, False or 'auto'")
        self.compress: Compress = compress
        self._pack: Callable[[bytes], bytes] | None = None
        self._dictionary: zstandard.ZstdCompressionDict | None = None
        self._idle: list[zstandard.ZstdDecompressor] = []
        self._wanted: int = {"auto": MANY, True: _FEW, False: 0}[compress]
        self._seen: set[str] = set()
        self._samples: list[bytes] = []
        self._bytes = 0

    @property
    def active(self) -> bool:
        """Whether objects are packed by now."""
        return self._pack is not None

    def pack(self, raw: bytes, uid: str) -> tuple[bytes, int]:
        """Return *raw* packed, and how; as it is, and 0, while packing does not pay."""
        if self._pack is None and not (self._wanted and self._count(raw, uid)):
            return raw, 0
        assert self._pack is not None
        # Copied: zstd shrinks its buffer in place, which leaves holes that nothing else fits into.
        return bytes(memoryview(self._pack(raw))), 1

    def unpack(self, packed: bytes, packing: int) -> bytes:
        """Return the JSON that was packed."""
        if not packing:
            return packed
        # A decompressor serves one thread at a time, and reconcilers may read in threads of their
        # own; so each read takes an idle one. Taking from a list is atomic.
        try:
            unpacker = self._idle.pop()
        except IndexError:
            unpacker = self._make_unpacker()
        found = unpacker.decompress(packed)
        self._idle.append(unpacker)
        return found

    def _count(self, raw: bytes, uid: str) -> bool:
        """Count an object, and start packing if there are enough of them."""
        seen = self._seen
        if uid in seen:
            return False  # an update: a busy object is not many objects
        if len(seen) % max(1, self._wanted // _SAMPLES) == 0:
            self._samples.append(raw)
        seen.add(uid)
        self._bytes += len(raw)
        if len(seen) < self._wanted:
            return False
        if self.compress is True or self._bytes > LARGE * len(seen):
            self._start()
        self._seen, self._samples, self._bytes = set(), [], 0
        return self.active

    def _start(self) -> None:
        import zstandard  # noqa: PLC0415  # most caches never grow so large

        dictionary = self._dictionary = trained(self._samples)
        dictionary.precompute_compress(level=_LEVEL)
        self._pack = zstandard.ZstdCompressor(
            level=_LEVEL, dict_data=dictionary, write_dict_id=False
        ).compress

    def _make_unpacker(self) -> "zstandard.ZstdDecompressor":
        import zstandard  # noqa: PLC0415  # as above

        assert self._dictionary is not None, "packed by another Packing"
        return zstandard.ZstdDecompressor(dict_data=self._dictionary)


def trained(samples: Sequence[bytes]) -> "zstandard.ZstdCompressionDict":
    """Return a dictionary of what *samples* have in common."""
    import zstandard  # noqa: PLC0415  # as above

    try:
        return zstandard.train_dictionary(
            _DICTIONARY_BYTES, [*_within(samples, _SAMPLED_BYTES)], k=_SEGMENT, d=8
        )
    except zstandard.ZstdError:
        # Too few or too uniform to train on. Some of them in a row do almost as well.
        return zstandard.ZstdCompressionDict(
            b"".join(_within(samples, _DICTIONARY_BYTES)), dict_type=zstandard.DICT_TYPE_RAWCONTENT
        )


def _within(samples: Sequence[bytes], limit: int) -> list[bytes]:
    """Return as many of *samples* as fit into *limit* bytes, at least one."""
    chosen: list[bytes] = []
    total = 0
    for sample in samples:
        total += len(sample)
        if chosen and total > limit:
            break
        chosen.append(sample)
    return chosen
