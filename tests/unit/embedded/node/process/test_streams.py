import asyncio
import os
import pty

from kubewright.embedded.node.process.streams import Pump, write_all


async def test_a_pipe_is_read_to_its_end() -> None:
    """The end is passed on as nothing."""
    reading, writing = os.pipe()
    pieces: list[bytes] = []
    over = asyncio.Event()

    def take(data: bytes) -> None:
        pieces.append(data)
        if not data:
            over.set()

    Pump(reading, take)
    os.write(writing, b"hello")
    os.close(writing)
    await over.wait()

    assert b"".join(pieces) == b"hello"
    assert pieces[-1] == b""


async def test_a_terminal_that_closes_is_an_end_and_no_error() -> None:
    """Linux answers with an error there."""
    ours, theirs = pty.openpty()
    over = asyncio.Event()

    Pump(ours, lambda data: None if data else over.set())
    os.close(theirs)

    await over.wait()


async def test_what_is_there_is_read_before_a_pipe_is_closed() -> None:
    """Somebody else may hold the other end for ever."""
    reading, writing = os.pipe()
    pieces: list[bytes] = []
    pump = Pump(reading, pieces.append)
    os.write(writing, b"last words")

    pump.drain()
    pump.close()

    assert pieces == [b"last words", b""]
    os.close(writing)


async def test_a_reader_that_pauses_hears_nothing_until_it_goes_on() -> None:
    """A slow client must not fill our memory."""
    reading, writing = os.pipe()
    heard = asyncio.Event()
    pump = Pump(reading, lambda data: heard.set())
    pump.pause()
    os.write(writing, b"x")
    for _ in range(5):
        await asyncio.sleep(0)
    before = heard.is_set()

    pump.resume()
    await heard.wait()

    assert not before
    pump.close()
    os.close(writing)


async def test_much_is_written_as_fast_as_it_is_read() -> None:
    """A pipe has room for 64 KiB only."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    size = 0
    over = asyncio.Event()

    def take(data: bytes) -> None:
        nonlocal size
        size += len(data)
        if not data:
            over.set()

    Pump(reading, take)
    await write_all(writing, b"x" * 1_000_000)
    os.close(writing)
    await over.wait()

    assert size == 1_000_000
