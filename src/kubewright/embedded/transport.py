"""From a client to an API server in the same process and event loop, without a socket."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Self, TypeVar

from kubewright._aio import FENCE, Clock, Fence, Timeout, check_fence
from kubewright._serve.limits import BODY_LIMIT
from kubewright._serve.messages import combined
from kubewright.api.requests import Request
from kubewright.apiserver.wire import request as server
from kubewright.apiserver.wire.http import StatusRefusals
from kubewright.client.transport import Duplex, Headers, Response, Stream
from kubewright.embedded.pipe import Pipe
from kubewright.errors import TransportError, TransportTimeoutError
from kubewright.log import get_logger

T = TypeVar("T")

_log = get_logger(__name__)

_REFUSALS = StatusRefusals()
_SWITCHING = 101
_CREDENTIALS = frozenset({"authorization", "proxy-authorization"})


class _Received:
    """A body that arrives in pieces, or bytes in both directions; a `Stream` and a `Duplex`."""

    __slots__ = ("_fence", "_incoming", "_outgoing", "headers", "status")

    def __init__(
        self, status: int, headers: Headers, incoming: Pipe, outgoing: Pipe | None = None
    ) -> None:
        self._fence: Fence | None = FENCE.get()
        self.status: int = status
        self.headers: Headers = headers
        self._incoming = incoming
        self._outgoing = outgoing

    def __aiter__(self) -> AsyncIterator[bytes]:
        return aiter(self._incoming)

    async def read(self) -> bytes:
        return await self._incoming.read()

    async def write(self, data: bytes) -> None:
        if self._outgoing is None:
            raise TransportError(
                f"cannot write: the server did not switch protocols but answered {self.status}"
            )
        if self._fence is not None:
            self._fence.check()
        await self._outgoing.write(data)


class _Talk:
    """The server's side of a connection after its upgrade."""

    __slots__ = ("_incoming", "_outgoing")

    def __init__(self, incoming: Pipe, outgoing: Pipe) -> None:
        self._incoming = incoming
        self._outgoing = outgoing

    async def read(self) -> bytes:
        return await self._incoming.read()

    async def write(self, data: bytes) -> None:
        await self._outgoing.write(data)


class InProcessTransport:
    """Passes requests directly to a `Handler`; a `Transport`.

    The server trusts this process, unless *headers* or the request carry credentials: then those
    decide, as over HTTP.

    Args:
        handler: The API server.
        headers: Sent with every request, such as ``Authorization`` or those of impersonation.
        user_agent: Who we are, for the server's managedFields and audit log.
        clock: Where time-outs come from.
    """

    def __init__(
        self,
        handler: server.Handler,
        *,
        headers: Headers = (),
        user_agent: str = "kubewright",
        clock: Clock | None = None,
    ) -> None:
        self._handler = handler
        self._fixed = {"user-agent": user_agent, "host": "in-process"} | _joined(headers)
        self._clock = clock or Clock()
        self._waits: set[Timeout] = set()
        self._open: set[Pipe] = set()
        self._closed = False

    @property
    def is_trusted(self) -> bool:
        """Whether it sends no credentials of its own, as parts of the cluster do."""
        return _CREDENTIALS.isdisjoint(self._fixed)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        """Send *request* and return the whole answer."""
        return await self._run_bounded(self._read_whole(request), request, timeout)

    @asynccontextmanager
    async def stream(
        self, request: Request, *, timeout: float | None = None
    ) -> AsyncIterator[Stream]:
        """Send *request*; *timeout* bounds the wait for the headers."""
        answer = await self._run_bounded(self._handle(request), request, timeout)
        if isinstance(answer, server.Upgrade):
            raise _problem(request, "it switched protocols without being asked to")
        async with self._receive(answer, request) as received:
            yield received

    @asynccontextmanager
    async def upgrade(
        self, request: Request, *, timeout: float | None = None
    ) -> AsyncIterator[Duplex]:
        """Send *request*, which asks to switch protocols; leaving the block ends the connection."""
        answer = await self._run_bounded(self._handle(request), request, timeout)
        if isinstance(answer, server.Upgrade):
            async with self._open_talk(answer, request) as duplex:
                yield duplex
        else:
            async with self._receive(answer, request) as duplex:
                yield duplex

    async def close(self) -> None:
        """Accept no more requests; those under way fail with `TransportError`."""
        self._closed = True
        for wait in list(self._waits):
            wait.expire()
        for pipe in list(self._open):
            pipe.end(TransportError("the stream broke: the client was closed", lost=True))
        await asyncio.sleep(0)  # let them fail now, and not later

    # --- How a request is handled ---

    async def _run_bounded(
        self, work: Coroutine[Any, Any, T], request: Request, seconds: float | None
    ) -> T:
        """Run *work* until the time is up, or the transport is closed."""
        if self._closed:
            work.close()
            raise _problem(request, "the client was closed before")
        wait = self._clock.timeout(seconds)
        self._waits.add(wait)
        try:
            async with wait:
                return await work
        except TimeoutError as error:
            if not wait.expired or isinstance(error, TransportError):
                raise
            if self._closed:
                raise _problem(request, "the client was closed", lost=True) from None
            raise TransportTimeoutError(
                f"cannot {_tried(request)}: the embedded server did not answer in time"
            ) from None
        finally:
            self._waits.discard(wait)

    async def _handle(self, request: Request) -> server.Answer:
        check_fence()  # the last check: nothing waits after it
        if len(request.body) > BODY_LIMIT:
            return _REFUSALS.too_large(BODY_LIMIT)
        try:
            return await self._handler.handle(self._request(request))
        except Exception as error:  # noqa: BLE001  # as over HTTP, where the caller would not see it
            _log.exception(
                "request failed", method=request.method, path=request.target, error=repr(error)
            )
            return _REFUSALS.failed(error)

    async def _read_whole(self, request: Request) -> Response:
        answer = await self._handle(request)
        if isinstance(answer, server.Response):
            body = b"" if request.method == "HEAD" else answer.body
            return Response(answer.status, _headers(answer), body)
        if isinstance(answer, server.Upgrade):
            raise _problem(request, "it switched protocols without being asked to")
        try:
            chunks = [chunk async for chunk in answer.chunks]
        except Exception as error:
            raise _broken(request, error) from error
        finally:
            await _close(answer.chunks)
        return Response(answer.status, _headers(answer), b"".join(chunks))

    def _request(self, request: Request) -> server.Request:
        path, _, query = request.target.partition("?")
        headers = self._fixed.copy()
        if request.accept:
            headers["accept"] = request.accept
        if request.content_type:
            headers["content-type"] = request.content_type
        if request.headers:
            headers |= _joined(request.headers)
        trusted = _CREDENTIALS.isdisjoint(headers)
        return server.Request(request.method, path, query, headers, request.body, trusted=trusted)

    # --- Answers that go on ---

    @asynccontextmanager
    async def _receive(
        self, answer: server.Response | server.Stream, request: Request
    ) -> AsyncIterator[_Received]:
        pipe = Pipe()
        chunks = _chunks(answer, request)
        pumping = asyncio.ensure_future(_pump(chunks, pipe, request))
        self._open.add(pipe)
        try:
            yield _Received(answer.status, _headers(answer), pipe)
        finally:
            self._open.discard(pipe)
            await _cancel(pumping)
            await _close(chunks)

    @asynccontextmanager
    async def _open_talk(
        self, upgrade: server.Upgrade, request: Request
    ) -> AsyncIterator[_Received]:
        up, down = Pipe(), Pipe()
        talking = asyncio.ensure_future(_talk(upgrade, _Talk(up, down), request))
        talking.add_done_callback(lambda _: down.end())
        self._open |= {up, down}
        headers = tuple((name.lower(), value) for name, value in upgrade.headers)
        try:
            yield _Received(_SWITCHING, headers, down, up)
        finally:
            self._open -= {up, down}
            up.end()
            await _cancel(talking)


async def _pump(chunks: AsyncIterator[bytes], pipe: Pipe, request: Request) -> None:
    """Write *chunks* to *pipe*; a task of its own, since a reader may time out and read again."""
    try:
        async for chunk in chunks:
            await pipe.write(chunk)
    except Exception as error:  # noqa: BLE001  # the reader gets it
        pipe.end(_broken(request, error))
    else:
        pipe.end()


async def _talk(upgrade: server.Upgrade, duplex: _Talk, request: Request) -> None:
    try:
        await upgrade.talk(duplex)
    except TransportError:
        pass  # the client has left
    except Exception as error:  # noqa: BLE001  # as over HTTP: the connection just ends
        _log.exception(
            "request failed", method=request.method, path=request.target, error=repr(error)
        )


def _chunks(answer: server.Response | server.Stream, request: Request) -> AsyncIterator[bytes]:
    if isinstance(answer, server.Stream) and request.method != "HEAD":
        return answer.chunks
    return _once(b"" if isinstance(answer, server.Stream) else answer.body)


async def _once(body: bytes) -> AsyncIterator[bytes]:
    yield body


async def _cancel(task: "asyncio.Future[None]") -> None:
    task.cancel()
    await asyncio.wait([task])


async def _close(chunks: AsyncIterator[bytes]) -> None:
    close = getattr(chunks, "aclose", None)
    if close is not None:
        await close()


def _headers(answer: server.Response | server.Stream) -> Headers:
    given = tuple((name.lower(), value) for name, value in answer.headers)
    return (("content-type", answer.content_type), *given)


def _joined(headers: Headers) -> dict[str, str]:
    """Return *headers* as the server reads them: lower case, repeated ones combined."""
    found: dict[str, str] = {}
    for name, value in headers:
        lower = name.lower()
        found[lower] = combined(lower, found[lower], value) if lower in found else value
    return found


def _tried(request: Request) -> str:
    return f"{request.method} {request.target}"


def _problem(request: Request, what: str, *, lost: bool = False) -> TransportError:
    return TransportError(f"cannot {_tried(request)}: {what}", lost)


def _broken(request: Request, error: Exception) -> TransportError:
    return _problem(request, f"the stream broke ({error!r})", lost=True)
