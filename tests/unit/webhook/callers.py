"""A webhook server on loopback with a certificate of the test, and who calls it."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from kubewright._pki.authority import Authority
from kubewright._pki.server_context import Serving
from kubewright._serve.messages import Handler
from kubewright.webhook.server import WebhookServer
from tests.unit._serve.clients import Peer, Scripted, echo

HOST = "127.0.0.1"


class Certificate:
    """A certificate that is there when the test says so, and can be replaced."""

    def __init__(self) -> None:
        self.authority = Authority("shops")
        self.there = asyncio.Event()
        self.trouble = ""
        self._serving = Serving(self.authority.serving(HOST))

    async def load(self) -> ssl.SSLContext:
        await self.there.wait()
        return self._serving.context

    async def keep(self) -> None:
        return  # it needs no care

    def problem(self) -> str:
        return self.trouble

    @property
    def ca_bundle(self) -> bytes:
        return self.authority.certificate

    def renew(self) -> None:
        """Show another certificate of the same authority."""
        self._serving.replace(self.authority.serving(HOST))


class Served:
    """A server that runs, and how it is called."""

    def __init__(self, server: WebhookServer, certificate: Certificate) -> None:
        self.server, self.certificate = server, certificate
        self.url = ""
        self.task: asyncio.Task[None] = asyncio.create_task(server.run())

    @asynccontextmanager
    async def connect(self, context: ssl.SSLContext | None = None) -> AsyncIterator[Peer]:
        """Connect as an API server does; with *context* as somebody else."""
        async with connected(self.url, context or trusting(self.certificate.ca_bundle)) as peer:
            yield peer

    async def call(
        self, path: str = "/", body: bytes = b"", *, context: ssl.SSLContext | None = None
    ) -> bytes:
        """Return the answer on a connection of its own."""
        async with self.connect(context) as peer:
            await peer.send(post(path, body))
            return (await peer.answer())[1]

    async def end(self) -> None:
        """Cancel the server, and wait for its end."""
        self.task.cancel()
        await asyncio.wait([self.task])
        if not self.task.cancelled() and (error := self.task.exception()):
            raise error


def trusting(authorities: bytes, shown: Path | None = None) -> ssl.SSLContext:
    """Return the context of a client that trusts *authorities*, and shows the pair in *shown*."""
    context = ssl.create_default_context(cadata=authorities.decode())
    if shown is not None:
        context.load_cert_chain(shown)
    return context


@asynccontextmanager
async def connected(url: str, context: ssl.SSLContext) -> AsyncIterator[Peer]:
    """Connect to the server at *url*."""
    parts = urlsplit(url)
    peer = Peer(*await asyncio.open_connection(parts.hostname, parts.port, ssl=context))
    try:
        yield peer
    finally:
        await peer.close()


def post(path: str, body: bytes = b"", *, size: int | None = None, ask: bool = False) -> bytes:
    """Return a request; *ask* lets it wait for permission before the body is sent."""
    length = len(body) if size is None else size
    head = f"POST {path} HTTP/1.1\r\nHost: t\r\nContent-Length: {length}\r\n"
    return (head + ("Expect: 100-continue\r\n" if ask else "") + "\r\n").encode() + body


@asynccontextmanager
async def served(handler: Handler | None = None, **options: Any) -> AsyncIterator[Served]:
    """Serve *handler* until the block is left; by default one that repeats what it was told."""
    certificate = Certificate()
    certificate.there.set()
    server = WebhookServer(
        handler or Scripted(echo), certificate=certificate, host=HOST, port=0, **options
    )
    found = Served(server, certificate)
    await server.wait_ready()
    if server.listens:
        found.url = server.url
    try:
        yield found
    finally:
        await found.end()
