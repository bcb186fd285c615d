import asyncio

import pytest

from kubewright._aio import VirtualClock
from kubewright.embedded.pipe import Pipe
from kubewright.errors import TransportError


async def test_what_is_written_can_be_read_to_the_end() -> None:
    """Even after the writer has left; pieces may be joined."""
    pipe = Pipe()
    await pipe.write(b"one")
    await pipe.write(b"")
    await pipe.write(b"two")
    pipe.end()

    assert await pipe.read() == b"onetwo"
    assert await pipe.read() == b""


async def test_a_writer_waits_for_a_slow_reader() -> None:
    """Otherwise a reader that sleeps would fill the memory."""
    pipe, clock = Pipe(buffer=10), VirtualClock()
    await pipe.write(b"x" * 10)
    writing = asyncio.create_task(pipe.write(b"y"))
    await clock.settle()
    waited = not writing.done()

    first = await pipe.read()
    await writing

    assert waited
    assert first + await pipe.read() == b"x" * 10 + b"y"


async def test_an_error_comes_after_what_was_written() -> None:
    """What has arrived has arrived."""
    pipe = Pipe()
    await pipe.write(b"one")
    pipe.end(TransportError("cut"))

    assert await pipe.read() == b"one"
    with pytest.raises(TransportError, match="cut"):
        await pipe.read()


async def test_nobody_writes_to_a_closed_pipe() -> None:
    """A writer that waits for room hears it, too."""
    pipe, clock = Pipe(buffer=1), VirtualClock()
    await pipe.write(b"x")
    writing = asyncio.create_task(pipe.write(b"y"))
    await clock.settle()
    pipe.end()

    with pytest.raises(TransportError, match="closed"):
        await writing
