"""Requests and answers, from the form of our server to that of our client and back."""

import asyncio
from typing import Protocol

from kubewright import _json
from kubewright._serve.messages import JSON, Headers, Request, Response
from kubewright.ansible.proxy.place import Place, attempt_for
from kubewright.api import requests
from kubewright.client.transport import Response as TheirResponse

__all__ = ["SWITCHING", "connect", "headers_of", "refusal", "request_for", "whole"]

SWITCHING: int = 101
_DROPPED = frozenset(
    {
        "accept", "accept-encoding", "authorization", "connection", "content-length",
        "content-type", "expect", "host", "keep-alive", "proxy-authorization", "proxy-connection",
        "te",  # codespell:ignore te
        "trailer", "transfer-encoding", "upgrade", "user-agent",
    }
)  # fmt: skip
_KEPT_FOR_UPGRADE = frozenset({"connection", "upgrade"})


class _Duplex(Protocol):
    async def read(self) -> bytes: ...

    async def write(self, data: bytes) -> None: ...


def request_for(
    request: Request, place: Place | None, *, upgrade: bool = False
) -> requests.Request:
    """Return *request* as our client sends it, without what is between the run and us."""
    target = f"{request.path}?{request.query}" if request.query else request.path
    dropped = _DROPPED - _KEPT_FOR_UPGRADE if upgrade else _DROPPED
    return requests.Request(
        request.method,
        target,
        attempt_for(request, place),
        request.body,
        request.headers.get("content-type", ""),
        request.headers.get("accept", JSON),
        tuple(_kept(request.headers, dropped)),
    )


def _kept(headers: Headers, dropped: frozenset[str]) -> list[tuple[str, str]]:
    found = [(name, value) for name, value in headers.items() if name not in dropped]
    return [(name, line) for name, value in found for line in value.split("\n")]


def headers_of(
    found: tuple[tuple[str, str], ...],
) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the content type among the headers of an answer, and those that go on to the run."""
    content_type = next((value for name, value in found if name == "content-type"), JSON)
    return content_type, tuple(
        (name, value) for name, value in found if name not in _DROPPED and name != "date"
    )


def whole(answer: TheirResponse) -> Response:
    """Return *answer* as our server sends it."""
    content_type, headers = headers_of(answer.headers)
    return Response(answer.status, answer.body, content_type, headers)


def refusal(code: int, reason: str, message: str) -> Response:
    """Return an answer of our own, as an API server writes it."""
    status = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": reason,
        "code": code,
    }
    return Response(code, _json.encode(status))


async def connect(one: _Duplex, other: _Duplex) -> None:
    """Pass bytes on between two connections, until one of them ends."""
    ways = [asyncio.ensure_future(_pump(one, other)), asyncio.ensure_future(_pump(other, one))]
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)


async def _pump(source: _Duplex, target: _Duplex) -> None:
    while data := await source.read():
        await target.write(data)
