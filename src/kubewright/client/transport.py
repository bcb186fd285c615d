"""The one door to the network: a `Transport` sends requests; everything else asks it to."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import Protocol

import msgspec

from kubewright.api.requests import Request


class Response(msgspec.Struct, frozen=True, gc=False):
    """A whole answer. Header names are in lower case; a repeated header keeps every value."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str | None:
        """Return the first value of the header *name*, given in lower case."""
        for key, value in self.headers:
            if key == name:
                return value
        return None


class Stream(Protocol):
    """An answer whose body arrives bit by bit: a watch, or a log that is followed."""

    status: int
    headers: tuple[tuple[str, str], ...]

    def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield chunks as they arrive, of any size and cut anywhere."""
        ...


class Transport(Protocol):
    """Sends requests to one API server.

    Raises `TransportError` when no answer came, `TransportTimeoutError` when it came too late. An
    answer with an error status is an answer: the transport returns it.
    """

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        """Send *request* and return the whole answer."""
        ...

    def stream(
        self, request: Request, *, timeout: float | None = None
    ) -> AbstractAsyncContextManager[Stream]:
        """Send *request* on a connection of its own; *timeout* bounds the wait for the headers."""
        ...

    async def close(self) -> None:
        """Close every connection; requests under way fail with `TransportError`."""
        ...
