"""A transport that answers from a script: the fake at the seam between client and network."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from kubewright.api.requests import Request
from kubewright.client.transport import Duplex, Response, Stream

JSON = (("content-type", "application/json"),)


def answer(body: object, status: int = 200, **headers: str) -> Response:
    """Return an answer with *body* as JSON; ``retry_after="1"`` is the header ``retry-after``."""
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Response(status, JSON + named, json.dumps(body).encode())


def failure(code: int, reason: str, message: str = "no", **headers: str) -> Response:
    """Return an answer that is a failure Status."""
    status = {"kind": "Status", "status": "Failure", "reason": reason, "message": message}
    return answer({**status, "code": code}, code, **headers)


class Chunks:
    """A stream that plays chunks; an exception among them is raised in its place."""

    def __init__(self, chunks: list[bytes | Exception], status: int = 200) -> None:
        self.status = status
        self.headers = JSON
        self._chunks = chunks

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            if isinstance(chunk, Exception):
                raise chunk
            yield chunk


class ScriptedTransport:
    """Answers each request with the next line of its script and keeps what it was asked."""

    def __init__(self, *script: Response | Exception | Chunks | Callable[[Request], Any]) -> None:
        self.requests: list[Request] = []
        self.closed = False
        self._script = iter(script)

    def _next(self, request: Request) -> Any:
        self.requests.append(request)
        line = next(self._script, None)
        if line is None:
            raise AssertionError(f"not in the script: {request.method} {request.target}")
        if callable(line):
            line = line(request)
        if isinstance(line, Exception):
            raise line
        return line

    async def send(
        self, request: Request, *, timeout: float | None = None
    ) -> Response:  # the protocol's own word
        """Answer from the script."""
        response: Response = self._next(request)
        return response

    @asynccontextmanager
    async def stream(
        self, request: Request, *, timeout: float | None = None
    ) -> AsyncIterator[Stream]:
        """Answer from the script."""
        yield self._next(request)

    def upgrade(
        self, request: Request, *, timeout: float | None = None
    ) -> AbstractAsyncContextManager[Duplex]:
        """Refuse: no script plays a websocket."""
        raise AssertionError("the script has no upgrade")

    async def close(self) -> None:
        """Remember that it was closed."""
        self.closed = True

    @property
    def bodies(self) -> list[Any]:
        """What was sent, as JSON."""
        return [json.loads(request.body) for request in self.requests if request.body]
