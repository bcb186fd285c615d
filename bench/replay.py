"""The replay server: HTTPS with keep-alive, from memory, cheap enough never to be the bottleneck.

It is a process of its own, so that its CPU time is not the client's. It prints its port when it is
ready, and ends when its standard input does (so it never outlives who started it) or after
``--minutes``.
"""

import argparse
import asyncio
import gc
import ssl
import sys
from collections.abc import AsyncIterator, Coroutine
from pathlib import Path
from typing import cast

import httptools

from bench.data import pods
from bench.playback import Playback


class Connection(asyncio.Protocol):
    """One client: reads requests, writes what the playback answers, waits when it cannot."""

    def __init__(self, playback: Playback) -> None:
        self._playback = playback
        self._target = b""
        self._accept = b""
        self._sending: asyncio.Task[None] | None = None
        self._writable = asyncio.Event()
        self._writable.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start reading requests."""
        # Not asserted: the TLS transport of uvloop is not one of asyncio's classes.
        self._transport = cast("asyncio.Transport", transport)
        self._parser = httptools.HttpRequestParser(self)

    def data_received(self, data: bytes) -> None:
        """Feed the parser; what is not HTTP ends the connection."""
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError:
            self._transport.abort()

    def on_url(self, url: bytes) -> None:
        """Collect the target; it can arrive in pieces."""
        self._target += url

    def on_header(self, name: bytes, value: bytes) -> None:
        """Note what the client would like to read."""
        if name.lower() == b"accept":
            self._accept = value

    def on_message_complete(self) -> None:
        """Answer the request."""
        target, self._target = self._target.decode(), b""
        method = self._parser.get_method().decode()
        answer = self._playback.answer(method, target, self._accept)
        if isinstance(answer, bytes):
            self._transport.write(answer)
        else:
            self._sending = asyncio.get_running_loop().create_task(self._send(answer))

    async def _send(self, pieces: AsyncIterator[bytes]) -> None:
        async for piece in pieces:
            self._transport.write(piece)
            await self._writable.wait()

    def pause_writing(self) -> None:
        """Hold back: the client reads slower than we write."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """Go on."""
        self._writable.set()

    def connection_lost(self, error: Exception | None) -> None:
        """Stop sending to nobody."""
        if self._sending is not None:
            self._sending.cancel()


async def serve(playback: Playback, certificate: Path, *, minutes: float) -> None:
    """Serve until standard input ends, or *minutes* are over."""
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(playback), "127.0.0.1", 0, ssl=tls)
    print(server.sockets[0].getsockname()[1], flush=True)
    try:
        async with asyncio.timeout(minutes * 60):
            await _end_of_input(loop)
    except TimeoutError:
        print(f"the replay server ends after {minutes:g} minutes", file=sys.stderr)


async def _end_of_input(loop: asyncio.AbstractEventLoop) -> None:
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    await reader.read()


def main() -> None:
    """Make the pods and serve them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--certificate", type=Path, required=True)
    parser.add_argument("--pods", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--delay", type=float, default=1.5)
    parser.add_argument("--burst", type=int, default=0, help="changes at a time; 0 for all")
    parser.add_argument("--pause", type=float, default=0.05, help="seconds between two bursts")
    parser.add_argument("--small", action="store_true", help="pods of 1.6 kB instead of 6.8")
    parser.add_argument("--go-peer", type=Path, help="the Go program, to speak protobuf as well")
    parser.add_argument("--minutes", type=float, default=120)
    options = parser.parse_args()
    playback = Playback(
        pods(options.pods, small=options.small),
        rounds=options.rounds,
        delay=options.delay,
        burst=options.burst,
        pause=options.pause,
        go_peer=options.go_peer,
    )
    gc.freeze()  # the pods never die; no collection need look at them
    _run(serve(playback, options.certificate, minutes=options.minutes))


def _run(main: Coroutine[None, None, None]) -> None:
    try:
        import uvloop
    except ImportError:
        asyncio.run(main)
    else:
        uvloop.run(main)


if __name__ == "__main__":
    main()
