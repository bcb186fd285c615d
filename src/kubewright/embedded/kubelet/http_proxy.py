"""HTTP through a connection to a pod: what ``kubectl get --raw .../proxy/`` asks for."""

from collections.abc import Awaitable, Callable
from typing import Any, Self

from kubewright._serve.messages import Answer, Headers, Request, Response, Stream
from kubewright.embedded.node.access import BROKEN, AccessError, PodConnection

_OURS = frozenset(
    {
        "authorization", "connection", "content-length", "expect", "host", "http2-settings",
        "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection",
        "te",  # codespell:ignore te
        "trailer", "transfer-encoding", "upgrade",
    }
)  # fmt: skip
"""Headers that are hop-by-hop, or that a pod must not see."""
_IDENTITY = ("impersonate-", "x-remote-")
"""The prefixes of headers that identify the user to us, and are not for the pod."""

_LARGEST_HEAD = 1024 * 1024
_FIRST_FINAL = 200
_BODILESS = frozenset({204, 304})


class _Answer:
    """The answer of a pod, read on demand; the chunks of a `Stream`."""

    def __init__(self, connection: PodConnection, *, head_only: bool) -> None:
        import httptools

        self._connection = connection
        self._head_only = head_only
        self._parser: Any = httptools.HttpResponseParser(self)
        self._body: list[bytes] = []
        self._read = 0
        self._whole = False
        self.headers: list[tuple[str, str]] = []
        self.status = 0

    # --- What the parser calls ---

    def on_message_begin(self) -> None:
        self.headers = []

    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers.append((name.decode("latin-1"), value.decode("utf-8", "replace")))

    def on_headers_complete(self) -> None:
        status = self._parser.get_status_code()
        if status >= _FIRST_FINAL:
            self.status = status
            self._whole = self._head_only or status in _BODILESS

    def on_body(self, data: bytes) -> None:
        self._body.append(data)

    def on_message_complete(self) -> None:
        if self.status:
            self._whole = True

    # --- What the proxy calls ---

    async def read_head(self) -> None:
        """Read until the head is there."""
        while not self.status:
            if self._read > _LARGEST_HEAD or not await self._feed():
                raise _unreachable("malformed HTTP response")

    async def _feed(self) -> bool:
        """Read a piece; return whether there was one."""
        data = await self._connection.read()
        self._read += len(data)
        if data:
            try:
                self._parser.feed_data(data)
            except Exception:  # noqa: BLE001  # httptools' errors share no base of their own
                if not self.status:
                    raise _unreachable("malformed HTTP response") from None
                self._whole = True  # after its last byte; Connection: close ends it
        return bool(data)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        while not self._body:
            if self._whole or not await self._feed():
                await self.aclose()
                raise StopAsyncIteration
        data = b"".join(self._body)
        self._body.clear()
        return data

    async def aclose(self) -> None:
        """Close the connection to the pod."""
        await self._connection.close()


async def answer(
    request: Request, target: str, connect: Callable[[], Awaitable[PodConnection]], *, host: str
) -> Answer:
    """Pass *request* on to a pod, and return its answer.

    Args:
        request: What the client sent.
        target: The path and query to ask the pod for.
        connect: Connects to the pod.
        host: The ``Host`` header for the pod.

    Raises:
        AccessError: Nothing answers there.
    """
    try:
        connection = await connect()
    except BROKEN as error:
        raise _unreachable(str(error)) from error
    found = _Answer(connection, head_only=request.method == "HEAD")
    try:
        await connection.write(_head(request, target, host) + request.body)
        await found.read_head()
    except BaseException as error:
        await connection.close()
        if isinstance(error, BROKEN) and not isinstance(error, AccessError):
            raise _unreachable(str(error)) from error
        raise
    return await _pass_on(found)


async def _pass_on(found: _Answer) -> Answer:
    kind = next((value for name, value in found.headers if name.lower() == "content-type"), "")
    dropped = _OURS | {"content-type"}
    headers = tuple(pair for pair in found.headers if pair[0].lower() not in dropped)
    if found.status in _BODILESS:
        await found.aclose()
        return Response(found.status, b"", kind, headers)
    return Stream(found, found.status, kind, headers)


def _head(request: Request, target: str, host: str) -> bytes:
    kept: Headers = {
        name: value
        for name, value in request.headers.items()
        if name not in _OURS and not name.startswith(_IDENTITY)
    }
    lines = [f"{request.method} {target or '/'} HTTP/1.1", f"host: {host}", "connection: close"]
    lines += [f"{name}: {value}" for name, value in kept.items()]
    if request.body or request.method in {"POST", "PUT", "PATCH"}:
        lines.append(f"content-length: {len(request.body)}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8", "replace")


def _unreachable(why: str) -> AccessError:
    return AccessError(503, f"error trying to reach service: {why}")
