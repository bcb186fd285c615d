"""Requests and answers as plain values, however they travel.

`HTTPServer` parses a `Request` from a socket; a transport in the same process, or a test, builds
its own. A `Handler` answers each with one of the three kinds of `Answer`.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Protocol

from msgspec import Struct

JSON: str = "application/json"

Headers = dict[str, str]
"""Names in lower case. A repeated header is joined with a comma, as RFC 9110 allows."""


APART: tuple[str, ...] = ("impersonate-",)
"""Prefixes of headers whose values may contain commas: line ends separate these values."""


def combined(name: str, before: str, text: str) -> str:
    """Return the value of a repeated header *name*, with *text* added to *before*."""
    return f"{before}\n{text}" if name.startswith(APART) else f"{before}, {text}"


class Request(Struct):
    """One complete request.

    Attributes:
        method: In upper case.
        path: As on the wire, still percent-encoded, without the query.
        query: The part after the question mark, still encoded; empty if there is none.
        headers: Names in lower case.
        body: The whole body; the server has refused larger ones.
        certificate: The client's certificate in DER, verified against the server's own authority.
        peer: The address of the client, such as ``127.0.0.1:50312``; empty in process.
        trusted: Whether the caller is this process itself, which needs no credentials.
    """

    method: str
    path: str
    query: str = ""
    headers: Headers = {}
    body: bytes = b""
    certificate: bytes | None = None
    peer: str = ""
    trusted: bool = False


class Response(Struct):
    """A whole answer. `headers` come in addition to the content type and length."""

    status: int
    body: bytes = b""
    content_type: str = JSON
    headers: tuple[tuple[str, str], ...] = ()


class Stream(Struct):
    """An open-ended answer, such as a watch or a log that is followed.

    The server takes the next of `chunks` only when the client has read enough of the earlier ones,
    and closes the iterator (``aclose``) when the client disconnects.
    """

    chunks: AsyncIterator[bytes]
    status: int = 200
    content_type: str = JSON
    headers: tuple[tuple[str, str], ...] = ()


class Duplex(Protocol):
    """A connection after an upgrade from HTTP: bytes go both ways."""

    async def read(self) -> bytes:
        """Wait for bytes and return all that have arrived; empty at the end."""
        ...

    async def write(self, data: bytes) -> None:
        """Send *data*; waits while the other side is slow to read."""
        ...


class Upgrade(Struct):
    """The answer 101: `talk` owns the connection until it returns; then it is closed."""

    talk: Callable[[Duplex], Awaitable[None]]
    headers: tuple[tuple[str, str], ...] = ()


Answer = Response | Stream | Upgrade


class Handler(Protocol):
    """Answers requests, such as an API server."""

    async def handle(self, request: Request) -> Answer:
        """Answer *request*. Never raises because of a client's mistake."""
        ...
