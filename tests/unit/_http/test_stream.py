import asyncio
import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright._http.stream import BodyStream, Gunzip
from kubewright.errors import TransportError


class Gate:
    """Remembers whether reading is allowed."""

    def __init__(self) -> None:
        self.open = True

    def pause_reading(self) -> None:
        self.open = False

    def resume_reading(self) -> None:
        self.open = True


class Source:
    """A stream and the hands that fill it."""

    def __init__(self, *, full: int = 100, decode: Gunzip | None = None) -> None:
        self.gate = Gate()
        self.chunks: list[bytes] = []
        self.stream = BodyStream(self.gate, self.chunks, full=full, decode=decode)

    def feed(self, data: bytes) -> None:
        self.chunks.append(data)
        self.stream.count(len(data))


async def collect(stream: BodyStream) -> list[bytes]:
    return [data async for data in stream]


async def test_what_has_arrived_comes_out_as_one_chunk() -> None:
    """A reader that is behind catches up in one step."""
    source = Source()
    source.feed(b"one ")
    source.feed(b"two")
    source.stream.finish()

    assert await collect(source.stream) == [b"one two"]


async def test_a_waiting_reader_is_woken_by_data_and_by_the_end() -> None:
    """A watch sits and waits most of the time."""
    source = Source()
    reader = asyncio.create_task(collect(source.stream))
    await asyncio.sleep(0)

    source.feed(b"first")
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    source.feed(b"second")
    source.stream.finish()

    assert await reader == [b"first", b"second"]


async def test_a_break_comes_after_what_had_arrived() -> None:
    """Events that made it through the wire must not be lost with those that did not."""
    source = Source()
    source.feed(b"good")
    source.stream.fail(TransportError("broken"))

    assert await anext(source.stream) == b"good"
    with pytest.raises(TransportError, match="broken"):
        await anext(source.stream)


async def test_a_break_after_the_end_is_no_break() -> None:
    """Closing our side of a finished stream is not a failure of it."""
    source = Source()
    source.stream.finish()
    source.stream.fail(TransportError("late"))

    assert await collect(source.stream) == []


async def test_a_slow_reader_holds_up_the_sender() -> None:
    """Memory is bounded, whatever the server sends."""
    source = Source(full=10)

    source.feed(b"x" * 9)
    almost = source.gate.open
    source.feed(b"x")
    full = source.gate.open
    await anext(source.stream)

    assert (almost, full, source.gate.open) == (True, False, True)


async def test_a_cancelled_reader_can_read_again() -> None:
    """A time-out around one read must not break the stream."""
    source = Source()
    reader = asyncio.create_task(collect(source.stream))
    await asyncio.sleep(0)

    reader.cancel()
    await asyncio.sleep(0)
    source.feed(b"later")

    assert await anext(source.stream) == b"later"


async def test_two_readers_are_refused() -> None:
    """Each would get half of the lines."""
    source = Source()
    reader = asyncio.create_task(collect(source.stream))
    await asyncio.sleep(0)

    with pytest.raises(RuntimeError, match="two tasks"):
        await anext(source.stream)

    reader.cancel()


async def test_received_counts_what_was_read_and_what_was_not() -> None:
    """The error message says after how many bytes the stream broke."""
    source = Source()
    source.feed(b"four")
    await anext(source.stream)
    source.feed(b"more")

    assert source.stream.received == 8


async def test_a_compressed_stream_is_decompressed_as_it_arrives() -> None:
    """A chunk that completes nothing gives nothing, and is no end either."""
    packed = gzip.compress(b"hello world")
    source = Source(decode=Gunzip(TransportError))
    for byte in packed:
        source.feed(bytes([byte]))
    source.stream.finish()

    assert b"".join(await collect(source.stream)) == b"hello world"


async def test_a_compressed_stream_that_ends_early_is_broken() -> None:
    """Half a log must not look like a whole one."""
    source = Source(decode=Gunzip(TransportError))
    source.feed(gzip.compress(b"hello world")[:-4])
    source.stream.finish()

    with pytest.raises(TransportError, match="ends too early"):
        await collect(source.stream)


@given(parts=st.lists(st.binary(max_size=200), min_size=1), step=st.integers(1, 50))
def test_gunzip_undoes_gzip_however_it_is_cut(parts: list[bytes], step: int) -> None:
    """Members may follow one another, and the network cuts anywhere."""
    packed = b"".join(map(gzip.compress, parts))
    decoder = Gunzip(TransportError)

    out = b"".join(decoder.feed(packed[i : i + step]) for i in range(0, len(packed), step))
    decoder.finish()

    assert out == b"".join(parts)


def test_a_bomb_is_stopped_at_the_limit() -> None:
    """A megabyte on the wire can be a gigabyte in memory."""
    bomb = gzip.compress(b"\0" * 10_000_000)

    with pytest.raises(TransportError, match="larger than 1000 bytes"):
        Gunzip(TransportError, 1000).feed(bomb)


def test_what_is_not_gzip_is_reported_as_such() -> None:
    """An error of zlib must not come out as it is."""
    with pytest.raises(TransportError, match="gzip body is broken"):
        Gunzip(TransportError).feed(b"not gzip at all")


async def test_a_compressed_stream_comes_out_in_bounded_steps() -> None:
    """What is held for a slow reader is counted before decompression, which can make it huge."""
    source = Source(decode=Gunzip(TransportError), full=1000)
    source.feed(gzip.compress(b"a" * 5000) + gzip.compress(b"b" * 500))
    source.stream.finish()

    pieces = await collect(source.stream)

    assert b"".join(pieces) == b"a" * 5000 + b"b" * 500
    assert max(map(len, pieces)) <= 1000


@given(
    parts=st.lists(st.binary(max_size=300), min_size=1, max_size=5),
    step=st.integers(1, 50),
    most=st.integers(1, 40),
)
def test_gunzip_in_bounded_steps_loses_nothing(parts: list[bytes], step: int, most: int) -> None:
    """The library keeps some output back when there is no room for it."""
    packed = b"".join(map(gzip.compress, parts))
    decoder = Gunzip(TransportError)
    out = b""

    for i in range(0, len(packed), step):
        out += decoder.feed(packed[i : i + step], most=most)
        while decoder.pending:
            out += decoder.feed(b"", most=most)
    decoder.finish()

    assert out == b"".join(parts)
