import zlib

import pytest

from kubewright.embedded.kubelet.spdy.error import SPDYError
from kubewright.embedded.kubelet.spdy.headers import (
    DICTIONARY,
    LARGEST,
    HeaderReader,
    HeaderWriter,
)


def test_the_dictionary_is_the_one_that_all_others_have() -> None:
    """One wrong byte, and no client could be understood; zlib compares the same sum."""
    assert (len(DICTIONARY), zlib.adler32(DICTIONARY)) == (1423, 0xE3C6A7C2)


def test_blocks_build_on_those_before_them() -> None:
    """The second block is short, since it repeats the first."""
    writer, reader = HeaderWriter(), HeaderReader()
    headers = {"streamtype": "error", "port": "8080", "requestid": "0"}

    first, second = writer.block(headers), writer.block({**headers, "streamtype": "data"})

    assert len(second) < len(first)
    assert reader.headers(first) == headers
    assert reader.headers(second) == {**headers, "streamtype": "data"}


def test_names_are_read_in_lower_case() -> None:
    """Go writes them so; others may not."""
    assert HeaderReader().headers(HeaderWriter().block({"StreamType": "Data"})) == {
        "streamtype": "Data"
    }


def test_broken_headers_are_refused() -> None:
    """Not compressed, cut off, or a bomb."""
    packed = zlib.compressobj(zdict=DICTIONARY)
    cut = packed.compress(b"\0\0\0\2\0\0\0\1a\0\0\0\1b") + packed.flush(zlib.Z_SYNC_FLUSH)
    bomb = HeaderWriter().block({"a": "x" * (LARGEST + 1)})

    assert len(bomb) < 1000
    for block in (b"plain", cut, bomb):
        with pytest.raises(SPDYError):
            HeaderReader().headers(block)
