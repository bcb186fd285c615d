"""The only way to the network: a `Transport` sends all requests."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import msgspec

from kubewright.api.requests import Request

if TYPE_CHECKING:
    import ssl

Headers = tuple[tuple[str, str], ...]
"""Header names and values in the order of the wire; a name may come twice."""


class Response(msgspec.Struct, frozen=True, gc=False):
    """A whole answer. Header names are in lower case; a repeated header keeps every value."""

    status: int
    headers: Headers
    body: bytes

    def header(self, name: str) -> str | None:
        """Return the first value of the header *name*, given in lower case."""
        for key, value in self.headers:
            if key == name:
                return value
        return None


class Stream(Protocol):
    """An answer whose body arrives piece by piece: a watch, or a log that is followed."""

    @property
    def status(self) -> int:
        """The HTTP status."""
        ...

    @property
    def headers(self) -> Headers:
        """The headers, with names in lower case."""
        ...

    def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield chunks as they arrive, of any size and cut anywhere."""
        ...


@runtime_checkable
class ChunkStream(Stream, Protocol):
    """A stream that tells its chunks apart; servers send a whole event in each, as a rule."""

    async def read_chunks(self) -> Sequence[bytes]:
        """Wait for chunks and return all that have arrived; empty at the end."""
        ...


def chunks_of(stream: Stream) -> Callable[[], Awaitable[Sequence[bytes]]]:
    """Return a function that waits for chunks and returns all that have arrived."""
    if isinstance(stream, ChunkStream):
        return stream.read_chunks
    chunks = aiter(stream)

    async def read_chunks() -> Sequence[bytes]:
        chunk = await anext(chunks, None)
        return () if chunk is None else (chunk,)

    return read_chunks


class Duplex(Protocol):
    """A connection after an upgrade from HTTP: bytes go both ways, for exec and port-forward.

    The server may refuse to switch. Then `status` is not 101, `read` gives the body of its answer,
    and `write` raises `TransportError`.
    """

    @property
    def status(self) -> int:
        """101 when the server switched protocols, otherwise the status of its refusal."""
        ...

    @property
    def headers(self) -> Headers:
        """The headers of the answer, with names in lower case."""
        ...

    async def read(self) -> bytes:
        """Wait for bytes and return all that have arrived; empty at the end of the stream."""
        ...

    async def write(self, data: bytes) -> None:
        """Send *data*; waits while the other side is slow to read."""
        ...


class Transport(Protocol):
    """Sends requests to one API server.

    Raises `TransportError` without an answer, and `TransportTimeoutError` if it is too late. An
    answer with an error status is an answer: the transport returns it.
    """

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        """Send *request* and return the whole answer."""
        ...

    def stream(
        self, request: Request, *, timeout: float | None = None
    ) -> AbstractAsyncContextManager[Stream]:
        """Send *request* and keep its connection; *timeout* bounds the wait for the headers."""
        ...

    def upgrade(
        self, request: Request, *, timeout: float | None = None
    ) -> AbstractAsyncContextManager[Duplex]:
        """Send *request*, which asks to switch protocols by its own headers (``Upgrade: ...``).

        Leaving the block closes the connection.
        """
        ...

    async def close(self) -> None:
        """Close every connection; current requests fail with `TransportError`."""
        ...


class Credentials(Protocol):
    """Credentials, as headers on each request."""

    @property
    def static(self) -> Headers | None:
        """The headers, if they never change; ``None`` if `headers` must be called each time."""
        ...

    async def headers(self) -> Headers:
        """Return the headers for the next request, such as ``Authorization``; empty for none."""
        ...

    async def rejected(self, used: Headers) -> bool:
        """Handle a 401 answer to a request with *used*.

        Returns:
            Whether `headers` returns something new now, so that the request is worth a retry.
        """
        ...


class TLSProvider(Protocol):
    """How to verify the server, and which client certificate to show."""

    @property
    def server_name(self) -> str | None:
        """The name to expect in the certificate, when it is not the host's."""
        ...

    def context(self) -> "ssl.SSLContext | None":
        """Return the context for the next connection; another one after files have changed.

        ``None`` stands for the default of this machine.
        """
        ...

    def on_rotation(self, callback: Callable[[], None]) -> None:
        """Call *callback* when the client certificate has changed.

        Connections that used the old one are then not used again.
        """
        ...
