"""Open a connection: name lookup, TCP, a proxy if there is one, TLS."""

import asyncio
import socket
import ssl
from typing import Any, TypeVar, cast

import msgspec

from kubewright._aio import Clock
from kubewright._http.endpoint import Endpoint, Limits, Route
from kubewright._http.errors import FOREIGN, is_name_mismatch, timeout_error, transport_error
from kubewright._http.tls import TLSTransport
from kubewright.errors import TransportError

P = TypeVar("P", bound=asyncio.BaseProtocol)

_KEEP_ALIVE = (
    ("TCP_KEEPIDLE", 30),
    ("TCP_KEEPINTVL", 15),
    ("TCP_KEEPCNT", 3),
    # Keep-alive does not run while sent data is unacknowledged. Linux would then retry for a
    # quarter of an hour; this limit is in milliseconds.
    ("TCP_USER_TIMEOUT", 75_000),
)
_SECOND_ADDRESS_AFTER = 0.25
_PROXY_HEAD_LIMIT = 1 << 16
_OK = 200
_INTERNET = frozenset({socket.AF_INET, socket.AF_INET6})


async def dial(route: Route, protocol: P, *, clock: Clock, limits: Limits, tried: str) -> P:
    """Connect *protocol* to the server at the end of *route*, and return it.

    Raises:
        TransportError: It cannot connect; the message begins with what was *tried*.
        TransportTimeoutError: A step took longer than *limits* allows.
    """
    dialer = _Dialer(route, clock, limits, tried=tried)
    transport = await dialer.connect()
    try:
        transport = await dialer.secure(transport, protocol)
    except BaseException:
        transport.abort()
        raise
    return protocol


class _Hop(asyncio.Protocol):
    """Holds a connection until its real protocol takes over; reads the answer of a proxy."""

    def __init__(self) -> None:
        self._received = b""
        self._answer: asyncio.Future[bytes] | None = None

    def data_received(self, data: bytes) -> None:
        self._received += data
        if b"\r\n\r\n" in self._received or len(self._received) > _PROXY_HEAD_LIMIT:
            self._settle()

    def connection_lost(self, exc: Exception | None) -> None:
        self._settle()

    def _settle(self) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(self._received)

    async def answer(self) -> bytes:
        """Wait for the head of the proxy's answer, or the part that arrived before the end."""
        self._answer = asyncio.get_running_loop().create_future()
        return await self._answer


class _Look(asyncio.Protocol):
    """Reads the certificate of a server, and disconnects."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        der = transport.get_extra_info("ssl_object").getpeercert(binary_form=True)
        from kubewright._http.certificate import alternative_names

        self.names = alternative_names(der or b"")
        cast("asyncio.Transport", transport).abort()


class _Dialer:
    """One attempt to connect; each method is one step of it."""

    def __init__(self, route: Route, clock: Clock, limits: Limits, *, tried: str) -> None:
        self._route = route
        self._clock = clock
        self._limits = limits
        self._tried = tried
        self._loop = asyncio.get_running_loop()
        self._first = route.proxy.endpoint if route.proxy else route.endpoint
        self._hop = _Hop()

    async def connect(self) -> asyncio.Transport:
        """Connect by TCP to the server, or to the proxy."""
        first = self._first
        try:
            async with self._clock.timeout(self._limits.connect):
                transport, _ = await self._loop.create_connection(
                    lambda: self._hop, first.host, first.port, **self._eyeballs(first.host)
                )
        except TimeoutError as error:
            if error.errno is not None:  # the kernel's own, ETIMEDOUT
                raise transport_error(error, self._tried, host=first.host_port) from error
            said = f"no connection to {first.host_port} within {self._limits.connect:g} s"
            raise timeout_error(self._tried, said) from error
        except FOREIGN as error:
            raise transport_error(error, self._tried, host=first.host_port) from error
        _tune(transport)
        return transport

    def _eyeballs(self, host: str) -> dict[str, Any]:
        """Return how to try the other addresses of a name while the first one is silent."""
        if _is_address(host) or not isinstance(self._loop, asyncio.BaseEventLoop):
            return {}  # uvloop does not have this option
        return {"happy_eyeballs_delay": _SECOND_ADDRESS_AFTER}

    async def secure(
        self, transport: asyncio.Transport, protocol: asyncio.BaseProtocol
    ) -> asyncio.Transport:
        """Set up the proxy tunnel and TLS where the route has them; then switch protocols."""
        route = self._route
        if route.proxy is not None and route.proxy.endpoint.secure:
            context = (route.proxy_context or route.context)()
            name = _name_of(route.proxy.endpoint)
            transport = await self._tls(transport, self._hop, context, name, route.proxy.endpoint)
        if not route.endpoint.secure:
            transport.set_protocol(protocol)
        else:
            if route.proxy is not None:
                await self._tunnel(transport, route.proxy.authorization)
            name = route.server_name or _name_of(route.endpoint)
            context = route.context()
            transport = await self._tls(transport, protocol, context, name, route.endpoint)
        if transport.is_closing():
            raise TransportError(f"cannot {self._tried}: the connection was closed at once")
        protocol.connection_made(transport)
        return transport

    async def _tls(
        self,
        transport: asyncio.Transport,
        protocol: asyncio.BaseProtocol,
        context: ssl.SSLContext,
        name: str,
        to: Endpoint,
    ) -> asyncio.Transport:
        try:
            async with self._clock.timeout(self._limits.handshake):
                secured = TLSTransport(protocol, context=context, server_hostname=_as_bytes(name))
                await secured.start(transport)
        except TimeoutError as error:
            said = f"no TLS handshake with {to.host_port} within {self._limits.handshake:g} s"
            raise timeout_error(self._tried, said) from error
        except FOREIGN as error:
            names: list[str] = []
            if is_name_mismatch(error) and to is self._route.endpoint:
                names = await self._names()
            raise transport_error(error, self._tried, host=to.host_port, names=names) from error
        return secured

    async def _names(self) -> list[str]:
        """Connect once more to see which names the certificate is for; empty if that fails too."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE  # nothing is sent; its names go into an error
        look = _Look()
        route = msgspec.structs.replace(self._route, context=lambda: context)
        try:
            await dial(route, look, clock=self._clock, limits=self._limits, tried=self._tried)
        except TransportError:
            return []
        return look.names

    async def _tunnel(self, transport: asyncio.Transport, authorization: str) -> None:
        """Ask the proxy for a tunnel to the server."""
        target = self._route.endpoint.host_port
        head = f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n"
        if authorization:
            head += f"Proxy-Authorization: {authorization}\r\n"
        transport.write(f"{head}\r\n".encode())
        try:
            async with self._clock.timeout(self._limits.connect):
                answer = await self._hop.answer()
        except TimeoutError as error:
            said = f"the proxy {self._first} opened no tunnel within {self._limits.connect:g} s"
            raise timeout_error(self._tried, said) from error
        self._check_tunnel(answer)

    def _check_tunnel(self, answer: bytes) -> None:
        line = answer.split(b"\r\n", 1)[0].decode("latin-1")
        words = line.split(" ", 2)
        if not words[0].startswith("HTTP/1.") or b"\r\n\r\n" not in answer:
            raise TransportError(
                f"cannot {self._tried}: the proxy {self._first} gave no answer in HTTP to CONNECT,"
                f" but {answer[:60]!r}. Check the proxy address."
            )
        if len(words) < 2 or words[1] != str(_OK):  # noqa: PLR2004  # a protocol and a status
            hint = "its user and password" if words[1:2] == ["407"] else "what the proxy allows"
            raise TransportError(
                f"cannot {self._tried}: the proxy {self._first} refused the tunnel ({line!r})."
                f" Check {hint}."
            )


def _name_of(endpoint: Endpoint) -> str:
    """Return the name to expect in the certificate: an IPv6 address without its zone."""
    return endpoint.host.partition("%")[0]


def _as_bytes(name: str) -> str | bytes:
    """Return *name* as bytes if it is plain ASCII; `ssl` accepts both.

    Text goes through the codec for international names, whose tables take half a megabyte.
    """
    return name.encode() if name.isascii() else name


def _is_address(host: str) -> bool:
    return ":" in host or host.replace(".", "").isdigit()


def _tune(transport: asyncio.Transport) -> None:
    """Send at once, and notice within 75 seconds when the other machine is gone.

    asyncio sets TCP_NODELAY itself. Without keep-alive a watch on a dead machine would wait for
    ever, since it never sends anything.
    """
    sock = transport.get_extra_info("socket")
    if sock is None or sock.family not in _INTERNET:
        return
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _KEEP_ALIVE:
        if hasattr(socket, name):  # macOS and Linux have different options
            sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def allow_stalls(transport: asyncio.Transport) -> None:
    """Let the other side stop reading for as long as it likes.

    After an upgrade the bytes go to a program in a container, which may be busy for an hour. A full
    buffer on its side looks to the kernel like data that is never acknowledged.
    """
    sock = transport.get_extra_info("socket")
    if sock is not None and hasattr(socket, "TCP_USER_TIMEOUT") and sock.family in _INTERNET:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 0)
