"""One client's connection: requests come in, answers go out in the same order."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from typing import Any, Protocol, cast

from kubewright._aio import Clock
from kubewright._serve import peer, wire
from kubewright._serve.compression import GZIP_FROM, compress, wants_gzip
from kubewright._serve.deadline import Deadline
from kubewright._serve.intake import Intake
from kubewright._serve.limits import Limits
from kubewright._serve.messages import Answer, Handler, Response, Stream, Upgrade
from kubewright._serve.reader import Incoming, RequestReader
from kubewright._serve.refusals import Refusals
from kubewright.log import get_logger
from kubewright.log.sparing import Sparing

_log = get_logger(__name__)

_ONE_WRITE = 256 * 1024
_WRITE_BUFFER = 256 * 1024
_LINGER = 1.0
_LOGGED = 256  # characters of a client's text in one log line
_TALK_GRACE = 5.0
_GZIPPED = (("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding"))


class Owner(Protocol):
    """What a connection needs from the server that it belongs to."""

    handler: Handler
    limits: Limits
    refusals: Refusals
    clock: Clock
    dates: wire.DateHeader
    intake: Intake
    failures: Sparing

    def add(self, connection: "ServerConnection") -> bool:
        """Register a new connection; return False if there are too many."""
        ...

    def remove(self, connection: "ServerConnection") -> None:
        """Forget a connection that has ended."""
        ...


class ServerConnection(asyncio.Protocol):
    """Reads requests and answers them one after the other, in one task.

    The task starts with the first request, and is cancelled when the client disconnects.
    """

    __slots__ = (
        "_clock", "_deadline", "_drained", "_ending", "_handler", "_held", "_intake", "_limits",
        "_lost", "_more", "_owner", "_raw", "_reader", "_reading", "_said_all", "_streaming",
        "_task", "_transport", "_waiting",
    )  # fmt: skip

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self._handler = owner.handler
        self._limits = owner.limits
        self._clock = owner.clock
        self._intake = owner.intake
        self._held = 0  # approximate bytes of requests without an answer yet
        self._transport: asyncio.Transport
        self._reader: RequestReader
        self._task: asyncio.Task[None] | None = None
        self._waiting: deque[Incoming] = deque()
        self._more: asyncio.Future[None] | None = None
        self._drained: asyncio.Future[None] | None = None  # set while the client is slow to read
        self._raw: Any = None  # receives the bytes after an upgrade
        self._reading = True
        self._streaming = False
        self._ending = False  # answer the current request, then close
        self._said_all = False  # the client has closed its side, but waits for its answers
        self._lost = False
        self._deadline = Deadline(owner.clock)

    # --- What asyncio calls ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start reading."""
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is not a subclass
        self._transport.set_write_buffer_limits(high=_WRITE_BUFFER)
        peer.keep_alive(transport)
        self._reader = RequestReader(
            self._limits,
            self._put,
            refusals=self._owner.refusals,
            peer=peer.address(transport),
            certificate=peer.certificate(transport),
        )
        if self._owner.add(self):
            self._deadline.set(self._limits.head_timeout, self.abort)
        else:
            self._reader.refuse(self._owner.refusals.too_many_connections())

    def data_received(self, data: bytes) -> None:
        """Parse the bytes that arrived."""
        reader = self._reader
        reader.feed(data)
        if reader.partial:
            self._intake.begin(self)
            self._read_partly()
        elif not self._waiting:
            return  # the reader is closed and ignored the data
        if self._has_enough():
            self._pause_reading()
        self._hold(self._held + len(data))

    def _has_enough(self) -> bool:
        """Tell whether the client has sent all that may wait while one request is answered."""
        limits, reader = self._limits, self._reader
        if len(self._waiting) > limits.pipeline or reader.rest:
            return True
        return self._held > limits.body + limits.head and self._busy

    def _hold(self, size: int) -> None:
        change, self._held = size - self._held, size
        self._intake.change(change)

    def eof_received(self) -> bool:
        """Handle the end of the client's side; return whether to keep our side open."""
        if self._streaming or not self._busy:
            return False  # no answer is pending, or it would never end
        # TLS has no half-closed connections: asyncio would close it anyway.
        self._reader.close()
        self._said_all = True
        return self._transport.get_extra_info("ssl_object") is None

    def connection_lost(self, exc: Exception | None) -> None:
        """Clean up after the client has disconnected."""
        self._lost = True
        self._reader.close()
        self._intake.end(self)
        self._hold(0)
        self.resume_writing()
        self._deadline.close()
        if self._task is None or self._task.done():
            self._owner.remove(self)
        elif self._raw is None:
            self._task.cancel()
        else:
            self._raw.connection_lost(exc)
            # Do not cancel it yet: it may still read what arrived before the end.
            self._deadline.set(_TALK_GRACE, self._task.cancel)

    def _on_task_done(self, task: "asyncio.Task[None]") -> None:
        if self._lost:
            self._deadline.close()
            self._owner.remove(self)

    def pause_writing(self) -> None:
        """Note that the client is slow to read what we send."""
        if self._drained is None:
            self._drained = asyncio.get_running_loop().create_future()
            self._deadline.set(self._limits.stall_timeout, self.abort)

    def resume_writing(self) -> None:
        """Note that the client reads again."""
        drained, self._drained = self._drained, None
        if drained is not None:
            self._deadline.lift()
            if not drained.done():
                drained.set_result(None)

    # --- What the server calls ---

    def retire(self) -> None:
        """Close after the next answer, which says so: the client then sends nothing more here."""
        self._ending = True

    def end(self) -> None:
        """Finish the current request and accept no more; streams and upgrades end now."""
        self._ending = True
        self._reader.close()
        if not self._busy:
            self._close()
        elif (self._streaming or self._raw is not None) and self._task is not None:
            self._task.cancel()  # neither ends by itself

    @property
    def is_idle(self) -> bool:
        """Whether no request is being sent or answered."""
        return not self._busy and not self._lost

    def abort(self) -> None:
        """Close the socket at once, and cancel the current request."""
        if not self._lost:
            self._transport.abort()
        if self._task is not None:
            self._task.cancel()

    def give_way(self) -> None:
        """Refuse the incoming request: all clients together have sent too much."""
        left = max(0, self._held - self._reader.held) if self._busy else 0
        self._reader.refuse(self._owner.refusals.too_much_at_once())
        self._hold(left)

    # --- How requests arrive ---

    def _put(self, incoming: Incoming) -> None:
        self._intake.end(self)
        self._waiting.append(incoming)
        if self._drained is None:
            self._deadline.lift()
        if self._more is not None:
            more, self._more = self._more, None
            if not more.done():
                more.set_result(None)
        elif self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._serve())
            self._task.add_done_callback(self._on_task_done)

    def _read_partly(self) -> None:
        """Set a deadline for the rest of a request, unless another is still being answered."""
        if self._busy:
            return
        if self._reader.expects:
            self._reader.expects = False
            self._transport.write(wire.CONTINUE)
        # Set only once for each part of a request: a byte a minute must not keep it alive.
        limits = self._limits
        if not self._reader.heading:
            self._deadline.set_once(limits.body_timeout, self._refuse_late_body)
        else:
            self._deadline.set_once(limits.head_timeout, self._refuse_late_head)

    def _refuse_late_head(self) -> None:
        self._reader.refuse(self._owner.refusals.malformed(408, "Request Timeout"))

    def _refuse_late_body(self) -> None:
        self._refuse_late_head()

    @property
    def _busy(self) -> bool:
        return self._task is not None and self._more is None and not self._task.done()

    # --- How they are answered ---

    async def _serve(self) -> None:
        waiting = self._waiting
        try:
            while not self._lost:
                if not waiting:
                    if self._ending or self._said_all:
                        break
                    await self._wait_for_request()
                    continue
                incoming = waiting.popleft()
                await self._answer(incoming)
                if self._drained is not None:
                    await self._drained
                if not incoming.keep_alive:
                    self._linger(incoming)
                    return
                if self._ending:
                    break
                del incoming  # or it would stay in memory while the client is idle
                if waiting:
                    await asyncio.sleep(0)  # let other clients have their turn
            self._close()
        except BaseException as error:
            self.abort()  # whoever cancels this task wants the client gone, too
            if not isinstance(error, Exception):
                raise
            _log.exception("connection failed", error=repr(error))  # a bug of ours; see _answer

    async def _wait_for_request(self) -> None:
        self._more = asyncio.get_running_loop().create_future()
        reader = self._reader
        self._hold(reader.held)
        if not self._reading and not reader.rest:
            self._reading = True
            self._transport.resume_reading()
        self._deadline.set(self._limits.idle_timeout, self._close)
        if reader.partial:
            self._read_partly()
        await self._more

    async def _answer(self, incoming: Incoming) -> None:
        request, refusal = incoming.request, incoming.refusal
        answer: Answer
        if refusal is not None:
            answer = refusal
        else:
            try:
                answer = await self._handler.handle(request)
            except Exception as error:  # noqa: BLE001  # one request must not end the connection
                self._log_failure(incoming, error)
                answer = self._owner.refusals.failed(error)
        if isinstance(answer, Response):
            await self._send(answer, incoming)
        elif isinstance(answer, Stream):
            await self._stream(answer, incoming)
        else:
            await self._upgrade(answer, incoming)
        if incoming.upgrade and self._raw is None:
            self._reader.resume()

    async def _send(self, response: Response, incoming: Incoming) -> None:
        body, headers, status = response.body, response.headers, response.status
        if len(body) > GZIP_FROM and _may_gzip(response, incoming):
            body = await compress(body)
            headers = (*headers, *_GZIPPED)
        if self._lost:
            return
        head = b"%b%b%b%b%b\r\n" % (
            wire.start(status, response.content_type),
            wire.lines(headers) if headers else b"",
            self._owner.dates.line(self._clock.monotonic()),
            self._connection_line(incoming),
            wire.length(status, len(body)),
        )
        if not body or incoming.request.method == "HEAD" or wire.bodiless(status):
            self._transport.write(head)
        elif len(body) <= _ONE_WRITE:
            self._transport.write(head + body)
        else:
            self._transport.write(head)
            await self._send_large(body)

    async def _send_large(self, body: bytes) -> None:
        """Send a body in pieces, since TLS and the socket copy everything they are given."""
        view = memoryview(body)
        for start in range(0, len(body), _ONE_WRITE):
            if self._drained is not None:
                await self._drained
            if self._lost:
                return
            self._transport.write(view[start : start + _ONE_WRITE])

    async def _stream(self, stream: Stream, incoming: Incoming) -> None:
        self._streaming = True
        self._ending |= incoming.old  # HTTP/1.0 has no other way to mark the end of a body
        try:
            whole = await self._send_chunks(stream, incoming)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if self._lost or not self._ending or task is None:
                raise
            task.uncancel()  # `end` cancelled it, and meant only the stream
            whole = True
        except Exception as error:  # noqa: BLE001  # as in _answer
            self._log_failure(incoming, error)
            whole = False
        finally:
            self._streaming = False
            await _close_chunks(stream.chunks)
        if not whole:
            self.abort()  # the client must not take a part for the whole
        elif not incoming.old and incoming.request.method != "HEAD" and not self._lost:
            self._transport.write(wire.LAST_CHUNK)

    async def _send_chunks(self, stream: Stream, incoming: Incoming) -> bool:
        """Send the head and the chunks; return whether the body is complete."""
        transport, old = self._transport, incoming.old
        transport.write(
            wire.start(stream.status, stream.content_type)
            + wire.lines(stream.headers)
            + self._owner.dates.line(self._clock.monotonic())
            + self._connection_line(incoming)
            + (b"\r\n" if old else wire.CHUNKED_END)
        )
        if incoming.request.method == "HEAD":
            return True
        async for chunk in stream.chunks:
            if chunk:  # an empty one would end the body
                transport.write(chunk if old else wire.chunk(chunk))
            if self._drained is not None:
                await self._drained
        return True

    async def _upgrade(self, upgrade: Upgrade, incoming: Incoming) -> None:
        from kubewright._http.duplex import Handover, RawConnection

        client = incoming.request.peer
        raw = RawConnection(tried=f"talk to {client}", host=client, buffer=_WRITE_BUFFER)
        self._transport.write(_switching(upgrade, incoming))
        raw.connection_made(self._transport)
        self._raw = raw
        self._transport.set_protocol(Handover(raw, self))
        if self._reader.rest:
            raw.data_received(bytes(self._reader.rest))
        if not self._reading:
            self._transport.resume_reading()
        try:
            await upgrade.talk(raw)
        except Exception as error:  # noqa: BLE001  # as in _answer; also when the client is gone
            if not self._lost:
                self._log_failure(incoming, error)
        finally:
            self._ending = True

    def _log_failure(self, incoming: Incoming, error: Exception) -> None:
        if (dropped := self._owner.failures.admit()) is None:
            return
        request = incoming.request
        path, why = request.path[:_LOGGED], repr(error)[:_LOGGED]
        _log.exception("request failed", method=request.method, path=path, error=why, **dropped)

    def _connection_line(self, incoming: Incoming) -> bytes:
        if self._ending or not incoming.keep_alive:
            return wire.CLOSE
        return wire.KEEP if incoming.old else b""

    # --- How it ends ---

    def _linger(self, incoming: Incoming) -> None:
        """Close the connection; after a refusal, give the client time to read it first.

        If a client still sends after we closed, its system discards our last answer.
        """
        if incoming.refusal is None or self._lost:
            self._close()
            return
        self._deadline.set(_LINGER, self._close)
        if not self._reading:
            self._transport.resume_reading()
        if self._transport.can_write_eof():
            self._transport.write_eof()

    def _close(self) -> None:
        """Close once everything is sent; a client cannot delay that beyond the time-out."""
        if not self._lost:
            self._transport.close()
            self._deadline.set(self._limits.stall_timeout, self.abort)

    def _pause_reading(self) -> None:
        if self._reading and not self._lost:
            self._reading = False
            self._transport.pause_reading()


async def _close_chunks(chunks: AsyncIterator[bytes]) -> None:
    close = getattr(chunks, "aclose", None)
    if close is not None:
        await close()


def _may_gzip(response: Response, incoming: Incoming) -> bool:
    if not wants_gzip(incoming.request.headers):
        return False
    return all(name.lower() != "content-encoding" for name, _ in response.headers)


def _switching(upgrade: Upgrade, incoming: Incoming) -> bytes:
    said = {name.lower() for name, _ in upgrade.headers}
    wanted = incoming.request.headers.get("upgrade", "")
    usual = (("Connection", "Upgrade"), ("Upgrade", wanted))
    missing = tuple(pair for pair in usual if pair[0].lower() not in said)
    return wire.start(101, "") + wire.lines((*missing, *upgrade.headers)) + b"\r\n"
