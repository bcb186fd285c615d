"""Faults between a client and its server, for tests.

A `FaultyTransport` wraps any other transport, and asks its `Faults` about each request. With a
virtual clock, hours of a bad network pass in no time, and always in the same way.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

import msgspec

from kubewright import _json
from kubewright._aio import Clock
from kubewright.api.requests import Request
from kubewright.client.transport import Duplex, Headers, Response, Stream, Transport
from kubewright.errors import TransportError, TransportTimeoutError

_REASONS: dict[int, str] = {
    401: "Unauthorized",
    403: "Forbidden",
    409: "Conflict",
    410: "Expired",
    429: "TooManyRequests",
    500: "InternalError",
    503: "ServiceUnavailable",
}


class Unreachable(msgspec.Struct, frozen=True):
    """The request does not reach the server."""


class Lost(msgspec.Struct, frozen=True):
    """The server handles the request, and its answer is lost on the way back."""


class Hanging(msgspec.Struct, frozen=True):
    """No answer comes; after *seconds* the connection breaks. The server has seen nothing."""

    seconds: float = 60.0


class Slow(msgspec.Struct, frozen=True):
    """The answer comes *seconds* late."""

    seconds: float = 5.0


class Refused(msgspec.Struct, frozen=True):
    """The server answers with *status*, and does nothing."""

    status: int
    retry_after: int | None = None


class Cut(msgspec.Struct, frozen=True):
    """A stream breaks after so many bytes, even in the middle of a line."""

    after: int


class Silent(msgspec.Struct, frozen=True):
    """A stream sends nothing more after so many bytes, and never ends."""

    after: int = 0


Fault = Unreachable | Lost | Hanging | Slow | Refused | Cut | Silent


class Faults(Protocol):
    """Decides what goes wrong."""

    def choose(self, request: Request) -> Fault | None:
        """Return what happens to *request*; ``None`` lets it pass."""
        ...


class NextFaults:
    """Faults for the next requests that match, one each; later requests pass.

    Args:
        faults: What happens, in order.
        matching: Which requests count; all unless given.

    Example:
        NextFaults([Lost()], matching=lambda request: request.method == "PATCH")
    """

    def __init__(
        self, faults: Sequence[Fault], *, matching: Callable[[Request], bool] | None = None
    ) -> None:
        self._faults: list[Fault] = list(faults)
        self._matching = matching

    @property
    def left(self) -> int:
        """How many have not happened yet."""
        return len(self._faults)

    def choose(self, request: Request) -> Fault | None:
        """Return the next fault if *request* matches."""
        if not self._faults or (self._matching is not None and not self._matching(request)):
            return None
        return self._faults.pop(0)


class RandomFaults:
    """Faults at random, the same ones for the same seed.

    Args:
        seed: The seed of the random numbers.
        rate: The share of requests that get a fault.
    """

    def __init__(self, seed: int, *, rate: float = 0.1) -> None:
        self.rate: float = rate
        self.count: int = 0
        """How many faults there were so far."""
        self._random = random.Random(seed)  # noqa: S311  # no secret

    def heal(self) -> None:
        """Let all requests pass from now on."""
        self.rate = 0.0

    def choose(self, request: Request) -> Fault | None:
        """Return a fault that fits the kind of *request*, or ``None``."""
        if self._random.random() >= self.rate:
            return None
        self.count += 1
        common: list[Fault] = [
            Unreachable(),
            Hanging(self._random.uniform(1, 120)),
            Slow(self._random.uniform(0.01, 30)),
            Refused(429, retry_after=self._random.randint(0, 3)),
            Refused(500),
            Refused(503, retry_after=1),
        ]
        if request.attempt.verb == "watch":
            after = self._random.randint(0, 5000)
            own: list[Fault] = [Cut(after), Cut(after), Silent(after), Refused(410)]
        elif request.method == "GET":
            own = [Lost(), Refused(410)] if "continue=" in request.target else [Lost()]
        else:
            own = [Lost(), Lost(), Refused(409)]
        return self._random.choice(common + own)


class FaultyTransport:
    """Passes requests to another transport, with faults.

    Args:
        transport: Where requests go.
        faults: Decides what goes wrong; may be replaced at any time.
        clock: Where delays come from.
    """

    def __init__(
        self, transport: Transport, faults: Faults | None = None, *, clock: Clock | None = None
    ) -> None:
        self.faults: Faults | None = faults
        self._transport = transport
        self._clock = clock or Clock()

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        """Send *request*, unless a fault says otherwise."""
        fault = self._choose(request)
        try:
            async with self._clock.timeout(timeout):
                if (refusal := await self._apply_before(fault)) is not None:
                    return refusal
                response = await self._transport.send(request, timeout=timeout)
        except TransportError:
            raise
        except TimeoutError:
            raise TransportTimeoutError("no answer came in time") from None
        if isinstance(fault, Lost):
            raise TransportError("the connection broke before the answer came", lost=True)
        return response

    @asynccontextmanager
    async def stream(
        self, request: Request, *, timeout: float | None = None
    ) -> AsyncIterator[Stream]:
        """Open *request* as a stream, unless a fault says otherwise."""
        fault = self._choose(request)
        if (refusal := await self._apply_before(fault)) is not None:
            yield _Refusal(refusal)
            return
        async with self._transport.stream(request, timeout=timeout) as stream:
            yield _Troubled(stream, fault) if isinstance(fault, (Cut, Silent)) else stream

    def upgrade(
        self, request: Request, *, timeout: float | None = None
    ) -> AbstractAsyncContextManager[Duplex]:
        """Switch protocols; there are no faults here."""
        return self._transport.upgrade(request, timeout=timeout)

    async def close(self) -> None:
        """Close every connection."""
        await self._transport.close()

    def _choose(self, request: Request) -> Fault | None:
        return self.faults.choose(request) if self.faults is not None else None

    async def _apply_before(self, fault: Fault | None) -> Response | None:
        """Apply the part of *fault* before the request is sent; return an answer in its place."""
        match fault:
            case Unreachable():
                raise TransportError("cannot connect: nobody is there")
            case Hanging(seconds):
                await self._clock.sleep(seconds)
                raise TransportError("the connection broke before an answer came", lost=True)
            case Slow(seconds):
                await self._clock.sleep(seconds)
            case Refused(status, retry_after):
                return _refusal(status, retry_after)
            case _:
                pass
        return None


class _Refusal:
    """A refusal as a stream, for watches."""

    def __init__(self, response: Response) -> None:
        self.status: int = response.status
        self.headers: Headers = response.headers
        self._body = response.body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._body


class _Troubled:
    """A stream that breaks or falls silent."""

    def __init__(self, stream: Stream, fault: Cut | Silent) -> None:
        self.status: int = stream.status
        self.headers: Headers = stream.headers
        self._stream = stream
        self._fault = fault

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._fault.after
        async for chunk in self._stream:
            if len(chunk) > left:
                break
            left -= len(chunk)
            yield chunk
        else:
            return
        if left:
            yield chunk[:left]
        if isinstance(self._fault, Silent):
            await asyncio.Event().wait()
        raise TransportError("the stream broke", lost=True)


def _refusal(status: int, retry_after: int | None) -> Response:
    reason = _REASONS.get(status, "")
    body = {
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": f"a fault: {reason or status}", "reason": reason, "code": status,
    }  # fmt: skip
    headers: Headers = (("content-type", "application/json"),)
    if retry_after is not None:
        headers += (("retry-after", str(retry_after)),)
    return Response(status, headers, _json.encode(body))
