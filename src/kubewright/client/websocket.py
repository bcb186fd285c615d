"""A WebSocket over any `Transport`, for exec, attach and port-forward.

The handshake is made of ordinary headers, so that credentials, proxies and TLS are those of every
other request. The frames are left to the ``websockets`` library, which does no I/O for us.
"""

import asyncio
import base64
import hashlib
import secrets
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import TYPE_CHECKING, Self, cast

import msgspec

from kubewright._aio import Clock
from kubewright.api.requests import Request
from kubewright.client.rest import RESTClient
from kubewright.client.transport import Duplex, Headers
from kubewright.errors import Attempt, ConfigError, ForbiddenError, TransportError

if TYPE_CHECKING:
    from websockets.frames import Frame
    from websockets.protocol import Protocol

MAX_MESSAGE = 4 * 1024 * 1024
"""Servers send 32 KiB at a time; a message beyond this is an accident or an attack."""

_KEEPALIVE = 30.0  # seconds; load balancers drop a connection that is silent for a minute
_GOODBYE = 2.0  # seconds that the other side has to answer our close
_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # fixed by RFC 6455
_NORMAL, _NO_CODE = 1000, 1005
_FIRST_CONTROL = 8  # opcodes from here on are pings, pongs and closes


class UpgradeForbiddenError(ForbiddenError):
    """RBAC refused a websocket; the message contains the missing rule, with both verbs."""

    def _verbs(self) -> list[str]:
        """An upgrade is a ``get``, and since Kubernetes 1.35 a ``create``, too."""
        return ['"create"', '"get"']


@asynccontextmanager
async def open_websocket(
    rest: RESTClient,
    request: Request,
    *,
    subprotocols: Sequence[str],
    max_message: int = MAX_MESSAGE,
    keepalive: float = _KEEPALIVE,
) -> "AsyncIterator[WebSocket]":
    """Open a websocket at *request*, and close it with the block.

    Args:
        rest: What sends the request.
        request: A GET; the headers of the handshake are added here.
        subprotocols: The protocols that we support, the best first.
        max_message: A longer message ends the connection.
        keepalive: Seconds of silence after which we send a ping.

    Raises:
        ConfigError: The ``websockets`` library is not installed.
        APIError: The server refused.
        TransportError: There was no answer, or it did not open a websocket.
    """
    protocol = _new_protocol(request.attempt, max_message)
    key = base64.b64encode(secrets.token_bytes(16)).decode()
    async with AsyncExitStack() as stack:
        try:
            duplex = await stack.enter_async_context(
                rest.upgrade(_handshake(request, key, subprotocols))
            )
        except ForbiddenError as error:
            raise UpgradeForbiddenError(error.attempt, error.status, error.retry_after) from None
        chosen = _check_answer(duplex.headers, key, subprotocols, request.attempt)
        yield await stack.enter_async_context(
            WebSocket(
                duplex,
                protocol,
                attempt=request.attempt,
                subprotocol=chosen,
                clock=rest.clock,
                keepalive=keepalive,
            )
        )


class WebSocket:
    """Messages both ways, from the handshake to the close.

    One task may receive while others send. Nothing is read before `receive` is called, so a slow
    receiver slows the server down instead of filling the memory. Every method may be cancelled: a
    message is sent whole or not at all, and none that has arrived is lost.

    Attributes:
        subprotocol: The protocol that the server chose.
        attempt: What the websocket is for.
    """

    def __init__(
        self,
        duplex: Duplex,
        protocol: "Protocol",
        *,
        attempt: Attempt,
        subprotocol: str,
        clock: Clock,
        keepalive: float = _KEEPALIVE,
    ) -> None:
        self.subprotocol = subprotocol
        self.attempt = attempt
        self._duplex = duplex
        self._protocol = protocol
        self._clock = clock
        self._keepalive = keepalive
        self._receiving = False
        self._messages: deque[bytes] = deque()
        self._fragments: list[bytes] = []
        self._to_write = asyncio.Event()
        self._written = asyncio.Event()
        self._lost: TransportError | None = None
        self._writer: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._writer = asyncio.create_task(self._write(), name=f"websocket: {self.attempt}")
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *exc: object) -> None:
        assert self._writer is not None
        try:
            if kind is None:
                await self._say_goodbye()
        finally:
            self._writer.cancel()
            await asyncio.wait([self._writer])

    async def receive(self) -> bytes | None:
        """Wait for the next message, text or binary; ``None`` when the server said goodbye.

        Raises:
            TransportError: The connection broke, or the server closed it because of a failure.
        """
        while not self._messages:
            if self._is_over():
                self._check_end()
                return None
            self._feed(await self._read())
        return self._messages.popleft()

    async def send(self, data: bytes) -> None:
        """Send *data* as one binary message; waits while the server is slow to read.

        Raises:
            TransportError: The connection is closed.
        """
        if not self._is_open():
            raise self._lost or self._problem("the websocket is closed")
        self._protocol.send_binary(data)
        await self._flush()

    # --- Incoming ---

    async def _read(self) -> bytes:
        self._receiving = True
        try:
            return await self._duplex.read()
        except TransportError as error:
            raise self._problem(f"the connection broke: {error}") from error
        finally:
            self._receiving = False

    def _feed(self, data: bytes) -> None:
        if data:
            self._protocol.receive_data(data)
        else:
            self._protocol.receive_eof()
        for frame in self._protocol.events_received():
            self._take(cast("Frame", frame))  # the handshake, which has other events, is over
        self._to_write.set()  # a pong or the answer to a close may be due

    def _take(self, frame: "Frame") -> None:
        if frame.opcode >= _FIRST_CONTROL:
            return
        self._fragments.append(bytes(frame.data))
        if frame.fin:
            self._messages.append(b"".join(self._fragments))
            self._fragments.clear()

    def _is_open(self) -> bool:
        return self._protocol.state.name == "OPEN" and self._lost is None

    def _is_over(self) -> bool:
        return self._protocol.close_rcvd is not None or self._protocol.parser_exc is not None

    def _check_end(self) -> None:
        said, broken = self._protocol.close_rcvd, self._protocol.parser_exc
        if isinstance(broken, EOFError):
            raise self._problem("the connection ended without a goodbye") from broken
        if broken is not None:
            raise self._problem(f"the server broke the websocket protocol: {broken}") from broken
        assert said is not None
        if said.code not in {_NORMAL, _NO_CODE}:
            reason = f": {said.reason}" if said.reason else ""
            raise self._problem(f"the server closed the websocket with code {said.code}{reason}")

    def _problem(self, what: str) -> TransportError:
        return TransportError(f"cannot {self.attempt}: {what}", lost=True)

    # --- Outgoing ---

    async def _flush(self) -> None:
        assert self._writer is not None
        self._written.clear()
        self._to_write.set()
        if not self._writer.done():
            await self._written.wait()
        if self._lost is not None:
            raise self._lost

    async def _write(self) -> None:
        """Write frames in a separate task: cancelling a sender must not cut a frame."""
        try:
            while True:
                await self._wait_for_work()
                data = b"".join(self._protocol.data_to_send())
                if data:
                    await self._duplex.write(data)
                if not self._to_write.is_set():
                    self._written.set()
        except TransportError as error:
            self._lost = error
        finally:
            self._written.set()

    async def _wait_for_work(self) -> None:
        try:
            async with self._clock.timeout(self._keepalive):
                await self._to_write.wait()
        except TimeoutError:
            if self._is_open():
                self._protocol.send_ping(b"")
        self._to_write.clear()

    async def _say_goodbye(self) -> None:
        if self._is_open():
            self._protocol.send_close(_NORMAL)
        with suppress(TransportError, TimeoutError):
            async with self._clock.timeout(_GOODBYE):
                await self._flush()
                # If another task is receiving, it gets the answer.
                while not self._receiving and await self.receive() is not None:
                    pass


def _new_protocol(attempt: Attempt, max_message: int) -> "Protocol":
    try:
        from websockets.protocol import Protocol, Side
    except ImportError as error:
        raise ConfigError(
            f"cannot {attempt}: the websockets library is not installed."
            " Run `pip install kubewright[exec]`."
        ) from error
    protocol = Protocol(Side.CLIENT, max_size=max_message)
    protocol.debug = False  # it would log the data, which may be secret
    return protocol


def _handshake(request: Request, key: str, subprotocols: Sequence[str]) -> Request:
    return msgspec.structs.replace(
        request,
        headers=(
            *request.headers,
            ("Connection", "Upgrade"),
            ("Upgrade", "websocket"),
            ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Key", key),
            ("Sec-WebSocket-Protocol", ", ".join(subprotocols)),
        ),
    )


def accept_for(key: str) -> str:
    """Return the answer of a websocket server to *key*."""
    digest = hashlib.sha1(f"{key}{_GUID}".encode(), usedforsecurity=False).digest()
    return base64.b64encode(digest).decode()


def _check_answer(headers: Headers, key: str, offered: Sequence[str], attempt: Attempt) -> str:
    """Return the chosen subprotocol, or raise if the server did not accept the websocket."""
    said = {name: value.strip() for name, value in headers}
    chosen = said.get("sec-websocket-protocol", "")
    problem = ""
    if said.get("upgrade", "").lower() != "websocket":
        problem = f"it switched to {said.get('upgrade')!r}, not to a websocket"
    elif said.get("sec-websocket-accept") != accept_for(key):
        problem = "its Sec-WebSocket-Accept does not fit our key, as if from a cache or a proxy"
    elif said.get("sec-websocket-extensions"):
        problem = "it wants websocket extensions that we did not offer"
    elif chosen not in offered:
        problem = f"it chose {chosen or 'no'} protocol, and we speak {' and '.join(offered)}"
    if problem:
        raise TransportError(f"cannot {attempt}: the server answered the handshake, but {problem}")
    return chosen
