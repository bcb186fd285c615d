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
    """A number of slots, and a queue of those who wait for one, served in their order.

    It does what `asyncio.Semaphore` does. But here a free slot is taken by a comparison and a
    subtraction in the caller, which is all that most requests ever see of it.
    """

    __slots__ = ("_waiters", "free")

    def __init__(self, most: int | None) -> None:
        """Offer *most* slots; without a number, as many as anyone wants."""
        self.free: float = most or float("inf")  # above 0 only while nobody waits
        self._waiters: deque[asyncio.Future[None]] = deque()

    async def wait(self) -> None:
        """Take a slot once it is our turn."""
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        try:
            await waiter
        except BaseException:
            if waiter.cancelled():
                with suppress(ValueError):  # it was passed over in the same moment
                    self._waiters.remove(waiter)
            else:
                self.give_back()  # it was ours already when somebody cancelled us
            raise

    def give_back(self) -> None:
        """Pass a slot on to whoever waits longest, or keep it for the next who comes."""
        waiters = self._waiters
        while waiters:
            waiter = waiters.popleft()
            if not waiter.done():
                waiter.set_result(None)
                return
        self.free += 1


class Pool:
    """Sends requests to one server over as few connections as they need.

    The connection used last is used first, so that a calm time lets the others grow old. A stream
    keeps its connection for itself, and closes it in the end.
    """

    def __init__(self, route: Route, *, limits: Limits, clock: Clock, gzip: bool = False) -> None:
        self._route = route
        self._limits = limits
        self._clock = clock
        self._gzip = gzip  # whether the requests ask for it; an answer in it is refused if not
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
            TransportError: No answer, or half of one.
            TransportTimeoutError: No whole answer before the *deadline*.
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
            deadline: When the clock shows this, the headers of the answer are late.
            upgrade: Whether the request asks to switch protocols, so that the server may.

        Returns:
            The answer and its connection, which the caller must abort in the end.
        """
        reading = Reading.UPGRADE if upgrade else Reading.STREAM
        # The watch after a list goes on with the connection of the list.
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
            if isinstance(error, (OSError, RuntimeError)):  # a socket's, or the event loop's
                raise self._error(error, method, lost=True) from error
            raise
        try:
            return await future
        except BaseException:
            if not future.done() or future.cancelled():
                connection.abort()
            elif future.exception() is None and reading is not _WHOLE:
                connection.abort()  # cancelled between the answer and our turn: nobody reads it
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
        # To ask for the loop of this thread takes a system call. If ours runs here, it is that one.
        elif self._thread == get_ident() and self._loop.is_running():
            return
        elif self._loop is asyncio.get_running_loop():
            self._thread = get_ident()
            self.retire()  # the buffers of its connections belong to the thread of before
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
            load_parser()  # before there is a socket that its failure would leave open
        except (OSError, ImportError) as error:
            raise self._error(error, method, lost=False) from error
        async with self._until(deadline, method):
            rotations = self._rotations
            connection = await self._dial_once(method)
            if self._rotations != rotations:
                # It may have shown the certificate of before. Nothing was asked on it yet.
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
        if connection.closed:  # it spoke before it was asked, and with the end of its handshake
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
        # Many answers can arrive in one pass of the loop, before anyone takes a connection again.
        # Closing those above the limit at once would open them again in the same moment.
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
        """Close what is too old or too much, oldest first."""
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
        """Have no connection of now used again: they speak for an identity of yesterday."""
        self._rotations += 1
        self._idle.clear()
        for connection in list(self._live):
            connection.retire()

    async def close(self) -> None:
        """Close every connection; requests under way fail. Closing twice does no harm."""
        self._closed = True
        if self._loop is not None and self._loop is not asyncio.get_running_loop():
            # That loop is over, or runs in another thread: its sockets cannot be closed from here,
            # and nobody would ever report them gone.
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
    """Say whether to ask once more after the end of a kept connection.

    The server closed it while our request was on its way. A write may have been carried out;
    reading once more harms nobody.
    """
    return connection.stale and method in _SAFE
