"""`HTTPServer`: listens, and keeps track of its connections."""

import asyncio
import errno
import socket
from types import TracebackType
from typing import Self

from kubewright._aio import Clock
from kubewright._serve.connection import ServerConnection
from kubewright._serve.intake import Intake
from kubewright._serve.limits import Limits
from kubewright._serve.listener import Listener, room
from kubewright._serve.messages import Handler
from kubewright._serve.refusals import Refusals
from kubewright._serve.tls import TLSSource
from kubewright._serve.wire import DateHeader
from kubewright.errors import ConfigError, LifecycleError
from kubewright.log.sparing import Sparing

_BACKLOG = 1024
_TOLD = 16  # how many clients beyond the limit get an answer; others are just closed
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  # what a user may have asked for


class HTTPServer:
    """Serves a `Handler` on a socket, from `start` to `stop`.

    Args:
        handler: Answers the requests.
        host: The address to listen on.
        port: The port; 0 for any free one.
        tls: The serving certificate; plain HTTP without it.
        clock: Measures time-outs.
        limits: What clients may use.
        refusals: The answers that the server gives without the handler.

    Example:
        async with HTTPServer(handler) as front:
            print(front.url)
    """

    def __init__(  # noqa: PLR0913  # each by keyword, with a default
        self,
        handler: Handler,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        tls: TLSSource | None = None,
        clock: Clock | None = None,
        limits: Limits = Limits(),  # noqa: B008  # frozen
        refusals: Refusals = Refusals(),  # noqa: B008  # has no state
    ) -> None:
        self.handler: Handler = handler
        self.limits: Limits = limits
        self.refusals: Refusals = refusals
        self.clock: Clock = clock or Clock()
        self.dates: DateHeader = DateHeader(self.clock)
        self.intake: Intake = Intake(limits.held)
        self.failures: Sparing = Sparing(self.clock)
        self._host = host
        self._port = port
        self._tls = tls
        self._listener: Listener | None = None
        self._draining = False
        self._room = room(limits.connections)
        self._connections: dict[ServerConnection, None] = {}  # oldest first
        self._empty = asyncio.Event()
        self._empty.set()

    @property
    def address(self) -> tuple[str, int]:
        """The host and port that the server listens on."""
        if self._listener is None:
            raise LifecycleError("the HTTP server does not listen: start it first")
        return self._host, self._port

    @property
    def url(self) -> str:
        """The address for clients on this machine, such as ``https://127.0.0.1:6443``."""
        host, port = self.address
        host = _EVERYWHERE.get(host, host)
        scheme = "http" if self._tls is None else "https"
        return f"{scheme}://{_authority(host, port)}"

    @property
    def connections(self) -> int:
        """How many clients are connected."""
        return len(self._connections)

    async def start(self) -> Self:
        """Start to listen.

        Raises:
            ConfigError: The address is taken, not on this machine, or invalid.
        """
        if self._listener is not None:
            raise LifecycleError("the HTTP server listens already")
        context = self._tls.context() if self._tls is not None else None
        listening = await self._bind()
        self._port = listening.getsockname()[1]
        self._draining = False
        self._listener = Listener(
            listening,
            lambda: ServerConnection(self),
            context=context,
            is_full=lambda arriving: len(self._connections) + arriving > self._room + _TOLD,
            handshakes=self.limits.handshakes,
            clock=self.clock,
        )
        return self

    def drain(self) -> None:
        """Go on to answer, but let every client know that its connection closes then.

        A client that keeps connections would else send a request while `stop` closes them, and take
        the missing answer for a failure. Call it some time before `stop`.
        """
        self._draining = True
        for connection in self._connections:
            connection.retire()

    async def stop(self, grace: float = 10.0) -> None:
        """Accept no more clients; give requests *grace* seconds to finish. Watches end at once."""
        listener, self._listener = self._listener, None
        if listener is None:
            return
        listener.close()
        for connection in list(self._connections):
            connection.end()
        try:
            async with self.clock.timeout(grace):
                await self._empty.wait()
        except TimeoutError:
            pass
        finally:
            for connection in list(self._connections):
                connection.abort()
        await self._empty.wait()
        await listener.wait_closed()

    async def __aenter__(self) -> Self:
        return await self.start()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop()

    # --- What connections call ---

    def add(self, connection: ServerConnection) -> bool:
        """Register a new connection; return False if there are too many."""
        self._connections[connection] = None
        self._empty.clear()
        if self._draining:
            connection.retire()
        if self._listener is None:
            connection.end()  # it was accepted while the server stopped
        over = len(self._connections) - self._room
        if over > _TOLD:
            connection.abort()
        return over <= 0 or self._make_room(connection)

    def _make_room(self, newest: ServerConnection) -> bool:
        """Close the oldest idle connection; return whether there was one."""
        if not self.limits.gives_way:
            return False
        idle = next((one for one in self._connections if one.is_idle and one is not newest), None)
        if idle is not None:
            idle.abort()
        return idle is not None

    def remove(self, connection: ServerConnection) -> None:
        """Forget a connection that has ended."""
        self._connections.pop(connection, None)
        if not self._connections:
            self._empty.set()

    # --- How it listens ---

    async def _bind(self) -> socket.socket:
        listener = None
        try:
            # Use one address only: two addresses of localhost would get two different free ports.
            found = await asyncio.get_running_loop().getaddrinfo(
                self._host, self._port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )
            family, kind, protocol, _, address = found[0]
            listener = socket.socket(family, kind, protocol)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(_BACKLOG)  # now, so that a port that is taken fails here and not later
        except (OSError, OverflowError, UnicodeError) as error:
            if listener is not None:
                listener.close()
            raise ConfigError(
                f"cannot listen on {_authority(self._host, self._port)}: {_problem(error)}"
            ) from error
        return listener


def _authority(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _problem(error: Exception) -> str:
    if not isinstance(error, OSError):
        return f"{error}."
    said = error.strerror or str(error)
    if isinstance(error, socket.gaierror):
        return f"{said}. Choose an address or a name of this machine."
    hints = {
        errno.EADDRINUSE: " Choose another port, or end the program that has this one.",
        errno.EACCES: " Ports below 1024 are not for every user; choose a higher one.",
        errno.EADDRNOTAVAIL: " Choose an address of this machine.",
    }
    return f"{said}.{hints.get(error.errno or 0, '')}"
