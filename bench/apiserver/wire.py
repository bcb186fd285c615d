"""A load generator's HTTP: prepared bytes out, answers counted, nothing decoded."""

import asyncio
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlsplit

from httptools import HttpResponseParser


@dataclass(frozen=True, kw_only=True)
class Target:
    """A server, and how to get in.

    Attributes:
        url: Where it listens.
        ca: The file of its authority.
        token: A bearer token, if it knows one.
        certificate: A file with a client certificate and its key, if it wants one.
    """

    url: str
    ca: str
    token: str = ""
    certificate: str = ""

    def request(self, method: str, path: str, body: bytes = b"", media: str = "") -> bytes:
        """Return a request in bytes."""
        lines = [f"{method} {path} HTTP/1.1", f"Host: {urlsplit(self.url).netloc}"]
        lines += ["User-Agent: bench", "Accept: application/json"]
        if self.token:
            lines.append(f"Authorization: Bearer {self.token}")
        if body:
            lines += [
                f"Content-Type: {media or 'application/json'}",
                f"Content-Length: {len(body)}",
            ]
        return "\r\n".join([*lines, "", ""]).encode() + body


class Connection(asyncio.Protocol):
    """One connection; `ask` sends a request and waits for the whole answer."""

    def __init__(self) -> None:
        self.size = 0
        self.lines = 0
        self.kept: list[bytes] | None = None
        self.on_line: Callable[[int], None] | None = None
        self._transport: asyncio.Transport
        self._waiting: asyncio.Future[int] | None = None
        self._headed: asyncio.Future[int] | None = None
        self._parser: Any = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Count what has come."""
        self._parser.feed_data(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Fail whoever waits."""
        for future in (self._waiting, self._headed):
            if future is not None and not future.done():
                future.set_exception(exc or ConnectionError("the server closed the connection"))

    def on_headers_complete(self) -> None:
        """Hear that an answer begins."""
        if self._headed is not None and not self._headed.done():
            self._headed.set_result(self._parser.get_status_code())

    def on_body(self, data: bytes) -> None:
        """Hear of a piece of a body."""
        self.size += len(data)
        if self.kept is not None:
            self.kept.append(data)
        if self.on_line is not None and (found := data.count(b"\n")):
            self.on_line(found)

    def on_message_complete(self) -> None:
        """Hear that an answer is whole."""
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(self._parser.get_status_code())

    async def ask(self, request: bytes) -> int:
        """Send *request* and return the status of its whole answer."""
        self._parser = HttpResponseParser(self)
        self._waiting = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return await self._waiting

    async def begin(self, request: bytes) -> int:
        """Send *request* and return the status when its answer begins."""
        self._parser = HttpResponseParser(self)
        self._headed = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return await self._headed

    def close(self) -> None:
        """Close the socket."""
        self._transport.abort()


async def connect(target: Target) -> Connection:
    """Open a connection with TLS, as clients do: verified, HTTP/1.1."""
    context = ssl.create_default_context(cafile=target.ca)
    if target.certificate:
        context.load_cert_chain(target.certificate)
    parts = urlsplit(target.url)
    loop = asyncio.get_running_loop()
    _, connection = await loop.create_connection(
        Connection, parts.hostname or "", parts.port or 443, ssl=context
    )
    return connection
