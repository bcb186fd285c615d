import asyncio

import pytest

from kubewright.embedded.kubelet.spdy import frames
from kubewright.embedded.kubelet.spdy.connection import (
    BUFFER,
    TOTAL,
    WINDOW,
    SPDYConnection,
    Stream,
)
from kubewright.errors import TransportError
from tests.unit.embedded.kubelet.wires import SPDYClient, ends


class Lab:
    """A connection, its client, and the streams that were opened."""

    def __init__(self, *, welcome: bool = True, gives_room: bool = False) -> None:
        self.near, far = ends()
        self.client = SPDYClient(self.near, gives_room=gives_room)
        self.streams: asyncio.Queue[Stream] = asyncio.Queue()
        self.connection = SPDYConnection(far, self._joined)
        self.welcome = welcome
        self.task = asyncio.create_task(self.connection.run())

    def _joined(self, stream: Stream) -> bool:
        self.streams.put_nowait(stream)
        return self.welcome

    async def open(self, **headers: str) -> Stream:
        await self.client.open(**headers)
        return await self.streams.get()

    async def close(self) -> None:
        self.near.hang_up()
        await self.task


async def test_a_stream_carries_bytes_both_ways_to_two_ends() -> None:
    """Each direction ends by itself, as with TCP."""
    lab = Lab()
    stream = await lab.open(streamtype="data")
    await lab.client.write(1, b"question", final=True)

    asked = [await stream.read(), await stream.read()]
    await stream.write(b"answer")
    await stream.end()
    await stream.end()
    await lab.client.read_until(lambda: 1 in lab.client.ended)

    assert stream.headers == {"streamtype": "data"}
    assert asked == [b"question", b""]
    assert lab.client.has(frames.Replied(1))
    assert lab.client.got == {1: b"answer"}
    assert not stream.was_reset
    await lab.close()


async def test_a_ping_comes_back() -> None:
    """Clients see by it whether the connection stands; answers to ours are not answered."""
    lab = Lab()

    await lab.client.send(frames.ping_frame(2) + frames.ping_frame(3))
    await lab.client.read_until(lambda: lab.client.has(frames.Ping(3)))

    assert not lab.client.has(frames.Ping(2))
    await lab.close()


async def test_a_stream_that_is_not_welcome_is_refused() -> None:
    """The connection goes on."""
    lab = Lab(welcome=False)

    await lab.client.open(streamtype="odd")
    await lab.client.read_until(lambda: lab.client.has(frames.Reset(1, 3)))

    assert not lab.task.done()
    await lab.close()


async def test_data_of_no_stream_is_answered_with_a_reset() -> None:
    """And what crosses our end of a stream is dropped in silence."""
    lab = Lab()

    await lab.client.write(7, b"lost")
    await lab.client.read_until(lambda: lab.client.has(frames.Reset(7, 2)))

    assert not lab.task.done()
    await lab.close()


async def test_a_reset_ends_the_stream_and_no_other() -> None:
    """Its reader finds the end, its writer an error."""
    lab = Lab()
    first, second = await lab.open(), await lab.open()
    await lab.client.write(1, b"some")
    await lab.client.send(frames.reset_frame(1, 5))
    await lab.client.write(3, b"other")

    assert await second.read() == b"other"
    assert [await first.read(), await first.read()] == [b"some", b""]
    assert (first.was_reset, second.was_reset) == (True, False)
    with pytest.raises(TransportError):
        await first.write(b"more")
    await lab.close()


async def test_a_client_that_is_gone_ends_all_streams() -> None:
    """Tasks that wait to read or to write notice it."""
    lab = Lab()
    stream = await lab.open()
    reading = asyncio.create_task(stream.read())
    await asyncio.sleep(0)

    lab.near.hang_up()

    assert await reading == b""
    assert stream.was_reset
    await lab.connection.wait_gone()
    with pytest.raises(TransportError):
        await stream.write(b"more")
    await lab.close()


async def test_nonsense_ends_the_connection() -> None:
    """After one wrong frame nothing can be read any more, such as the headers."""
    lab = Lab()

    await lab.client.send(b"\x80\x02\0\x06\0\0\0\x04\0\0\0\1")
    await lab.client.read_until(lambda: lab.client.has(frames.GoAway(0, 1)))

    await lab.task
    await lab.close()


async def test_numbers_of_streams_only_grow() -> None:
    """A number that comes again is an attack or a fault."""
    lab = Lab()
    await lab.open()

    await lab.client.send(frames.FrameWriter().open(1, {}))
    await lab.client.read_until(lambda: lab.client.has(frames.GoAway(1, 1)))

    await lab.task
    await lab.close()


async def test_a_client_without_windows_is_not_waited_for() -> None:
    """That of Kubernetes never gives room: it would wait for ever."""
    lab = Lab()
    stream = await lab.open()
    size = 3 * WINDOW

    writing = asyncio.create_task(stream.write(b"x" * size))
    await lab.client.read_until(lambda: len(lab.client.got.get(1, b"")) == size)

    await writing
    await lab.close()


async def test_a_client_with_windows_gets_what_it_has_room_for() -> None:
    """One that says so with SETTINGS or WINDOW_UPDATE would end the connection otherwise."""
    lab = Lab()
    await lab.client.send(frames.settings_frame(10))
    stream = await lab.open()

    writing = asyncio.create_task(stream.write(b"x" * 25))
    await lab.client.read_until(lambda: len(lab.client.got.get(1, b"")) == 10)
    for _ in range(10):
        await asyncio.sleep(0)
    before = lab.client.got[1]
    await lab.client.send(frames.window_frame(1, 15))
    await lab.client.read_until(lambda: len(lab.client.got[1]) == 25)

    assert len(before) == 10
    await writing
    await lab.close()


async def test_all_streams_together_have_a_window_too() -> None:
    """That is what the .1 in SPDY/3.1 stands for."""
    lab = Lab(gives_room=True)
    await lab.client.send(frames.settings_frame(1 << 20))
    first, second = await lab.open(), await lab.open()

    writing = [asyncio.create_task(one.write(b"x" * 100_000)) for one in (first, second)]
    await lab.client.read_until(lambda: sum(map(len, lab.client.got.values())) == 200_000)

    await asyncio.wait(writing)
    await lab.close()


async def test_who_reads_gives_room() -> None:
    """A client that keeps to windows could send no more than 64 KiB otherwise."""
    lab = Lab()
    stream = await lab.open()

    await lab.client.write(1, b"x" * WINDOW)
    assert len(await stream.read()) == WINDOW
    await lab.client.read_until(lambda: lab.client.has(frames.WindowUpdate(0, WINDOW)))

    assert lab.client.has(frames.WindowUpdate(1, WINDOW))
    await lab.close()


async def test_a_slow_reader_stops_the_client_and_not_the_memory() -> None:
    """The connection is read no further while one stream is full."""
    lab = Lab()
    stream = await lab.open()
    total = 8 * 1024 * 1024

    async def upload() -> None:
        for _ in range(total // 65536):
            await lab.client.write(1, b"x" * 65536)
        await lab.client.write(1, b"", final=True)

    uploading = asyncio.create_task(upload())
    for _ in range(500):
        await asyncio.sleep(0)
    held = stream._size
    got = 0
    while data := await stream.read():
        got += len(data)

    assert BUFFER <= held < BUFFER + 2 * 65536
    assert got == total
    await uploading
    await lab.close()


async def test_all_streams_together_hold_no_more_than_a_bound() -> None:
    """A client could open thousands and fill each of them a little."""
    lab = Lab()
    streams = [await lab.open() for _ in range(40)]
    wanted = 40 * (BUFFER - 65536)

    async def upload() -> None:
        for number in range(40):
            for _ in range(BUFFER // 65536 - 1):
                await lab.client.write(2 * number + 1, b"x" * 65536)

    uploading = asyncio.create_task(upload())
    for _ in range(1000):
        await asyncio.sleep(0)
    held = sum(stream._size for stream in streams)
    got = 0
    while got < wanted:
        for stream in streams:
            if stream._size:
                got += len(await stream.read())
        await asyncio.sleep(0)

    assert TOTAL <= held < TOTAL + 2 * 65536
    assert got == wanted
    await uploading
    await lab.close()


async def test_a_stream_that_nobody_reads_any_more_blocks_no_other() -> None:
    """What still comes for it is thrown away."""
    lab = Lab()
    first, second = await lab.open(), await lab.open()
    await lab.client.write(1, b"x" * 65536)

    first.drop()
    for _ in range(3 * BUFFER // 65536):
        await lab.client.write(1, b"x" * 65536)
    await lab.client.write(3, b"here")

    assert await second.read() == b"here"
    assert (first._size, lab.connection._held) == (0, 0)
    await lab.close()


async def test_a_client_that_is_taken_for_gone_ends_all_streams() -> None:
    """Even while a full stream keeps us from reading, and so from seeing it."""
    lab = Lab()
    stream = await lab.open()
    uploading = asyncio.create_task(lab.client.write(1, b"x" * 2 * BUFFER))
    for _ in range(50):
        await asyncio.sleep(0)

    await lab.connection.ping()
    lab.connection.abandon()

    await lab.connection.wait_gone()
    assert stream.was_reset
    with pytest.raises(TransportError):
        await lab.connection.ping()
    await uploading
    await lab.close()
