"""Commands in containers: exec and attach, whatever protocol the client speaks."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Protocol

from kubewright._aio import Clock, TaskSet
from kubewright._serve.messages import Answer, Duplex, Headers, Response
from kubewright.embedded.kubelet.options import RemoteOptions
from kubewright.embedded.kubelet.probe import wait_until_gone
from kubewright.embedded.kubelet.remote_status import RemoteStatus, exited, refused, success
from kubewright.embedded.kubelet.spdy.streams import open_streams
from kubewright.embedded.kubelet.upgrade import agree
from kubewright.embedded.kubelet.websocket.connection import WebSocket
from kubewright.embedded.kubelet.websocket.streams import WebSocketStreams
from kubewright.embedded.node.access import AccessError, Command, OutputStream
from kubewright.errors import TransportError

WEBSOCKETS: tuple[str, ...] = (
    "v5.channel.k8s.io", "v4.channel.k8s.io", "v4.base64.channel.k8s.io", "channel.k8s.io",
    "base64.channel.k8s.io", "",
)  # fmt: skip
"""The protocols that we speak over websockets; an empty one for clients that name none."""

SPDY: tuple[str, ...] = (
    "v4.channel.k8s.io", "v3.channel.k8s.io", "v2.channel.k8s.io", "channel.k8s.io",
)  # fmt: skip

_GOODBYE = 2.0  # seconds that a client has to close the connection after the end
_CREATION = 30.0  # seconds that a client has to open its streams; the kubelet's number


class RemoteStreams(Protocol):
    """The streams between a client and a command."""

    async def serve_input(self, command: Command) -> None:
        """Pass what the client sends on to *command*, until the client is gone."""
        ...

    async def write(self, stream: OutputStream, data: bytes) -> None:
        """Send what the command wrote, if the client wants it.

        Raises:
            TransportError: The client is gone.
        """
        ...

    async def ping(self) -> None:
        """Send a ping.

        Raises:
            TransportError: The client is gone.
        """
        ...

    async def finish(self, status: RemoteStatus) -> None:
        """Send how the command ended, and end all streams."""
        ...

    async def wait_gone(self) -> None:
        """Return once the client is gone."""
        ...


def answer(
    headers: Headers,
    options: RemoteOptions,
    start: Callable[[], Awaitable[Command]],
    *,
    clock: Clock,
) -> Answer:
    """Answer a request to run a command, or to attach to one.

    Args:
        headers: Those of the request.
        options: The options of the request.
        start: Starts the command, once the client has opened its streams.
        clock: Where time-outs come from.

    Raises:
        AccessError: The request is invalid.
    """
    options.check()
    agreed = agree(headers, websockets=WEBSOCKETS, spdy=SPDY)
    if isinstance(agreed, Response):
        return agreed
    protocol = agreed.protocol

    async def talk_websocket(duplex: Duplex) -> None:
        streams = WebSocketStreams(WebSocket(duplex), protocol, options)
        with suppress(TransportError):  # the client may be gone by now
            await streams.greet()
            await _serve(start, streams, options.command, clock)

    async def talk_spdy(duplex: Duplex) -> None:
        async with open_streams(duplex, protocol, options) as streams:
            if await _wait_open(streams.wait_open(), clock):
                await _serve(start, streams, options.command, clock)

    return agreed.upgrade(talk_websocket if agreed.carrier == "websocket" else talk_spdy)


async def _wait_open(opening: Awaitable[bool], clock: Clock) -> bool:
    try:
        async with clock.timeout(_CREATION):
            return await opening
    except TimeoutError:
        return False


async def _serve(
    start: Callable[[], Awaitable[Command]],
    streams: RemoteStreams,
    words: Sequence[str],
    clock: Clock,
) -> None:
    """Run a command until it ends or the client is gone."""
    try:
        status = await _run(start, streams, words, clock)
        if status is not None:
            await streams.finish(status)
    except TransportError:
        return  # the client is gone, and nobody else waits for the command
    if status is not None:
        await _linger(streams, clock)


async def _run(
    start: Callable[[], Awaitable[Command]],
    streams: RemoteStreams,
    words: Sequence[str],
    clock: Clock,
) -> RemoteStatus | None:
    """Return how the command ended; ``None`` if the client left before."""
    try:
        command = await start()
    except AccessError as error:
        return refused(error)
    try:
        async with TaskSet() as tasks:
            feeding = tasks.start(streams.serve_input(command), name="input of a command")
            draining = tasks.start(_drain(command, streams, words), name="output of a command")
            probing = tasks.start(wait_until_gone(streams.ping, clock), name="pings")
            await asyncio.wait({feeding, draining, probing}, return_when=asyncio.FIRST_COMPLETED)
            return draining.result() if draining.done() else None
    finally:
        await command.close()


async def _drain(
    command: Command, streams: RemoteStreams, words: Sequence[str]
) -> RemoteStatus | None:
    output = command.output()
    try:
        async for stream, data in output:
            await streams.write(stream, data)
        code = await command.wait()
    except TransportError:
        return None
    except AccessError as error:
        return refused(error)
    finally:
        if (close := getattr(output, "aclose", None)) is not None:
            await close()
    return exited(words, code) if words else success()  # attach does not report an exit code


async def _linger(streams: RemoteStreams, clock: Clock) -> None:
    """Let the client close first: if it sends after our close, it may lose our last message."""
    try:
        async with clock.timeout(_GOODBYE):
            await streams.wait_gone()
    except TimeoutError:
        pass
