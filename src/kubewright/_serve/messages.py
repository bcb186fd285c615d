"""What goes into a server and what comes out: values, whatever carried them.

`HTTPServer` makes a `Request` of what it reads from a socket; a transport in the same process, or a
test, makes its own. A `Handler` answers each with one of the three kinds of `Answer`.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Protocol

from msgspec import Struct

JSON: str = "application/json"

Headers = dict[str, str]
"""Names in lower case. A repeated header is joined with a comma, as RFC 9110 allows."""


APART: tuple[str, ...] = ("impersonate-",)
"""How those headers begin whose values may hold commas: they are kept apart by line ends."""


def combined(name: str, before: str, text: str) -> str:
    """Return the value of the header *name* that came again, with *text*."""
    return f"{before}\n{text}" if name.startswith(APART) else f"{before}, {text}"


class Request(Struct):
    """One request, read wholly.

    Attributes:
        method: In upper case.
        path: As on the wire, still percent-encoded, without the query.
        query: What follows the question mark, still encoded; empty for none.
        headers: Names in lower case.
        body: All of it; the front has refused what is too large.
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
    """An answer that goes on: a watch, or a log that is followed.

    `chunks` is asked for the next chunk only when the client has taken enough of those before, and
    is closed (``aclose``) when the client goes away.
    """

    chunks: AsyncIterator[bytes]
    status: int = 200
    content_type: str = JSON
    headers: tuple[tuple[str, str], ...] = ()


class Duplex(Protocol):
    """A connection that left HTTP behind: bytes go both ways."""

    async def read(self) -> bytes:
        """Wait for bytes and return all that are there; empty at the end."""
        ...

    async def write(self, data: bytes) -> None:
        """Send *data*; waits while the other side is slow to take it."""
        ...


class Upgrade(Struct):
    """An answer 101: the connection belongs to `talk` until that returns, and is closed then."""

    talk: Callable[[Duplex], Awaitable[None]]
    headers: tuple[tuple[str, str], ...] = ()


Answer = Response | Stream | Upgrade


class Handler(Protocol):
    """Whatever answers requests, such as an API server."""

    async def handle(self, request: Request) -> Answer:
        """Answer *request*. Never raises for what a client did."""
        ...
