"""A webhook that does what no webhook should: HTTPS by hand."""

import asyncio
import base64
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from kubewright._pki.authority import Authority
from kubewright.apiserver.wire.http import ServerTLS

Behave = Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]


class Hostile:
    """Listens on loopback, reads each request wholly, and lets `behave` do the rest."""

    def __init__(self, behave: Behave) -> None:
        self.behave = behave
        self.asked = 0
        self.config: dict[str, str] = {}

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one client."""
        with contextlib.suppress(OSError, EOFError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                size = int(head.partition("content-length: ")[2].partition("\r\n")[0])
                body = await reader.readexactly(size)
                self.asked += 1
                await self.behave(body, writer)
                await writer.drain()
        writer.close()


@contextlib.asynccontextmanager
async def hostile(behave: Behave) -> AsyncIterator[Hostile]:
    """Serve a webhook that behaves like that."""
    authority = Authority("hostile-ca")
    pair = authority.serving("127.0.0.1")
    hook = Hostile(behave)
    tasks: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(hook.serve(reader, writer))
        tasks.add(task)

    context = ServerTLS(pair.certificate, pair.key).context()
    server = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=context)
    port = server.sockets[0].getsockname()[1]
    bundle = base64.b64encode(authority.certificate).decode()
    hook.config = {"url": f"https://127.0.0.1:{port}/", "caBundle": bundle}
    try:
        yield hook
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def http(body: Any, *, status: str = "200 OK", headers: str = "") -> bytes:
    """Return an answer in HTTP; *body* is a tree, or bytes as they are."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{headers}"
    return f"{head}Content-Length: {len(data)}\r\n\r\n".encode() + data


def review(asked: bytes, **response: Any) -> bytes:
    """Return an answer to an AdmissionReview with these fields."""
    uid = json.loads(asked)["request"]["uid"]
    kind = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}
    return http({**kind, "response": {"uid": uid, **response}})
