"""Accepts clients, and stays within the descriptors that the process may have.

asyncio's own way of accepting knows nothing of a client before its TLS handshake is done, and logs
a thousand errors a second when descriptors run out.
"""

import asyncio
import resource
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from kubewright._aio import Clock, Timer
from kubewright.log import get_logger
from kubewright.log.sparing import Sparing

if TYPE_CHECKING:
    import ssl

_log = get_logger(__name__)

_AT_ONCE = 64  # clients in one turn of the loop
_PAUSE = 1.0
_HANDSHAKE_TIMEOUT = 15.0
_SHUTDOWN_TIMEOUT = 1.0


def room(wanted: int) -> int:
    """Return how many clients there can be: *wanted*, or three quarters of our descriptors.

    The rest is for files, processes and connections of our own.
    """
    descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return wanted if descriptors == resource.RLIM_INFINITY else min(wanted, descriptors * 3 // 4)


class Listener:
    """Gives each client that connects to *listening* a protocol of its own.

    Args:
        listening: A bound socket that listens.
        made: Makes the protocol.
        context: How to shake hands; plain without.
        is_full: Tells whether so many at their handshakes are too many; the one that has been at
            it for longest gives way then.
        handshakes: How many clients may be at their handshake.
        clock: Where pauses come from.
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
        self._arriving: dict[asyncio.Task[None], socket.socket] = {}  # the first came first
        self._leaving: set[asyncio.Task[None]] = set()
        self._timer: Timer | None = None
        self._sparing = Sparing(clock, most=1)
        listening.setblocking(False)
        self._listen()

    def close(self) -> None:
        """Take no more clients, and let go of those that have not arrived yet."""
        if self._timer is not None:
            self._timer.cancel()
        asyncio.get_running_loop().remove_reader(self._socket)
        self._socket.close()
        while self._arriving:
            self._send_away()

    async def wait_closed(self) -> None:
        """Wait for those that were let go."""
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
            task.add_done_callback(self._arrived)

    def _pause(self, error: OSError) -> None:
        """Leave clients waiting for a moment: most likely we have no descriptors left."""
        asyncio.get_running_loop().remove_reader(self._socket)
        self._timer = self._clock.call_later(_PAUSE, self._listen)
        hint = "raise the limit of open files (ulimit -n), or connect fewer clients"
        if (dropped := self._sparing.admit()) is not None:
            _log.warning("cannot accept clients", error=str(error), hint=hint, **dropped)

    def _make_room(self) -> None:
        arriving = len(self._arriving)
        if arriving and (arriving >= self._handshakes or self._is_full(arriving + 1)):
            self._send_away()  # whoever means it has shaken hands within milliseconds

    def _send_away(self) -> None:
        """Let go of the client that has been arriving for longest."""
        task = next(iter(self._arriving))
        client = self._arriving.pop(task)
        self._leaving.add(task)
        with suppress(OSError):  # it may be gone by itself
            client.shutdown(socket.SHUT_RDWR)

    def _arrived(self, task: "asyncio.Task[None]") -> None:
        self._arriving.pop(task, None)
        self._leaving.discard(task)

    async def _greet(self, client: socket.socket) -> None:
        timeouts = (_HANDSHAKE_TIMEOUT, _SHUTDOWN_TIMEOUT) if self._context else (None, None)
        with suppress(OSError):  # it went away, or speaks no TLS that we do
            await asyncio.get_running_loop().connect_accepted_socket(
                self._made,
                client,
                ssl=self._context,
                ssl_handshake_timeout=timeouts[0],
                ssl_shutdown_timeout=timeouts[1],
            )
