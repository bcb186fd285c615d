"""Port-forward over SPDY: for each connection two streams, one of bytes and one for an error."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from kubewright._aio import Clock, TaskSet
from kubewright._serve.messages import Duplex
from kubewright.embedded.kubelet.options import LARGEST_PORT
from kubewright.embedded.kubelet.probe import wait_until_gone
from kubewright.embedded.kubelet.spdy.connection import SPDYConnection, Stream
from kubewright.embedded.kubelet.spdy.error import CANCEL
from kubewright.embedded.node.access import BROKEN, PodConnection
from kubewright.errors import TransportError

_PAIRING = 30.0  # seconds between the two streams of a pair; the kubelet's number


class _Pair:
    """The two streams of one forwarded connection, as they arrive."""

    def __init__(self) -> None:
        self.data: Stream | None = None
        self.error: Stream | None = None
        self.complete = asyncio.Event()

    def put(self, kind: str, stream: Stream) -> bool:
        """Keep *stream*; return False if there is one of its kind already."""
        if kind not in {"data", "error"} or getattr(self, kind) is not None:
            return False
        setattr(self, kind, stream)
        if self.data is not None and self.error is not None:
            self.complete.set()
        return True


class SPDYForwarder:
    """Serves one client, with any number of connections, until it is gone."""

    def __init__(
        self,
        duplex: Duplex,
        connect: Callable[[int], Awaitable[PodConnection]],
        *,
        clock: Clock,
    ) -> None:
        self._connection = SPDYConnection(duplex, self._admit)
        self._connect = connect
        self._clock = clock
        self._pairs: dict[str, _Pair] = {}
        self._tasks: TaskSet | None = None

    async def run(self) -> None:
        """Serve until the client is gone."""
        async with TaskSet() as self._tasks:
            self._tasks.start(self._probe(), name="pings")
            await self._connection.run()

    async def _probe(self) -> None:
        await wait_until_gone(self._connection.ping, self._clock)
        self._connection.abandon()

    def _admit(self, stream: Stream) -> bool:
        kind = stream.headers.get("streamtype", "")
        port = stream.headers.get("port", "")
        if not port.isdecimal() or not 0 < int(port) <= LARGEST_PORT:
            return False
        # Old clients send no request id: their error stream comes just before the data stream.
        first = stream.number if kind == "error" else stream.number - 2
        request = stream.headers.get("requestid", "") or f"stream {first}"
        pair = self._pairs.get(request)
        if pair is None:
            pair = self._pairs[request] = _Pair()
            assert self._tasks is not None
            self._tasks.start(self._serve(request, pair, int(port)), name=f"port {port}")
        return pair.put(kind, stream)

    async def _serve(self, request: str, pair: _Pair, port: int) -> None:
        with suppress(TransportError):  # the client is gone, or has lost interest
            try:
                async with self._clock.timeout(_PAIRING):
                    await pair.complete.wait()
            except TimeoutError:
                await self._give_up(pair)
            else:
                assert pair.data is not None
                assert pair.error is not None
                await self._forward(pair.data, pair.error, port)
            finally:
                self._pairs.pop(request, None)

    async def _give_up(self, pair: _Pair) -> None:
        for stream in (pair.data, pair.error):
            if stream is not None:
                await stream.reset(CANCEL)

    async def _forward(self, data: Stream, error: Stream, port: int) -> None:
        try:
            pod = await self._connect(port)
        except BROKEN as problem:
            await error.write(f"error forwarding port {port}: {problem}".encode())
            await error.end()
            data.drop()
            await data.reset(CANCEL)
            return
        try:
            await copy_both_ways(data, pod)
        finally:
            data.drop()  # the client may still send, which must not block its other streams
            await pod.close()
        # Old clients wait for this before they close their local connection.
        with suppress(TransportError):
            await data.end()
        await error.end()


async def copy_both_ways(data: Stream, pod: PodConnection) -> None:
    """Copy until the pod has sent everything, or one side breaks the connection.

    A client that has ended its side still gets the rest of the answer. Once the pod has ended its
    side we are done: no client of this protocol sends more after that.
    """
    async with TaskSet() as tasks:
        up = tasks.start(_upload(data, pod))
        down = tasks.start(_download(data, pod))
        await asyncio.wait({up, down}, return_when=asyncio.FIRST_COMPLETED)
        if not down.done() and up.result():
            await asyncio.wait({down})


async def _upload(data: Stream, pod: PodConnection) -> bool:
    """Copy to the pod; return whether that ended well, so that the answer is worth waiting for."""
    try:
        while piece := await data.read():
            await pod.write(piece)
        if data.was_reset:
            return False
        await pod.end()
    except BROKEN:
        # The other direction shows why, after all that the pod has sent before.
        return not data.was_reset
    return True


async def _download(data: Stream, pod: PodConnection) -> None:
    try:
        while piece := await pod.read():
            await data.write(piece)
    except BROKEN:
        with suppress(TransportError):
            await data.reset(CANCEL)  # the data is not complete
