"""A webhook on this machine that answers reviews as a test tells it to."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import yaml

from kubewright._aio import Clock
from kubewright._pki import kubeconfig
from kubewright._pki.authority import Authority
from kubewright._serve.messages import Request, Response
from kubewright._serve.server import HTTPServer
from kubewright._serve.tls import ServerTLS

Obj = dict[str, Any]
Reply = Obj | Response
Behaviour = Callable[[Obj], Reply] | Callable[[Obj], Awaitable[Reply]]
"""Gets a review; returns its status, or a whole answer."""


@cache
def authority() -> Authority:
    return Authority("webhooks")


class Reviewer:
    """Answers reviews, and remembers them."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self.requests: list[Request] = []
        self.url = ""

    @property
    def reviews(self) -> list[Obj]:
        """What was asked."""
        return [msgspec.json.decode(one.body) for one in self.requests]

    async def handle(self, request: Request) -> Response:
        self.requests.append(request)
        review = msgspec.json.decode(request.body)
        reply = self.behaviour(review)
        found = reply if isinstance(reply, (dict, Response)) else await reply
        if isinstance(found, Response):
            return found
        return Response(200, msgspec.json.encode({**review, "status": found}))

    def document(self, path: str = "/review", **user: str) -> Obj:
        """Return the config for a server that is *user* to it."""
        login = ("apiserver", user)
        return kubeconfig.document(self.url + path, login, ca_data=authority().certificate)

    def write(self, folder: Path, name: str = "webhook.yaml", **user: str) -> Path:
        """Write the config file, and return its path."""
        path = folder / name
        path.write_text(yaml.safe_dump(self.document(**user)))
        return path


@asynccontextmanager
async def reviewer(behaviour: Behaviour) -> AsyncIterator[Reviewer]:
    """Serve a webhook that knows clients of `authority`."""
    found = Reviewer(behaviour)
    pair = authority().serving("127.0.0.1")
    tls = ServerTLS(pair.certificate, pair.key, authority().certificate)
    front = HTTPServer(found, tls=tls)
    await front.start()
    found.url = front.url
    try:
        yield found
    finally:
        await front.stop(0)


class LeapingClock(Clock):
    """Every sleep is over at once, and the time has passed."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return super().monotonic() + sum(self.slept)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await asyncio.sleep(0)
