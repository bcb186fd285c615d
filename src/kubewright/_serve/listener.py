"""Accepts clients within the limit of file descriptors.

asyncio's own server does not show a client before its TLS handshake is done, logs a thousand
errors a second when descriptors run out, and keeps 256 kB for each TLS connection.
"""

import asyncio
import resource
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from kubewright._aio import Clock, Timer
from kubewright._http.tls import TLSTransport
from kubewright.log import get_logger
from kubewright.log.sparing import Sparing

if TYPE_CHECKING:
    import ssl

_log = get_logger(__name__)

_AT_ONCE = 64  # clients accepted in one turn of the loop
_PAUSE = 1.0
_HANDSHAKE_TIMEOUT = 15.0
_NOT_TLS = (  # as Go's servers say it
    b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n"
)


def room(wanted: int) -> int:
    """Return how many clients fit: *wanted*, or three quarters of our file descriptors.

    The rest is for our own files, processes and connections.
    """
    descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return wanted if descriptors == resource.RLIM_INFINITY else min(wanted, descriptors * 3 // 4)


class Listener:
    """Gives each client that connects to *listening* a protocol of its own.

    Args:
        listening: A bound socket that listens.
        made: Makes the protocol.
        context: The TLS settings; plain HTTP without them.
        is_full: Tells whether that many handshakes are too many; the oldest one is then dropped.
        handshakes: How many clients may be in their handshake.
        clock: Measures pauses.
    """

    def __init__(
        self,
        listening: socket.socket,
        made: Callable[[], asyncio.Protocol],
        *,
        context: "ssl.SSLContext | None",
        is_full: Callable[[int], bool],
        handshakes: int,
        clock: Clock,
    ) -> None:
        self._socket = listening
        self._made = made
        self._context = context
        self._is_full = is_full
        self._handshakes = handshakes
        self._clock = clock
        self._arriving: dict[asyncio.Task[None], socket.socket] = {}  # oldest first
        self._leaving: set[asyncio.Task[None]] = set()
        self._timer: Timer | None = None
        self._sparing = Sparing(clock, most=1)
        listening.setblocking(False)
        self._listen()

    def close(self) -> None:
        """Accept no more clients, and drop those still in their handshake."""
        if self._timer is not None:
            self._timer.cancel()
        asyncio.get_running_loop().remove_reader(self._socket)
        self._socket.close()
        while self._arriving:
            self._drop_oldest()

    async def wait_closed(self) -> None:
        """Wait until the dropped clients are gone."""
        while self._leaving:
            await asyncio.wait(self._leaving)

    def _listen(self) -> None:
        self._timer = None
        asyncio.get_running_loop().add_reader(self._socket, self._accept)

    def _accept(self) -> None:
        for _ in range(_AT_ONCE):
            try:
                client, _ = self._socket.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                self._pause(error)
                return
            client.setblocking(False)
            if self._context is not None:
                self._make_room()
            task = asyncio.get_running_loop().create_task(self._greet(client))
            self._arriving[task] = client
            task.add_done_callback(self._on_arrival)

    def _pause(self, error: OSError) -> None:
        """Stop accepting for a moment: most likely the process has no descriptors left."""
        asyncio.get_running_loop().remove_reader(self._socket)
        self._timer = self._clock.call_later(_PAUSE, self._listen)
        hint = "raise the limit of open files (ulimit -n), or connect fewer clients"
        if (dropped := self._sparing.admit()) is not None:
            _log.warning("cannot accept clients", error=str(error), hint=hint, **dropped)

    def _make_room(self) -> None:
        arriving = len(self._arriving)
        if arriving and (arriving >= self._handshakes or self._is_full(arriving + 1)):
            self._drop_oldest()  # an honest client is done with its handshake within milliseconds

    def _drop_oldest(self) -> None:
        """Drop the client whose handshake began first."""
        task = next(iter(self._arriving))
        client = self._arriving.pop(task)
        self._leaving.add(task)
        with suppress(OSError):  # it may be gone already
            client.shutdown(socket.SHUT_RDWR)

    def _on_arrival(self, task: "asyncio.Task[None]") -> None:
        self._arriving.pop(task, None)
        self._leaving.discard(task)

    async def _greet(self, client: socket.socket) -> None:
        with suppress(OSError):  # it disconnected, or we share no version of TLS
            if self._context is None:
                await asyncio.get_running_loop().connect_accepted_socket(self._made, client)
            else:
                await self._secure(client, self._context)

    async def _secure(self, client: socket.socket, context: "ssl.SSLContext") -> None:
        protocol = self._made()
        secured = TLSTransport(protocol, context=context)
        below, _ = await asyncio.get_running_loop().connect_accepted_socket(lambda: secured, client)
        try:
            async with self._clock.timeout(_HANDSHAKE_TIMEOUT):
                await secured.handshake()
        except BaseException as error:
            if getattr(error, "reason", None) == "HTTP_REQUEST":
                below.write(_NOT_TLS)
            below.abort()
            raise
        if not secured.is_closing():
            protocol.connection_made(secured)
            secured.begin()
