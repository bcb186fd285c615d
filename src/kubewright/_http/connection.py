"""One HTTP/1.1 connection: an asyncio protocol around httptools' parser.

The code that runs for each request is written for speed: the callbacks of the parser do as little
as they can, and one timer serves a connection for all its requests.
"""

import asyncio
import enum
from collections.abc import Callable
from typing import Any, cast

from kubewright._aio import FENCE, Clock, Fence, Timer
from kubewright._http.buffers import BUFFERS
from kubewright._http.dial import allow_stalls
from kubewright._http.door import Door
from kubewright._http.duplex import Handover, RawConnection
from kubewright._http.endpoint import Limits, Route
from kubewright._http.errors import timeout_error, transport_error
from kubewright._http.stream import BodyStream, Gunzip
from kubewright._http.tls import TLSTransport
from kubewright.errors import NotLeadingError, TransportError

Headers = tuple[tuple[str, str], ...]
Body = bytes | BodyStream | RawConnection
Answer = tuple[int, Headers, Any]  # the third is a Body; which one depends on the Reading

_SWITCHING = 101
_FIRST_FINAL = 200
_NEVER = float("inf")
_NAMES: dict[bytes, str] = {}
_NAMES_KEPT = 256
_TLS_RECORDS = (b"\x15\x03", b"\x16\x03")


class Reading(enum.Enum):
    """How the caller wants to read the answer."""

    WHOLE = "whole"
    STREAM = "stream"
    UPGRADE = "upgrade"  # as a stream, or as bytes both ways if the server switches protocols


_WHOLE = Reading.WHOLE  # looking up an enum member is slow, and each request needs it


class ClientConnection(asyncio.BufferedProtocol):
    """Sends one request at a time and reads its answer.

    `exchange` starts a request and returns a future of its answer. After a future is cancelled, its
    connection must be aborted: the rest of the old answer would be taken for the next one.
    """

    __slots__ = (
        "_body", "_buffer", "_clock", "_deadline", "_door", "_feed", "_forget", "_gzip", "_headers",
        "_heading", "_limits", "_lost", "_method", "_new_future", "_parser", "_reading",
        "_release", "_retired", "_route", "_started", "_stream", "_timer", "_timer_at",
        "_transport", "_upgraded", "_used", "_waiter", "_wire", "closed", "idle_since", "on_body",
        "stale",
    )  # fmt: skip

    def __init__(
        self,
        route: Route,
        limits: Limits,
        clock: Clock,
        *,
        release: "Callable[[ClientConnection], None]",
        forget: "Callable[[ClientConnection], None]",
        gzip: bool = False,
    ) -> None:
        """Make a connection; `asyncio.loop.create_connection` opens it.

        Args:
            route: The way to the server.
            limits: Bounds on sizes and times.
            clock: The source of time.
            release: Called when the connection can be used again.
            forget: Called when the connection is closed.
            gzip: Whether answers may be compressed.
        """
        self._route = route
        self._buffer = BUFFERS.plain
        self._limits = limits
        self._clock = clock
        self._release = release
        self._forget = forget
        self._gzip = gzip
        # With TLS 1.2 a server can send, or close, before connection_made is called.
        self._transport: asyncio.Transport | None = None
        self._lost = False
        self._door: Door | None = None  # set once a request was behind a fence
        self._parser: Any = None  # httptools' parser; set whenever it calls back
        self._feed: Callable[[memoryview], None] = _ignore
        self._new_future: Callable[[], asyncio.Future[Answer]]
        self._waiter: asyncio.Future[Answer] | None = None
        self._method = ""
        self._reading = _WHOLE
        self._headers: list[tuple[str, str]] = []
        self._heading = True
        self._wire = 0
        self._body: list[bytes] = []
        self.on_body = self._body.append  # the parser calls list.append directly
        self._stream: BodyStream | None = None
        self._upgraded: RawConnection | None = None
        self._started = False
        self._used = False
        self._retired = False
        self._deadline = _NEVER
        self._timer: Timer | None = None
        self._timer_at = _NEVER
        self.closed = False
        self.idle_since = 0.0
        self.stale = False  # the server closed a kept connection instead of answering

    # --- What the pool calls ---

    def exchange(
        self,
        method: str,
        head: bytes,
        body: bytes,
        *,
        deadline: float,
        reading: Reading = _WHOLE,
    ) -> "asyncio.Future[Answer]":
        """Send a request; the future brings the status, the headers and the body.

        Args:
            method: The method that *head* begins with.
            head: The request line and headers, with the empty line.
            body: What follows the head.
            deadline: The time on the clock by which the answer must be there.
            reading: Whether to wait for the whole body. If not, the future is done with the
                headers, and the body is a `BodyStream`, or a `RawConnection` after an upgrade.

        Raises:
            NotLeadingError: The caller is behind a fence that has closed; nothing was sent.
        """
        fence = FENCE.get()
        if fence is not None or self._door is not None:
            self._set_fence(fence)
        transport = self._transport
        assert transport is not None
        if self._parser is None:
            self._new_parser()
        self._method = method
        self._reading = reading
        self._headers = []
        self._heading = True
        self._wire = 0
        self._started = False
        self._waiter = waiter = self._new_future()
        self._deadline = deadline
        if deadline < self._timer_at:
            self._arm(deadline)
        if len(body) <= 65536:  # noqa: PLR2004  # one small copy costs less than a second write
            transport.write(head + body if body else head)
        else:
            transport.write(head)
            transport.write(body)
        return waiter

    def _set_fence(self, fence: Fence | None) -> None:
        """Check *fence* before each system call that sends, from now on."""
        if self._door is None:
            assert self._transport is not None
            above, bottom = None, self._transport
            while isinstance(bottom, TLSTransport):
                above, bottom = bottom, bottom.below
            self._door = Door(bottom, self.fail)
            if above is None:
                self._transport = self._door
            else:
                above.below = self._door
        self._door.fence = fence

    def abort(self) -> None:
        """Close the socket at once."""
        self.closed = True
        # Not after connection_lost: asyncio's own transport fails then, if it was closed cleanly.
        if self._transport is not None and not self._lost:
            self._transport.abort()

    def retire(self) -> None:
        """Finish the current request and start no other; a stream ends now."""
        self._retired = True
        if self._stream is not None:
            self.fail(self._broken(None))  # some streams take a mere close for their regular end
        elif self._waiter is None:
            self.abort()

    def fail(self, error: TransportError | NotLeadingError) -> None:
        """Fail the current request with *error*, and close the connection."""
        waiter, self._waiter = self._waiter, None
        self._deadline = _NEVER
        if waiter is not None and not waiter.done():
            waiter.set_exception(error)
        if self._stream is not None:
            self._stream.fail(error)
        self.abort()

    # --- What asyncio calls ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is not a subclass

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        if self._waiter is None and self._stream is None:
            self.abort()  # the server sent something without a request, such as a 408
            return
        try:
            self._feed(self._buffer[:nbytes])
        except Exception as error:  # noqa: BLE001  # httptools' errors share no base of their own
            self._handle_parser_error(error, bytes(self._buffer[:nbytes]))
        if self._stream is not None:
            self._stream.count(nbytes)
        elif self._waiter is not None:
            self._check_limits(nbytes)
        elif self._body:
            self.abort()  # a body where none is allowed, as after HEAD

    def _check_limits(self, size: int) -> None:
        self._wire += size
        limit = self._limits.head if self._heading else self._limits.body
        if limit is None or self._wire <= limit:
            return
        if self._heading:
            self.fail(self._problem(f"its headers are larger than {limit} bytes"))
        elif self._received() > limit:  # exact, so counted only when it may matter
            self.fail(self._too_large(limit))

    def eof_received(self) -> bool:
        self.closed = True
        if self._waiter is not None or self._stream is not None:
            self._handle_end(None)
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed = self._lost = True
        if self._door is not None:
            self._door.forget()
        if self._timer is not None:
            self._timer.cancel()
        if self._upgraded is not None:
            self._upgraded.connection_lost(exc)
        elif self._waiter is not None or self._stream is not None:
            self._handle_end(exc)
        # The parser holds our callbacks: a cycle that only the garbage collector would free.
        self._parser, self._feed = None, _ignore
        self._forget(self)

    # --- What the parser calls ---

    def on_message_begin(self) -> None:
        self._started = True
        if self._waiter is None:
            self.abort()  # more bytes after a complete answer would be mistaken for the next one

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._heading:  # trailers are ignored
            known = _NAMES.get(name) or _lowered(name)
            self._headers.append((known, value.decode("latin-1")))

    def on_headers_complete(self) -> None:
        status = self._parser.get_status_code()
        if status < _FIRST_FINAL and status != _SWITCHING:
            return
        self._heading = False
        if status == _SWITCHING and not self._may_switch():
            self.fail(self._problem("it switched protocols without being asked to"))
            return
        if self._reading is not _WHOLE:
            self._open_stream(status)
        elif self._method == "HEAD":
            self._complete(status)
            self._parser = None  # it waits for a body that never comes

    def _may_switch(self) -> bool:
        return self._reading is Reading.UPGRADE and bool(self._parser.should_upgrade())

    def on_message_complete(self) -> None:
        if self._heading:  # a 1xx: the real answer comes after it
            self._headers = []
        elif self._stream is not None:
            self._close_stream()
        elif self._waiter is not None:
            self._complete(self._parser.get_status_code())

    # --- How an answer ends ---

    def _complete(self, status: int) -> None:
        waiter, self._waiter = self._waiter, None
        self._deadline = _NEVER
        assert waiter is not None
        if waiter.done() or self._retired or not self._reusable():
            self.abort()
        else:
            self._used = True
            self._release(self)
        chunks = self._body
        body = chunks[0] if len(chunks) == 1 else b"".join(chunks)
        chunks.clear()
        if not waiter.done():
            self._settle(waiter, status, body)

    def _settle(self, waiter: "asyncio.Future[Answer]", status: int, body: bytes) -> None:
        headers = self._headers
        if self._limits.body is not None and len(body) > self._limits.body:
            waiter.set_exception(self._too_large(self._limits.body))
            return
        for name, value in headers:
            if name == "content-encoding" and body and _is_gzip(value):
                try:
                    body = self._gunzipped(body)
                except TransportError as error:
                    waiter.set_exception(error)
                    return
        waiter.set_result((status, tuple(headers), body))

    def _gunzipped(self, body: bytes) -> bytes:
        decoder = self._gunzip(self._limits.body)
        body = decoder.feed(body)
        decoder.finish()
        return body

    def _gunzip(self, limit: int | None = None) -> Gunzip:
        # A megabyte of gzip can be a gigabyte of zeros: refuse it unless we asked for gzip.
        if not self._gzip:
            raise self._problem(
                "its body is gzip, which it was not asked for. Look for a proxy on the way that"
                " compresses"
            )
        return Gunzip(self._problem, limit)

    def _reusable(self) -> bool:
        # The server answered before we sent the whole request, and will not read the rest.
        return (
            not self.closed
            and self._parser.should_keep_alive()
            and self._transport is not None
            and self._transport.get_write_buffer_size() == 0
        )

    def _open_stream(self, status: int) -> None:
        waiter, self._waiter = self._waiter, None
        self._deadline = _NEVER
        if waiter is None or waiter.done():
            self.abort()
            return
        try:
            body = self._raw() if status == _SWITCHING else self._body_stream()
            if self._retired:
                raise self._broken(None)  # it would run for hours with outdated credentials
        except TransportError as error:
            waiter.set_exception(error)
            self.abort()
        else:
            waiter.set_result((status, tuple(self._headers), body))

    def _raw(self) -> RawConnection:
        assert self._transport is not None
        allow_stalls(self._transport)
        buffer = self._limits.stream_buffer
        self._upgraded = RawConnection(tried=self._tried(), host=self._host(), buffer=buffer)
        self._upgraded.connection_made(self._transport)
        return self._upgraded

    def _body_stream(self) -> BodyStream:
        assert self._transport is not None
        coded = any(n == "content-encoding" and _is_gzip(v) for n, v in self._headers)
        decode = self._gunzip() if coded else None
        full = self._limits.stream_buffer
        self._stream = BodyStream(self._transport, self._body, full=full, decode=decode)
        if self._method == "HEAD":
            self._close_stream()
        return self._stream

    def _close_stream(self) -> None:
        if self._stream is not None:
            self._stream.finish()
        self.abort()

    def _handle_parser_error(self, error: Exception, data: bytes) -> None:
        if self._upgraded is not None and self._transport is not None:
            self._transport.set_protocol(Handover(self._upgraded, self))
            rest = data[error.args[0] :]
            if rest:
                self._upgraded.data_received(rest)
        elif data[:2] in _TLS_RECORDS and not self._headers:
            self.fail(self._problem("it speaks TLS. Use an address that begins with https://"))
        else:
            self.fail(self._error(error))

    def _handle_end(self, exc: Exception | None) -> None:
        """Decide what the end of the connection means for the current answer."""
        if self._heading:
            self.fail(self._no_answer(exc))
        elif exc is None and self._ends_with_connection():
            if self._stream is not None:
                self._close_stream()
            else:
                self.closed = True
                self._complete(self._parser.get_status_code())
        else:
            self.fail(self._broken(exc))

    def _no_answer(self, exc: Exception | None) -> TransportError:
        if exc is None:
            exc = ConnectionResetError("in the middle of the headers" if self._started else "EOF")
        self.stale = self._used and not self._started
        return self._error(exc, lost=True)

    def _broken(self, exc: Exception | None) -> TransportError:
        size = self._stream.received if self._stream is not None else self._received()
        what = "stream" if self._stream is not None else "answer"
        reason = f" ({exc})" if exc is not None and str(exc) else ""
        return TransportError(
            f"cannot {self._tried()}: the {what} broke after {size} bytes{reason}."
            " The server, or a proxy on the way, closed the connection; try again.",
            lost=True,
        )

    def _ends_with_connection(self) -> bool:
        framing = {"content-length", "transfer-encoding"}
        return not any(name in framing for name, _ in self._headers)

    # --- Small things ---

    def _received(self) -> int:
        return sum(map(len, self._body))

    def _too_large(self, limit: int) -> TransportError:
        return self._problem(
            f"its body is larger than {limit} bytes. Ask for less: page by page, or by a selector"
        )

    def _new_parser(self) -> None:
        self._parser = load_parser()(self)
        self._feed = self._parser.feed_data
        # get_running_loop costs a system call, and the pool has called it for this request already.
        self._new_future = asyncio.get_running_loop().create_future

    def _arm(self, deadline: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at = deadline
        self._timer = self._clock.call_later(deadline - self._clock.monotonic(), self._ring)

    def _ring(self) -> None:
        """Fail the current request if it is late; the timer may be left from an earlier one."""
        self._timer, self._timer_at = None, _NEVER
        if self._deadline == _NEVER:
            return
        if self._clock.monotonic() < self._deadline:
            self._arm(self._deadline)
        else:
            self.fail(timeout_error(self._tried(), f"{self._host()} did not answer in time"))

    def _tried(self) -> str:
        return f"{self._method} {self._route}"

    def _host(self) -> str:
        return self._route.endpoint.host_port

    def _error(self, error: Exception, *, lost: bool = False) -> TransportError:
        ours = transport_error(error, self._tried(), host=self._host(), lost=lost)
        ours.__cause__ = error
        return ours

    def _problem(self, what: str) -> TransportError:
        return TransportError(f"cannot {self._tried()}: {self._host()} answered, but {what}.")


def load_parser() -> Any:
    """Return the parser's class. The first call imports it, which can fail like any I/O."""
    import httptools

    return httptools.HttpResponseParser


def _lowered(name: bytes) -> str:
    """Return *name* in lower case; servers send the same few names again and again."""
    lowered = name.decode("latin-1").lower()
    if len(_NAMES) < _NAMES_KEPT:
        _NAMES[name] = lowered
    return lowered


def _ignore(data: memoryview) -> None:
    """Ignore *data*; stands in for a parser."""


def _is_gzip(coding: str) -> bool:
    return coding.strip().lower() in {"gzip", "x-gzip"}
