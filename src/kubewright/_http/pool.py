"""Connections to one server, kept and used again."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from threading import get_ident

from kubewright._aio import Clock, Timeout, Timer
from kubewright._http.connection import Answer, ClientConnection, Reading, load_parser
from kubewright._http.dial import dial
from kubewright._http.endpoint import Limits, Route
from kubewright._http.errors import timeout_error, transport_error
from kubewright.errors import LifecycleError, TransportError

Opened = tuple[ClientConnection, Answer]

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_WHOLE = Reading.WHOLE
_TRIM_AFTER = 1.0
_NEVER = float("inf")


class Slots:
    """A limited number of slots, and a first-in first-out queue of waiters.

    It does what `asyncio.Semaphore` does. But here the caller takes a free slot with a comparison
    and a subtraction, and most requests need nothing more.
    """

    __slots__ = ("_waiters", "free")

    def __init__(self, most: int | None) -> None:
        """Offer *most* slots; ``None`` is for no limit."""
        self.free: float = most or float("inf")  # above 0 only while no task waits
        self._waiters: deque[asyncio.Future[None]] = deque()

    async def wait(self) -> None:
        """Wait for a slot and take it."""
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        try:
            await waiter
        except BaseException:
            if waiter.cancelled():
                with suppress(ValueError):  # give_back has removed it already
                    self._waiters.remove(waiter)
            else:
                self.give_back()  # we had the slot when the task was cancelled
            raise

    def give_back(self) -> None:
        """Pass the slot to the longest waiting task, or make it free."""
        waiters = self._waiters
        while waiters:
            waiter = waiters.popleft()
            if not waiter.done():
                waiter.set_result(None)
                return
        self.free += 1


class Pool:
    """Sends requests to one server over as few connections as they need.

    The connection used last is used first, so that the others become idle and are closed when there
    is little to do. A stream owns its connection, and closes it at its end.
    """

    def __init__(self, route: Route, *, limits: Limits, clock: Clock, gzip: bool = False) -> None:
        self._route = route
        self._limits = limits
        self._clock = clock
        self._gzip = gzip  # whether requests accept gzip; if not, a compressed answer is refused
        self._idle: deque[ClientConnection] = deque()
        self._live: set[ClientConnection] = set()
        self._slots = Slots(limits.connections)
        self._rotations = 0
        self._sweeper: Timer | None = None
        self._sweep_at = _NEVER
        self._waits: set[Timeout] = set()
        self._closed = False
        self._gone = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = 0

    def __len__(self) -> int:
        """Return how many connections are open."""
        return len(self._live)

    @property
    def idle(self) -> int:
        """How many connections wait for a request."""
        return sum(not connection.closed for connection in self._idle)

    async def request(self, method: str, head: bytes, body: bytes, *, deadline: float) -> Answer:
        """Send a request and return the status, the headers and the whole body of the answer.

        Raises:
            TransportError: There is no answer, or only a part of one.
            TransportTimeoutError: The answer is not complete by the *deadline*.
        """
        slots = self._slots
        if slots.free > 0:
            slots.free -= 1
        else:
            async with self._until(deadline, method):
                await slots.wait()
        try:
            return await self._request(method, head, body, deadline)
        finally:
            slots.give_back()

    async def _request(self, method: str, head: bytes, body: bytes, deadline: float) -> Answer:
        connection = self._pop()
        if connection is not None:
            try:
                return await self._exchange(connection, method, head, body, deadline)
            except TransportError:
                if not _may_ask_again(connection, method):
                    raise
        connection = await self._dial(method, deadline)
        return await self._exchange(connection, method, head, body, deadline)

    async def open(
        self, method: str, head: bytes, body: bytes, *, deadline: float, upgrade: bool = False
    ) -> Opened:
        """Send a request and take the connection; the body arrives as a stream.

        Args:
            method: The method that *head* begins with.
            head: The request line and headers.
            body: What follows the head.
            deadline: The time on the clock by which the answer's headers must be there.
            upgrade: Whether the request asks to switch protocols, so that the server may.

        Returns:
            The answer and its connection, which the caller must abort in the end.
        """
        reading = Reading.UPGRADE if upgrade else Reading.STREAM
        # A watch after a list reuses the connection of the list.
        connection = None if upgrade else self._pop()
        if connection is not None:
            try:
                answer = await self._exchange(connection, method, head, body, deadline, reading)
            except TransportError:
                if not _may_ask_again(connection, method):
                    raise
            else:
                return connection, answer
        connection = await self._dial(method, deadline)
        answer = await self._exchange(connection, method, head, body, deadline, reading)
        return connection, answer

    async def _exchange(
        self,
        connection: ClientConnection,
        method: str,
        head: bytes,
        body: bytes,
        deadline: float,
        reading: Reading = _WHOLE,
    ) -> Answer:
        try:
            future = connection.exchange(method, head, body, deadline=deadline, reading=reading)
        except BaseException as error:
            connection.abort()
            if isinstance(error, (OSError, RuntimeError)):  # from a socket, or from the event loop
                raise self._error(error, method, lost=True) from error
            raise
        try:
            return await future
        except BaseException:
            if not future.done() or future.cancelled():
                connection.abort()
            elif future.exception() is None and reading is not _WHOLE:
                connection.abort()  # cancelled after the answer arrived: nobody reads it
            raise

    def _error(self, error: Exception, method: str, *, lost: bool) -> TransportError:
        host = self._route.endpoint.host_port
        return transport_error(error, f"{method} {self._route}", host=host, lost=lost)

    def _check_life(self) -> None:
        if self._closed:
            raise LifecycleError(
                f"cannot talk to {self._route}: the client was closed; make a new one"
            )
        if self._loop is None:
            self._loop, self._thread = asyncio.get_running_loop(), get_ident()
        # get_running_loop costs a system call. If our loop runs in this thread, we have it.
        elif self._thread == get_ident() and self._loop.is_running():
            return
        elif self._loop is asyncio.get_running_loop():
            self._thread = get_ident()
            self.retire()  # the buffers of its connections belong to the former thread
        else:
            raise LifecycleError(
                f"cannot talk to {self._route}: the client belongs to another event loop. Make it"
                " inside the coroutine that you give to asyncio.run"
            )

    def _pop(self) -> ClientConnection | None:
        self._check_life()
        idle = self._idle
        while idle:
            connection = idle.pop()
            if not connection.closed:
                return connection
        return None

    async def _dial(self, method: str, deadline: float) -> ClientConnection:
        self._check_life()
        try:
            load_parser()  # first, since a failure would leave a socket open
        except (OSError, ImportError) as error:
            raise self._error(error, method, lost=False) from error
        async with self._until(deadline, method):
            rotations = self._rotations
            connection = await self._dial_once(method)
            if self._rotations != rotations:
                # It may have used the former certificate. No request was sent on it yet.
                connection.abort()
                connection = await self._dial_once(method)
        return connection

    async def _dial_once(self, method: str) -> ClientConnection:
        connection = ClientConnection(
            self._route,
            self._limits,
            self._clock,
            release=self._release,
            forget=self._forget,
            gzip=self._gzip,
        )
        tried = f"{method} {self._route}"
        await dial(self._route, connection, clock=self._clock, limits=self._limits, tried=tried)
        self._live.add(connection)
        if connection.closed:  # the server sent data together with the end of its handshake
            connection.abort()
            raise TransportError(
                f"cannot {tried}: {self._route.endpoint.host_port} answered before it was asked,"
                " as a server does that refuses us. Look into its log, and try again."
            )
        return connection

    @asynccontextmanager
    async def _until(self, deadline: float, method: str) -> AsyncIterator[None]:
        """Bound a wait by *deadline*, and by the life of the pool."""
        bound = None if deadline == _NEVER else deadline - self._clock.monotonic()
        timeout = self._clock.timeout(bound)
        self._waits.add(timeout)
        try:
            async with timeout:
                yield
        except TimeoutError as error:
            if isinstance(error, TransportError):
                raise
            if self._closed:
                raise self._closed_error() from None
            tried = f"{method} {self._route}"
            said = f"no connection to {self._route.endpoint.host_port} in time"
            raise timeout_error(tried, said) from error
        finally:
            self._waits.discard(timeout)

    def _release(self, connection: ClientConnection) -> None:
        connection.idle_since = self._clock.monotonic()
        self._idle.append(connection)
        # Many answers can arrive in one loop iteration, before any caller takes a connection again.
        # If we closed those above the limit now, they would be opened again right away.
        if len(self._idle) > self._limits.idle_connections:
            self._sweep_in(_TRIM_AFTER)
        elif self._sweeper is None:
            self._sweep_in(self._limits.idle)

    def _sweep_in(self, seconds: float) -> None:
        at = self._clock.monotonic() + seconds
        if at >= self._sweep_at:
            return
        if self._sweeper is not None:
            self._sweeper.cancel()
        self._sweep_at = at
        self._sweeper = self._clock.call_later(seconds, self._sweep)

    def _sweep(self) -> None:
        """Close connections that are too old or too many, oldest first."""
        self._sweeper, self._sweep_at = None, _NEVER
        old = self._clock.monotonic() - self._limits.idle
        idle = self._idle
        while idle and (
            idle[0].closed or idle[0].idle_since <= old or len(idle) > self._limits.idle_connections
        ):
            idle.popleft().abort()
        if idle:
            self._sweep_in(max(_TRIM_AFTER, idle[0].idle_since - old))

    def _forget(self, connection: ClientConnection) -> None:
        self._live.discard(connection)
        if self._closed and not self._live:
            self._gone.set()

    def retire(self) -> None:
        """Stop reusing the current connections: they were opened with outdated credentials."""
        self._rotations += 1
        self._idle.clear()
        for connection in list(self._live):
            connection.retire()

    async def close(self) -> None:
        """Close every connection; current requests fail. Closing twice does no harm."""
        self._closed = True
        if self._loop is not None and self._loop is not asyncio.get_running_loop():
            # That loop has ended, or runs in another thread: we cannot close its sockets from here,
            # and waiting for them would never end.
            self._idle.clear()
            self._live.clear()
            return
        if self._sweeper is not None:
            self._sweeper.cancel()
            self._sweeper = None
        self._idle.clear()
        for timeout in list(self._waits):
            timeout.expire()
        for connection in list(self._live):
            connection.fail(self._closed_error())
        if self._live:
            await self._gone.wait()

    def _closed_error(self) -> TransportError:
        return TransportError(f"cannot talk to {self._route}: the transport was closed")


def _may_ask_again(connection: ClientConnection, method: str) -> bool:
    """Tell whether to send a request again after a kept connection was closed.

    The server closed it while our request was on its way. It may have executed a write; repeating a
    read does no harm.
    """
    return connection.stale and method in _SAFE
