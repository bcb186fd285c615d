"""`Packing`: compresses the objects of a cache, with a dictionary made from the first ones.

Objects of one kind are much alike, so a dictionary of their common parts shrinks them to a tenth.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import zstandard

Compress = Literal["auto"] | bool
"""Whether to compress: always, never, or if objects turn out to be many and large."""

MANY: int = 1000
"""The number of objects of a kind at which ``"auto"`` starts to compress."""
LARGE: int = 1024
"""The mean size in bytes above which ``"auto"`` compresses."""

_FEW = 32  # objects that "always" waits for: fewer are not enough for a dictionary
_SAMPLES = 64
_SAMPLED_BYTES = 256 * 1024  # with these, training takes about 10 ms, on the event loop, once
_DICTIONARY_BYTES = 16 * 1024
_SEGMENT = 2048  # cut from samples as a whole; given, so that zstd does not try many sizes
_LEVEL = 1  # higher levels cost more and gain nothing here: the dictionary does the work


class Packing:
    """Compresses the objects of one kind; starts by itself once it pays off.

    Args:
        compress: When to start.

    Raises:
        ValueError: *compress* is not one of the three.
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
        """Whether objects are being compressed."""
        return self._pack is not None

    def pack(self, raw: bytes, uid: str) -> tuple[bytes, int]:
        """Return *raw* compressed and 1; or unchanged and 0, while compression does not pay off."""
        if self._pack is None and not (self._wanted and self._count(raw, uid)):
            return raw, 0
        assert self._pack is not None
        # Copied: zstd shrinks its buffer in place, which fragments the heap.
        return bytes(memoryview(self._pack(raw))), 1

    def unpack(self, packed: bytes, packing: int) -> bytes:
        """Return the JSON that was packed."""
        if not packing:
            return packed
        # A decompressor serves one thread at a time, and reconcilers may read in their own threads,
        # so each read takes an idle one. Taking from a list is atomic.
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
            return False  # an update, not another object
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
        import zstandard

        dictionary = self._dictionary = trained(self._samples)
        dictionary.precompute_compress(level=_LEVEL)
        self._pack = zstandard.ZstdCompressor(
            level=_LEVEL, dict_data=dictionary, write_dict_id=False
        ).compress

    def _make_unpacker(self) -> "zstandard.ZstdDecompressor":
        import zstandard

        assert self._dictionary is not None, "packed by another Packing"
        return zstandard.ZstdDecompressor(dict_data=self._dictionary)


def trained(samples: Sequence[bytes]) -> "zstandard.ZstdCompressionDict":
    """Return a dictionary trained on *samples*."""
    import zstandard

    try:
        return zstandard.train_dictionary(
            _DICTIONARY_BYTES, [*_within(samples, _SAMPLED_BYTES)], k=_SEGMENT, d=8
        )
    except zstandard.ZstdError:
        # Too few or too uniform to train on. A few of them concatenated do almost as well.
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
