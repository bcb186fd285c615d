"""The transport for real servers: HTTP/1.1 over TCP and TLS."""

import re
import ssl
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Self, TypeVar

import msgspec

from kubewright._aio import Clock
from kubewright._http.connection import Answer
from kubewright._http.duplex import RawConnection
from kubewright._http.endpoint import Limits, Route, endpoint_of, proxy_of
from kubewright._http.pool import Opened, Pool
from kubewright._http.stream import BodyStream
from kubewright.api.requests import Request
from kubewright.client.redaction import redacted_repr
from kubewright.client.transport import (
    Credentials,
    Duplex,
    Headers,
    Response,
    Stream,
    TLSProvider,
)
from kubewright.errors import ConfigError, TransportError, TransportTimeoutError

if TYPE_CHECKING:
    import ssl

    from kubewright.client.config import Config

T = TypeVar("T")

_NEVER = float("inf")
_UNAUTHORIZED = 401
_BAD_REQUEST = 400
_LOOK_AT_TLS_AFTER = 60.0
_PLAIN_TO_TLS = b"Client sent an HTTP request to an HTTPS server"
_WITH_BODY = frozenset({"POST", "PUT", "PATCH"})
_KNOWN_FORMATS = 64

_is_method = re.compile(r"[A-Z]+").fullmatch
_is_target = re.compile(r"/[!-~]*").fullmatch
_is_name = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+").fullmatch
_is_value = re.compile(r"[\t\x20-\x7e\x80-\xff]*").fullmatch


class HTTPStream:
    """A body that arrives piece by piece; see `Stream`."""

    __slots__ = ("_body", "headers", "status")

    def __init__(self, status: int, headers: Headers, body: BodyStream) -> None:
        self.status: int = status
        self.headers: Headers = headers
        self._body = body

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._body

    async def read_chunks(self) -> Sequence[bytes]:
        """Wait for chunks and return all that have arrived; empty at the end."""
        return await self._body.read()


class HTTPDuplex:
    """A connection after its upgrade, or the answer that refused it; see `Duplex`."""

    __slots__ = ("_body", "headers", "status")

    def __init__(self, status: int, headers: Headers, body: RawConnection | BodyStream) -> None:
        self.status: int = status
        self.headers: Headers = headers
        self._body = body

    async def read(self) -> bytes:
        """Wait for bytes and return all that have arrived; empty at the end of the stream."""
        if isinstance(self._body, RawConnection):
            return await self._body.read()
        return await anext(self._body, b"")

    async def write(self, data: bytes) -> None:
        """Send *data*; waits while the other side is slow to read."""
        if not isinstance(self._body, RawConnection):
            raise TransportError(
                f"cannot write: the server did not switch protocols but answered {self.status}"
            )
        await self._body.write(data)


class HTTPOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Settings for all requests of a transport.

    Attributes:
        user_agent: Our name in the server's logs.
        headers: Sent with every request, such as those of impersonation.
        proxy: The URL of an HTTP proxy; ``None`` to connect directly.
        proxy_context: TLS for a proxy at ``https://``; the server's by default.
        gzip: Whether to ask for compressed answers; worth it only on slow networks.
        timeout: Seconds that a request may take by default.
        limits: Bounds on times and sizes.
    """

    user_agent: str = "kubewright"
    headers: Headers = ()
    proxy: str | None = None
    proxy_context: "Callable[[], ssl.SSLContext] | None" = None
    gzip: bool = False
    timeout: float | None = None
    limits: Limits = Limits()

    def __repr__(self) -> str:
        return redacted_repr(self, secret=("headers",), urls=("proxy",))

    def __rich_repr__(self) -> list[tuple[str, str]]:
        return [("", repr(self))]


class HTTPTransport:
    """Sends requests to the API server at one address; a `Transport`.

    Use it as ``async with HTTPTransport(url) as transport:``, or call `close` in the end.
    """

    def __init__(
        self,
        url: str,
        options: HTTPOptions | None = None,
        *,
        tls: TLSProvider | None = None,
        credentials: Credentials | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Make a transport; nothing is opened before the first request.

        Args:
            url: The address of the server, with the path that all requests begin with, if any.
            options: The settings for all requests.
            tls: How to trust the server; this machine's by default.
            credentials: The credentials; anonymous by default.
            clock: The source of time.

        Raises:
            ConfigError: An address or a header is invalid.
        """
        self._options = options or HTTPOptions()
        self._clock = clock or Clock()
        self._tls = tls
        self._endpoint, self._path = endpoint_of(url)
        proxy = proxy_of(self._options.proxy) if self._options.proxy else None
        self._route = Route(
            self._endpoint,
            self._context,
            tls.server_name if tls else None,
            proxy,
            self._options.proxy_context,
        )
        self._pool = Pool(
            self._route,
            limits=self._options.limits,
            clock=self._clock,
            gzip=self._options.gzip,
        )
        self._default_context: ssl.SSLContext | None = None
        self._look_at_tls = self._clock.monotonic() + _LOOK_AT_TLS_AFTER
        if tls is not None:
            tls.on_rotation(self._pool.retire)
        static = credentials.static if credentials is not None else ()
        self._renewable = credentials if static is None else None
        self._static = static or ()
        # With a plain-text proxy the request line names the whole URL; otherwise the path alone.
        self._before = f"{self._endpoint}" if proxy and not self._endpoint.secure else ""
        self._after = f" HTTP/1.1\r\n{_lines(self._fixed_headers())}"
        self._formats: dict[tuple[str, str], str] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        """Send *request* and return the whole answer."""
        used, deadline = self._static, self._deadline(timeout)
        if self._renewable is not None:
            used, deadline = await self._ask(self._renewable.headers(), timeout, deadline)
        method, body = request.method, request.body
        head = self._head(request, used)
        answer = await self._pool.request(method, head, body, deadline=deadline)
        if answer[0] == _UNAUTHORIZED and self._renewable is not None:
            renewed, deadline = await self._ask(self._renew(used), timeout, deadline)
            if renewed is not None:
                head = self._head(request, renewed)
                answer = await self._pool.request(method, head, body, deadline=deadline)
        elif answer[0] == _BAD_REQUEST:
            self._check_scheme(answer)
        return Response(*answer)

    @asynccontextmanager
    async def stream(
        self,
        request: Request,
        *,
        timeout: float | None = None,
    ) -> AsyncIterator[Stream]:
        """Send *request* and keep its connection; *timeout* bounds the wait for the headers."""
        connection, answer = await self._open(request, timeout)
        try:
            yield HTTPStream(*answer)
        finally:
            connection.abort()

    @asynccontextmanager
    async def upgrade(
        self,
        request: Request,
        *,
        timeout: float | None = None,
    ) -> AsyncIterator[Duplex]:
        """Send *request*, which asks to switch protocols; *timeout* bounds the wait for an answer.

        ``Authorization`` and the other fixed headers are added as to any request. The request
        itself must bring ``Connection: Upgrade`` and ``Upgrade``.
        """
        connection, answer = await self._open(request, timeout, upgrade=True)
        try:
            yield HTTPDuplex(*answer)
        finally:
            connection.abort()

    async def close(self) -> None:
        """Close every connection; current requests fail with `TransportError`."""
        await self._pool.close()

    # --- How a request is sent ---

    async def _open(
        self, request: Request, seconds: float | None, *, upgrade: bool = False
    ) -> Opened:
        used, deadline = self._static, self._deadline(seconds)
        if self._renewable is not None:
            used, deadline = await self._ask(self._renewable.headers(), seconds, deadline)
        method, body = request.method, request.body
        head = self._head(request, used)
        opened = await self._pool.open(method, head, body, deadline=deadline, upgrade=upgrade)
        if opened[1][0] != _UNAUTHORIZED:
            return opened
        try:
            renewed, deadline = await self._ask(self._renew(used), seconds, deadline)
        except BaseException:
            opened[0].abort()
            raise
        if renewed is None:
            return opened
        opened[0].abort()
        head = self._head(request, renewed)
        return await self._pool.open(method, head, body, deadline=deadline, upgrade=upgrade)

    async def _ask(
        self, credentials: Coroutine[Any, Any, T], seconds: float | None, deadline: float
    ) -> tuple[T, float]:
        """Wait for *credentials*; return them, and until when the request has time."""
        if getattr(self._renewable, "interactive", False):
            # A login by a person may take longer than a request, whose time starts after it.
            return await credentials, self._deadline(seconds)
        if deadline == _NEVER:
            return await credentials, deadline
        try:
            async with self._clock.timeout(deadline - self._clock.monotonic()):
                return await credentials, deadline
        except TimeoutError as error:
            if isinstance(error, TransportError):
                raise
            raise TransportTimeoutError(
                f"cannot talk to {self._route}: no credentials came in time. Look what the plugin"
                " that gives them waits for."
            ) from None

    async def _renew(self, used: Headers) -> Headers | None:
        """Return other credentials after a 401, or ``None`` if there are none."""
        if self._renewable is None or not await self._renewable.rejected(used):
            return None
        if self._tls is not None:
            self._tls.context()  # the client certificate may be new; see `on_rotation`
        return await self._renewable.headers()

    def _deadline(self, seconds: float | None) -> float:
        now = self._clock.monotonic()
        if now >= self._look_at_tls:
            self._look_at_tls = now + _LOOK_AT_TLS_AFTER
            if self._tls is not None:
                # Kept connections need no context, so a rotation would never be noticed.
                self._tls.context()
        if seconds is None:
            seconds = self._options.timeout
        return _NEVER if seconds is None else now + seconds

    def _check_scheme(self, answer: Answer) -> None:
        if not self._endpoint.secure and answer[2].startswith(_PLAIN_TO_TLS):
            raise TransportError(
                f"cannot talk to {self._route}: {self._endpoint.host_port} speaks TLS. Use an"
                " address that begins with https://"
            )

    def _context(self) -> "ssl.SSLContext":
        context = self._tls.context() if self._tls is not None else None
        if context is not None:
            return context
        if self._default_context is None:
            self._default_context = ssl.create_default_context()
        return self._default_context

    # --- What a request looks like ---

    def _fixed_headers(self) -> Headers:
        options = self._options
        fixed = [("Host", self._endpoint.authority), ("User-Agent", options.user_agent)]
        if self._before and self._route.proxy is not None and self._route.proxy.authorization:
            fixed.append(("Proxy-Authorization", self._route.proxy.authorization))
        if options.gzip:
            fixed.append(("Accept-Encoding", "gzip"))
        return (*fixed, *options.headers, *self._static)

    def _head(self, request: Request, credentials: Headers) -> bytes:
        """Return the request line and the headers, with the empty line after them."""
        target, size = request.target, len(request.body)
        if not _is_target(target) or not _is_method(request.method):
            raise ValueError(
                f"cannot send {request.method!r} {target!r}: a target begins with '/' and is"
                " percent-encoded, a method is a word in capitals"
            )
        formats = self._formats.get((request.accept, request.content_type))
        if formats is None:
            formats = self._add_format(request.accept, request.content_type)
        head = f"{request.method} {self._before}{self._path}{target}{self._after}{formats}"
        if self._renewable is not None:
            head += _lines(credentials)
        if request.headers:
            head += _lines(request.headers)
        if size or request.method in _WITH_BODY:
            head += f"Content-Length: {size}\r\n"
        return f"{head}\r\n".encode("latin-1")

    def _add_format(self, accept: str, content_type: str) -> str:
        pairs = (("Accept", accept), ("Content-Type", content_type))
        lines = _lines(tuple(pair for pair in pairs if pair[1]))
        if len(self._formats) < _KNOWN_FORMATS:
            self._formats[accept, content_type] = lines
        return lines


def transport_for(config: "Config", *, clock: Clock | None = None) -> HTTPTransport:
    """Return a transport to the server that *config* names; nothing is sent yet.

    Raises:
        ConfigError: The configuration cannot be used; the message says which entry and why.
    """
    clock = clock or Clock()
    connection = config.connection(clock)
    return HTTPTransport(
        connection.url,
        HTTPOptions(
            user_agent=connection.user_agent,
            proxy=connection.proxy,
            limits=Limits(connections=config.connections or None),
        ),
        credentials=connection.credentials,
        tls=connection.tls,
        clock=clock,
    )


def _lines(headers: Headers) -> str:
    """Return *headers* as lines; nothing in them may end a line."""
    for name, value in headers:
        if not _is_name(name) or not _is_value(value):
            shown = f"the header {name!r}" if _is_name(name) else f"{name!r} as a header"
            raise ConfigError(
                f"cannot send {shown}: names are words, values are one line of Latin-1 text"
            )
    return "".join([f"{name}: {value}\r\n" for name, value in headers])
